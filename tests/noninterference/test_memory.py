"""The memory of a live table process in mid-round holds no card that is not public (promise P4, T2, T18).

A committing shoe, a fixed deck, a real pty, `cardshoe run` as its own process; its memory is read through /proc. The
same search on the simulator's process, which must hold the deck, finds it: so the search can find. Proves SHOE-9.3: a
commitment is not opened by guessing 52 faces with anything that lies in the table's memory.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from demo_bench import Elsewhere, elsewhere
from memory_dump import Committed, dump, found_near, found_sequences, windows_beside
from running_table import RunningTable

from cardshoe.journal import JournalReader

GAME = "ultimate-texas-holdem"
REACH = 96
RUN = 5
"""So many cards of the undealt order, one after the other, are looked for: at its top, in its middle, at its end."""


@pytest.fixture
def middle(tmp_path: Path) -> Iterator[tuple[RunningTable, Elsewhere]]:
    """A table in mid-round: all stacks are dealt, taken, and nothing is turned."""
    with elsewhere(tmp_path, state=True) as world:
        table = RunningTable(tmp_path, world, GAME)
        try:
            table.until("open_round")
            table.until_told("ShoeBooted", "ReaderBooted")
            table.deal_a_round()
            yield table, world
        finally:
            table.close()


def remembered(tmp_path: Path) -> dict[str, Any]:
    """What the simulated devices and the felt hold, by the world's own memory file."""
    return dict(json.loads((tmp_path / "memory" / "world.json").read_text()))


def faces_of(cards: list[Any]) -> list[int]:
    """The faces of cards as the memory file has them, cover cards left out."""
    return [face for uid, face, *_ in cards if uid < 52]


def commitments(tmp_path: Path, told: dict[str, Any]) -> list[Committed]:
    """Every commitment in the journal."""
    with JournalReader(tmp_path / "journal") as reader:
        bodies: list[dict[str, Any]] = [
            dict(each.body) for each in reader.records() if each.body.get("event") == "CardCommitted"
        ]
    deck_id = told["shoe"]["round"]["deck_id"]
    serial = told["serials"]["shoe"]
    return [
        Committed(bytes.fromhex(each["commitment"]), serial, deck_id, each["round_id"], each["slot"]) for each in bodies
    ]


def salt_of(seed: bytes, slot: int) -> bytes:
    """SHOE-9.2: the salt of a slot, from the seed of its round."""
    return hmac.new(seed, b"cardshoe salt" + bytes((slot,)), hashlib.sha256).digest()[:16]


def test_the_table_holds_no_hidden_card(middle: tuple[RunningTable, Elsewhere], tmp_path: Path) -> None:
    """Undealt order, hands and dealer's cards are not in it in any form; no commitment can be opened."""
    table, world = middle
    assert world.process is not None
    theirs, ours = dump(world.process.pid), dump(table.process.pid)
    told = remembered(tmp_path)
    undealt = faces_of(told["machine"]["magazine"] or told["places"]["hand"])
    hidden = [faces_of(told["places"][place]) for place in ("1", "4", "dealer")]
    kept = commitments(tmp_path, told)
    seed = bytes.fromhex(told["shoe"]["round"]["seed"])
    salts = {each.slot: salt_of(seed, each.slot) for each in kept}

    # the search can find: the shoe's own process has its cards and its seed, and the true salts open what was committed
    assert len(undealt) > 20
    assert all(len(hand) == 2 for hand in hidden)
    assert len(kept) == len(told["shoe"]["round"]["cards"]) >= 6
    shoe_faces = [card["face"] for card in told["shoe"]["round"]["cards"]]
    assert [each.opened_by(salts[each.slot]) for each in kept] == shoe_faces
    assert any(seed.hex().encode() in part or seed in part for part in theirs)
    assert found_in_pieces(theirs, undealt, told) != []

    # the table's has not
    for begin in (0, len(undealt) // 2, len(undealt) - RUN):
        assert found_sequences(ours, undealt[begin : begin + RUN]) == []
    assert found_near(ours, undealt[:4]) == []
    dealt = [face for hand in hidden for face in hand]
    assert found_sequences(ours, dealt) == []
    assert found_near(ours, dealt[:4]) == []
    secrets = [seed, seed.hex().encode(), *salts.values(), *(salt.hex().encode() for salt in salts.values())]
    assert [secret for secret in secrets if any(secret in part for part in ours)] == []

    # nothing beside a commitment opens it
    for each in kept[:3]:
        marks = (each.commitment, each.commitment.hex().encode())
        candidates = windows_beside(ours, marks, reach=REACH)
        assert candidates
        assert [salt for salt in candidates if each.opened_by(salt) is not None] == []


def found_in_pieces(memory: list[bytes], undealt: list[int], told: dict[str, Any]) -> list[str]:
    """Which forms of the deck the simulator's process holds: its state as text, with its cards one after the other."""
    as_kept = json.dumps((told["machine"]["magazine"] or told["places"]["hand"])[:4], separators=(",", ":"))[
        1:-1
    ].encode()
    as_told = json.dumps((told["machine"]["magazine"] or told["places"]["hand"])[:4])[1:-1].encode()
    found = [name for name, form in (("kept", as_kept), ("told", as_told)) if any(form in part for part in memory)]
    return [*found, *found_sequences(memory, undealt[:4])]
