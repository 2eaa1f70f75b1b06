"""Rounds that commit to their cards: SHOE-9, SHOE-2.6, SHOE-4.2, by an auditor and a host of the tests' own."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from sealed_host import SealedBench, commitment_of, opened, paired, salt_of
from sim_host import Bench, Seen, face_number, fresh

from cardshoe.sim.errors import SimError
from cardshoe.sim.hidden import SEALED_BYTES
from cardshoe.sim.world import World

AUDITOR = X25519PrivateKey.from_private_bytes(bytes(range(32)))
NEEDS_ROUND = {
    "BEGIN_ROUND": {"round_id": 1, "deck_id": 1},
    "CLOSE_DEAL": {"round_id": 1},
    "END_ROUND": {"round_id": 1},
    "MATCH_CARD": {"round_id": 1, "command_id": 1, "face": 0},
    "REVEAL_STACK": {"round_id": 1, "command_id": 1},
    "READ_ASKED": {"back": 0},
}


def begun(seed: int = 1, round_id: int = 10, **keys: object) -> Bench:
    bench = fresh(seed, **keys)
    assert bench.command("BEGIN_ROUND", round_id=round_id, deck_id=bench.deck_id).result == 0
    return bench


def dealt(bench: Bench, command_id: int, cards: int = 2, to: str = "1") -> list[int]:
    """Deal a stack and return the faces of its cards, by truth, in the order in which they came."""
    assert bench.dispense(command_id, cards) == 0
    bench.until("STACK_READY")
    bench.do("take_stack", to=to)
    bench.until("STACK_TAKEN")
    return [face_number(card) for card in bench.do("peek", who=to)["cards"]][-cards:]


def match(bench: Bench, command_id: int, face: int, round_id: int = 10) -> int:
    return int(bench.command("MATCH_CARD", round_id=round_id, command_id=command_id, face=face).result)


def reveal(bench: Bench, command_id: int, round_id: int = 10) -> Seen:
    return bench.command("REVEAL_STACK", round_id=round_id, command_id=command_id)


def committed(bench: Bench) -> list[Seen]:
    return [one for one in bench.events if one.name == "CARD_COMMITTED"]


def serial_of(bench: Bench) -> str:
    return str(bench.do("identity", device="shoe")["serial"])


def kept(bench: Bench, card: Seen, seed: bytes, face: int) -> bool:
    """Tell whether a commitment is the one of SHOE-9.2 for this seed and face."""
    status = bench.beat()
    wanted = commitment_of(salt_of(seed, card.slot), serial_of(bench), status.deck_id, card.round_id, card.slot, face)
    return bool(card.commitment == wanted)


# --- begin, close, end


def test_refusals_of_begin_round() -> None:
    """SHOE-9.1: in their order."""
    bench = fresh()
    begin = lambda round_id, deck: bench.command("BEGIN_ROUND", round_id=round_id, deck_id=deck).result  # noqa: E731
    assert begin(0, 1) == 1
    assert begin(5, 2) == 5
    bench.dispense(1)
    assert begin(5, 1) == 3
    bench.until("STACK_READY")
    assert begin(5, 1) == 4
    bench.do("take_stack", to="1")
    bench.until("STACK_TAKEN")
    assert begin(5, 1) == 0
    assert begin(5, 9) == 0, "the open round again: nothing changes"
    assert begin(4, 1) == 2
    assert bench.command("END_ROUND", round_id=5).result == 0
    assert begin(5, 1) == 2
    assert begin(6, 1) == 0
    assert begin(7, 1) == 0
    assert bench.names.count("ROUND_SEALED") == 2, "a round that is still open is ended first"


def test_status_tells_the_round() -> None:
    """SHOE-2.6."""
    bench = fresh()
    tell = lambda: (bench.beat().round_id, bench.beat().round_state)  # noqa: E731
    assert tell() == (0, 0)
    bench.command("BEGIN_ROUND", round_id=3, deck_id=1)
    assert tell() == (3, 1)
    bench.command("CLOSE_DEAL", round_id=3)
    assert tell() == (3, 2)
    bench.command("END_ROUND", round_id=3)
    assert tell() == (3, 0)


def test_no_card_leaves_a_closed_deal() -> None:
    """SHOE-9.6, SHOE-4.2: until the round has ended."""
    bench = begun()
    bench.dispense(1)
    assert bench.command("CLOSE_DEAL", round_id=10).result == 3
    bench.until("STACK_READY")
    assert bench.command("CLOSE_DEAL", round_id=10).result == 4
    bench.do("take_stack", to="1")
    bench.until("STACK_TAKEN")
    assert bench.command("CLOSE_DEAL", round_id=9).result == 6
    assert bench.command("CLOSE_DEAL", round_id=10).result == 0
    assert bench.command("CLOSE_DEAL", round_id=10).result == 0
    assert bench.dispense(2) == 14
    assert bench.command("END_ROUND", round_id=10).result == 0
    assert bench.dispense(2) == 0


def test_refusals_of_end_round() -> None:
    """SHOE-9.9: again done for the last ended round."""
    bench = begun()
    assert bench.command("END_ROUND", round_id=0).result == 6
    assert bench.command("END_ROUND", round_id=11).result == 6
    bench.dispense(1)
    assert bench.command("END_ROUND", round_id=10).result == 3
    bench.until("STACK_READY")
    assert bench.command("END_ROUND", round_id=10).result == 4
    bench.do("take_stack", to="1")
    bench.until("STACK_TAKEN")
    assert bench.command("END_ROUND", round_id=10).result == 0
    assert bench.command("END_ROUND", round_id=10).result == 0
    assert bench.names.count("ROUND_SEALED") == 1
    assert match(bench, 1, 0) == 4
    assert reveal(bench, 1).result == 1


def test_a_round_has_one_deck() -> None:
    """SHOE-4.2: a new deck in the middle of a round is not dealt from."""
    bench = begun()
    bench.command("PREPARE_DECK", command_id=1)
    assert bench.until("DECK_VERIFIED").deck_id == 2
    assert bench.dispense(2, deck_id=2) == 6
    assert bench.command("BEGIN_ROUND", round_id=11, deck_id=2).result == 0
    assert bench.dispense(2, deck_id=2) == 0


# --- commitments and the envelope


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), stacks=st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_the_envelope_opens_every_commitment(seed: int, stacks: list[int]) -> None:
    """SHOE-9.2, SHOE-9.3, SHOE-9.10: seed, faces and slots of the whole round, for the auditor alone."""
    bench = paired(seed, auditor=AUDITOR.public_key().public_bytes_raw())
    assert bench.command("BEGIN_ROUND", round_id=10, deck_id=1).result == 0
    faces = [face for number, cards in enumerate(stacks, start=1) for face in dealt(bench, number, cards)]
    cards = committed(bench)
    assert [card.slot for card in cards] == list(range(len(faces)))
    assert [card.command_id for card in cards] == [n for n, many in enumerate(stacks, start=1) for _ in range(many)]
    assert bench.command("END_ROUND", round_id=10).result == 0
    sealed = bench.events[-1]
    assert (sealed.name, sealed.first_slot, sealed.cards) == ("ROUND_SEALED", 0, len(faces))
    found = opened(sealed, serial_of(bench), AUDITOR)
    assert found is not None
    round_seed, told = found
    assert told == bytes(faces).ljust(52, b"\xff")
    assert all(kept(bench, card, round_seed, face) for card, face in zip(cards, faces, strict=True))
    assert not kept(bench, cards[0], round_seed, (faces[0] + 1) % 52)
    assert opened(sealed, serial_of(bench), X25519PrivateKey.from_private_bytes(bytes(32))) is None


def test_commitments_come_before_the_stack() -> None:
    """SHOE-9.3: and only in a round."""
    bench = fresh()
    dealt(bench, 1)
    assert committed(bench) == []
    bench.command("BEGIN_ROUND", round_id=10, deck_id=1)
    dealt(bench, 2)
    assert [card.slot for card in committed(bench)] == [2, 3]
    assert bench.names[-4:] == ["CARD_COMMITTED", "CARD_COMMITTED", "STACK_READY", "STACK_TAKEN"]


def test_without_an_auditor_the_envelope_is_empty() -> None:
    """SHOE-9.10: fields of 00; a round without cards has no first slot."""
    bench = begun()
    bench.command("END_ROUND", round_id=10)
    sealed = bench.events[-1]
    assert (sealed.auditor, sealed.ephemeral, sealed.sealed) == (bytes(8), bytes(32), bytes(SEALED_BYTES))
    assert (sealed.first_slot, sealed.cards) == (0xFF, 0)


def test_rounds_have_unlike_seeds() -> None:
    """SHOE-9.1: drawn anew, so that no salt comes twice."""
    bench = begun()
    dealt(bench, 1)
    bench.command("CLOSE_DEAL", round_id=10)
    first = reveal(bench, 1).salts[:16]
    bench.command("BEGIN_ROUND", round_id=11, deck_id=1)
    dealt(bench, 2)
    bench.command("CLOSE_DEAL", round_id=11)
    second = reveal(bench, 2, 11).salts
    assert len({first, second[:16], second[16:32]}) == 3


# --- match and reveal


def test_a_stack_is_matched_in_any_order() -> None:
    """SHOE-9.4: each card once; then no try is left."""
    bench = begun()
    faces = dealt(bench, 1, 3)
    assert [match(bench, 1, face) for face in reversed(faces)] == [0, 0, 0]
    assert match(bench, 1, faces[0]) == 3


def test_a_mismatch_spends_a_try() -> None:
    """SHOE-9.4: who guesses has no try left for the truth; the same card twice is a mismatch."""
    bench = begun()
    faces = dealt(bench, 1)
    assert match(bench, 1, faces[0]) == 0
    assert match(bench, 1, faces[0]) == 1
    assert match(bench, 1, faces[1]) == 3


def test_a_card_that_the_exit_reader_could_not_read() -> None:
    """SHOE-9.2, SHOE-9.3, SHOE-9.4: it is committed to as unreadable, in the same way, and told as unread."""
    bench = begun()
    bench.do("fault", kind="exit_unreadable")
    faces = dealt(bench, 1)
    assert len(committed(bench)) == 2
    assert match(bench, 1, faces[1]) == 0
    assert match(bench, 1, faces[0]) == 2
    faces = dealt(bench, 2)
    bench.command("CLOSE_DEAL", round_id=10)
    assert reveal(bench, 2).faces[:2] == bytes(faces)


def test_other_answers_spend_nothing() -> None:
    """SHOE-9.5, SHOE-9.8: they are not in the log either."""
    bench = begun()
    faces = dealt(bench, 1)
    assert match(bench, 1, faces[0], round_id=9) == 4
    assert match(bench, 2, faces[0]) == 5
    assert match(bench, 1, 52) == 6
    assert bench.command("READ_ASKED", back=0).fields["asked"] == 0
    bench.dispense(2)
    bench.run(0.5)
    assert match(bench, 2, faces[0]) == 5, "it still runs"
    assert [match(bench, 1, face) for face in faces] == [0, 0]


def test_a_reveal_waits_for_the_end_of_the_deal() -> None:
    """SHOE-9.7: refusals in their order, then faces and salts that open the commitments."""
    bench = begun()
    faces = dealt(bench, 1)
    assert reveal(bench, 1, 9).result == 1
    assert reveal(bench, 1).result == 2
    assert reveal(bench, 7).result == 2
    bench.command("CLOSE_DEAL", round_id=10)
    assert reveal(bench, 7).result == 3
    shown = reveal(bench, 1)
    assert (shown.result, shown.cards, shown.faces) == (0, 2, bytes(faces).ljust(7, b"\xff"))
    serial = serial_of(bench)
    for place, card in enumerate(committed(bench)):
        salt = shown.salts[16 * place : 16 * place + 16]
        assert card.commitment == commitment_of(salt, serial, 1, 10, card.slot, faces[place])
    assert not any(shown.salts[32:])
    again = reveal(bench, 1)
    assert (again.result, again.cards, again.faces, again.salts) == (4, 0, b"\xff" * 7, bytes(112))
    assert match(bench, 1, faces[0]) == 3


def test_a_stack_that_was_tried_is_not_revealed() -> None:
    """SHOE-9.7: one way or the other, not both."""
    bench = begun()
    faces = dealt(bench, 1)
    match(bench, 1, faces[0])
    bench.command("CLOSE_DEAL", round_id=10)
    assert reveal(bench, 1).result == 4
    assert match(bench, 1, faces[1]) == 0, "MATCH_CARD is allowed in both states"


def test_the_log_of_tries() -> None:
    """SHOE-9.8: newest first, 64 at least, over restarts, and no face."""
    bench = begun()
    faces = dealt(bench, 1)
    assert match(bench, 1, faces[0]) == 0
    assert match(bench, 1, faces[0]) == 1
    dealt(bench, 2)
    bench.command("CLOSE_DEAL", round_id=10)
    reveal(bench, 2)
    entries = [bench.command("READ_ASKED", back=back).fields for back in range(4)]
    assert [(one["command_id"], one["asked"], one["result"]) for one in entries] == [
        (2, 2, 0), (1, 1, 1), (1, 1, 0), (0, 0, 0),
    ]  # fmt: skip
    assert {one["total"] for one in entries} == {3}
    restart(bench)
    assert bench.command("READ_ASKED", back=0).fields == entries[0]
    for number in range(70):
        bench.command("BEGIN_ROUND", round_id=20 + number, deck_id=1)
    assert bench.command("READ_ASKED", back=2).fields == entries[2]


# --- power


def restart(bench: Bench) -> None:
    bench.do("reset", device="shoe")
    bench.session = 0
    bench.run(0.6)
    assert bench.hello().result == 0
    bench.beat()


def test_a_round_survives_a_restart(tmp_path: Path) -> None:
    """SHOE-9.12: commitments hold, tries that were spent stay spent."""
    bench = begun(state_dir=tmp_path)
    faces = dealt(bench, 1)
    assert match(bench, 1, faces[0]) == 0
    restart(bench)
    assert (bench.beat().round_id, bench.beat().round_state) == (10, 1)
    assert match(bench, 1, faces[0]) == 1
    assert match(bench, 1, faces[1]) == 3
    dealt(bench, 2)
    bench.world.close()
    later = Bench(World(seed=1, state_dir=tmp_path), consumed=bench.consumed)
    later.run(0.6)
    later.hello()
    later.beat()
    assert later.command("CLOSE_DEAL", round_id=10).result == 0
    assert later.command("REVEAL_STACK", round_id=10, command_id=2).result == 0
    later.world.close()


@settings(max_examples=40)
@given(after_ms=st.integers(100, 1400), seed=st.integers(0, 30))
def test_a_cut_takes_at_most_the_commitment_of_the_card_in_the_sensor(after_ms: int, seed: int) -> None:
    """SHOE-9.3: never that of a card that is told for certain."""
    bench = begun(seed)
    bench.dispense(1)
    bench.run(after_ms / 1000)
    restart(bench)
    bench.run(1.0)
    reply = bench.command("QUERY_COMMAND", command_id=1)
    many = len(committed(bench))
    assert reply.cards_seen == 0xFF or reply.cards_seen == many
    assert bench.do("counters")["cards_out"] - 1 <= many


# --- shoes that can less, or more


@pytest.mark.parametrize("name", NEEDS_ROUND)
def test_a_plain_shoe_does_not_know_rounds(name: str) -> None:
    """SHOE-9, SHOE-2.6, SHOE-1.1."""
    bench = fresh(shoe_can=frozenset())
    assert bench.seen[0].capabilities == 31
    assert bench.command(name, **NEEDS_ROUND[name]).reason == 2
    assert (bench.beat().round_id, bench.beat().round_state) == (0, 0)


def test_a_shoe_that_only_commits() -> None:
    """SHOE-9.10, SHOE-1.1: no reveal, no envelope."""
    bench = SealedBench(World(seed=1, shoe_can=frozenset({"commits"})), auditor=AUDITOR.public_key().public_bytes_raw())
    assert bench.pair() == 0
    assert bench.sealed() == 0
    bench.beat()
    assert bench.command("BEGIN_ROUND", round_id=10, deck_id=1).result == 0
    faces = dealt(bench, 1)
    assert match(bench, 1, faces[0]) == 0
    assert reveal(bench, 1).reason == 2
    bench.command("END_ROUND", round_id=10)
    assert bench.events[-1].sealed == bytes(SEALED_BYTES)


def test_a_bench_shoe_that_tells_faces() -> None:
    """SHOE-9.14: for each card, in a round or not."""
    bench = fresh(shoe_can=frozenset({"tells_faces"}))
    assert bench.seen[0].capabilities == 31 + 256
    faces = dealt(bench, 1)
    told = [(one.command_id, one.slot, one.face) for one in bench.events if one.name == "CARD_FACE"]
    assert told == [(1, 0, faces[0]), (1, 1, faces[1])]


def test_abilities_that_make_no_shoe() -> None:
    """A wrong name, or an envelope without commitments, is refused."""
    with pytest.raises(SimError, match="levitates"):
        World(seed=1, shoe_can=frozenset({"levitates"}))
    with pytest.raises(SimError, match="commits"):
        World(seed=1, shoe_can=frozenset({"reveals"}))


# --- cheats and faults


def test_a_switched_card_does_not_match() -> None:
    """SHOE-9.4: the commitment goes with the stack, not with the place."""
    bench = begun()
    one, two = dealt(bench, 1, to="1"), dealt(bench, 2, to="3")
    bench.do("switch_cards", **{"from": "1", "to": "3"})
    assert [face_number(card) for card in bench.do("peek", who="1")["cards"]] == [two[0], one[1]]
    assert match(bench, 1, two[0]) == 1
    assert match(bench, 1, one[1]) == 0


def test_a_replaced_card_does_not_match() -> None:
    """SHOE-9.4: named, foreign or any other."""
    bench = begun()
    faces = dealt(bench, 1)
    other = "As" if face_number("As") not in faces else "Ks"
    bench.do("replace_card", **{"at": "1", "card": 2, "as": other})
    assert bench.do("peek", who="1")["cards"][1] == other
    assert match(bench, 1, face_number(other)) == 1
    bench.do("replace_card", at="1", foreign=True)
    assert "card 3 wanted" in bench.refused("replace_card", at="1", card=3)
    assert "itself" in bench.refused("switch_cards", **{"from": "1", "to": "1"})


def test_faults_of_the_exit_reader() -> None:
    """SHOE-9.2: a misread card, and a commitment that nothing opens."""
    bench = begun()
    bench.do("fault", kind="exit_misread")
    faces = dealt(bench, 1)
    assert match(bench, 1, faces[0]) == 1
    bench.do("fault", kind="commitment_wrong")
    faces = dealt(bench, 2)
    bench.command("CLOSE_DEAL", round_id=10)
    shown = reveal(bench, 2)
    cards = [card for card in committed(bench) if card.command_id == 2]
    right = [
        card.commitment == commitment_of(shown.salts[16 * n : 16 * n + 16], serial_of(bench), 1, 10, card.slot, face)
        for n, (card, face) in enumerate(zip(cards, faces, strict=True))
    ]
    assert right == [False, True]
