"""One process a front end for the whole module: starting it costs more than a body."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from front_kit import FrontProcess, judge


@pytest.fixture(scope="session")
def front(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FrontProcess]:
    """The front end of a test: its kind is the parameter."""
    judge(request.param)
    started = FrontProcess(request.param, tmp_path_factory.mktemp("front"))
    yield started
    started.close()
