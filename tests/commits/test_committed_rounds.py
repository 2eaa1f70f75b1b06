"""All games with a shoe that commits: each card that lies up is compared once, or told at its step, and sealed."""

from __future__ import annotations

from collections import Counter

import pytest
from committed_table import alarms, bodies, committed, never_twice, opened, reported
from robot_table import GAMES, check_journal

ROUNDS = 3


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("reader", [True, False], ids=["reader", "no reader"])
def test_a_game(game: str, *, reader: bool) -> None:
    """SHOE-9.1 to SHOE-9.10, P1, P4: begun before the first stack, committed, compared or revealed, closed, sealed."""
    play = committed(game, reader=reader)
    play.rounds(ROUNDS)
    play.table.run_until(lambda: len(reported(play, "RoundSealed")) == ROUNDS, within_s=20)
    tally = play.table.shown.tally
    assert (tally.completed, tally.voided, alarms(play)) == (ROUNDS, 0, [])
    never_twice(play)
    check_journal(play)
    settled = bodies(play, "settled")
    assert [each["shoe_round"] for each in bodies(play, "shoe_round_opened")] == [1, 2, 3]
    for round_id, (account, envelope) in enumerate(zip(settled, opened(play), strict=True), 1):
        assert (envelope.sound, envelope.round_id) == (True, round_id)
        faces = Counter(card.card.text for card in envelope.cards if card.card is not None)
        up = Counter(account["dealer"])
        for hand in account["positions"].values():
            up.update(hand.get("cards", ()))
        assert up <= faces, "what was settled is what the shoe dealt"
    matches = bodies(play, "card_match_answered")
    reveals = bodies(play, "stack_reveal_answered")
    assert (bool(matches), bool(reveals)) == (reader, not reader)
    assert {body["result"] for body in (*matches, *reveals)} <= {"match", "revealed"}


@pytest.mark.parametrize("game", GAMES)
def test_folded_hands_stay_down(game: str) -> None:
    """P4, SHOE-9.7: without a reader a hand is told at the step at which it is settled, and no other hand ever."""
    play = committed(game, reader=False, seed=5)
    play.rounds(8)
    positions: list[str] = []
    due: set[str] = set()
    for entry in play.table.entries:
        if entry.kind == "round-opened":
            due = set()
        elif entry.kind == "decision-made" and entry.body["action"] == "fold":
            positions.append(str(entry.body["position"]))
            due.add(str(entry.body["position"]))
        elif entry.kind == "stack_reveal_requested" and entry.body["place"] in due:
            account = next(body for body in bodies(play, "settled") if body["round"] == entry.round)
            wagers = account["positions"][entry.body["place"]]["wagers"]
            assert set(wagers) - {"ante", "blind", "play"}, "a folded hand is told for a live side bet only"
    assert positions or game == "mississippi-stud"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("can", [frozenset(), frozenset({"tells_faces"})], ids=["plain", "tells faces"])
@pytest.mark.parametrize("reader", [True, False], ids=["reader", "no reader"])
def test_a_shoe_that_does_not_commit(game: str, can: frozenset[str], *, reader: bool) -> None:
    """SHOE-9.14, P4: a plain shoe is asked nothing; what a bench shoe tells is never written before its step."""
    play = committed(game, reader=reader, can=can)
    play.rounds(2)
    assert (play.table.shown.tally.completed, alarms(play)) == (2, [])
    assert not bodies(play, "shoe_round_requested", "card_match_requested", "stack_reveal_requested")
    check_journal(play)
    if can and not reader:
        sources = Counter((body["source"], body["place"] == "board") for body in bodies(play, "card-turned"))
        assert (sources["read", False] > 0, sources["declared", False]) == (True, 0), "opened as read at its step"
    for body in reported(play, "CardFace"):
        assert body["card"] == "sealed"
