"""What every test runs under: nothing may be left behind, and nothing is skipped in silence.

Owns the leak check, the pty that tests talk through, `require`, and the choice of what runs by default. Knows nothing
of cardshoe, so that it holds for every room alike.
"""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A deadline would be a timed assertion, and two cores shared by many make it a lie.
settings.register_profile("house", deadline=None, print_blob=True)
# The gate tries the same examples each time and says the same of the same tree; everywhere else new ones are tried.
settings.register_profile("gate", parent=settings.get_profile("house"), derandomize=True, database=None)
settings.load_profile("gate" if os.environ.get("CARDSHOE_REQUIRE") == "all" else "house")

GRACE_S = 2.0  # only ever waited when something looks left behind
PASSED = pytest.StashKey[bool]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the nightly tests out unless `-m` says what to run."""
    if config.option.markexpr:
        return
    nightly = [item for item in items if item.get_closest_marker("nightly")]
    if nightly:
        config.hook.pytest_deselected(items=nightly)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Note whether the test itself passed: a failed one keeps its frames, and so its descriptors, alive."""
    report = yield
    if report.when == "call":
        item.stash[PASSED] = report.passed
    return report


@pytest.fixture(scope="session", autouse=True)
def state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is remembered from one run of the tests to another, nor in the home of who runs them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


# --- what is left behind

_left_tasks: list[str] = []


def _note_tasks(when: str, loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        code = getattr(task.get_coro(), "cr_code", None)
        if "site-packages" not in getattr(code, "co_filename", ""):  # a library's own workers end with its loop
            _left_tasks.append(f"asyncio task still pending {when}: {task!r}")


def _watch_loops() -> None:
    """Hear of tasks that `asyncio.run` would cancel without a word, and of loops closed over pending tasks."""
    cancel, close = asyncio.runners._cancel_all_tasks, asyncio.BaseEventLoop.close

    def noted_cancel(loop: asyncio.AbstractEventLoop) -> None:
        _note_tasks("as asyncio.run ended", loop)
        cancel(loop)

    def noted_close(self: asyncio.BaseEventLoop) -> None:
        if not self.is_closed() and not self.is_running():
            _note_tasks("as its loop was closed", self)
        close(self)

    asyncio.runners._cancel_all_tasks = noted_cancel
    asyncio.BaseEventLoop.close = noted_close


_watch_loops()


def _descriptors() -> set[tuple[int, str]]:
    found: set[tuple[int, str]] = set()
    try:
        names = os.listdir("/proc/self/fd")
    except FileNotFoundError:  # no /proc here: threads and tasks are still checked
        return found
    for name in names:
        try:
            found.add((int(name), os.readlink(f"/proc/self/fd/{name}")))
        except OSError:  # the descriptor of the listing itself
            continue
    return found


def _children() -> set[int]:
    found: set[int] = set()
    for thread in threading.enumerate():
        try:
            text = Path(f"/proc/self/task/{thread.native_id}/children").read_text(encoding="ascii")
        except OSError:
            continue
        found.update(int(pid) for pid in text.split())
    return found


def _kept(descriptor: tuple[int, str]) -> bool:
    """Tell whether a library keeps this descriptor for the life of the process, by its own design."""
    fd, target = descriptor
    if target in {"/dev/urandom", "/dev/null"}:
        return True
    tracker = _resource_tracker()
    return tracker is not None and fd == getattr(tracker, "_fd", None)


def _resource_tracker() -> Any:
    module = sys.modules.get("multiprocessing.resource_tracker")
    return getattr(module, "_resource_tracker", None)


@dataclass(frozen=True)
class Before:
    """What was there before a test."""

    threads: frozenset[threading.Thread] = field(default_factory=lambda: frozenset(threading.enumerate()))
    descriptors: frozenset[tuple[int, str]] = field(default_factory=lambda: frozenset(_descriptors()))
    children: frozenset[int] = field(default_factory=lambda: frozenset(_children()))

    def left(self) -> list[str]:
        """Name every thread, descriptor and child process that was not there before."""
        found = [f"thread {thread.name!r}" for thread in threading.enumerate() if thread not in self.threads]
        new = _descriptors() - self.descriptors
        found += [f"descriptor {fd} → {target}" for fd, target in sorted(new) if not _kept((fd, target))]
        tracker = getattr(_resource_tracker(), "_pid", None)
        found += [f"child process {pid}" for pid in sorted(_children() - self.children) if pid != tracker]
        return found


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread, an asyncio task, a descriptor, a pty or a child process behind."""
    before = Before()
    _left_tasks.clear()
    yield
    if not request.node.stash.get(PASSED, False):
        return
    left = before.left()
    if left:
        gc.collect()
        deadline = time.monotonic() + GRACE_S
        while (left := before.left()) and time.monotonic() < deadline:
            time.sleep(0.01)  # a thread told to stop may still be on its way out
    left += _left_tasks
    if left:
        pytest.fail("left behind by this test:\n  " + "\n  ".join(left), pytrace=False)


# --- what tests talk through


@dataclass
class PtyPair:
    """A real pty: the test is the device on `master`, the product opens `path`.

    One slave descriptor is held open, or the master would read EIO whenever the product closes.
    """

    master: int
    slave: int
    path: str

    def hang_up(self) -> None:
        """Pull the plug: the product's descriptor is at its end, and the node is gone."""
        if self.master >= 0:
            os.close(self.master)
            self.master = -1

    def close(self) -> None:
        """Give both ends back; a hang-up before is allowed."""
        self.hang_up()
        if self.slave >= 0:
            os.close(self.slave)
            self.slave = -1


def open_pty() -> PtyPair:
    """Open a raw pty whose master does not block."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    return PtyPair(master=master, slave=slave, path=os.ttyname(slave))


@pytest.fixture
def pty_pair() -> Iterator[PtyPair]:
    """Give one raw pty with `master`, `path` and `hang_up()`."""
    pair = open_pty()
    yield pair
    pair.close()


@pytest.fixture
def new_pty() -> Iterator[Callable[[], PtyPair]]:
    """Give a function that opens as many raw ptys as a test needs."""
    pairs: list[PtyPair] = []

    def one_more() -> PtyPair:
        pairs.append(open_pty())
        return pairs[-1]

    yield one_more
    for pair in pairs:
        pair.close()


@pytest.fixture
def require() -> Callable[[str, str], str]:
    """Give `require(tool, reason)`: the tool's path, or a skip with its reason; CARDSHOE_REQUIRE=all fails instead.

    `tool` is a command, or the path of something that must exist (`/dev/fuse`).
    """

    def demand(tool: str, reason: str) -> str:
        found = (tool if Path(tool).exists() else None) if "/" in tool else shutil.which(tool)
        if found is not None:
            return found
        text = f"{tool} is not here: {reason}"
        if os.environ.get("CARDSHOE_REQUIRE") == "all":
            pytest.fail(text)
        pytest.skip(text)

    return demand
