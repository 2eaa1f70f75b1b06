"""Firmware of the card reader over the table.

Owns reader-v1 on the device's side. Must not see a card that lies face down: it asks the table for faces only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from cardshoe.sim.agenda import Timers
from cardshoe.sim.deck import Card, Design
from cardshoe.sim.link import DeviceLink, Reply, number
from cardshoe.sim.messages import FAULT_CODES, Value
from cardshoe.sim.nvram import ReaderMemory, Store
from cardshoe.sim.power import BootCause
from cardshoe.sim.table import PLACES, Table

FOREIGN, UNREADABLE, NONE = 0xFD, 0xFE, 0xFF
START_MS: Final = 500.0
READ_MS: Final = 400.0
CLEAR_MS: Final = 100.0
UNSTEADY_RETRY_MS: Final = 100.0
SCAN_CARDS: Final = 8


class ScanResult(IntEnum):
    """The answer to SCAN (READER-3.1)."""

    OK = 0
    PLACE_EMPTY = 1
    UNSTEADY = 2
    BAD_VALUE = 3


@dataclass(frozen=True, slots=True)
class Misreading:
    """What goes wrong with one reading: another face, and when the true one is seen after all (None: never)."""

    face: int
    recovers_after_s: float | None = None


@dataclass(slots=True)
class Seen:
    """One card that lies face up: `index` and `face` from the moment it has been read."""

    card: Card
    index: int | None = None
    face: int = NONE


@dataclass(slots=True)
class Spot:
    """What the reader knows of one place."""

    seen: list[Seen] = field(default_factory=list)
    next_index: int = 0


class Reader:
    """One start of the reader's firmware. `causes` holds what disturbs it: lens_dirty, glare, reader_unsteady."""

    def __init__(
        self,
        *,
        link: DeviceLink,
        memory: ReaderMemory,
        table: Table,
        timers: Timers,
        store: Store,
        mutations: frozenset[str],
        misread: Callable[[str, int], Misreading | None],
        causes: list[str],
        started: bool = False,
    ) -> None:
        self._link = link
        self._memory = memory
        self._table = table
        self._timers = timers
        self._store = store
        self._mutations = mutations
        self._misread = misread
        self._causes = causes
        self._starting = not started
        self._faults: list[str] = []
        self._last_face = NONE
        self._spots = {place: Spot() for place in PLACES}

    # --- for the link

    def boot(self, cause: BootCause) -> None:
        """Report BOOTED, then what lies face up as if it had just been turned (READER-4.3)."""
        self._table.listener = self.look
        self._link.raise_event("BOOTED", {"cause": cause})
        for name in list(self._causes):
            self.disturbed(name)
        for place in PLACES:
            self.look(place)
        self._timers.after(START_MS, lambda _: self._started())

    def _started(self) -> None:
        self._starting = False

    @property
    def starting(self) -> bool:
        """Tell whether the reader is still starting."""
        return self._starting

    def holds_live_deck(self) -> bool:
        """A reader holds no deck."""
        return False

    def knows(self, name: str) -> bool:
        """A reader has every command of its document."""
        return True

    def allowed(self, name: str, *, service: bool) -> bool:
        """No command of a reader moves anything: all belong to both purposes."""
        return True

    def lease_lost(self) -> None:
        """A reader has no motor."""

    def lease_renewed(self) -> None:
        """A reader has no motor."""

    def command(self, name: str, values: Mapping[str, Value]) -> Reply | int:
        """SCAN and READ_COUNTERS."""
        if name == "SCAN":
            return self._scan(number(values["place"]))
        names = ("cards_read_total", "rereads_total", "unreadable_total", "faults_total")
        return Reply("READ_COUNTERS_REPLY", {name: getattr(self._memory, name) for name in names})

    def status(self) -> dict[str, Value]:
        """Return the reader's part of STATUS (READER-4.1)."""
        memory = self._memory
        flags = int("lens_dirty" in self._causes) + 2 * int("glare" in self._causes)
        occupied = sum(1 << n for n, place in enumerate(PLACES) if self._spots[place].seen)
        return {
            "state": 0 if self._starting else (2 if "reader_unsteady" in self._faults else 1),
            "flags": flags,
            "places_occupied": occupied,
            "faces_seen": sum(len(spot.seen) for spot in self._spots.values()),
            "fault": FAULT_CODES[self._faults[0]] if self._faults else 0,
            "cards_read_total": memory.cards_read_total,
            "rereads_total": memory.rereads_total,
            "unreadable_total": memory.unreadable_total,
        }

    # --- what lies on the table

    def look(self, place: str) -> None:
        """Something changed at a place."""
        spot = self._spots[place]
        lying = [placed.card for placed in self._table.faces(place)]
        spot.seen = [seen for seen in spot.seen if seen.card in lying]
        known = [seen.card for seen in spot.seen]
        for card in lying:
            if card not in known:
                seen = Seen(card)
                spot.seen.append(seen)
                self._timers.after(READ_MS, self._reading(place, seen))
        if not spot.seen and spot.next_index:
            self._timers.after(CLEAR_MS, lambda _: self._cleared(place))

    def _reading(self, place: str, seen: Seen) -> Callable[[float], None]:
        return lambda _: self._read(place, seen)

    def _cleared(self, place: str) -> None:
        spot = self._spots[place]
        if not spot.seen and spot.next_index:
            spot.next_index = 0
            self._link.raise_event("PLACE_CLEARED", {"place": PLACES.index(place)})

    def _read(self, place: str, seen: Seen) -> None:
        spot = self._spots[place]
        if not any(other is seen for other in spot.seen):
            return  # it was taken away, or turned, before it lay still
        if "reader_unsteady" in self._causes:
            self._timers.after(UNSTEADY_RETRY_MS, self._reading(place, seen))
            return
        seen.index = spot.next_index
        spot.next_index += 1
        wrong = self._misread(place, seen.card.face)
        face = _visible(seen.card) if wrong is None else wrong.face
        if "READER-2.4" in self._mutations and self._last_face != NONE and self._memory.cards_read_total % 2:
            face = self._last_face
        self._memory.cards_read_total += 1
        self._report(place, seen, face)
        if face == UNREADABLE:
            self._memory.rereads_total += 1
            self._memory.unreadable_total += 1
            if wrong is not None and wrong.recovers_after_s is not None:
                at = self._timers.now + wrong.recovers_after_s
                self._timers.at(at, lambda _: self._readable_now(place, seen))
        self._store.touch()

    def _readable_now(self, place: str, seen: Seen) -> None:
        """An unreadable card can be read after all (READER-2.2)."""
        if any(other is seen for other in self._spots[place].seen) and "READER-2.2" not in self._mutations:
            self._memory.rereads_total += 1
            self._report(place, seen, _visible(seen.card))

    def _report(self, place: str, seen: Seen, face: int) -> None:
        seen.face = self._last_face = face
        index = 0 if seen.index is None else seen.index
        self._link.raise_event("CARD_READ", {"place": PLACES.index(place), "index": index, "face": face})

    def _scan(self, number_of_place: int) -> Reply:
        result, faces = ScanResult.OK, b""
        if number_of_place >= len(PLACES):
            result = ScanResult.BAD_VALUE
        else:
            seen = self._spots[PLACES[number_of_place]].seen
            if not seen:
                result = ScanResult.PLACE_EMPTY
            elif "reader_unsteady" in self._causes or any(one.index is None for one in seen):
                result = ScanResult.UNSTEADY
            else:
                faces = bytes(one.face for one in sorted(seen, key=_index)[:SCAN_CARDS])
        reply: dict[str, Value] = {
            "place": number_of_place,
            "result": result,
            "faces": faces.ljust(SCAN_CARDS, bytes((NONE,))),
        }
        return Reply("SCAN_REPLY", reply)

    # --- what disturbs it

    def disturbed(self, cause: str) -> None:
        """The window is dirty, light glares, or the picture moves (READER-4.2); glare is a flag only."""
        if cause in FAULT_CODES and cause not in self._faults:
            self._faults.append(cause)
            self._memory.faults_total += 1
            self._link.raise_event("FAULT_RAISED", {"fault": FAULT_CODES[cause], "detail": 0})

    def undisturbed(self, cause: str) -> None:
        """It is over."""
        if cause in self._faults:
            self._faults.remove(cause)
            self._link.raise_event("FAULT_CLEARED", {"fault": FAULT_CODES[cause]})


def _visible(card: Card) -> int:
    if card.design is not Design.HOUSE:
        return FOREIGN
    return card.face if card.legible else UNREADABLE


def _index(seen: Seen) -> int:
    return -1 if seen.index is None else seen.index
