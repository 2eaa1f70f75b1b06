"""The shoe's driver in a round that commits: requests, answers, and faces that show nowhere before they are opened.

Proves for the host SHOE-9.1 to SHOE-9.10, SHOE-9.14, and P1, P4.
"""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from driver_bench import Bench, shoe_bench

from cardshoe.cards import DECK, Card
from cardshoe.devices import round_events as happened
from cardshoe.devices import shoe_rounds_wire as wire
from cardshoe.devices.commitments import Place, RevealedCard, commitment_of, padded_serial
from cardshoe.devices.events import RequestFailed
from cardshoe.devices.shoe_terms import Asked, MatchResult, RevealResult, RoundResult
from cardshoe.link.events import LostReason, NotSentReason
from cardshoe.link.messages import RejectReason
from cardshoe.table.reported import plain

WHEN: dict[str, Any] = {"now": 0.0, "deadline": 1.0}
AS = Card("As")


def ask(bench: Bench, name: str, **fields: Any) -> bytes:
    """One request; returns what the driver wrote."""
    output = getattr(bench.driver, name)(**fields, **WHEN)
    assert output.happened == ()
    return bytes(output.data)


REQUESTS = [
    ("begin_round", {"round_id": 2**64 - 1, "deck_id": 7}, wire.BeginRound(2**64 - 1, 7)),
    ("close_deal", {"round_id": 5}, wire.CloseDeal(5)),
    ("end_round", {"round_id": 5}, wire.EndRound(5)),
    ("match_card", {"round_id": 5, "command_id": 9, "card": AS}, wire.MatchCard(5, 9, 51)),
    ("reveal_stack", {"round_id": 5, "command_id": 9}, wire.RevealStack(5, 9)),
    ("read_asked", {"back": 3}, wire.ReadAsked(3)),
]


@pytest.mark.parametrize(("name", "fields", "message"), REQUESTS)
def test_requests_are_written_as_they_were_asked(name: str, fields: dict[str, Any], message: Any) -> None:
    """SHOE-9.1, SHOE-9.4, SHOE-9.6 to SHOE-9.9: value by value."""
    bench = shoe_bench()
    assert bench.said(ask(bench, name, **fields)) == [message]


@pytest.mark.parametrize("result", list(RoundResult))
@pytest.mark.parametrize(
    ("name", "meaning"),
    [("begin_round", happened.RoundBegun), ("close_deal", happened.DealClosed), ("end_round", happened.RoundEnded)],
)
def test_a_round_s_answers(name: str, meaning: Any, result: RoundResult) -> None:
    """SHOE-9.1, SHOE-9.6, SHOE-9.9."""
    bench = shoe_bench()
    fields = {"round_id": 5} | ({"deck_id": 7} if name == "begin_round" else {})
    assert bench.reply(ask(bench, name, **fields), result=result) == (meaning(5, result),)


@pytest.mark.parametrize("result", list(MatchResult))
def test_a_match_is_answered_for_the_card_that_was_stated(result: MatchResult) -> None:
    """SHOE-9.4, SHOE-9.5."""
    bench = shoe_bench()
    data = ask(bench, "match_card", round_id=5, command_id=9, card=AS)
    assert bench.reply(data, result=result) == (happened.CardMatched(5, 9, AS, result),)


def revealed(faces: bytes, *, cards: int, result: int = 0, salts: bytes = bytes(112)) -> tuple[Any, ...]:
    """The answer to a reveal."""
    bench = shoe_bench()
    data = ask(bench, "reveal_stack", round_id=5, command_id=9)
    return bench.reply(data, result=result, cards=cards, faces=faces.ljust(7, b"\xff"), salts=salts.ljust(112, b"\0"))


def test_a_reveal_gives_sealed_cards_that_keep_their_promise() -> None:
    """SHOE-9.2, SHOE-9.7: each face with its own salt; another place, face or salt breaks it."""
    salts = bytes(range(48))
    (told,) = revealed(bytes((51, 0xFE, 0)), cards=3, salts=salts)
    assert (told.result, len(told.cards)) == (RevealResult.REVEALED, 3)
    assert [None if c.card is None else c.card.reveal(lies_face_up=True) for c in told.cards] == [AS, None, DECK[0]]
    place = Place("S-1", 7, 5, 4)
    promised = commitment_of(salts[:16], place, 51)
    assert told.cards[0].keeps(promised, place)
    for other in (Place("S-2", 7, 5, 4), Place("S-1", 8, 5, 4), Place("S-1", 7, 6, 4), Place("S-1", 7, 5, 5)):
        assert not told.cards[0].keeps(promised, other)
    assert not told.cards[2].keeps(promised, place)
    assert not told.cards[0].keeps(commitment_of(salts[16:32], place, 51), place)


@pytest.mark.parametrize("result", [result for result in RevealResult if result is not RevealResult.REVEALED])
def test_a_refused_reveal_gives_no_card(result: RevealResult) -> None:
    """SHOE-9.7: whatever stands in the rest of the reply."""
    assert revealed(bytes((1, 2)), cards=2, result=result) == (happened.StackRevealed(5, 9, result, ()),)


@pytest.mark.parametrize(
    ("faces", "cards", "result"), [(b"\x01", 0, 0), (bytes(7), 8, 0), (b"\x34", 1, 0), (b"\xff", 1, 0), (b"\x01", 1, 9)]
)
def test_an_absurd_reveal_claims_nothing_and_names_no_face(faces: bytes, cards: int, result: int) -> None:
    """P5: the try may be spent."""
    told = revealed(faces, cards=cards, result=result)
    assert told == (happened.TryOutcomeUnknown(5, 9, Asked.REVEAL, LostReason.OUT_OF_STEP),)


@pytest.mark.parametrize(("name", "asked"), [("match_card", Asked.MATCH), ("reveal_stack", Asked.REVEAL)])
def test_a_try_without_an_answer_may_be_spent(name: str, asked: Asked) -> None:
    """P1, SHOE-9.8: never taken for a failure; certain ones are told as such."""
    fields: dict[str, Any] = {"round_id": 5, "command_id": 9} | ({"card": AS} if asked is Asked.MATCH else {})
    bench = shoe_bench()
    ask(bench, name, **fields)
    assert bench.driver.close().happened[0] == happened.TryOutcomeUnknown(5, 9, asked, LostReason.CLOSED)
    bench = shoe_bench()
    data = ask(bench, name, **fields)
    assert bench.reply(data, command_id=8) == (happened.TryOutcomeUnknown(5, 9, asked, LostReason.OUT_OF_STEP),)
    bench = shoe_bench()
    data = ask(bench, name, **fields)
    word = {"match_card": "MATCH_CARD", "reveal_stack": "REVEAL_STACK"}[name]
    assert bench.reject(data, 2) == (RequestFailed(word, 9, RejectReason.UNKNOWN_TYPE),)
    closed: Any = shoe_bench(opened=False).driver
    (told,) = getattr(closed, name)(**fields, **WHEN).happened
    assert told == RequestFailed(word, 9, NotSentReason.NO_SESSION)


def test_a_round_s_request_may_be_asked_again() -> None:
    """SHOE-9.1, SHOE-9.6, SHOE-9.9: they are the same when repeated, so a loss is a request that failed."""
    for name, fields in (("begin_round", {"deck_id": 7}), ("close_deal", {}), ("end_round", {})):
        bench = shoe_bench()
        ask(bench, name, round_id=5, **fields)
        (failed, *_rest) = bench.driver.close().happened
        assert failed == RequestFailed(name.upper(), None, LostReason.CLOSED)


def test_the_log_of_tries() -> None:
    """SHOE-9.8: an entry, of either kind, and none."""
    for asked, result in ((1, MatchResult.UNREAD), (2, RevealResult.SPENT)):
        bench = shoe_bench()
        fields = {"total": 70, "round_id": 5, "command_id": 9, "asked": asked, "boot_counter": 3, "uptime_ms": 8}
        told = bench.reply(ask(bench, "read_asked", back=0), result=result, **fields)
        assert told == (happened.AskedRead(70, happened.AskedEntry(5, 9, Asked(asked), result, 3, 8)),)
    bench = shoe_bench()
    assert bench.reply(ask(bench, "read_asked", back=63), total=2) == (happened.AskedRead(2, None),)


def test_faces_show_nowhere() -> None:
    """P4, SHOE-9.14: neither in what is printed, stored, compared or journalled."""
    shown = set()
    for face in range(len(DECK)):
        told = shoe_bench().event("CARD_FACE", command_id=9, slot=3, face=face)
        card = RevealedCard(face, bytes(16))
        shown.add((repr(told), str(plain(told)), repr(card), f"{card}", repr(wire.CardFace(1, 1, 1, 9, 3, face))))
        shown.add((repr(told), str(plain(told)), str(card), f"{card:>9}", repr(wire.CardFace(1, 1, 1, 9, 3, face))))
        for store in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps):
            with pytest.raises(TypeError):
                store(card)
    assert len(shown) == 1
    assert RevealedCard(1, bytes(16)) != RevealedCard(1, bytes(16))
    reply = wire.RevealStackReply(5, 9, 0, 1, b"\x33" + 6 * b"\xff", bytes(112))
    assert "33" not in repr(reply)


def test_a_serial_that_does_not_fit_is_refused() -> None:
    """SHOE-9.2: it is the 16 bytes of HELLO_REPLY."""
    assert padded_serial("S-1") == b"S-1" + bytes(13)
    with pytest.raises(ValueError, match="more than 16"):
        padded_serial(17 * "S")
