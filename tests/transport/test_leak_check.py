"""The leak check is seen to fail: each kind of thing left behind, and the clean twin of each."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CONFTEST = (Path(__file__).parents[1] / "conftest.py").read_text(encoding="utf-8")

LEAVES = {
    "thread": """
        def test_it():
            threading.Thread(target=STOP.wait, daemon=True).start()
        """,
    "descriptor": """
        def test_it():
            KEEP.append(os.open("/proc/self/status", os.O_RDONLY))
        """,
    "/dev/pts/": """
        def test_it():
            KEEP.append(os.openpty())
        """,
    "child process": """
        def test_it():
            KEEP.append(subprocess.Popen(["sleep", "30"]))
        """,
    "as asyncio.run ended": """
        def test_it():
            async def main():
                KEEP.append(asyncio.ensure_future(asyncio.sleep(30)))
            asyncio.run(main())
        """,
    "as its loop was closed": """
        def test_it():
            loop = asyncio.new_event_loop()
            KEEP.append(loop.create_task(asyncio.sleep(0)))
            loop.run_until_complete(asyncio.sleep(0))
            KEEP.append(loop.create_task(asyncio.sleep(30)))
            loop.run_until_complete(asyncio.sleep(0))
            loop.close()
        """,
}

CLEAN = """
    def test_thread():
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()

    def test_descriptor():
        os.close(os.open("/proc/self/status", os.O_RDONLY))

    def test_child():
        subprocess.run(["true"], check=True)

    def test_task():
        async def main():
            await asyncio.ensure_future(asyncio.sleep(0))
        asyncio.run(main())

    def test_pty(pty_pair):
        os.write(pty_pair.master, b"x")
        pty_pair.hang_up()

    def test_require(require):
        assert require("sh", "the shell").endswith("sh")

    @pytest.mark.nightly
    def test_long():
        raise AssertionError("runs only when it is named")
    """

PRELUDE = "import asyncio, os, subprocess, threading\nimport pytest\nKEEP = []\nSTOP = threading.Event()\n"


def _run(pytester: pytest.Pytester, body: str) -> pytest.RunResult:
    quick = CONFTEST.replace("GRACE_S = 2.0", "GRACE_S = 0.05")
    assert quick != CONFTEST
    pytester.makeconftest(quick)
    pytester.makeini("[pytest]\nmarkers = nightly: long\n")
    pytester.makepyfile(PRELUDE + body)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:benchmark", "-ra")


def test_each_kind_of_leak_is_found(pytester: pytest.Pytester) -> None:
    bodies = [textwrap.dedent(body).replace("test_it", f"test_{n}") for n, body in enumerate(LEAVES.values())]
    result = _run(pytester, "\n".join(bodies))
    result.assert_outcomes(passed=len(LEAVES), errors=len(LEAVES))
    for n, what in enumerate(LEAVES):
        result.stdout.fnmatch_lines([f"*at teardown of test_{n} *", "left behind by this test:", f"*{what}*"])


def test_what_cleans_up_is_left_alone_and_nightly_tests_are_not_run(pytester: pytest.Pytester) -> None:
    _run(pytester, textwrap.dedent(CLEAN)).assert_outcomes(passed=6, deselected=1)


@pytest.mark.parametrize(("strict", "outcome"), [("", {"skipped": 1}), ("all", {"failed": 1})])
def test_a_missing_tool_skips_with_its_reason_or_fails_where_all_is_required(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, strict: str, outcome: dict[str, int]
) -> None:
    monkeypatch.setenv("CARDSHOE_REQUIRE", strict)
    result = _run(pytester, "def test_it(require):\n    require('no-such-tool', 'shows ' + 'the reason')\n")
    result.assert_outcomes(**outcome)
    result.stdout.fnmatch_lines(["*no-such-tool is not here: shows the reason*"])
