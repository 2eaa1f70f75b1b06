"""Statistics over many rounds: does the length or the time of any kind of message go with a hidden card?

Owns Welch's t-test and the correction for many tests (Bonferroni). The p value is that of the normal distribution,
which is exact enough where both groups are large; smaller groups are left out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, variance

LEAST = 30
"""Groups below this size are not tested."""


def welch(one: Sequence[float], two: Sequence[float]) -> float:
    """Return the two-sided p value for equal means; 1 where neither varies and both are the same, 0 where they are not.

    Each group has at least `LEAST` values.
    """
    difference = fmean(one) - fmean(two)
    spread = variance(one) / len(one) + variance(two) / len(two)
    if spread == 0:
        return 1.0 if difference == 0 else 0.0
    return math.erfc(abs(difference) / math.sqrt(spread) / math.sqrt(2))


class Groups:
    """Values by kind of message and quantity, in two groups: those with a low and a high hidden card."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))

    def add(self, kind: str, values: Iterable[float], *, high: bool) -> None:
        """Take values of one round."""
        self._values[kind][high].extend(values)

    def p_values(self) -> Mapping[str, float]:
        """Return the corrected p value of each kind that has enough values in both groups."""
        tested = {kind: groups for kind, groups in self._values.items() if min(map(len, groups)) >= LEAST}
        return {kind: min(welch(*groups) * len(tested), 1.0) for kind, groups in tested.items()}
