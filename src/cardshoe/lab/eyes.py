"""What a person at the table sees: backs as counts, faces that lie up.

Owns the reading of the world's answer to `look`. Must not know a card that lies face down: the answer holds none
(promise P4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardshoe.errors import DeviceError
from cardshoe.games.script import DEALER, POSITIONS
from cardshoe.round.faces import BOARD
from cardshoe.round.state import State, Status

PLACES = (DEALER, *POSITIONS, BOARD)


@dataclass(frozen=True, slots=True)
class Lying:
    """Cards at one place."""

    backs: int = 0
    faces: tuple[str, ...] = ()

    @property
    def cards(self) -> int:
        """How many cards lie there."""
        return self.backs + len(self.faces)


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at the table. `hand`: cards in the dealer's hand; `gate`: cards in the shoe's gate."""

    places: Mapping[str, Lying]
    gate: int
    cover_cards_in_gate: int
    hand: int
    burns: int
    cover_cards_in_hand: int
    door_open: bool
    magazine_empty: bool

    def at(self, place: str) -> Lying:
        """Return what lies at a place: "board", "dealer" or a position."""
        return self.places[place]

    @property
    def gate_empty(self) -> bool:
        """Whether nothing lies in the gate, no cover card either."""
        return not self.gate and not self.cover_cards_in_gate

    @property
    def free_place(self) -> str:
        """Return a place where nothing lies."""
        return next((place for place in (*POSITIONS, DEALER, BOARD) if not self.places[place].cards), BOARD)


def sight(answer: Mapping[str, Any]) -> Sight:
    """Return what the answer to `look` tells. Raises `DeviceError` (`hands-lost`) for one that is none of ours."""
    try:
        gate = answer["gate"]
        return Sight(
            places={place: _lying(answer["places"][place]) for place in PLACES},
            gate=int(gate["backs"]) + len(gate["faces"]),
            cover_cards_in_gate=int(gate["cover_cards"]),
            hand=int(answer["hand"]),
            burns=int(answer["burns"]),
            cover_cards_in_hand=int(answer["cover_cards_in_hand"]),
            door_open=bool(answer["door_open"]),
            magazine_empty=bool(answer["magazine_empty"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DeviceError(
            "hands-lost",
            f"The world's answer to a look at the table is none of ours: {error!r} is missing or wrong in it."
            " Give the control socket of a `cardshoe sim` of this version.",
        ) from error


_BARE: Final = {"backs": 0, "faces": []}
_NOTHING: Final = Lying()


def _lying(place: Mapping[str, Any]) -> Lying:
    if place == _BARE:
        return _NOTHING
    return Lying(int(place["backs"]), tuple(str(face) for face in place["faces"]))


def unknown_faces(lying: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Return the faces that lie there and are not among those known, as often as they are missing."""
    return tuple((Counter(lying) - Counter(known)).elements())


def agrees(seen: Sight, round_: State) -> bool:
    """Tell whether the cards on the table are those that the round says lie there, a stack on its way left out."""
    awaited = round_.pending.to if round_.pending is not None else ""
    for hand in round_.hands:
        in_play = hand.status is Status.LIVE or hand.waits
        if in_play and not hand.collected and hand.position != awaited and seen.at(hand.position).cards != hand.dealt:
            return False
    if awaited != DEALER and seen.at(DEALER).cards != round_.dealer_dealt:
        return False
    return seen.at(BOARD).cards == round_.board_dealt
