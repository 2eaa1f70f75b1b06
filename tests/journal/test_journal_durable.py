"""On disk before it is told: the order of calls, a full file system, a small temporary directory (P2, FR-45)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from strace_bench import Bench, bench

Require = Callable[[str, str], str]


@pytest.fixture
def harness(require: Require, tmp_path: Path) -> Iterator[Bench]:
    strace = require("strace", "the order of writes and syncs is seen by it (apt: strace)")
    with bench(strace, tmp_path) as found:
        yield found


_LINE = re.compile(r"^(?P<thread>\d+) +(?:<\.\.\. )?(?P<call>pwrite64|fdatasync|fsync|sendto)\b(?P<rest>.*)$")


def _told_too_early(trace: str) -> list[str]:
    """Acknowledgements that left while bytes of the write-ahead file were not yet synced."""
    early, unsynced, syncing = [], False, False
    for line in trace.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        call, rest = found["call"], found["rest"]
        if call == "pwrite64" and "-wal>" in rest:
            unsynced = True
        elif call in ("fdatasync", "fsync"):
            begins = "-wal>" in rest
            syncing = syncing or begins
            if syncing and rest.rstrip().endswith("= 0"):
                unsynced = syncing = False
        elif call == "sendto" and '"ack ' in rest and unsynced:
            early.append(rest)
    return early


def test_every_acknowledgement_comes_after_the_sync_of_its_commit(harness: Bench, tmp_path: Path) -> None:
    """P2: between the last write to the write-ahead file and the word to the caller lies a sync."""
    trace = harness.trace(tmp_path / "table.db", 6, "right")
    assert trace.count('"ack ') == 8
    assert _told_too_early(trace) == []


def test_a_writer_that_does_not_sync_is_found(harness: Bench, tmp_path: Path) -> None:
    """The harness itself: synchronous=NORMAL tells before the disk has it."""
    assert _told_too_early(harness.trace(tmp_path / "table.db", 6, "not-synced")) != []


FILL = """
import os, sys
from pathlib import Path
from cardshoe.errors import JournalError
from cardshoe.journal import Entry, Journal, verify
path = Path(sys.argv[1]) / "table.db"
journal = Journal.open(path)
acknowledged, codes = 0, []
try:
    while True:
        acknowledged = journal.append_now([Entry("wager_placed", {"note": "x" * 2000}, 1)]).last_seq
except JournalError as error:
    codes.append(error.code)
    assert sys.argv[1] in error.text, error.text
for _ in range(3):
    try:
        journal.append([Entry("a", {})])
    except JournalError as error:
        codes.append(error.code)
journal.close()
verdict = verify(path)
print(acknowledged > 50, verdict.ok, verdict.records >= acknowledged, *codes)
os.truncate(Path(sys.argv[1]) / "ballast", 0)
with Journal.open(path) as journal:
    print(journal.append_now([Entry("a", {})]).first_seq > acknowledged)
"""


def _in_own_mounts(script: str, *arguments: str, **environment: str) -> str:
    """Run a shell script where it may mount; skip where that cannot be had."""
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rm", "true"], check=False, capture_output=True).returncode:
        reason = "unshare -rm is not allowed here: no file system of our own"
        if os.environ.get("CARDSHOE_REQUIRE") == "all":
            pytest.fail(reason)
        pytest.skip(reason)
    command = [unshare, "-rm", "sh", "-ec", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_full_file_system_stops_the_journal_and_loses_nothing(tmp_path: Path) -> None:
    """P2, FR-45: the message names the directory; everything after is refused; with room again it goes on."""
    script = 'mount -t tmpfs -o size=3m none "$0"; head -c 1m /dev/zero > "$0/ballast"; exec "$1" -c "$2" "$0"'
    said = _in_own_mounts(script, str(tmp_path), sys.executable, FILL)
    assert said.splitlines() == [
        "True True True journal-full journal-stopped journal-stopped journal-stopped",
        "True",
    ]


SMALL = """
import sys
from cardshoe.journal import Entry, Journal, verify
with Journal.open(sys.argv[1]) as journal:
    for _ in range(50):
        journal.append_now([Entry("a", {"note": "x" * 3000})] * 20)
from pathlib import Path
print(verify(Path(sys.argv[1])).records)
"""


def test_a_tiny_temporary_directory_does_not_matter(tmp_path: Path) -> None:
    """FR-45: nothing of the journal lies in TMPDIR, also when 3 MB are checked."""
    (tmp_path / "tiny").mkdir()
    script = (
        'mount -t tmpfs -o size=64k none "$0"; head -c 64k /dev/zero > "$0/ballast" || true; exec "$1" -c "$2" "$3"'
    )
    said = _in_own_mounts(
        script, str(tmp_path / "tiny"), sys.executable, SMALL, str(tmp_path / "table.db"), TMPDIR=str(tmp_path / "tiny")
    )
    assert said == "1003\n"
