"""A number and what it counts, in words: `1 round`, `2 rounds`. A leaf: it knows one ending, and what is told it."""

from __future__ import annotations


def counted(number: int, one: str, several: str = "") -> str:
    """Return `1 round`, `2 rounds`."""
    return f"{number} {one if number == 1 else several or one + 's'}"
