"""Pay tables as data: what each hand wins, since when, and by which clause.

Owns every table that a house may choose by name. Must not know wagers or rounds. A house that gives its own odds is
checked against the text: a table that pays less than the regulation is refused with the row named (`house.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from cardshoe.money import Odds


@dataclass(frozen=True, slots=True)
class PayTable:
    """What a hand of each category wins.

    `rows`: category to odds; None stands for a push. A category that is not listed pushes with `others_push`, else
    loses. `effective` is the date from which the text is known, `cites` its clause or None where no text is known.
    """

    name: str
    rows: Mapping[str, Odds | None]
    effective: str
    cites: str | None
    others_push: bool = False

    @property
    def most(self) -> Odds:
        """The best odds of the table."""
        paid = [odds for odds in self.rows.values() if odds is not None]
        return max(paid, key=lambda odds: Fraction(odds.numerator, odds.denominator))


def _odds(**rows: int) -> dict[str, Odds | None]:
    return {category.replace("_", " "): Odds(numerator) for category, numerator in rows.items()}


_UTH: Final = "2016-11-16"
_THB: Final = "2021-09-15"
_NJ: Final = "2024-10-07"

# Ultimate Texas hold 'em, blind: NY-5324.36(f)(2). Below a straight it is a push.
_BLIND_ROWS: Final[dict[str, Odds | None]] = {
    "royal flush": Odds(500),
    "straight flush": Odds(50),
    "four of a kind": Odds(10),
    "full house": Odds(3),
    "flush": Odds(3, 2),
}
BLIND: Final[Mapping[str, PayTable]] = {
    "A": PayTable("A", {**_BLIND_ROWS, "straight": Odds(1)}, _UTH, "NY-5324.36(f)(2)", others_push=True),
    "B": PayTable("B", {**_BLIND_ROWS, "straight": None}, _UTH, "NY-5324.36(f)(2)", others_push=True),
}


def _trips(name: str, straight: int, flush: int, full_house: int, four_of_a_kind: int) -> PayTable:
    rows = _odds(
        royal_flush=50,
        straight_flush=40,
        four_of_a_kind=four_of_a_kind,
        full_house=full_house,
        flush=flush,
        straight=straight,
        three_of_a_kind=3,
    )
    return PayTable(name, rows, _UTH, "NY-5324.36(f)(3)")


# Ultimate Texas hold 'em, trips: NY-5324.36(f)(3).
TRIPS: Final[Mapping[str, PayTable]] = {
    "A": _trips("A", 4, 7, 9, 30),
    "B": _trips("B", 5, 6, 8, 30),
    "C": _trips("C", 4, 7, 8, 30),
    "D": _trips("D", 5, 6, 7, 20),
}

# Texas hold 'em bonus, the player's two cards: NY-5324.35(f)(2). The row printed as "king (same suit)" is ace-king
# suited: it stands between 20:1 and 30:1, and any suited king would pay the player far more than is wagered.
_BONUS_ROWS: Final[dict[str, Odds | None]] = {
    "ace-ace": Odds(30),
    "ace-king suited": Odds(25),
    "ace-queen or ace-jack suited": Odds(20),
    "ace-king offsuit": Odds(15),
    "king-king, queen-queen or jack-jack": Odds(10),
    "ace-queen or ace-jack offsuit": Odds(5),
    "ten-ten to two-two": Odds(3),
}
BOTH_ACES: Final = "player and dealer ace-ace"
BONUS_BOTH_ACES: Final = PayTable("with 1,000:1", {BOTH_ACES: Odds(1000), **_BONUS_ROWS}, _THB, "NY-5324.35(f)(2)")
BONUS_PLAIN: Final = PayTable(
    "without 1,000:1", {BOTH_ACES: _BONUS_ROWS["ace-ace"], **_BONUS_ROWS}, _THB, "NY-5324.35(f)(2)"
)


def _three(name: str, straight_flush: int, three: int, straight: int, flush: int, pair: int) -> PayTable:
    rows = _odds(straight_flush=straight_flush, three_of_a_kind=three, straight=straight, flush=flush, pair=pair)
    return PayTable(name, rows, _NJ, None)


# Three-card poker: operators' tables, no text known.
PAIR_PLUS: Final[Mapping[str, PayTable]] = {
    "40-30-6-4-1": _three("40-30-6-4-1", 40, 30, 6, 4, 1),
    "40-30-5-4-1": _three("40-30-5-4-1", 40, 30, 5, 4, 1),
    "40-25-6-4-1": _three("40-25-6-4-1", 40, 25, 6, 4, 1),
    "35-25-5-3-1": _three("35-25-5-3-1", 35, 25, 5, 3, 1),
}
ANTE_BONUS: Final[Mapping[str, PayTable]] = {
    "5-4-1": PayTable("5-4-1", _odds(straight_flush=5, three_of_a_kind=4, straight=1), _NJ, None),
    "4-3-1": PayTable("4-3-1", _odds(straight_flush=4, three_of_a_kind=3, straight=1), _NJ, None),
}

SIX_CARD_ROWS: Final = (
    "royal flush",
    "straight flush",
    "four of a kind",
    "full house",
    "flush",
    "straight",
    "three of a kind",
)
"""The hands that win by NJ-69F-20.12A(a)1 to NJ-69F-20.12A(a)7."""


def _six(*odds: int) -> PayTable:
    name = "-".join(str(each) for each in odds)
    rows = {category: Odds(each) for category, each in zip(SIX_CARD_ROWS, odds, strict=True)}
    return PayTable(name, rows, _NJ, "NJ-69F-20.12A(a)")


# Six-card bonus: NJ-69F-20.12A(a) names the winning hands and leaves the odds to the house.
SIX_CARD: Final[Mapping[str, PayTable]] = {
    table.name: table
    for table in (
        _six(1000, 200, 50, 25, 20, 10, 5),
        _six(1000, 200, 100, 20, 15, 10, 7),
        _six(1000, 200, 50, 25, 15, 10, 5),
    )
}

# Mississippi stud: an operators' table, no text known. A pair of sixes to tens is a push.
_MISSISSIPPI_ROWS: Final[dict[str, Odds | None]] = {
    **_odds(
        royal_flush=500,
        straight_flush=100,
        four_of_a_kind=40,
        full_house=10,
        flush=6,
        straight=4,
        three_of_a_kind=3,
        two_pair=2,
        pair_of_jacks_or_better=1,
    ),
    "pair of sixes to tens": None,
}
MISSISSIPPI: Final[Mapping[str, PayTable]] = {
    "500-100-40-10-6-4-3-2-1": PayTable("500-100-40-10-6-4-3-2-1", _MISSISSIPPI_ROWS, "", None)
}
