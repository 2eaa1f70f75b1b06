"""Statistics of the bench: is a shuffle random, and is a reader good enough?

Owns four measures of shuffled decks with the chance of each under a perfect shuffle, and the confidence bounds of a
fault rate. A deck is a list of the numbers 0 to 51: which card of the order before the shuffle lies at each place.
Nothing here but arithmetic: no pytest, no device.

Chances come from perfect shuffles drawn with a fixed seed, as many decks at a time as were measured: that is exact at
any number of decks, where the chi-square distribution wants 260 decks and more. Where there are so many, it is used.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

CARDS = 52
DRAWS = 300
SEED = 20_240_229
ENOUGH_FOR_CHI_SQUARE = 260  # five expected in each of the 52 × 52 cells
Deck = Sequence[int]


@dataclass(frozen=True)
class Measure:
    """One measure: its value, the range of the middle 99 % under a perfect shuffle, and the chance p of worse."""

    name: str
    value: float
    low: float
    high: float
    p: float

    @property
    def at_95(self) -> bool:
        """Whether it is kept at 95 % confidence."""
        return self.p >= 0.05

    @property
    def at_99(self) -> bool:
        """Whether it is kept at 99 % confidence."""
        return self.p >= 0.01


def position_by_card(decks: Sequence[Deck]) -> float:
    """Chi-square of which card lies at which place: every card at every place equally often."""
    seen = Counter((place, card) for deck in decks for place, card in enumerate(deck))
    expected = len(decks) / CARDS
    # cells that were never seen add (0 - e)² / e = e each
    return sum((n - expected) ** 2 / expected for n in seen.values()) + expected * (CARDS * CARDS - len(seen))


def first_stack(decks: Sequence[Deck]) -> float:
    """Chi-square of the combinations in stacks of two: each of the 1,326 pairs equally often, over all 26 stacks."""
    pairs = CARDS * (CARDS - 1) // 2
    seen = Counter(tuple(sorted(deck[at : at + 2])) for deck in decks for at in range(0, CARDS, 2))
    expected = len(decks) * (CARDS // 2) / pairs
    return sum((n - expected) ** 2 / expected for n in seen.values()) + expected * (pairs - len(seen))


def serial_correlation(decks: Sequence[Deck]) -> float:
    """Correlation of each card's number with that of the card behind it, over all decks; 0 when there is none."""
    mean = (CARDS - 1) / 2
    above = sum((deck[at] - mean) * (deck[at + 1] - mean) for deck in decks for at in range(CARDS - 1))
    return above / (len(decks) * sum((card - mean) ** 2 for card in range(CARDS)))


def still_neighbours(decks: Sequence[Deck]) -> float:
    """How many cards a deck still have the same card behind them as before the shuffle: about one by chance."""
    kept = sum(deck[at + 1] == deck[at] + 1 for deck in decks for at in range(CARDS - 1))
    return kept / len(decks)


MEASURES: dict[str, tuple[Callable[[Sequence[Deck]], float], bool]] = {
    "position by card, chi-square": (position_by_card, False),
    "pairs in stacks, chi-square": (first_stack, False),
    "serial correlation": (serial_correlation, True),
    "neighbours kept a deck": (still_neighbours, False),
}
"""Name: the measure, and whether too low is as bad as too high."""


def measured(decks: Sequence[Deck], *, draws: int = DRAWS) -> list[Measure]:
    """Return every measure of these decks with its chance. Raises ValueError for a deck that is not 0 to 51."""
    for deck in decks:
        if sorted(deck) != list(range(CARDS)):
            raise ValueError("a deck is the numbers 0 to 51, each once")
    chance = random.Random(SEED)
    perfect: dict[str, list[float]] = {name: [] for name in MEASURES}
    for _ in range(draws):
        drawn = [chance.sample(range(CARDS), CARDS) for _ in decks]
        for name, (measure, _two_sided) in MEASURES.items():
            perfect[name].append(measure(drawn))
    return [_judged(name, decks, sorted(perfect[name])) for name in MEASURES]


def _judged(name: str, decks: Sequence[Deck], perfect: list[float]) -> Measure:
    measure, two_sided = MEASURES[name]
    value = measure(decks)
    above = (1 + sum(drawn >= value for drawn in perfect)) / (1 + len(perfect))
    below = (1 + sum(drawn <= value for drawn in perfect)) / (1 + len(perfect))
    p = min(1.0, 2 * min(above, below)) if two_sided else above
    if measure is position_by_card and len(decks) >= ENOUGH_FOR_CHI_SQUARE:
        p = chi_square_above(value, (CARDS - 1) ** 2)
    edge = max(1, round(0.005 * len(perfect)))
    return Measure(name, value, perfect[edge - 1], perfect[-edge], p)


def chi_square_above(value: float, freedom: int) -> float:
    """The chance of a chi-square above `value`: Wilson and Hilferty's cube root, good to 0.0005 for so many degrees."""
    part = 2 / (9 * freedom)
    z = ((value / freedom) ** (1 / 3) - (1 - part)) / math.sqrt(part)
    return 0.5 * math.erfc(z / math.sqrt(2))


# --- fault rates

READER_BAR = 1 / 5200
"""A reader may err once in 5,200 cards, one hundred decks."""


def faults_at_most(count: int, trials: int, rate: float) -> float:
    """The chance of `count` faults or fewer in `trials` when each fails with `rate`."""
    if rate >= 1:
        return 1.0 if count >= trials else 0.0
    step = math.exp(trials * math.log1p(-rate))
    total = step
    for k in range(count):
        step *= (trials - k) / (k + 1) * rate / (1 - rate)
        total += step
    return min(1.0, total)


def rate_bounds(count: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The one-sided lower and upper bound of the fault rate, each with this confidence (Clopper and Pearson)."""
    if trials == 0:
        return 0.0, 1.0
    upper = 1.0 if count >= trials else _solve(lambda rate: faults_at_most(count, trials, rate) - (1 - confidence))
    lower = 0.0 if count == 0 else _solve(lambda rate: faults_at_most(count - 1, trials, rate) - confidence)
    return lower, upper


def _solve(falling: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2


def cards_without_fault(bar: float = READER_BAR, confidence: float = 0.95) -> int:
    """How many cards must be read without a fault to show `bar` with this confidence."""
    return math.ceil(math.log(1 - confidence) / math.log1p(-bar))
