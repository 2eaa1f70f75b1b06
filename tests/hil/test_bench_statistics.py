"""The bench's statistics: perfect shuffles pass, weak ones are told, bounds of a fault rate are the textbook's."""

from __future__ import annotations

import math
import random

import pytest

from bench_statistics import (
    CARDS,
    READER_BAR,
    cards_without_fault,
    chi_square_above,
    faults_at_most,
    measured,
    rate_bounds,
)


def riffled(chance: random.Random, times: int) -> list[int]:
    """A deck after so many riffle shuffles (Gilbert, Shannon, Reeds)."""
    deck = list(range(CARDS))
    for _ in range(times):
        cut = sum(chance.random() < 0.5 for _ in range(CARDS))
        left, right, out = deck[:cut], deck[cut:], []
        while left or right:
            pile = left if chance.random() < len(left) / (len(left) + len(right)) else right
            out.append(pile.pop(0))
        deck = out
    return deck


def never_first(chance: random.Random) -> list[int]:
    """A shuffle in which the lower half never comes to the upper half of the deck."""
    low, high = list(range(26)), list(range(26, CARDS))
    chance.shuffle(low)
    chance.shuffle(high)
    return high + low


WEAK = {
    "one riffle": lambda chance: riffled(chance, 1),
    "three riffles": lambda chance: riffled(chance, 3),
    "a cut": lambda chance: [(at + chance.randrange(1)) % CARDS for at in range(7, 7 + CARDS)],
    "halves stay apart": never_first,
}


@pytest.mark.parametrize("name", WEAK)
def test_a_weak_shuffle_is_told(name: str) -> None:
    """MD 36.05.02.17F, SHOE-6.2: at 99 %, with ten shuffles."""
    chance = random.Random(name)
    found = measured([WEAK[name](chance) for _ in range(10)])
    assert not all(one.at_99 for one in found), found


def test_a_perfect_shuffle_passes() -> None:
    """At 99 %, for nearly every one of forty sets of five decks; the chances spread over the whole range."""
    chance = random.Random(5)
    p = [one.p for _ in range(40) for one in measured([chance.sample(range(CARDS), CARDS) for _ in range(5)], draws=99)]
    assert sum(value < 0.01 for value in p) <= 6
    assert 0.4 < sum(p) / len(p) < 0.6


def test_no_deck_is_no_deck() -> None:
    """A card twice is refused, not measured."""
    with pytest.raises(ValueError, match="each once"):
        measured([[0, 0, *range(2, CARDS)]])


def test_the_readers_bar() -> None:
    """One fault in 5,200 cards at 95 %: 15,577 cards without a fault; one less does not show it."""
    assert cards_without_fault() == 15_577
    assert rate_bounds(0, 15_577)[1] <= READER_BAR < rate_bounds(0, 15_576)[1]


@pytest.mark.parametrize(
    ("count", "trials", "low", "high"), [(0, 10, 0.0, 0.2589), (1, 10, 0.005116, 0.3942), (5, 100, 0.01991, 0.1023)]
)
def test_bounds_are_clopper_and_pearsons(count: int, trials: int, low: float, high: float) -> None:
    """Against printed values of the one-sided 95 % bounds."""
    found = rate_bounds(count, trials)
    assert found[0] == pytest.approx(low, rel=2e-3)
    assert found[1] == pytest.approx(high, rel=2e-3)


def test_the_sum_of_chances() -> None:
    """The binomial sum against one written with factorials."""
    for count, trials, rate in ((0, 7, 0.2), (3, 12, 0.4), (11, 12, 0.9)):
        plain = sum(math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(count + 1))
        assert faults_at_most(count, trials, rate) == pytest.approx(plain)


@pytest.mark.parametrize(("value", "p"), [(2601, 0.4963), (2720.8, 0.05), (2771.5, 0.01)])
def test_chi_square_of_a_shuffle(value: float, p: float) -> None:
    """51 × 51 degrees: the printed quantiles."""
    assert chi_square_above(value, 2601) == pytest.approx(p, abs=0.002)
