"""Lines: what is read, what is refused and how, memory, exit statuses (`interfaces.md`)."""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from rules_kit import Run, answers, as_line

from cardshoe.cli.json_lines import LONGEST_LINE, answer_line, numbered_lines
from cardshoe.cli.settle import settled

GOOD = {
    "id": "good",
    "game": "ultimate-texas-holdem",
    "house": {},
    "positions": {"2": {"wagers": {"ante": 1000, "blind": 1000}, "cards": ["As", "Kd"], "actions": ["play 4x"]}},
    "dealer": ["Qh", "Qd"],
    "board": ["2c", "7d", "9h", "Ts", "Jc"],
    "irregularities": [],
}
"""One good line."""


def test_answers_stand_in_the_order_of_the_lines_and_bad_ones_do_not_stop_the_rest(run: Run) -> None:
    """A refused line has its error in its place, the rest is done, the exit status is 1."""
    lines = [
        json.dumps(GOOD).encode(),
        b"",
        b"   ",
        b'{"id": 7, "game": "poker"}',
        b"{broken",
        b"\xff\xfe",
        b"[1, 2]",
        b'"text"',
        json.dumps({**GOOD, "id": None}).encode(),
    ]
    done = run("settle", b"\n".join(lines))
    given = answers(done)
    assert [each["id"] for each in given] == ["good", 7, None, None, None, None, None]
    assert ["error" in each for each in given] == [False, True, True, True, True, True, False]
    assert [each["error"]["code"] for each in given if "error" in each] == [
        "unknown-game",
        "line-not-json",
        "line-not-utf8",
        "line-not-object",
        "line-not-object",
    ]
    assert done.returncode == 1
    assert done.stderr == b""


def test_exit_statuses(run: Run, tmp_path: Path) -> None:
    """0 done, 1 refused, 2 no line at all or no such file (named)."""
    assert run("settle", as_line(GOOD)).returncode == 0
    assert run("settle", b"").returncode == 2
    assert run("settle", b"\n \n\n").returncode == 2
    missing = run("settle", b"", "no-such-file.jsonl")
    assert missing.returncode == 2
    assert b"no-such-file.jsonl" in missing.stderr
    assert b"Traceback" not in missing.stderr
    assert run("plan", b"", str(tmp_path)).returncode == 2
    (tmp_path / "lines.jsonl").write_bytes(as_line(GOOD))
    from_file = run("settle", b"", "lines.jsonl")
    assert from_file.returncode == 0
    assert from_file.stdout == run("settle", as_line(GOOD)).stdout
    assert run("settle", as_line(GOOD), "--json").stdout == from_file.stdout


def _refused(raw: bytes) -> tuple[object, str, str]:
    answer = answer_line(3, raw, settled)
    error = answer["error"]
    assert isinstance(error, dict)
    assert set(error) == {"code", "text", "cites"}
    json.dumps(answer, allow_nan=False)
    return answer["id"], error["code"], error["text"]


@pytest.mark.parametrize(
    ("raw", "identity", "code", "says"),
    [
        (b'{"id": "x", "id": "y", "game": "ultimate-texas-holdem"}', "y", "line-duplicate-key", "'id'"),
        (b'{"id": "x", "house": {"trips_table": "A", "trips_table": "B"}}', "x", "line-duplicate-key", "trips_table"),
        (b'{"id": "x", "game": NaN}', "x", "line-not-json", "NaN"),
        (b'{"id": "x", "game": -Infinity}', "x", "line-not-json", "-Infinity"),
        (b'{"id": 1.5}', 1.5, "missing-key", "'game'"),
        (b'{"id": 1e999}', None, "line-id", "inf"),
        (b'{"id": ["x", 1e999]}', None, "line-id", "list"),
        (b'{"id": ["x"]}', ["x"], "missing-key", "'game'"),
        (b'{"id": {"x": [1, null]}}', {"x": [1, None]}, "missing-key", "'game'"),
        (b'{"id": true}', True, "missing-key", "'game'"),
        (b'{"id": "x"', None, "line-not-json", "line 3"),
        (b'{"id": "x"} {"id": "y"}', None, "line-not-json", "line 3"),
        (b'{"id": ' + b"9" * 5000 + b"}", None, "line-not-json", "too long"),
        (b'{"id": "x", "game": ' + b"[" * 200_000, None, "line-nested", "nested"),
        (b'{"id": "x", "game": ' + b"[" * 900 + b"]" * 900 + b"}", "x", "unknown-game", "list"),
        (b'{"id": "caf\xc3', None, "line-not-utf8", "byte"),
        (b'{"id": "x"}', "x", "missing-key", "'game'"),
        (b'{"id": "x", "game": null}', "x", "unknown-game", "null"),
        (b'{"id": "\\ud800", "game": "\\ud800"}', "\ud800", "unknown-game", "no game"),
    ],
)
def test_a_line_that_cannot_be_read(raw: bytes, identity: object, code: str, says: str) -> None:
    """Refused by value and place; `id` echoed where it can be read."""
    given_identity, given_code, text = _refused(raw)
    assert (given_identity, given_code) == (identity, code)
    assert says in text


def test_a_long_value_is_quoted_short() -> None:
    """A refusal stays a line for people, whatever was given."""
    case = {**GOOD, "game": "x" * 500_000}
    _, code, text = _refused(json.dumps(case).encode())
    assert code == "unknown-game"
    assert len(text) < 300
    case = {**GOOD, "dealer": ["x" * 500_000, "Qd"]}
    _, code, text = _refused(json.dumps(case).encode())
    assert code == "card-spelling"
    assert len(text) < 300


def test_a_line_over_one_mebibyte_is_refused_by_its_number(run: Run) -> None:
    """The line is never held whole: exactly 1 MiB passes, one byte more does not, the next line is done."""
    exact = json.dumps(GOOD).encode()
    exact += b" " * (LONGEST_LINE - len(exact))
    done = run("settle", exact + b"\n" + exact + b" \n" + as_line(GOOD))
    first, second, third = answers(done)
    assert "error" not in first
    assert second["error"]["code"] == "line-too-long"
    assert "line 2" in second["error"]["text"]
    assert "error" not in third
    assert done.returncode == 1


def test_numbers_count_blank_lines_too(tmp_path: Path) -> None:
    """The number in a refusal is the number that an editor shows."""
    file = tmp_path / "lines"
    file.write_bytes(b"\n\nx\r\n" + b"y" * (LONGEST_LINE + 3 * 65536) + b"\nz")
    with file.open("rb") as source:
        assert list(numbered_lines(source)) == [(3, b"x\r\n"), (4, None), (5, b"z")]


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        (MARK, []),
        (MARK + b"\n \n", []),
        (MARK + b"\nx", [(2, b"x")]),
        (MARK + b"x\n" + MARK + b"y", [(1, b"x\n"), (2, MARK + b"y")]),
        (MARK + b"x" * LONGEST_LINE + b"\r\ny", [(1, b"x" * LONGEST_LINE + b"\r\n"), (2, b"y")]),
        (MARK + b"x" * (LONGEST_LINE + 1) + b"\ny", [(1, None), (2, b"y")]),
    ],
)
def test_a_byte_order_mark_is_no_part_of_the_first_line(given: bytes, lines: list[tuple[int, bytes | None]]) -> None:
    """A file that holds the mark alone, or blank lines after it, holds no line; further on the mark is no JSON."""
    assert list(numbered_lines(io.BytesIO(given))) == lines


@pytest.mark.parametrize(("closed", "says"), [("<&-", "holds no line"), (">&-", "standard output")])
@pytest.mark.parametrize("command", ["settle", "plan", "rehearse"])
def test_a_standard_stream_that_was_given_closed_is_named(command: str, closed: str, says: str) -> None:
    """Wrong usage, exit status 2, and no traceback."""
    shell = f'exec "$0" -m cardshoe {command} {closed}'
    done = subprocess.run(
        ["sh", "-c", shell, sys.executable], input=as_line(GOOD), capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


FLAT = """
import resource, sys
from cardshoe.cli import run
status = run(["settle", sys.argv[1]])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(status)
"""


def test_memory_stays_flat_over_a_line_of_fifty_megabytes(tmp_path: Path) -> None:
    """A 50 MB line costs no more memory than the longest line that is read."""
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(as_line(GOOD))
    with large.open("wb") as file:
        file.write(as_line(GOOD))
        for _ in range(50):
            file.write(b'{"a": ' + b"[" * 1_000_000)
        file.write(b"\n" + as_line(GOOD))
    peaks = []
    for path in (small, large):
        done = subprocess.run([sys.executable, "-c", FLAT, str(path)], capture_output=True, timeout=120)
        peaks.append(int(done.stderr.split()[-1]))
    assert [json.loads(line).get("error", {}).get("code") for line in done.stdout.splitlines()] == [
        None,
        "line-too-long",
        None,
    ]
    assert peaks[1] - peaks[0] < 16 * 1024, f"KiB: {peaks} (page size {resource.getpagesize()})"


def test_an_answer_is_written_before_the_next_line_comes(run: Run) -> None:
    """A program that asks line by line gets each answer at once."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cardshoe", "settle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        for number in range(3):
            process.stdin.write(as_line({**GOOD, "id": number}))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
    assert process.wait(timeout=30) == 0


@pytest.mark.parametrize("key", ["game", "positions", "dealer", "board"])
def test_a_missing_key_is_named(key: str) -> None:
    """A line without a key that it needs is refused by the name of the key."""
    _, code, text = _refused(json.dumps({name: value for name, value in GOOD.items() if name != key}).encode())
    assert code == "missing-key"
    assert repr(key) in text


@pytest.mark.parametrize("where", ["", "house", "positions.2", "positions.2.wagers", "irregularities"])
def test_an_unknown_key_is_named(where: str) -> None:
    """Unknown keys are refused, by name, at every level."""
    case = json.loads(json.dumps(GOOD))
    place = case
    for step in filter(None, where.split(".")):
        place = place[step]
    if isinstance(place, list):
        place.append({"kind": "device_fault", "affects_outcome": True, "colour": 1})
    else:
        place["colour"] = 1
    _, _, text = _refused(json.dumps(case).encode())
    assert "'colour'" in text


def test_a_full_disk_is_named() -> None:
    """An answer that cannot be written ends the command with status 2 and a sentence, no traceback."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cardshoe", "settle"],
            input=as_line(GOOD, GOOD),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"cardshoe: standard output: No space left on device")
    assert b"Traceback" not in done.stderr
    assert b"ignored" not in done.stderr
