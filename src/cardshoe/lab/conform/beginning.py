"""Brings a used device to where a dialogue begins: vectors' README, section 4.

Owns the order of what is put right: gate, door, mode, motion, inhibit, faults, deck, table. A device is taken as it is
found: command ids go on above its `last_command`, a deck of which cards were dealt is exchanged for a fresh one. Must
not judge the device; what cannot be put right makes a dialogue *not shown*, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from cardshoe.lab.conform.caller import Caller, NotReady
from cardshoe.lab.conform.hands import CannotAct, Request, named
from cardshoe.lab.conform.items import Begins, Item
from cardshoe.lab.conform.watching import Watched

DECK: Final = 52
UNKNOWN: Final = 0xFF
IDLE, LOADED, VERIFIED = 1, 1, 2
DOOR_OPEN, GATE_OCCUPIED, INHIBITED, COVER_INSIDE = 1, 2, 4, 16
STILL_PRESENT, NEEDS_SERVICE = 1, 3
PREPARE_S: Final = 95.0
SETTLES_S: Final = 3.0
STARTS_S: Final = 2.0
ATTEMPTS: Final = 3


class Beginning:
    """Puts one device right between dialogues.

    `as_found`: nobody can bring a fresh deck, so the deck that lies verified in the shoe with all its cards is taken
    for one, and a deck that was only loaded is prepared.
    """

    def __init__(
        self,
        kind: str,
        line: Watched,
        nonce: Callable[[], bytes],
        *,
        starts_s: float = STARTS_S,
        as_found: bool = False,
    ) -> None:
        self._kind, self._line = kind, line
        self._caller = Caller(kind, line, nonce)
        self._starts_s = starts_s
        self._as_found = as_found
        self._fresh = as_found
        self._quiet = False

    def used(self, item: Item, *, passed: bool) -> None:
        """Note that an item has been run: its deck is no fresh one any more if it may have moved cards."""
        self._fresh = self._fresh and not item.moves
        self._quiet = passed and item.begins is Begins.ANYWHERE

    def reach(self, item: Item) -> None:
        """Bring the device there. Raises NotReady and CannotAct with what it lacks."""
        for attempt in range(ATTEMPTS):
            try:
                self._reach(item)
            except NotReady:
                if attempt == ATTEMPTS - 1:
                    raise
                self._revive()
            else:
                return

    def _reach(self, item: Item) -> None:
        if item.begins is Begins.ANYWHERE:
            if not self._quiet:  # what is held is sent again and again, and would come into the next opening
                self._caller.open()
                self._caller.silence()
            return
        if self._kind == "shoe":
            self._shoe()
        else:
            self._reader(with_deck=any(act.get("do") == "remove_stub" for act in item.acts))
        restart = {"do": "reset", "device": self._kind}
        if item.begins is Begins.WITHOUT_SESSION:
            self._do(restart)
        if item.begins is Begins.AS_STARTED:
            self._try(restart)
        if item.begins is not Begins.READY:
            self._caller.pause(self._starts_s)

    def _revive(self) -> None:
        """Switch it on, in case it was left off."""
        self._try({"do": "power", "device": self._kind, "state": "on"})
        self._line.cut()
        self._caller.pause(self._starts_s)

    # --- the shoe

    def _shoe(self) -> None:
        reply = self._caller.open()
        status = self._caller.until(lambda s: s["state"] != 0 and not s["running_command"], PREPARE_S)
        status = self._put_right(status)
        fresh = status["deck_state"] == VERIFIED and status["cards_left"] in (DECK, UNKNOWN)
        if not (self._fresh and fresh) or status["flags"] & COVER_INSIDE:
            status = self._new_deck(status)
        self._fresh = True
        last = self._caller.until(lambda s: s["state"] == IDLE, SETTLES_S)
        self._caller.silence()
        lacks = _lacks(last)
        if lacks:
            self._fresh = False
            raise NotReady(f"{lacks} (serial {reply.get('serial', '')!r})")

    def _put_right(self, status: Mapping[str, Any]) -> Mapping[str, Any]:
        if status["flags"] & GATE_OCCUPIED or status["gate_cards"]:
            self._do({"do": "take_stack", "to": "1"})
        if status["flags"] & DOOR_OPEN:
            self._do({"do": "close_door"})
        if status["mode"]:
            self._do({"do": "switch_mode", "mode": "deal"})
        if status["flags"] & INHIBITED:
            self._caller.command("SET_INHIBIT", inhibited=0)
        for _ in range(ATTEMPTS):
            status = self._caller.until(lambda s: not s["flags"] & (GATE_OCCUPIED | DOOR_OPEN), SETTLES_S)
            if not status["fault"]:
                break
            self._clear(status["fault"])
        return status

    def _clear(self, fault: int) -> None:
        self._try({"do": "press", "button": "clear_jam"})
        answer = self._caller.command("CLEAR_FAULT", fault=fault)
        if answer["result"] in (STILL_PRESENT, NEEDS_SERVICE):
            self._do({"do": "press", "button": "service"})
            self._caller.pause(0.2)

    def _new_deck(self, found: Mapping[str, Any]) -> Mapping[str, Any]:
        if not (self._as_found and found["deck_state"] == LOADED):
            self._try({"do": "new_deck"})  # a bench whose load_deck always brings a whole deck has no other
            self._do({"do": "load_deck"})
        self._caller.pause(0.3)
        status = self._caller.until(lambda s: s["deck_state"] != 0 and not s["flags"] & DOOR_OPEN, SETTLES_S)
        self._caller.consume(status["last_event"])
        answer = self._caller.command("PREPARE_DECK", command_id=status["last_command"] + 1)
        if answer["result"] != 0:
            raise NotReady(f"PREPARE_DECK is refused (result {answer['result']})")
        return self._caller.until(lambda s: s["deck_state"] == VERIFIED and not s["running_command"], PREPARE_S)

    # --- the reader

    def _reader(self, *, with_deck: bool) -> None:
        self._caller.open()
        status = self._caller.until(lambda s: s["state"] != 0, PREPARE_S)
        if status["fault"] or status["flags"]:
            self._do({"do": "press", "button": "service"})
        if with_deck:
            self._try({"do": "take_stack", "to": "1"})
            self._do({"do": "new_deck"})
            self._do({"do": "load_deck"})
        elif status["faces_seen"] or status["places_occupied"]:
            self._do({"do": "collect"})
        status = self._caller.until(lambda s: not s["faces_seen"] and not s["fault"], SETTLES_S)
        self._caller.pause(0.3)
        self._caller.silence()
        status = self._caller.status()
        if status["faces_seen"] or status["fault"]:
            raise NotReady(f"{status['faces_seen']} cards lie face up, fault {status['fault']}")

    # --- hands

    def _do(self, request: Request) -> None:
        answer = self._line.control(request)
        if not answer.get("ok"):
            raise NotReady(f"{named(request)} cannot be done: {answer.get('text', '')}")

    def _try(self, request: Request) -> None:
        """Do what may be impossible: there may be nothing to do."""
        try:
            self._line.control(request)
        except CannotAct:
            return


def _lacks(status: Mapping[str, Any]) -> str:
    """Return what the shoe still lacks to be where dialogues begin, empty when nothing."""
    wrong = {
        f"state {status['state']}": status["state"] != IDLE,
        f"no verified deck (deck state {status['deck_state']})": status["deck_state"] != VERIFIED,
        f"{status['cards_left']} cards left": status["cards_left"] not in (DECK, UNKNOWN),
        f"flags {status['flags']}": bool(status["flags"] & (DOOR_OPEN | GATE_OCCUPIED | INHIBITED | COVER_INSIDE)),
        f"fault {status['fault']:#06x}": status["fault"] != 0,
    }
    return ", ".join(text for text, applies in wrong.items() if applies)
