"""May a stack be dispensed now? The last look before a motor moves.

Owns the shoe as the controller sees it (`ShoeView`, kept from status and events) and the obstacles to a dispense.
Pure. An obstacle either passes by itself or by the dealer's hand (`WAIT`), or holds the round (`ALARM`). Implements
conditions E09, E11, E16 and E17 and the deck rules B4 and B6 as far as the shoe can tell.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from cardshoe.devices import shoe_events as shoe
from cardshoe.devices.events import FaultCleared, FaultRaised
from cardshoe.devices.shoe_terms import DeckState, Mode, ShoeFlag
from cardshoe.round.state import changed
from cardshoe.wire.spec import Fault

FULL_DECK: Final = 52
_GOES_ON: Final = "goes on"


@dataclass(frozen=True)
class ShoeView:
    """The shoe as last told by a status or an event. `cards_left` None: the shoe does not know."""

    mode: Mode
    door_open: bool
    gate_occupied: bool
    inhibited: bool
    deck_state: DeckState
    deck_id: int
    cards_left: int | None
    cards_inside: bool = False
    round_id: int = 0
    faults: tuple[Fault, ...] = field(default=())

    @property
    def stopping_fault(self) -> Fault | None:
        """The first raised fault that stops the motor."""
        if not self.faults:
            return None
        return next((fault for fault in self.faults if fault.motor not in (_GOES_ON, "none")), None)

    def with_inhibit(self, *, inhibited: bool) -> ShoeView:
        """Return the view after the shoe said whether it is inhibited."""
        return changed(self, inhibited=inhibited)

    def without_fault(self, fault: Fault) -> ShoeView:
        """Return the view after the shoe said that `fault` is gone."""
        return changed(self, faults=tuple(each for each in self.faults if each != fault))


class Consequence(Enum):
    """What an obstacle leads to."""

    WAIT = "wait"
    ALARM = "alarm"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why nothing is dispensed now; `code` is a code of the error table, `text` is for people."""

    consequence: Consequence
    code: str
    text: str


def seen(view: ShoeView | None, status: shoe.ShoeStatus) -> ShoeView:
    """Return the view after a status; faults beyond the oldest are known from events only."""
    faults = view.faults if view is not None else ()
    if status.fault is None:
        faults = ()
    elif status.fault not in faults:
        faults = (status.fault, *faults)
    return ShoeView(
        mode=status.mode,
        door_open=ShoeFlag.DOOR_OPEN in status.flags,
        gate_occupied=ShoeFlag.GATE_OCCUPIED in status.flags,
        inhibited=ShoeFlag.INHIBITED in status.flags,
        deck_state=status.deck_state,
        deck_id=status.deck_id,
        cards_left=status.cards_left,
        cards_inside=ShoeFlag.DECK_PRESENT in status.flags,
        round_id=status.round_id,
        faults=faults,
    )


def told(view: ShoeView, event: shoe.ShoeEvent) -> ShoeView:
    """Return the view after an event, which may be ahead of the next status."""
    match event:
        case shoe.StackReady() | shoe.CardUnexpected() | shoe.StackTaken():
            return changed(view, gate_occupied=not isinstance(event, shoe.StackTaken))
        case shoe.DoorOpened() | shoe.DoorClosed():
            inside = event.cards_present if isinstance(event, shoe.DoorClosed) else view.cards_inside
            return changed(view, door_open=isinstance(event, shoe.DoorOpened), cards_inside=inside)
        case shoe.ModeChanged():
            return changed(view, mode=event.mode)
        case FaultRaised():
            return changed(view, faults=(*view.faults, event.fault))
        case FaultCleared():
            return view.without_fault(event.fault)
        case _:
            return _deck_told(view, event)


def _deck_told(view: ShoeView, event: shoe.ShoeEvent) -> ShoeView:
    match event:
        case shoe.DeckLoaded():
            return changed(view, deck_state=DeckState.LOADED, cards_left=None, cards_inside=True)
        case shoe.DeckVerified():
            return changed(view, deck_state=DeckState.VERIFIED, deck_id=event.deck_id, cards_left=event.cards)
        case shoe.DeckRejected():
            return changed(view, deck_state=DeckState.REJECTED, cards_left=None)
        case shoe.StubRemoved():
            return changed(view, deck_state=DeckState.NONE, cards_left=0, cards_inside=False)
        case _:
            return view


def fresh_deck(view: ShoeView, used: tuple[int | None, ...]) -> bool:
    """Tell whether a whole verified deck lies in the shoe that was not dealt from (`used`: deck ids that were)."""
    return view.deck_state is DeckState.VERIFIED and view.cards_left == FULL_DECK and view.deck_id not in used


def obstacle(view: ShoeView, *, deck_id: int | None, used: tuple[int | None, ...]) -> Obstacle | None:
    """Return why no stack may be dispensed now, or None.

    `deck_id` is the deck that the round is dealt from, None before its first stack; then it must be a fresh one.
    """
    if view.mode is not Mode.DEAL:
        return wrong_mode(view)
    if view.door_open:
        return _wait("shoe-door-open", "Close the shoe's door.")
    if view.gate_occupied:
        return _wait("gate-occupied", "Take the cards out of the shoe's gate.")
    fault = view.stopping_fault
    if fault is not None:
        return _wait("shoe-faulted", fault.dealer)
    if view.inhibited:
        return _wait("shoe-inhibited", "The shoe is being released.")
    return _deck_obstacle(view, deck_id, used)


def wrong_mode(view: ShoeView) -> Obstacle:
    """Return the obstacle that any mode but DEAL is (condition E16)."""
    mode = view.mode.name.lower()
    return _alarm("shoe-mode", f"The shoe is in {mode} mode. Turn the switch to deal. Call the floor.")


def _deck_obstacle(view: ShoeView, deck_id: int | None, used: tuple[int | None, ...]) -> Obstacle | None:
    if deck_id is None:
        if fresh_deck(view, used):
            return None
        return _wait("deck-not-ready", "A shuffled and verified deck is needed. Load the deck and wait.")
    if view.deck_state is not DeckState.VERIFIED or view.deck_id != deck_id:
        return _alarm(
            "deck-changed",
            f"The deck that this round is dealt from (deck {deck_id}) is no longer verified in the shoe"
            f" ({view.deck_state.name.lower()}, deck {view.deck_id}). Nothing more is dealt from it.",
        )
    return None


def _wait(code: str, text: str) -> Obstacle:
    return Obstacle(Consequence.WAIT, code, text)


def _alarm(code: str, text: str) -> Obstacle:
    return Obstacle(Consequence.ALARM, code, text)
