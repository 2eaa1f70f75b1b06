"""One process a front end for the whole module: starting it costs more than a body."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from front_kit import FrontProcess, judge

HERE = Path(__file__).parent


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All bodies of one front end behind each other: pytest's own order ends and starts it for nearly every body."""
    places = [at for at, item in enumerate(items) if item.path.parent == HERE and _front_of(item)]
    kinds = list(dict.fromkeys(_front_of(items[at]) for at in places))
    grouped = sorted((items[at] for at in places), key=lambda item: kinds.index(_front_of(item)))
    for at, item in zip(places, grouped, strict=True):
        items[at] = item


def _front_of(item: pytest.Item) -> str:
    callspec = getattr(item, "callspec", None)
    return str(callspec.params.get("front", "")) if callspec is not None else ""


@pytest.fixture(scope="session")
def front(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FrontProcess]:
    """The front end of a test: its kind is the parameter."""
    judge(request.param)
    started = FrontProcess(request.param, tmp_path_factory.mktemp("front"))
    yield started
    started.close()
