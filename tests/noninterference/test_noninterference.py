"""Nothing tells two rounds apart that differ only in hidden cards, until the rules turn one of them up (promise P4).

Proves section 4 of the handbook's security page, and T2 and T3 of its threat model: all games, all dealing methods,
with and without a reader, with shoes that commit, that do not, and that tell faces; with folds, voids, faults,
restarts and disputes. What is compared: both lines (length, plain text, time), journal, view, screen, console feed,
counters, log, refusals, terminal; files in the tests that keep some.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pairs import METHODS, Setup, pairs_of, play, setups, try_pairs

SETUPS, PAIRS = 40, 5


@pytest.mark.parametrize("setup", list(setups(0, SETUPS)), ids=lambda setup: f"{setup.seed}-{setup.game}-{setup.level}")
def test_two_hidden_cards_change_places_and_nobody_can_tell(setup: Setup) -> None:
    """SHOE-9.3, SHOE-9.7: 200 pairs of rounds in all; the nightly test plays 100,000."""
    assert try_pairs(setup, PAIRS, pictures=False) == []


@pytest.mark.parametrize("game", METHODS)
def test_the_screen_and_the_files_tell_nothing(game: str, tmp_path: Path) -> None:
    """T2: the drawn picture, names, modes and sizes of all files, and the trace of the line."""
    assert try_pairs(Setup(game, "automated-shoe", 77, "none"), 2, folder=tmp_path) == []


def test_the_pairs_are_not_all_of_the_stub() -> None:
    """Cards of hands, burned cards and the stub come up alike; rounds are compared for a good part of their way."""
    places: Counter[str] = Counter()
    lengths = []
    for setup in setups(0, 10):
        one = play(setup, pictures=False)
        for cards in pairs_of(setup, one, 20):
            places.update(one.lay.get(card, "stub") for card in cards)
            lengths.append(min(one.public_at.get(card, len(one.seen)) for card in cards) / len(one.seen))
    assert places["stub"] + places["hand"] < 0.5 * places.total()
    assert places["dealer"] > 10
    assert sum(lengths) / len(lengths) > 0.4


def test_folds_faults_restarts_and_disputes_are_among_them() -> None:
    """The rounds of the pairs are not all smooth: what must be in them is counted."""
    found: Counter[str] = Counter()
    for setup in setups(0, SETUPS):
        one = play(setup, pictures=False)
        told = [(each.channel, each.what) for each in one.seen]
        kinds = {what.split(" ")[0] for channel, what in told if channel == "journal"}
        found.update(kinds & {"alarm-raised", "hold-cleared", "device_lost"})
        found.update({channel for channel, _ in told} & {"restarted", "exception"})
        found["fold"] += any('"fold"' in what for channel, what in told if channel == "journal")
        found["void"] += any("voided=1" in what for channel, what in told if channel == "counters")
    assert {name for name, times in found.items() if times} == {
        "alarm-raised", "hold-cleared", "device_lost", "restarted", "exception", "fold", "void",
    }, found  # fmt: skip


@pytest.mark.parametrize("game", ["texas-holdem-bonus", "ultimate-texas-holdem", "three-card-poker"])
def test_what_the_rules_turn_up_does_differ(game: str) -> None:
    """The comparison has teeth: without the cut at the reveal the same rounds are told apart at once."""
    setup = Setup(game, "automated-shoe", 5)
    one = play(setup, pictures=False)
    card = next(card for card, place in one.lay.items() if place == "dealer" and card in one.public_at)
    other = next(card for card in range(52) if card not in one.public_at)
    two = play(setup, (card, other), pictures=False)
    assert [each.what for each in one.seen] != [each.what for each in two.seen]


def test_a_second_card_of_a_face_makes_that_face_public() -> None:
    """A copy that lies on the board is no leak of the card that lies hidden: the one find among 74,000 pairs."""
    setup = Setup("texas-holdem-bonus", "manual-shoe", 104334, "hostile")
    assert play(setup, of=(24, 21), pictures=False).ended
    assert try_pairs(setup, 20, pictures=False) == []
