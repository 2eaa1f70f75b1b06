"""Money as integer cents.

Owns amounts and odds. A float never comes near money. Implements the rounding ruling on odd cents (handbook ruling 21:
a fraction of a cent is paid as a whole cent, never less than the odds, or the house refuses such a wager).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cardshoe.errors import InputError

MAX_CENTS: Final = 10**12
"""No single wager or limit is larger than ten thousand million dollars; anything above is a slip of the hand."""


@dataclass(frozen=True, slots=True)
class Odds:
    """`numerator` to `denominator`, both positive; 3:2 is `Odds(3, 2)`."""

    numerator: int
    denominator: int = 1

    def __str__(self) -> str:
        return f"{self.numerator}:{self.denominator}"

    def won_cents(self, staked_cents: int) -> int:
        """Return what `staked_cents` wins at these odds, a fraction of a cent as a whole one."""
        return -(-staked_cents * self.numerator // self.denominator)

    def exact(self, staked_cents: int) -> bool:
        """Tell whether `staked_cents` wins a whole number of cents."""
        return staked_cents * self.numerator % self.denominator == 0


def parse_cents(value: object, where: str, *, least: int = 1) -> int:
    """Return `value` as integer cents between `least` and `MAX_CENTS`.

    Raises `InputError` (`amount`) quoting the value and its place: fractions, text, true and false are refused.
    """
    if type(value) is not int:
        raise InputError("amount", f"{where}: {value!r} is not a whole number of cents")
    if not least <= value <= MAX_CENTS:
        raise InputError("amount", f"{where}: {value} cents is not between {least} and {MAX_CENTS}")
    return value
