"""What a process gives away by itself: modes of its files, core dumps, its memory, values in tracebacks (P4)."""

from __future__ import annotations

import logging
import os
import resource
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cardshoe.cli.private_process import _Bare, bare, ptrace_scope
from cardshoe.errors import ConfigError
from cardshoe.table.config import parse_config

LIVE = """
[table]
name = "T"
mode = "live"
game = "ultimate-texas-holdem"
journal = "journal"
people = "people/people.json"

[devices.shoe]
url = "URL"
security = "sealed"

[security]
keys = "keys"
manifest = "manifest.json"
manifest_key = "{key}"
""".format(key="ab" * 32)


def test_real_everything_that_a_demo_leaves_is_its_owners_alone(played: Path) -> None:
    """Journal, write-ahead file, key, anchor, lock, reserve and what simulated devices remember; umask 000 outside."""
    left = [path for path in played.parent.rglob("*") if not path.is_symlink()]
    assert {"journal", "journal.key", "journal.anchor", "journal.lock"} <= {path.name for path in left}
    open_to_others = {
        str(path.relative_to(played.parent)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in left
        if path.stat().st_mode & 0o077
    }
    assert open_to_others == {}


def test_real_a_key_an_export_and_an_archive_are_their_owners_alone(played: Path, tmp_path: Path) -> None:
    commands = [
        ["journal", "export", str(played), "--to", str(tmp_path / "export.jsonl")],
        ["journal", "anchor", str(played), "--to", str(tmp_path / "anchor")],
        ["telemetry", "export", str(played), str(tmp_path / "sent"), "--rounds", "1"],
        ["evidence", str(tmp_path / "key.pem"), "--make-key"],
    ]
    for words in commands:
        line = ["sh", "-c", 'umask 000; exec "$@"', "sh", sys.executable, "-m", "cardshoe", *words]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    left = list(tmp_path.rglob("*"))
    assert len(left) >= 5
    assert [str(path) for path in left if path.stat().st_mode & 0o077] == []


def _process(body: str, *, expect: int = 0) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(body)], capture_output=True, text=True)
    assert ran.returncode == expect, ran.stderr
    return ran


def test_real_a_live_process_dumps_no_core_and_is_closed_to_debuggers() -> None:
    """Asked of the kernel: the limit is 0, hard too, and the process is not dumpable, so /proc/PID/mem is root's."""
    said = _process(
        """
        import ctypes, os, resource
        from cardshoe.cli.private_process import keep_memory_private
        keep_memory_private()
        print(resource.getrlimit(resource.RLIMIT_CORE), ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
        print(os.stat("/proc/self/mem").st_uid)
        """
    ).stdout
    assert said.splitlines() == ["(0, 0) 0", "0"]


def test_a_bench_process_keeps_what_a_developer_needs() -> None:
    before = resource.getrlimit(resource.RLIMIT_CORE)
    said = _process("import resource, cardshoe.cli; print(resource.getrlimit(resource.RLIMIT_CORE))").stdout
    assert said.strip() == str(before)


@pytest.mark.parametrize(
    "raising",
    [
        "raise KeyError(face)",
        "t = threading.Thread(target=lambda: {}[face]); t.start(); t.join(); raise SystemExit(1)",
        "class Bad:\n    def __del__(self):\n        raise ValueError(face)\nBad(); raise SystemExit(1)",
        "async def f():\n    asyncio.get_running_loop().call_soon(lambda: {}[face]); await asyncio.sleep(0.01)\n"
        "asyncio.run(f()); raise SystemExit(1)",
        "raise ValueError(f'card {face}') from KeyError(face)",
        "raise ExceptionGroup(face, [ValueError(face)])",
    ],
    ids=["process", "thread", "finalizer", "loop", "chained", "group"],
)
def test_real_an_unexpected_error_of_a_live_table_tells_no_value(raising: str) -> None:
    """The type and the places stay; the message, the source line and the values go (P4: no exception holds a face)."""
    prelude = (
        "import asyncio, threading\nfrom cardshoe.cli.private_process import keep_memory_private\n"
        "keep_memory_private()\nface = ''.join(['Q', 'h', '-', 'secret'])\n"
    )
    said = _process(prelude + raising, expect=1).stderr
    assert "Qh-secret" not in said
    assert "an error in the program" in said
    assert "Error" in said or "ExceptionGroup" in said


def test_such_a_value_would_be_told_without() -> None:
    assert "Qh-secret" in _process("raise KeyError(''.join(['Qh', '-secret']))", expect=1).stderr


def test_a_log_line_of_the_loop_is_bare() -> None:
    record = logging.LogRecord("asyncio", logging.ERROR, __file__, 1, "handle: %r", ("Qh",), None)
    assert "Qh" not in _Bare().format(record)
    assert bare(KeyError, None).endswith("KeyError")


def test_whom_the_kernel_lets_read_is_told_where_it_says_so() -> None:
    path = Path("/proc/sys/kernel/yama/ptrace_scope")
    assert ptrace_scope() == (int(path.read_text()) if path.exists() else None)


def test_a_live_table_cannot_have_the_simulated_transport() -> None:
    """T17: refused by the configuration, before anything is started."""
    with pytest.raises(ConfigError) as refused:
        parse_config(LIVE.replace("URL", "sim://shoe"), "table.toml")
    assert refused.value.code == "config-live-simulated"
    assert parse_config(LIVE.replace("URL", "serial:///dev/ttyUSB0"), "table.toml").table.mode == "live"


def test_real_a_live_run_switches_it_on_before_it_opens_anything(tmp_path: Path) -> None:
    """The command itself: the umask and the limits hold when the first thing that is missing ends it."""
    (tmp_path / "table.toml").write_text(LIVE.replace("URL", "serial:///dev/does-not-exist"))
    code = textwrap.dedent(
        f"""
        import os, resource, ctypes
        from cardshoe.cli import run
        status = run(["run", "--config", {str(tmp_path / "table.toml")!r}])
        print(status, resource.getrlimit(resource.RLIMIT_CORE), ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
        """
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert ran.stdout.split(" ", 1)[1].strip() == "(0, 0) 0", ran.stderr
    assert ran.stdout.split()[0] in {"2", "3", "4"}
    assert not (tmp_path / "journal").exists()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["run", "--config"], "config-file"),
        (["doctor", "--config"], "config-file"),
        (["trace", "show"], "trace-unreadable"),
        (["version", "--verify", "--list"], "version-list"),
        (["journal", "verify", "JOURNAL", "--public-key"], "journal-public-key"),
    ],
)
def test_real_a_file_that_is_too_long_is_refused_and_not_read(
    words: list[str], name: str, played: Path, tmp_path: Path
) -> None:
    """A sparse file of 8 GiB, of which no more than the bound is ever read: less memory is allowed than it has."""
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        os.truncate(file.fileno(), 8 << 30)
    line = [str(played) if word == "JOURNAL" else word for word in words]
    ran = subprocess.run(
        ["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", sys.executable, "-m", "cardshoe", *line, str(huge)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert ran.returncode in (1, 2), (name, ran.stderr)
    assert "Traceback" not in ran.stderr
    assert "too large" in ran.stderr.lower() or "too long" in ran.stderr.lower()
