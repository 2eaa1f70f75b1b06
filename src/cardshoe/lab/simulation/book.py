"""What is durable, as the checker counts it: a second account of each round, made from the journal's entries alone.

Owns the checker's own count of wagers, stacks, decisions, faces and questions. Must not import what it checks: it
reads entries as plain JSON and knows the rules that it needs itself; only the table of codes, which is data, is shared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cardshoe.error_table import ERROR_TABLE, Clears

Body = Mapping[str, Any]
_CORRECTION: Final = "entry-corrected"
_GO_WITH_IT: Final = frozenset({"player-seated", "player-left", "wager-withdrawn", "card-turned"})
"""What may come between an entry and its correction."""
_MOST_LATER: Final = 64
_WITHOUT_DEALER: Final = frozenset({"mississippi-stud"})
_DECIDED_ON: Final = frozenset({"ante", "blind", "play", "flop", "turn", "river"})
"""Wagers that are lost when a hand is folded; others wait for the hand to be turned."""
DEALER: Final = "dealer"
BOARD: Final = "board"


@dataclass(slots=True)
class Request:
    """One command to dispense. `intents`: how often it was meant to be sent; `fate`: what is durable of its end;
    `through`: the shoe said that its motor does nothing more for it.
    """

    command_id: int
    to: str
    cards: int
    round_id: int
    intents: int = 1
    fate: str = "open"
    ready: bool = False
    asked: bool = False
    through: bool = False


@dataclass(slots=True)
class RoundBook:
    """One round. `touched`: a person answered a question or found an irregularity in it; `asked`: there was a question;
    `void`: every wager of it goes back.
    """

    round_id: int
    game: str
    wagers: dict[str, dict[str, int]] = field(default_factory=dict)
    players: dict[str, str] = field(default_factory=dict)
    no_more_bets: bool = False
    requests: list[Request] = field(default_factory=list)
    delivered: dict[str, int] = field(default_factory=dict)
    decisions: dict[str, list[str]] = field(default_factory=dict)
    faces: dict[str, list[str]] = field(default_factory=dict)
    board: int = 0
    touched: bool = False
    asked: bool = False
    void: bool = False
    revealed: bool = False
    completed: bool = False
    settled: bool = False

    @property
    def wagering(self) -> list[str]:
        """The positions with a wager, from the dealer's far left."""
        return sorted(position for position, wagers in self.wagers.items() if any(wagers.values()))

    @property
    def dealt(self) -> bool:
        """Whether every stack of the round reached its place."""
        if self.game in _WITHOUT_DEALER:
            return bool(self.requests) and all(position in self.delivered for position in self.wagering)
        return DEALER in self.delivered

    def may_be_told(self, place: str) -> bool:
        """Tell whether the rules turn up what lies at `place`: the dealer's hand first, then what is settled on."""
        if self.game not in _WITHOUT_DEALER and not self.revealed:
            return False
        folded = self.decisions.get(place, [""])[-1] == "fold"
        return not folded or any(name not in _DECIDED_ON for name in self.wagers.get(place, {}))

    def told(self) -> tuple[dict[str, dict[str, int]], dict[str, str], dict[str, list[str]], dict[str, list[str]]]:
        """Return a copy of all that people tell, and may correct."""
        return (
            {position: dict(wagers) for position, wagers in self.wagers.items()},
            dict(self.players),
            {position: list(actions) for position, actions in self.decisions.items()},
            {place: list(faces) for place, faces in self.faces.items()},
        )


@dataclass(slots=True)
class Correctable:
    """The last thing that was entered: what was told before it, and what came after it that goes with it."""

    before: tuple[dict[str, dict[str, int]], dict[str, str], dict[str, list[str]], dict[str, list[str]]]
    kind: str
    later: list[tuple[str, Body]] = field(default_factory=list)


class Book:
    """All rounds: the present one in full, of the others what must never come again."""

    def __init__(self) -> None:
        self.round: RoundBook | None = None
        self.requests: dict[int, Request] = {}
        self.preparations: set[int] = set()
        self.questions: list[tuple[str, str]] = []
        self.highest_id = 0
        self.last: Correctable | None = None
        self.safe: dict[str, int] = {"shoe": 0, "reader": 0}
        self.settled_rounds: set[int] = set()
        self.completed = 0
        self.voided = 0

    def forget_ended(self) -> None:
        """Forget commands that ended two rounds ago or more; what is never forgotten is how far the ids have come."""
        last = self.round.round_id if self.round is not None else 0
        self.preparations = set(sorted(self.preparations)[-_MOST_LATER:])
        self.requests = {
            number: each
            for number, each in self.requests.items()
            if each.round_id >= last - 1 or (each.fate == "open" and not each.through)
        }

    def take(self, kind: str, body: Body) -> None:
        """Count one durable entry."""
        if body.get("kind") == kind and kind != _CORRECTION:
            self._remember(kind, body)
        counted = _ENTRIES.get(kind)
        if counted is not None:
            counted(self, body)

    def _remember(self, kind: str, body: Body) -> None:
        """Keep what was entered last for as long as it may be corrected."""
        entered = kind in ("wager-placed", "decision-made") or body.get("source") == "declared"
        if entered and self.round is not None:
            self.last = Correctable(self.round.told(), kind)
        elif self.last is not None and kind in _GO_WITH_IT and len(self.last.later) < _MOST_LATER:
            self.last.later.append((kind, body))
        else:
            self.last = None

    # --- devices

    def reported(self, port: str, body: Body) -> None:
        """Count a report: it is safe now, and the device may forget it."""
        self.safe[port] = max(self.safe[port], int(body["event_id"]))
        if port == "shoe" and "command_id" in body:
            request = self.requests.get(int(body["command_id"]))
            if request is not None and (body["event"] == "StackReady" or body.get("cards_seen")):
                request.ready = True
            if request is not None:
                request.through = True

    def identified(self, body: Body) -> None:
        """Count a device that answered for the first time: what it had told before is not asked for."""
        port = str(body["device"])
        self.safe[port] = max(self.safe[port], int(body["consumed_event"]))

    # --- rounds

    def opened(self, body: Body) -> None:
        """Begin a round."""
        self.round = RoundBook(int(body["round_id"]), str(body["game"]))

    def wager(self, body: Body) -> None:
        """Count wagers: the entry gives totals."""
        if self.round is not None:
            position = str(body["position"])
            self.round.wagers.setdefault(position, {}).update(body["wagers"])
            self.round.players[position] = str(body["player"])

    def left(self, body: Body) -> None:
        """Count a player who leaves before the cards: the wagers go along."""
        if self.round is not None and not self.round.void:
            for position, player in self.round.players.items():
                if player == body["player"] and position not in self.round.delivered:
                    self.round.wagers.pop(position, None)

    def withdrawn(self, body: Body) -> None:
        """Count wagers that were taken back."""
        if self.round is not None:
            for spot in body["spots"]:
                self.round.wagers.get(str(body["position"]), {}).pop(spot, None)

    def bets_closed(self, _body: Body) -> None:
        """Count the dealer's call."""
        if self.round is not None:
            self.round.no_more_bets = True

    def requested(self, body: Body) -> None:
        """Count an intent, the first or one more for a command that never moved."""
        number = int(body["command_id"])
        self.highest_id = max(self.highest_id, number)
        known = self.requests.get(number)
        if known is not None:
            known.intents += 1
            known.fate = "open"
            return
        if self.round is not None:
            request = Request(number, str(body["to"]), int(body["cards"]), self.round.round_id)
            self.requests[number] = request
            self.round.requests.append(request)

    def delivered(self, body: Body) -> None:
        """Count a stack that reached its place."""
        self._end(int(body["command_id"]), "delivered")
        if self.round is not None:
            self.round.delivered[str(body["to"])] = int(body["command_id"])

    def not_moved(self, body: Body) -> None:
        """Count a command that moved nothing."""
        self._end(int(body["command_id"]), "not moved")

    def unknown(self, body: Body) -> None:
        """Count a command of which nobody knows."""
        self._end(int(body["command_id"]), "unknown")
        self._question()

    def ended(self, body: Body) -> None:
        """Count a command that nobody waits for any more."""
        self._end(int(body["command_id"]), "ended")

    def told(self, body: Body) -> None:
        """Count the shoe's answer about a command: cards that came out wait in the gate."""
        request = self.requests.get(int(body["command_id"]))
        if request is not None and body["outcome"] not in ("never_seen", "running"):
            request.through = True
            request.ready = request.ready or bool(body["cards_seen"])

    def _end(self, number: int, fate: str) -> None:
        request = self.requests.get(number)
        if request is not None:
            request.fate = fate

    def decided(self, body: Body) -> None:
        """Count a player's answer."""
        if self.round is not None:
            self.round.decisions.setdefault(str(body["position"]), []).append(str(body["action"]))

    def turned(self, body: Body) -> None:
        """Count a face that was turned up."""
        if self.round is not None:
            self.round.faces.setdefault(str(body["place"]), []).append(str(body["face"]))

    def mismatched(self, body: Body) -> None:
        """Count a face that was taken back: the shoe had not dealt it there."""
        self.ruled(body)
        if self.round is not None and body["face"] in self.round.faces.get(str(body["place"]), ()):
            self.round.faces[str(body["place"])].remove(str(body["face"]))

    def corrected(self, body: Body) -> None:
        """Count what was entered in place of the last entry, and anew what came after that; nothing else is undone."""
        last = self.last
        if last is None or self.round is None:
            return
        self.round.wagers, self.round.players, self.round.decisions, self.round.faces = last.before
        self.take(str(body["entry"]["kind"]), body["entry"])
        for kind, later in last.later:
            self.take(kind, later)

    def board(self, body: Body) -> None:
        """Count community cards."""
        if self.round is not None:
            self.round.board += int(body["cards"])

    def turns_dealer(self, _body: Body) -> None:
        """Count the dealer's hand, which is turned up."""
        if self.round is not None:
            self.round.revealed = True

    # --- questions

    def alarmed(self, body: Body) -> None:
        """Count a question that blocks; the same one is asked once."""
        question = (str(body["code"]), str(body["text"]))
        meaning = ERROR_TABLE.get(question[0])
        if meaning is not None and meaning.clears is Clears.NOBODY_NEEDED:
            return
        if question not in self.questions:
            self.questions.append(question)
        self._question()

    def _question(self) -> None:
        if self.round is not None:
            self.round.asked = True
            for request in self.round.requests:
                request.asked = request.asked or request.fate == "open"

    def answered(self, body: Body) -> None:
        """Count an answer; the question is closed."""
        choice = body.get("choice")
        for question in self.questions:
            if question[0] == body["code"]:
                self.questions.remove(question)
                break
        if self.round is None:
            return
        self.round.touched = True
        self.round.void = self.round.void or choice == "void-all"
        if body["code"] == "stack-unknown":
            self._found_out(self.round, str(choice))

    def _found_out(self, round_: RoundBook, choice: str) -> None:
        for request in reversed(round_.requests):
            if request.fate == "unknown":
                request.fate = {"delivered": "delivered", "not-moved": "not moved"}.get(choice, "void")
                if choice == "delivered":
                    round_.delivered[request.to] = request.command_id
                return

    def ruled(self, body: Body) -> None:
        """Count an irregularity or a ruling: what stands is no longer what the plain rules say."""
        if self.round is not None:
            self._question()
            self.round.touched = True
            self.round.void = self.round.void or body.get("case") == "device-fault"

    def is_complete(self, _body: Body) -> None:
        """Count the end of a round."""
        if self.round is not None:
            self.round.completed = True

    def is_settled(self, body: Body) -> None:
        """Count the account of a round."""
        number = int(body["round"])
        self.settled_rounds.add(number)
        self.questions.clear()
        if self.round is not None and self.round.round_id == number:
            self.round.settled = True
        if body["voided"]:
            self.voided += 1
        else:
            self.completed += 1


_ENTRIES = {
    "shoe_reported": lambda book, body: book.reported("shoe", body),
    "reader_reported": lambda book, body: book.reported("reader", body),
    "device_identified": Book.identified,
    "round-opened": Book.opened,
    "wager-placed": Book.wager,
    "player-left": Book.left,
    "wager-withdrawn": Book.withdrawn,
    "no-more-bets-called": Book.bets_closed,
    "stack-requested": Book.requested,
    "command_answered": Book.told,
    "deck_preparation_requested": lambda book, body: book.preparations.add(int(body["command_id"])),
    "stack-delivered": Book.delivered,
    "stack-not-moved": Book.not_moved,
    "stack-unknown": Book.unknown,
    "command_ended": Book.ended,
    "decision-made": Book.decided,
    "card-turned": Book.turned,
    "card-mismatched": Book.mismatched,
    _CORRECTION: Book.corrected,
    "board-dealt": Book.board,
    "dealer-revealed": Book.turns_dealer,
    "alarm-raised": Book.alarmed,
    "alarm_raised": Book.alarmed,
    "alarm_cleared": Book.answered,
    "hold-cleared": Book.answered,
    "floor-ruled": Book.ruled,
    "irregularity-found": Book.ruled,
    "round-completed": Book.is_complete,
    "settled": Book.is_settled,
}
