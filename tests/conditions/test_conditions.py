"""Conditions that need more than one run: places, counts over rounds, reports that are lost."""

from __future__ import annotations

from typing import Any

import pytest
from scenario import Play
from table_play import Dealer

from cardshoe.devices.events import EventsLost
from cardshoe.errors import Refused
from cardshoe.games.verdicts import Case
from cardshoe.round.events import (
    CardTurned,
    DeclaredConfirmed,
    FloorRuled,
    HandSettled,
    HoldCleared,
    IrregularityFound,
)
from cardshoe.table.acts import StubCounted


def playing(**more: Any) -> Play:
    return Play({"id": "test", **more})


def until(play: Play, name: str) -> None:
    play._until(name, {})


def test_an_entered_card_pays_only_after_the_floor() -> None:
    """E06: the dealer enters the card that cannot be read; nothing is settled before the floor confirms it."""
    play = playing(faults=[{"kind": "unreadable", "place": "dealer"}])
    until(play, "TurnDealer")
    play.table.hands("turn", what="dealer")
    play.table.run_until(lambda: False, within_s=10)
    assert "cannot be read" in play.table.shown.words
    faces = play.table.hands("look")["places"]["dealer"]["faces"]
    (unread,) = [face for face in faces if face not in play.table.shown.dealer_faces]
    play.table.act(CardTurned(unread, "dealer", "declared"))
    until(play, "SettleHand")
    assert "floor to confirm" in play.table.shown.words
    with pytest.raises(Refused, match=unread):
        play.table.act(HandSettled("6"))
    with pytest.raises(Refused):
        play.table.act(DeclaredConfirmed("dealer"))
    play.table.act(DeclaredConfirmed("floor"))
    play.dealer.play(1)
    assert play.table.shown.tally.completed == 1


def test_a_card_face_up_after_the_deal_is_ruled_by_the_text() -> None:
    """E07, NY-5324.36(h)(2)(ii): all hands are void, the trips wagers are settled; nobody is asked."""
    play = playing()
    until(play, "AskDecision")
    play.table.act(IrregularityFound(Case.CARD_FACE_UP_AFTER_DEAL))
    assert play.table.controller.desk.open_round is not None
    assert play.table.controller.desk.open_round.void_all
    play.dealer.play(1)
    hands = next(entry.body["positions"] for entry in play.table.entries if entry.kind == "settled")
    assert all(hand["status"] == "void" and hand["result"]["wagers"] for hand in hands.values())  # type: ignore[attr-defined]


@pytest.mark.parametrize("game", ["ultimate-texas-holdem", "texas-holdem-bonus", "three-card-poker"])
@pytest.mark.parametrize("stack", [1, 2, 3, 4])
@pytest.mark.parametrize("card", [1, 2])
def test_a_boxed_card_at_each_place_in_the_deal(game: str, stack: int, card: int) -> None:
    """S07, E07: whatever stack it is in, one step by the floor rules it, and the round comes to its end."""
    house = 'board_from = "hand"' if game == "texas-holdem-bonus" else ""
    play = playing(game=game, house=house, faults=[{"kind": "face_up", "detected": True, "stack": stack, "card": card}])
    play._until_held("floor-ruling", {})
    assert play.questions() == ["floor-ruling"]
    play.table.act(FloorRuled("all", "void", "the card was seen"))
    assert play.questions() == []
    play.dealer.play(1)
    assert play.table.shown.tally.voided == 1


def test_a_boxed_card_that_stands_goes_to_its_place() -> None:
    """S07: the floor lets it stand; what came of the stack is taken there, and the text rules a wrong number."""
    play = playing(faults=[{"kind": "face_up", "detected": True, "stack": 2, "card": 1}])
    play._until_held("floor-ruling", {})
    play.table.run_until(lambda: False, within_s=1)
    play.table.act(FloorRuled("all", "stands", "nobody has seen it"))
    play._until("TakeStack", {"to": "3"})
    play.table.hands("take_stack", to="3")
    play._held("stack-wrong-count", {})
    play.table.act(HoldCleared("stack-wrong-count", "by-rule", "floor", "one card"))
    play.dealer.play(1)
    assert play.table.shown.tally.completed == 1


def test_a_right_stub_count_lets_five_more_rounds_pass() -> None:
    """E26: due every five rounds where the shoe does not count, never where it does."""
    play = playing(shoe={"capabilities": 25})
    counted = 0
    while play.table.shown.tally.completed < 11:
        until(play, "CountStub") if play.table.shown.tally.completed % 5 == 4 else play._play(1, {})
        if type(play.table.shown.due).__name__ == "CountStub":
            counted += 1
            play.table.act(StubCounted(play.table.hands("look")["hand"]))
            play._play(1, {})
    assert counted == 2
    assert play.table.shown.tally.held == 0
    counting = playing()
    counting.dealer.play(7)
    assert "stub_counted" not in [entry.kind for entry in counting.table.entries]


def test_a_count_that_is_wrong_names_the_rounds_it_was_wrong_for() -> None:
    """S01, E26: a count-only shoe said 52; the stub says otherwise, and the rounds since the last count are named."""
    play = playing(shoe={"capabilities": 25}, config="[deck]\nstub_count_rounds = 2\n")
    until(play, "CountStub")
    play.table.act(StubCounted(play.table.hands("look")["hand"]))
    play._play(1, {})
    until(play, "CountStub")
    with pytest.raises(Refused):
        play._say("RoundCompleted", {})
    play.table.act(StubCounted(play.table.hands("look")["hand"] - 1))
    assert "Rounds 3 to 4 are in doubt" in play.table.shown.words


def test_lost_reports_hold_and_prove_nothing() -> None:
    """E28: a gap in the shoe's count holds the round; the deck's count is not inferred from what was told."""
    play = playing()
    until(play, "TakeStack")
    controller, now = play.table.controller, play.table.now
    play.table._carry_out(controller.shoe(EventsLost(received=2, oldest=9, last=20), now))
    assert play.questions() == ["events-lost"]
    assert controller.state.upkeep.cards_out is None
    play._still_s(10, {})
    play.table.hands("take_stack", to="1")
    play.table.act(HoldCleared("events-lost", "continue", "floor", "looked at it"))
    play.table.run_until(lambda: bool(play.questions()), within_s=10)
    assert play.questions() == ["deck-not-proved"]
    play._still_s(10, {})


def test_cards_that_do_not_add_up_hold_the_round() -> None:
    """FR-18, E01: the shoe's own total differs by one from its own reports."""
    play = playing()
    until(play, "TakeStack")
    lying = play.table.controller
    told = lying.state.upkeep
    assert told.cards_out == 2
    lying.desk.write("shoe_reported", {"event": "StackReady", "event_id": 2, "command_id": 0, "cards": 1})
    play.table.hands("take_stack", to="1")
    play._held("cards-unaccounted", {"clears": "floor"})
    assert "52 cards went in" in play.table.controller.desk.open_round.holds[0].question  # type: ignore[union-attr]
    play._still_s(10, {})


def test_events_are_written_in_their_order_without_gap() -> None:
    """S21, promise P2: ids of a device's reports rise by one, over a line that delays and doubles."""
    play = playing()
    for kind in ("delay", "duplicate"):
        play.table.hands("line", port="shoe", kind=kind, chance=0.3)
    play.dealer.play(2)
    ids = [entry.body["event_id"] for entry in play.table.entries if entry.kind == "shoe_reported"]
    assert ids == list(range(1, len(ids) + 1))


def test_nothing_that_is_shown_says_a_condition_in_too_many_words() -> None:
    """Alarm texts fit a dealer's screen: whatever is asked in a round of each fault is short enough."""
    for kind in ("jam", "double_feed", "short_feed", "face_up"):
        more = {"detected": True} if kind == "face_up" else {}
        play = playing(faults=[{"kind": kind, "stack": 2, **more}])
        play.dealer = Dealer(play.table)
        play.dealer.connect()
        play.dealer.play(1)
        assert max(len(words) for words in play.dealer.said) <= 160, max(play.dealer.said, key=len)
