"""Firmware of the shoe: one PREPARE_DECK, and what the verification finds.

Owns SHOE-5.3, SHOE-6.3 to SHOE-6.5. Must not know the link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from cardshoe.sim.codes import Cause, DeckState, Outcome
from cardshoe.sim.deck import DECK_CARDS, Design, Placed, without_covers
from cardshoe.sim.messages import FAULT_CODES
from cardshoe.sim.nvram import UNKNOWN, CommandRecord

if TYPE_CHECKING:
    from cardshoe.sim.shoe import Shoe

SHUFFLE_MS: Final = 22_000.0
MISSING, DUPLICATE, FOREIGN, UNREADABLE, JOKER = range(1, 6)
NAMED_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class Findings:
    """What the reader inside found: counts, and names as (what, face), sorted, never places (SHOE-6.4)."""

    cards: int
    face_up: int
    named: tuple[tuple[int, int], ...]

    def count(self, what: int) -> int:
        """Return how many discrepancies are of the kind `what`."""
        return sum(kind == what for kind, _ in self.named)

    @property
    def fault(self) -> str | None:
        """The fault that describes the deck best, None when it is right."""
        if self.cards != DECK_CARDS:
            return "deck_count_wrong"
        if any(self.count(what) for what in (DUPLICATE, FOREIGN, JOKER)):
            return "deck_identity_wrong"
        if self.count(UNREADABLE):
            return "card_unreadable"
        return "card_face_up" if self.face_up else None


def examine(cards: Sequence[Placed]) -> Findings:
    """Return what a reader sees of these cards from below: a card that lies face up shows only its back."""
    deck = without_covers(cards)
    named: list[tuple[int, int]] = []
    seen: Counter[int] = Counter()
    for placed in deck:
        if placed.face_up:
            continue
        match placed.card.design:
            case Design.JOKER:
                named.append((JOKER, UNKNOWN))
            case Design.FOREIGN:
                named.append((FOREIGN, UNKNOWN))
            case _ if not placed.card.legible:
                named.append((UNREADABLE, UNKNOWN))
            case _:
                seen[placed.card.face] += 1
    named += [(MISSING, face) for face in range(DECK_CARDS) if not seen[face]]
    named += [(DUPLICATE, face) for face, times in seen.items() for _ in range(times - 1)]
    return Findings(len(deck), sum(placed.face_up for placed in deck), tuple(sorted(named)))


class Preparation:
    """One deck being shuffled and verified."""

    def __init__(self, shoe: Shoe, record: CommandRecord) -> None:
        self._shoe = shoe
        self.record = record
        self._halfway = shoe.timers.after(SHUFFLE_MS / 2, lambda _: self._shuffle())
        self._end = shoe.timers.after(SHUFFLE_MS, lambda _: self._verify())

    @property
    def command_id(self) -> int:
        """The command that is being carried out."""
        return self.record.command_id

    def begin(self) -> None:
        """The reply is on the line."""
        self._shoe.point("accepted", 0)

    def _shuffle(self) -> None:
        self._shoe.mechanism.shuffle(self._shoe.shuffle_source())
        self._shoe.point("shuffling", 0)

    def _verify(self) -> None:
        shoe, memory = self._shoe, self._shoe.memory
        memory.shuffles_total += 1
        findings = examine(shoe.mechanism.state.magazine)
        memory.rereads_total += findings.count(UNREADABLE)
        fault = findings.fault
        if fault is None:
            if not shoe.broken("SHOE-6.3"):
                memory.deck_id = (memory.deck_id + 1) & 0xFFFFFFFF
            memory.deck_state = DeckState.VERIFIED
            memory.deck_cards, memory.passed, memory.left_known = findings.cards, 0, True
            memory.cover_slots = [0] * shoe.mechanism.covers_inside
            self._close(Outcome.DONE, 0)
            shoe.report("DECK_VERIFIED", command_id=self.command_id, deck_id=memory.deck_id, cards=findings.cards)
            return
        memory.deck_state = DeckState.REJECTED
        self._close(Outcome.FAILED, FAULT_CODES[fault])
        shoe.alarms.raise_fault(fault)
        shoe.report("DECK_REJECTED", command_id=self.command_id, **_rejection(findings))

    def stop(self, cause: Cause) -> None:
        """Stop: the deck is loaded, in an order that nobody knows, and not verified (SHOE-5.3)."""
        self._close(Outcome.INTERRUPTED, 0)
        self._shoe.report("DISPENSE_INTERRUPTED", command_id=self.command_id, cause=cause, cards_seen=0)

    def on_door(self) -> None:
        """The door opened."""
        self.stop(Cause.DOOR)

    def on_fault(self, name: str) -> None:
        """A fault stops the preparation."""
        code = FAULT_CODES[name]
        self._close(Outcome.FAILED, code)
        self._shoe.report("DISPENSE_FAILED", command_id=self.command_id, fault=code, cards_seen=0)

    def on_entry(self, *, covered: bool) -> None:
        """Nothing is fed now."""

    def on_exit(self, *, covered: bool) -> None:
        """Nothing is fed now."""

    def gate_emptied(self) -> None:
        """Nothing is fed now."""

    def _close(self, outcome: Outcome, fault: int) -> None:
        self._halfway.cancel()
        self._end.cancel()
        self.record = replace(self.record, outcome=outcome, fault=fault)
        self._shoe.memory.keep(self.record)
        self._shoe.run_ended(self.record)


def _rejection(findings: Findings) -> dict[str, int | bytes | str]:
    named = b"".join(bytes(pair) for pair in findings.named[:NAMED_MAX])
    return {
        "cards": min(findings.cards, UNKNOWN),
        "missing": findings.count(MISSING),
        "duplicate": findings.count(DUPLICATE),
        "foreign": findings.count(FOREIGN),
        "unreadable": findings.count(UNREADABLE),
        "face_up": findings.face_up,
        "jokers": findings.count(JOKER),
        "named": named.ljust(2 * NAMED_MAX, b"\x00"),
    }
