"""Standard streams that are closed, full, flooded or read by nobody: one paragraph, an exit status, no hang.

P9: neither a flood of lines nor a reader that does not read stops the heartbeat or the end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from break_bench import Bench, bench, command, line, memory_kb, run, until, write_all

ENDS_WITHIN_S = 5.0
FLAT_KB = 30_000


@pytest.fixture
def table_bench(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def _feed(table: subprocess.Popen[bytes], data: bytes) -> threading.Thread:
    """Write `data` for as long as the table lives."""
    assert table.stdin is not None
    descriptor = table.stdin.fileno()

    def feed() -> None:
        try:
            while True:
                write_all(descriptor, data)
        except OSError:
            return

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    return thread


def _read_all(table: subprocess.Popen[bytes]) -> None:
    assert table.stdout is not None
    descriptor = table.stdout.fileno()

    def read() -> None:
        while os.read(descriptor, 1 << 16):
            continue

    threading.Thread(target=read, daemon=True).start()


_LINES, _NOISE, _ENDLESS = b'{"op":"x"}\n' * 1000, os.urandom(1 << 16), b"[" * (1 << 16)


@pytest.mark.parametrize(
    ("data", "reads"),
    [
        pytest.param(_LINES, True, id="lines, answers read"),
        pytest.param(_NOISE, False, id="noise, answers not read"),
        pytest.param(_LINES, False, id="lines, answers not read", marks=pytest.mark.nightly),
        pytest.param(_NOISE, True, id="noise, answers read", marks=pytest.mark.nightly),
        pytest.param(_ENDLESS, True, id="one endless line", marks=pytest.mark.nightly),
    ],
)
def test_a_flood_of_input_fills_no_memory_and_is_ended_by_sigterm(
    table_bench: Bench, data: bytes, *, reads: bool
) -> None:
    """P9: heartbeats go on, so that the shoe is not lost; SIGTERM ends it.

    A computer that is busy with other things may cost a second once; a loop that the flood stops loses the shoe again
    as soon as it is back.
    """
    table = table_bench.table()
    until(table, "open_round")
    before = memory_kb(table.pid)
    if reads:
        _read_all(table)
    _feed(table, data)
    time.sleep(2.5)
    after = memory_kb(table.pid)
    table.send_signal(signal.SIGTERM)
    assert table.wait(ENDS_WITHIN_S) == 0
    assert table.stderr is not None
    told = table.stderr.read().splitlines()
    assert all(b"has sent no valid frame for 1 s" in each for each in told), told
    assert len(told) <= 1
    assert after - before < FLAT_KB
    assert len([each for each in table_bench.records() if each["kind"] == "device_lost"]) == len(told)


_WRITERS = {
    "verify": ("journal", "verify", "{journal}"),
    "export": ("journal", "export", "{journal}"),
    "show": ("journal", "show", "{journal}"),
    "clauses": ("clauses", "--json"),
    "odds": ("odds", "three-card-poker", "--json"),
    "demo": ("demo", "--headless", "--rounds", "1", "--json"),
    "run": ("run", "--config", "{config}"),
    "sim": ("sim", "--shoe", "pty:{directory}/s2", "--control", "{directory}/c2"),
    "version": ("--version",),
}


_QUICK = ("run", "export", "version")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in _QUICK else pytest.mark.nightly) for name in _WRITERS]
)
def test_a_full_output_is_told_in_one_paragraph(table_bench: Bench, name: str) -> None:
    """Interfaces, exit status: 2, and no traceback, whatever command writes."""
    if name in ("verify", "export", "show"):
        run("run", "--config", table_bench.config)
    places = {
        "journal": table_bench.journal,
        "config": table_bench.config,
        "directory": table_bench.directory,
    }
    words = [word.format(**places) for word in _WRITERS[name]]
    with Path("/dev/full").open("wb") as full:
        ended = run(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.startswith("cardshoe: standard output: No space left on device")
    assert len(ended.stderr.splitlines()) == 1


def _closed(bench_: Bench, streams: str) -> subprocess.CompletedProcess[bytes]:
    words = ["sh", "-c", f'exec "$@" {streams}', "sh", *command("run", "--config", bench_.config)]
    return subprocess.run(words, check=False, timeout=60, stdin=subprocess.DEVNULL, capture_output=True)


@pytest.mark.parametrize(
    "streams", [pytest.param(each, marks=pytest.mark.nightly) for each in ("<&-", ">&-", "2>&-")] + ["<&- >&- 2>&-"]
)
def test_closed_streams_are_not_taken_for_the_journal_or_the_shoe(table_bench: Bench, streams: str) -> None:
    """P2, P6: what is opened next does not get the number of a standard stream; nothing is read or written there."""
    ended = _closed(table_bench, streams)
    assert ended.returncode == 0, ended.stderr
    assert b"Traceback" not in ended.stderr
    verified = run("journal", "verify", table_bench.journal, "--json")
    assert verified.returncode == 0
    assert json.loads(verified.stdout)["ok"]


def test_a_port_never_has_the_number_of_a_standard_stream(tmp_path: Path) -> None:
    """P2: with all three closed the process still owns them: they are /dev/null."""
    seen = tmp_path / "seen"
    program = (
        "from cardshoe.cli.streams import prepare_streams; import os; prepare_streams();"
        f"open({str(seen)!r}, 'w').write(' '.join(os.readlink(f'/proc/self/fd/{{n}}') for n in (0, 1, 2)))"
    )
    words = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", command()[0], "-c", program]
    assert subprocess.run(words, check=False, timeout=60).returncode == 0
    assert seen.read_text() == "/dev/null /dev/null /dev/null"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"op": "seat", "position": "2", "player": "\ud800"}, "entry-unrecordable"),
        ({"op": "clear", "code": "x", "role": "floor", "reason": "r" * 300_000}, "entry-unrecordable"),
        ({"op": "clear", "code": "x\udfff", "role": "floor", "reason": "r"}, "entry-unrecordable"),
        ({"op": "\ud800"}, "unknown-op"),
    ],
)
def test_what_cannot_be_written_down_is_refused_and_the_table_goes_on(
    table_bench: Bench, fields: dict[str, object], code: str
) -> None:
    """P2: an entry that no record can hold is refused before it is decided; it must not stop the table."""
    table = table_bench.table()
    assert table.stdin is not None
    write_all(table.stdin.fileno(), line("open_round", seats={"1": "Ann"}) + json.dumps(fields).encode() + b"\n")
    until(table, {"accepted": True})
    assert table.stdout is not None
    answer = next(told for raw in table.stdout if "accepted" in (told := json.loads(raw)))
    assert answer["refusal"]["code"] == code
    write_all(table.stdin.fileno(), line("seat", position="3", player="Bob"))
    until(table, {"accepted": True})
    table.stdin.close()
    table.stdin = None
    assert table.wait(ENDS_WITHIN_S) == 1


def test_ctrl_c_at_any_moment_of_the_start_is_no_traceback(table_bench: Bench) -> None:
    """Exit status 130, or the signal itself while the program is being loaded; never a word about our insides."""
    for moment_s in (0.05, 0.2, 0.4, 0.6, 0.8, 1.0):
        table = table_bench.table()
        time.sleep(moment_s)
        table.send_signal(signal.SIGINT)
        _, err = table.communicate(timeout=30)
        assert table.returncode in (130, -signal.SIGINT)
        assert b"Traceback" not in err or b"cardshoe" not in err
