"""At every frame on a line: what it orders is durable, what it acknowledges is safe, and nothing is ordered twice.

Owns what promises P1, P2 and P5 say of the moment at which bytes leave, and notes what devices said that excuses a
later step. Must not import what it judges.
"""

from __future__ import annotations

from typing import Final

from cardshoe.lab.simulation.commitments import Commitments
from cardshoe.lab.simulation.facts import NOT_MOVED, Facts
from cardshoe.lab.simulation.wire import Ear, Said

_FACES: Final = 52
_READER_PLACES: Final = ("dealer", "1", "2", "3", "4", "5", "6", "board")
_RANKS, _SUITS = "23456789TJQKA", "cdhs"
_NEVER_SEEN, _STOPPED = 0, (3, 4)


class Lines:
    """Listens to both lines in both directions."""

    def __init__(self, facts: Facts, commitments: Commitments) -> None:
        self._facts = facts
        self._commitments = commitments
        self.restarted()

    def restarted(self) -> None:
        """The controller runs again: half a frame of before is no beginning of a frame."""
        self._ears = {(port, way): Ear(port) for port in ("shoe", "reader") for way in ("out", "in")}

    def sent(self, port: str, data: bytes) -> None:
        """Bytes leave: what they order is durable, what they acknowledge is safe."""
        for said in self._ears[port, "out"].hear(data):
            match said.name:
                case "EVENT_ACK" | "HELLO":
                    self._acknowledged(port, said.number("consumed_event"))
                case "DISPENSE":
                    self._ordered(said)
                case "MATCH_CARD" | "REVEAL_STACK":
                    self._commitments.sent(said)
                case "PREPARE_DECK":
                    if said.number("command_id") not in self._facts.book.preparations:
                        raise self._facts.broken(
                            "P2", f"PREPARE_DECK {said.number('command_id')} leaves before it is durable"
                        )
                case _:
                    pass

    def _acknowledged(self, port: str, event_id: int) -> None:
        if event_id > self._facts.book.safe[port]:
            raise self._facts.broken(
                "P2", f"event {event_id} of the {port} is acknowledged; durable is {self._facts.book.safe[port]}"
            )

    def _ordered(self, said: Said) -> None:
        number = said.number("command_id")
        request = self._facts.book.requests.get(number)
        if request is None:
            raise self._facts.broken("P2", f"DISPENSE {number} leaves before its intent is durable")
        sends = self._facts.sends.setdefault(number, set())
        frame = (said.session, said.sequence)
        if frame in sends:
            return  # the link says the same frame again
        sends.add(frame)
        if len(sends) > request.intents:
            raise self._facts.broken(
                "P1", f"DISPENSE {number} is sent {len(sends)} times with {request.intents} intents"
            )
        if len(sends) > 1 and not self._facts.excuses.get(number, set()) & NOT_MOVED:
            raise self._facts.broken("P1", f"DISPENSE {number} is sent again, and nothing said that it had not moved")
        self._facts.sent_into_gate[number] = self._facts.world.gate_occupied
        if self._facts.held:
            raise self._facts.broken("P5", f"DISPENSE {number} leaves while a question is open")

    def heard(self, port: str, data: bytes) -> None:
        """Bytes arrive: note what excuses a later step."""
        for said in self._ears[port, "in"].hear(data):
            if port == "reader":
                if said.name == "CARD_READ":
                    self._reader_told(said)
                continue
            self._shoe_told(said)

    def _shoe_told(self, said: Said) -> None:
        match said.name:
            case "DISPENSE_REPLY" if said.number("result") != 0:
                self._excuse(said, "refused")
            case "QUERY_COMMAND_REPLY" if said.number("outcome") == _NEVER_SEEN:
                self._excuse(said, "never seen")
            case "QUERY_COMMAND_REPLY" if said.number("outcome") in _STOPPED and said.number("cards_seen") == 0:
                self._excuse(said, "no card")
            case "STACK_TAKEN":
                self._excuse(said, "taken")
                self._facts.taken.setdefault(said.number("command_id"), set()).add(said.number("cards"))
            case "QUERY_COMMAND_REPLY" if said.number("taken"):
                self._excuse(said, "taken")
            case "DISPENSE_FAILED" | "DISPENSE_INTERRUPTED" if said.number("cards_seen") == 0:
                self._excuse(said, "no card")
            case "REJECT":
                for number in self._facts.sends:
                    self._facts.excuses.setdefault(number, set()).add("rejected")
            case _:
                pass

    def _excuse(self, said: Said, why: str) -> None:
        self._facts.excuses.setdefault(said.number("command_id"), set()).add(why)

    def _reader_told(self, said: Said) -> None:
        number, place = said.number("face"), said.number("place")
        if number >= _FACES or not 0 <= place < len(_READER_PLACES):
            return
        face, where = _RANKS[number // 4] + _SUITS[number % 4], _READER_PLACES[place]
        self._facts.read.add((where, face))
        self._facts.known.add(face)
        if (where, face) not in self._facts.up:
            self._facts.lied = True
