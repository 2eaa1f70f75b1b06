"""The codes that the source can raise and the rows of the table are the same, and a row says what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from code_flow import codes_in, source_files

from cardshoe.error_table import ERROR_TABLE, Clears, Severity

SOURCE = Path(__file__).parents[2] / "src" / "cardshoe"
TABLE = [SOURCE / "error_table" / f"{part}.py" for part in ("devices", "rules", "record", "table", "tools")]
FOUND = codes_in(source_files(SOURCE, without=("sim", "error_table")))  # the simulator has errors of its own
ORDER = ("leaves", "wire", "transport", "games", "round", "journal", "table", "console", "lab", "cli")


def test_every_code_can_be_followed_to_where_it_is_written() -> None:
    assert FOUND.lost == []


def test_every_code_that_can_be_raised_has_a_row() -> None:
    assert {code: places for code, places in FOUND.codes.items() if code not in ERROR_TABLE} == {}


def test_every_row_can_be_raised() -> None:
    assert [code for code in ERROR_TABLE if code not in FOUND.codes] == []


@pytest.mark.parametrize("code", sorted(ERROR_TABLE))
def test_a_row_is_short_and_fits_its_severity(code: str) -> None:
    """A dealer's screen has 800 × 480; what holds the table is never cleared by nobody."""
    row = ERROR_TABLE[code]
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", code)
    assert 0 < len(row.dealer_text) <= 120
    assert row.dealer_text.endswith((".", "?"))
    assert (row.severity is Severity.NOTE) == (row.clears is Clears.NOBODY_NEEDED)


def _rooms() -> list[tuple[int, str, list[str]]]:
    """The blocks of the table: the line of each heading, the heading, the codes below it."""
    blocks: list[tuple[int, str, list[str]]] = []
    body = "\n".join(part.read_text() for part in TABLE)
    for number, line in enumerate(body.splitlines()):
        if heading := re.fullmatch(r"    # (.+)", line):
            blocks.append((number, heading[1], []))
        elif row := re.match(r'    "([^"]+)":', line):
            blocks[-1][2].append(row[1])
    return blocks


def test_no_code_has_two_rows() -> None:
    codes = [code for _line, _heading, block in _rooms() for code in block]
    assert sorted(codes) == sorted(set(codes))


def test_the_rows_are_sorted_by_room() -> None:
    """The headings stand in the order of the house, each once, and a row is raised in a room of its heading."""
    blocks = _rooms()
    headings = [heading for _line, heading, _codes in blocks]
    assert len(set(headings)) == len(headings)
    assert [code for _line, _heading, codes in blocks for code in codes] == list(ERROR_TABLE)
    rooms = [heading.split(":")[0].split(", ") for heading in headings]
    places = [ORDER.index(room[0]) for room in rooms]
    assert places == sorted(places)
    elsewhere = {
        code: FOUND.codes.get(code)
        for room, (_line, _heading, codes) in zip(rooms, blocks, strict=True)
        for code in codes
        if not {_room_of(place) for place in FOUND.codes.get(code, ())} & set(room)
    }
    assert elsewhere == {}


def _room_of(place: str) -> str:
    return place.split("/", maxsplit=1)[0] if "/" in place else "leaves"


WRONG = {
    "raised.py": """
def close(where: str) -> None:
    raise DeviceError("not-in-the-table", f"{where} is gone")
""",
    "by_name.py": """
def close(lost: bool) -> None:
    code = "by-name-one" if lost else "by-name-two"
    raise DeviceError(code, "gone")
""",
    "by_table.py": """
_MEANINGS = {1: ("by-table-one", "text"), 2: ("by-table-two", "text")}
def close(number: int) -> None:
    code, text = _MEANINGS[number]
    raise DeviceError(code, text)
""",
    "by_function.py": """
def _meaning(number: int) -> tuple[str, str]:
    if number:
        return "by-function-one", "text"
    return "by-function-two", "text"
def close(number: int) -> None:
    raise DeviceError(*_meaning(number))
""",
    "by_parameter.py": """
def _refuse(code: str, text: str) -> None:
    raise DeviceError(code, text)
def close() -> None:
    _refuse("by-parameter", "text")
""",
    "by_keyword.py": """
def close() -> None:
    raise DeviceError(text="text", code="by-keyword")
""",
    "lost.py": """
def close(number: int) -> None:
    raise DeviceError(f"port-{number}", "gone")
""",
}


def test_codes_are_followed_through_names_tables_functions_and_keywords() -> None:
    """The follower itself: each way of giving a code is seen, and what cannot be followed is reported."""
    errors = {"errors.py": (SOURCE / "errors.py").read_text()}
    found = codes_in(errors | WRONG)
    assert set(found.codes) == {
        "not-in-the-table",
        "by-name-one",
        "by-name-two",
        "by-table-one",
        "by-table-two",
        "by-function-one",
        "by-function-two",
        "by-parameter",
        "by-keyword",
    }
    assert found.lost == ["lost.py:3 f'port-{number}'"]
