"""Wrong tries: how many, and how long until the next one is looked at.

Owns the count of wrong tries in a row for one name, and the wait that grows with it. A try is counted before it is
looked at, so that whoever pulls the plug in between has not had it for nothing. Times are monotonic seconds of one boot
of the machine: after another boot the whole wait begins anew, and no wall clock is asked (promise P9). Must not know
names, files or proofs. Pure. Implements the lock-out of certification line E4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cardshoe.errors import Refused

FREE_TRIES: Final = 5
FIRST_WAIT_S: Final = 30.0
LONGEST_WAIT_S: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Tried:
    """`wrong` tries in a row; the next is taken at `until`, monotonic seconds of the machine's `boot`."""

    wrong: int = 0
    boot: str = ""
    until: float = 0.0


def wait_s(wrong: int) -> float:
    """Return how long nobody is let in after `wrong` wrong tries in a row."""
    if wrong < FREE_TRIES:
        return 0.0
    return float(min(FIRST_WAIT_S * 2 ** min(wrong - FREE_TRIES, 32), LONGEST_WAIT_S))


def left_s(tried: Tried, *, now: float, boot: str) -> float:
    """Return how many seconds are left until the next try is looked at."""
    whole = wait_s(tried.wrong)
    return whole if boot != tried.boot else min(max(0.0, tried.until - now), whole)


def begun(tried: Tried, *, now: float, boot: str) -> Tried:
    """Return the count with one more try, which is wrong until it is proved right.

    Raises `Refused` (`sign-in-locked`) while the name is locked; then nothing is counted.
    """
    left = left_s(tried, now=now, boot=boot)
    if left > 0:
        raise locked(left)
    wrong = tried.wrong + 1
    return Tried(wrong, boot, now + wait_s(wrong))


def settled(tried: Tried, *, now: float, boot: str) -> Tried:
    """Return the same count for this boot: a wait of another boot begins anew now, once."""
    return tried if tried.boot == boot else Tried(tried.wrong, boot, now + wait_s(tried.wrong))


def locked(left: float) -> Refused:
    """Return the refusal of a name that is locked for `left` seconds more."""
    seconds = int(left) + 1
    return Refused(
        "sign-in-locked",
        f"too many wrong tries with this name; the next is looked at in {seconds} s, or once the floor unlocks it",
    )
