"""What does not fit a commitment holds the round and names the places that are suspect (E03 to E06, P1, P5)."""

from __future__ import annotations

import pytest
from committed_table import CommittedTable, alarms, bodies, committed, log_total, never_twice, opened, reported, until
from robot_table import GAMES, check_journal

from cardshoe.errors import Refused
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.round import next_step as due_in_round
from cardshoe.round.events import (
    DECLARED,
    CardTurned,
    DeclaredConfirmed,
    EntryCorrected,
    HandSettled,
    HoldCleared,
)
from cardshoe.table import orders

READ = [True, False]
SEEDS = {"mississippi-stud": 2}
"""Seeds with hands that are not folded."""
STRIKES = ("request lost", "reply lost", "killed before", "killed after")


def table_of(play: VirtualPlay) -> CommittedTable:
    assert isinstance(play.table, CommittedTable)
    return play.table


def dealt(play: VirtualPlay) -> bool:
    """Every stack lies at its place, and nothing is turned up."""
    return isinstance(play.table.shown.due, due_in_round.AskDecision)


def clear(play: VirtualPlay, code: str, choice: str) -> None:
    play.table.act(HoldCleared(code, choice, "floor", "looked at the table", "dealer"))


def held(play: VirtualPlay) -> str | None:
    due = play.table.shown.due
    return due.hold.code if isinstance(due, due_in_round.Held) else None


def positions(play: VirtualPlay) -> list[str]:
    return [each.position for each in play.table.shown.positions if each.wagers]


@pytest.mark.parametrize("strike", STRIKES)
@pytest.mark.parametrize(
    "order", [orders.BeginRound, orders.CloseDeal, orders.EndRound, orders.MatchCard, orders.ReadAsked]
)
def test_an_answer_that_never_comes(order: type, strike: str) -> None:
    """P1, P2, SHOE-9.8: whatever is cut at whatever request, no face is tried twice and the round goes on."""
    play = committed("three-card-poker")
    table_of(play).strikes[order] = strike
    play.rounds(2)
    play.table.run_until(lambda: len(reported(play, "RoundSealed")) == 2, within_s=30)
    assert table_of(play).struck == 1
    assert play.table.shown.tally.completed + play.table.shown.tally.voided == 2
    assert not [told for told in alarms(play) if not told.startswith(("shoe-lost", "device", "line"))]
    never_twice(play)
    check_journal(play)
    answered = [body for body in bodies(play, "card_match_answered") if body["result"] == "match"]
    assert len(answered) == log_total(play), "the shoe was asked exactly what the journal says"
    assert all(each.sound for each in opened(play))


@pytest.mark.parametrize("strike", STRIKES)
def test_a_reveal_whose_answer_never_comes(strike: str) -> None:
    """P1, SHOE-9.7: a stack that was told and lost is entered by hand; one that was not asked is asked again."""
    play = committed("three-card-poker", reader=False)
    table_of(play).strikes[orders.RevealStack] = strike
    play.rounds(2)
    lost = strike in ("reply lost", "killed after")
    assert bool([told for told in alarms(play) if told.startswith("reveal-lost")]) is lost
    results = [body["result"] for body in bodies(play, "stack_reveal_answered", "card_match_answered")]
    assert results.count("revealed") + results.count("match") == log_total(play)
    never_twice(play)
    check_journal(play)


@pytest.mark.parametrize("game", GAMES)
def test_switched_cards(game: str) -> None:
    """E05: two hands' cards changed places: the first that is turned up holds, and its face pays nothing."""
    play = committed(game, seed=SEEDS.get(game, 1))
    until(play, lambda: dealt(play))
    one, two = positions(play)[-1], "dealer" if game != "mississippi-stud" else positions(play)[0]
    assert play.table.hands("switch_cards", **{"from": one, "to": two})["ok"]
    until(play, lambda: held(play) == "foreign-card")
    hold = play.table.shown.due.hold
    assert hold.who in (one, two)
    face = bodies(play, "card-mismatched")[0]["face"]
    assert f"the shoe did not deal {face} to " in hold.question
    faces = [each for shown in play.table.shown.positions for each in shown.faces] + list(play.table.shown.dealer_faces)
    assert face not in faces
    with pytest.raises(Refused):
        play.table.act(HandSettled(positions(play)[-1]))
    play.rounds(1)
    assert play.table.shown.tally.voided == 1
    never_twice(play)
    check_journal(play)


def test_a_switch_names_both_places() -> None:
    """E03, E05: once both places were turned up, the question names the one and the other."""
    play = committed("ultimate-texas-holdem")
    until(play, lambda: dealt(play))
    last = positions(play)[-1]
    lying = {place: play.table.world._table.cards(place) for place in ("dealer", last)}
    faces = {place: cards[0].card.spelled for place, cards in lying.items()}
    assert play.table.hands("switch_cards", **{"from": "dealer", "to": last})["ok"]
    until(play, lambda: held(play) == "foreign-card")
    assert play.table.shown.due.hold.who == "dealer"
    clear(play, "foreign-card", "misread")
    assert play.table.shown.due == due_in_round.ReadFaces("dealer", 1)
    play.table.act(CardTurned(faces["dealer"], "dealer", DECLARED))
    play.table.run_until(lambda: False, within_s=1)
    if held(play) == "card-not-compared":
        clear(play, "card-not-compared", "continue")
    play.table.act(DeclaredConfirmed("floor"))
    until(play, lambda: held(play) in ("foreign-card", "card-seen-twice"))
    hold = play.table.shown.due.hold
    assert (hold.who, "dealer" in hold.question) == (last, True)
    never_twice(play)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("what", [{}, {"foreign": True}])
def test_a_replaced_card(game: str, what: dict[str, object]) -> None:
    """E04, E05: a card of another face, or of another maker, never pays."""
    play = committed(game)
    until(play, lambda: dealt(play))
    for place in positions(play):
        assert play.table.hands("replace_card", at=place, **what)["ok"]
    play.rounds(1)
    assert (
        [told for told in alarms(play) if told.startswith("foreign-card")]
        or bodies(play, "foreign-card-seen")
        or [body for body in bodies(play, "alarm-raised", "hold-cleared") if body["code"] == "card-seen-twice"]
    )
    assert play.table.shown.tally.voided == 1, "what the shoe did not deal is no hand"
    never_twice(play)
    check_journal(play)


def test_a_duplicate_names_both_places() -> None:
    """E03: the same face at two places: both are named."""
    play = committed("ultimate-texas-holdem")
    until(play, lambda: dealt(play))
    face = play.table.world._table.cards("dealer")[0].card.spelled
    last = positions(play)[-1]
    assert play.table.hands("replace_card", at=last, **{"as": face})["ok"]
    until(play, lambda: held(play) == "card-seen-twice")
    hold = play.table.shown.due.hold
    assert (hold.who, ", at dealer" in hold.question) == (last, True)


@pytest.mark.parametrize("reader", READ, ids=["reader", "no reader"])
def test_a_card_that_the_shoe_could_not_read(*, reader: bool) -> None:
    """SHOE-9.4: the floor looks at it; SHOE-9.7: without a reader it is entered."""
    play = committed("three-card-poker", reader=reader, faults=({"kind": "exit_unreadable", "stack": 1},))
    play.rounds(1)
    assert [told for told in alarms(play) if told.startswith("card-unread")]
    assert play.table.shown.tally.completed == 1
    never_twice(play)
    check_journal(play)


def test_a_card_that_the_shoe_read_wrongly() -> None:
    """E06: what the shoe committed to is another face: the hand is held, whoever of the two is wrong."""
    play = committed("three-card-poker", faults=({"kind": "exit_misread", "stack": 1},))
    play.rounds(1)
    assert [told for told in alarms(play) if told.startswith("foreign-card")]
    assert play.table.shown.tally.voided == 1
    never_twice(play)


def test_a_commitment_that_is_broken() -> None:
    """SHOE-9.7: a face that does not open its commitment enters no hand; two people clear it."""
    play = committed("three-card-poker", reader=False, faults=({"kind": "commitment_wrong", "stack": 1},))
    until(play, lambda: held(play) == "reveal-not-committed")
    assert play.table.shown.due.hold.clears.value == "floor and a second person"
    place = bodies(play, "stack_reveal_requested")[-1]["place"]
    assert not [body for body in bodies(play, "card-turned") if body["place"] == place]


@pytest.mark.parametrize("clause", ["SHOE-9.3", "SHOE-9.9"])
def test_a_shoe_that_does_not_keep_the_chapter(clause: str) -> None:
    """SHOE-9.3: a stack that was not committed holds; SHOE-9.9: an envelope that never comes is told."""
    play = committed("three-card-poker", mutations=frozenset({clause}))
    play.rounds(2)
    code = {"SHOE-9.3": "stack-not-committed", "SHOE-9.9": "round-not-sealed"}[clause]
    assert [told for told in alarms(play) if told.startswith(code)]
    check_journal(play)


def test_the_shoe_restarts_in_mid_round() -> None:
    """SHOE-9.12: commitments hold and tries stay spent over a power cut."""
    play = committed("ultimate-texas-holdem")
    until(play, lambda: dealt(play))
    play.table.hands("power", device="shoe", state="off")
    play.table.run_until(lambda: not play.table.shown.shoe_up, within_s=5)
    play.table.hands("power", device="shoe", state="on")
    play.rounds(1)
    play.table.run_until(lambda: bool(reported(play, "RoundSealed")), within_s=20)
    assert opened(play)[0].sound
    assert len([body for body in bodies(play, "card_match_answered") if body["result"] == "match"]) == log_total(play)


def test_the_shoe_is_gone_at_the_settlement() -> None:
    """P5, P9: a person compares the cards that only the shoe could have compared, and the round goes on."""
    play = committed("three-card-poker")
    until(play, lambda: dealt(play))
    play.table.hands("line", port="shoe", kind="unplug")
    line = play.table._lines["shoe"]
    play.table._take(line, line.driver.port_lost())
    line.open_at = None
    until(play, lambda: held(play) == "card-not-compared")
    clear(play, "card-not-compared", "continue")
    answers = {body["result"] for body in bodies(play, "card_match_answered")}
    assert answers == {"ruled"}


def test_another_shoe_in_its_place() -> None:
    """E09: another shoe is asked nothing about cards that it did not deal."""
    play, other = committed("ultimate-texas-holdem"), committed("ultimate-texas-holdem", seed=77)
    until(play, lambda: dealt(play))
    asked = log_total(play)
    other.table.world.advance(play.table.now)
    swapped = committed("ultimate-texas-holdem", world=other.table.world, entries=list(play.table.entries))
    swapped.table.now = play.table.now
    for line in swapped.table._lines.values():
        line.open_at = swapped.table.now
    swapped.table.run_until(lambda: held(swapped) is not None, within_s=30)
    swapped.rounds(1)
    assert [told for told in alarms(swapped) if "another shoe is connected" in told]
    assert (log_total(play), log_total(other)) == (asked, 0)


def test_a_compared_card_is_not_corrected() -> None:
    """SHOE-9.4: each card has one try; what was held against its commitment is not entered otherwise behind it."""
    play = committed("three-card-poker", reader=False, can=frozenset({"commits", "envelopes"}))
    until(play, lambda: bool(bodies(play, "card_match_answered")))
    turned = bodies(play, "card-turned")[-1]
    other = "2c" if turned["face"] != "2c" else "2d"
    with pytest.raises(Refused) as refused:
        play.table.act(EntryCorrected(CardTurned(other, turned["place"], DECLARED)))
    assert refused.value.code in ("card-compared", "nothing-to-correct")


def test_a_round_number_that_the_shoe_has_used() -> None:
    """SHOE-9.1: a journal that begins anew goes on above what the shoe has begun."""
    play = committed("three-card-poker")
    play.rounds(2)
    play.table.run_until(lambda: len(reported(play, "RoundSealed")) == 2, within_s=20)
    fresh = committed("three-card-poker", world=play.table.world)
    fresh.table.now = play.table.now
    for line in fresh.table._lines.values():
        line.open_at = fresh.table.now
    fresh.rounds(1)
    assert [each["shoe_round"] for each in bodies(fresh, "shoe_round_opened")] == [3]
