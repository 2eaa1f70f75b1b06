"""The README's table of threats: each of T1 to T18 with modules and tests that exist, and what is not enforced."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from cardshoe.wire.spec import DEVICE_PROTOCOLS, Sender, load_spec

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def rows() -> dict[str, list[str]]:
    """The rows of the table by their threat; the cells after the first."""
    found: dict[str, list[str]] = {}
    for line in README.splitlines():
        if match := re.match(r"\| (T\d+) ", line):
            assert match[1] not in found
            found[match[1]] = [cell.strip() for cell in line.strip("|").split(" | ")[1:]]
    return found


ROWS = rows()


@cache
def functions(path: Path) -> frozenset[str]:
    """The names of the functions of a module."""
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_threat_has_one_row() -> None:
    assert list(ROWS) == [f"T{number}" for number in range(1, 19)]


@pytest.mark.parametrize("threat", ROWS)
def test_what_a_row_names_exists(threat: str) -> None:
    enforced, where, tests, left = ROWS[threat]
    assert enforced
    assert left, "every row says what is not enforced, or a dash"
    modules = re.findall(r"`([^`]+)`", where)
    assert modules
    assert [name for name in modules if not (ROOT / "src" / "cardshoe" / name).is_file()] == []
    named = re.findall(r"`([^`]+)`", tests)
    assert named
    for name in named + re.findall(r"`([^`]+::[^`]+)`", left):
        file, _, test = name.partition("::")
        path = ROOT / "tests" / file
        assert path.is_file(), name
        assert test.startswith("test_")
        assert test in functions(path), name


def test_the_compromised_computer_is_said_plainly() -> None:
    assert "**a compromised table computer**" in ROWS["T18"][3]


# --- T1

FACES = {
    "MATCH_CARD": {"face"},  # from the controller: what the table reader saw
    "REVEAL_STACK_REPLY": {"faces", "salts"},  # of one stack, after the deal is closed
    "DECK_REJECTED": {"missing", "duplicate", "foreign", "named"},  # a deck that is not dealt: sets and counts
    "CARD_FACE": {"face"},  # of shoes that cannot commit: bench tables only
    "ROUND_SEALED": {"sealed"},  # the auditor's envelope
    "CARD_COMMITTED": {"commitment"},
}
"""Fields of the shoe's messages that tell of a face in some form. A new one belongs here with its reason."""
TELLING = re.compile(r"face|suit|rank|order|card_?id|identit|sealed|salt|commit|missing|duplicate|foreign|named|seed")
NOT_OF_CARDS = {"sealed_count", "identity_public", "face_up"}


def test_no_message_can_hold_an_order() -> None:
    """T1: faces are in no other field; where the shoe may tell them there is room for one stack, never for a deck."""
    spec = load_spec("shoe-v1")
    telling = {
        name: {field.name for field in message.fields if TELLING.search(field.name) and field.name not in NOT_OF_CARDS}
        for name, message in spec.messages.items()
    }
    assert {name: fields for name, fields in telling.items() if fields} == FACES
    sizes = {field.name: field.size for field in spec.messages["REVEAL_STACK_REPLY"].fields}
    assert sizes["faces"] <= 10
    largest = {field.name: field.size for field in spec.messages["DECK_REJECTED"].fields}
    assert all(largest[name] <= 16 for name in FACES["DECK_REJECTED"])


@pytest.mark.parametrize("protocol", DEVICE_PROTOCOLS)
def test_no_request_reads_memory_or_changes_firmware(protocol: str) -> None:
    """T1, T4: the requests are a closed list; none takes an address, a length to read, or a program."""
    requests = {name for name, message in load_spec(protocol).messages.items() if message.sender is Sender.HOST}
    words = re.compile(r"MEMORY|DUMP|FLASH|UPDATE|PEEK|ORDER|DECK_LIST|DEBUG|^TEST")
    assert not [name for name in requests if words.search(name)]
    fields = {field.name for name in requests for field in load_spec(protocol).messages[name].fields}
    assert not fields & {"address", "offset", "length", "slot", "program"}
