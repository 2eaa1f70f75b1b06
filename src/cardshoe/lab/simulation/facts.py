"""What the checker has seen so far, shared by its parts.

Owns the facts of the present run: the account of what is durable, which frames left, which excuses the shoe gave, which
faces were seen by whom, and what has to be asked after. Must not judge: `motor`, `lines`, `entries` and `views` do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from cardshoe.lab.simulation.book import Book
from cardshoe.lab.simulation.promises import Broken
from cardshoe.lab.simulation.watched import Feed, WatchedWorld

FACE_NAMES: Final = tuple([rank + suit for rank in "23456789TJQKA" for suit in "cdhs"])
"""The faces of a deck by the number that they have on the line (READER-1.3)."""
NOT_MOVED = frozenset({"never seen", "refused", "rejected", "no card"})
"""What the shoe said of a command that moved nothing."""


@dataclass(slots=True)
class Facts:
    """`sends`: frames (session, sequence) that carried a DISPENSE, by command id; `sent_into_gate`: cards lay in the
    gate when it left; `excuses`: what the shoe said of a command; `taken`: how many cards it counted out of the
    gate, each time (a card that slid out later is told under the same command).

    `has_reader`: something on the table reads cards; else the shoe tells them. `read` and `up`: place and face as the
    reader told it, and as it physically lay there, in this round; `known`: faces that anybody may know. `laid`: what
    lay at a place when it mattered for the account. `lied`: a reader told of a card that was not there. `must_hold`,
    `must_alarm`: what has to be asked after, before the next step or at once.
    """

    world: WatchedWorld
    book: Book = field(default_factory=Book)
    sends: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    sent_into_gate: dict[int, bool] = field(default_factory=dict)
    excuses: dict[int, set[str]] = field(default_factory=dict)
    taken: dict[int, set[int]] = field(default_factory=dict)
    fed: dict[int, Feed] = field(default_factory=dict)
    read: set[tuple[str, str]] = field(default_factory=set)
    up: set[tuple[str, str]] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    known_before: set[str] = field(default_factory=set)
    laid: dict[str, list[str]] = field(default_factory=dict)
    lied: bool = False
    has_reader: bool = True
    must_hold: list[str] = field(default_factory=list)
    must_alarm: list[str] = field(default_factory=list)
    held_shown: bool = False
    held_since: float | None = None
    spent_round: int = 0
    spent_shuffles: int = -1

    @property
    def held(self) -> bool:
        """Whether a question is open: one that is durable, or one that people are shown."""
        return bool(self.book.questions) or self.held_shown

    def broken(self, promise: str, text: str) -> Broken:
        """Return the finding; the caller raises it."""
        return Broken(promise, text, self.world.present)

    def begin_round(self) -> None:
        """Forget what belongs to the round before; of commands only those that are still open matter."""
        lying = self.world.faces_up()
        self.known_before, self.known = self.known, {face for _, face in lying}
        self.up, self.read, self.laid, self.lied = set(lying), set(), {}, False
        self.must_hold.clear()
        self.must_alarm.clear()
        self.book.forget_ended()
        kept = self.book.requests
        self.excuses = {number: why for number, why in self.excuses.items() if number in kept}
        self.fed = {number: feed for number, feed in self.fed.items() if number in kept}
        self.sends = {number: frames for number, frames in self.sends.items() if number in kept}
        self.taken = {number: cards for number, cards in self.taken.items() if number in kept}
        self.sent_into_gate = {number: yes for number, yes in self.sent_into_gate.items() if number in kept}
