"""A face that must not be seen yet.

Owns the one type in which the table computer carries a face that a device told while the card may lie face down
(promise P4): drivers wrap it at the edge. It prints, compares, formats, hashes and pickles as nothing; the face comes
out by name, where the rules turn the card up.
"""

from __future__ import annotations

from typing import NoReturn

from cardshoe.cards import Card
from cardshoe.errors import Refused


class Unshown:
    """A value that prints, compares, formats, hashes and pickles as nothing, whatever it holds."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(**)"

    __str__ = __repr__

    def __format__(self, _spec: str) -> str:
        return "**"

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is never copied or stored")


class SealedCard(Unshown):
    """A card whose face nobody sees: `reveal` gives it once the caller states that it lies face up."""

    __slots__ = ("__face",)

    def __init__(self, face: Card) -> None:
        self.__face = face

    def reveal(self, *, lies_face_up: bool) -> Card:
        """Return the face. Raises `Refused` (`sealed`) while the card lies face down."""
        if not lies_face_up:
            raise Refused("sealed", "the card lies face down; its face stays sealed until the rules turn it up")
        return self.__face
