"""The checker: what was promised, held against what physically happened, what was durable, and what was shown.

Owns the moments at which each promise is tried: at every start of the motor, every frame that leaves, every entry that
becomes durable, every view that is shown. It has an account of its own (`book`) and asks the world for the truth. Must
not import what it judges.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.journal import Entry
from cardshoe.lab.simulation.book import BOARD, DEALER, Book, Request, RoundBook
from cardshoe.lab.simulation.money import check_account
from cardshoe.lab.simulation.promises import Broken
from cardshoe.lab.simulation.troubles import Trouble
from cardshoe.lab.simulation.watched import FACED, Feed, WatchedWorld
from cardshoe.lab.simulation.wire import Ear, Said
from cardshoe.round.next_step import Held
from cardshoe.table.acts import Act
from cardshoe.table.state import TableState
from cardshoe.table.view import AnswerAlarm, TableView, TakeStack

_FACE: Final = re.compile(r'"([2-9TJQKA][shdc])"')
_FULL_DECK: Final = 52
_UNKNOWN: Final = 0xFF
INHIBITED_S: Final = 6.0
"""With a question open and the shoe connected, so long is enough to inhibit it over any line that keeps a session."""
_READER_PLACES: Final = ("dealer", "1", "2", "3", "4", "5", "6", "board")
_RANKS, _SUITS = "23456789TJQKA", "cdhs"
_MOTIONLESS: Final = frozenset({"never seen", "refused", "rejected", "no card"})
_NEVER_SEEN, _INTERRUPTED = 0, (3, 4)


class Checker:
    """Watches one run. Every method that finds a promise broken raises `Broken`."""

    def __init__(self, world: WatchedWorld) -> None:
        self.book = Book()
        self.happened: list[str] = []
        self._world = world
        self._ears = {(port, way): Ear(port) for port in ("shoe", "reader") for way in ("out", "in")}
        self._sends: dict[int, set[tuple[int, int]]] = {}
        self._sent_gate: dict[int, bool] = {}
        self._excuses: dict[int, set[str]] = {}
        self._fed: dict[int, Feed] = {}
        self._read: set[tuple[str, str]] = set()
        self._up: set[tuple[str, str]] = set()
        self._known: set[str] = set()
        self._known_before: set[str] = set()
        self._laid: dict[str, list[str]] = {}
        self._must_hold: list[str] = []
        self._must_alarm: list[str] = []
        self._taken: dict[int, int] = {}
        self._held_shown = False
        self._held_since: float | None = None
        self._spent_shuffles = -1
        self._spent_round = 0
        self.lied = False
        world.on_feed = self.fed
        world.on_hands = self.hands

    def broken(self, promise: str, text: str) -> Broken:
        """Return the finding; the caller raises it."""
        return Broken(promise, text, self._world.present)

    # --- the motor

    def fed(self, feed: Feed) -> None:
        """The motor starts: for a command that was meant, in its place in the round, with nothing held."""
        request = self.book.requests.get(feed.command_id)
        if feed.command_id in self._fed:
            raise self.broken("P1", f"the motor runs a second time for command {feed.command_id}")
        if request is None:
            raise self.broken("P2", f"the motor runs for command {feed.command_id}, of which nothing is durable")
        self._fed[feed.command_id] = feed
        to = DEALER if feed.destination == 0 else str(feed.destination)
        if (to, feed.asked) != (request.to, request.cards):
            meant = f"{request.cards} cards for {request.to}"
            raise self.broken("P1", f"command {feed.command_id} meant {meant}; the motor runs for {feed.asked} to {to}")
        if self._sent_gate.get(feed.command_id, False) and self._world.gate_occupied:
            raise self.broken("P1", f"the motor runs for {to} though cards of before lie in the gate")
        if self._must_hold:
            raise self.broken("P5", f"the motor runs for {to} though nothing was asked after: {self._must_hold[0]}")
        round_ = self.book.round
        if round_ is None or request.round_id != round_.round_id or round_.completed:
            raise self.broken("P3", f"the motor runs for command {feed.command_id} of a round that is not open")
        self._in_order(round_, request)
        self._from_a_fresh_deck(round_, feed)

    def _in_order(self, round_: RoundBook, request: Request) -> None:
        if not round_.no_more_bets:
            raise self.broken("P3", f"the motor runs for {request.to} before no more bets")
        if request.to != DEALER and request.to not in round_.wagering:
            raise self.broken("P1", f"the motor runs for position {request.to}, which has no wager")
        self._world.count()
        for other in round_.requests:
            feed = self._fed.get(other.command_id)
            if other is request or feed is None or not feed.moved or other.fate == "not moved":
                continue
            if other.to == request.to:
                raise self.broken(
                    "P1", f"a second stack for {request.to}: commands {other.command_id}, {request.command_id}"
                )
            if other.to == DEALER:
                raise self.broken("P3", f"a stack for {request.to} after the dealer's")
            if request.to != DEALER and other.to > request.to:
                raise self.broken("P3", f"the stack for {request.to} comes after that for {other.to}")
        missing = [position for position in round_.wagering if position not in round_.delivered]
        if request.to == DEALER and missing:
            raise self.broken("P3", f"the dealer's stack comes before that for {missing[0]}")

    def _from_a_fresh_deck(self, round_: RoundBook, feed: Feed) -> None:
        if round_.round_id == self._spent_round:
            return
        if feed.shuffles == self._spent_shuffles:
            raise self.broken("P3", f"round {round_.round_id} is dealt from the deck of round {self._spent_round}")
        self._spent_round, self._spent_shuffles = round_.round_id, feed.shuffles
        cards = feed.undealt
        if not self._world.tampered and (len(cards), len(set(cards))) != (_FULL_DECK, _FULL_DECK):
            raise self.broken(
                "P3", f"round {round_.round_id} is dealt from {len(cards)} cards, {len(set(cards))} different"
            )

    # --- hands

    def hands(self, do: str, request: Mapping[str, object]) -> None:
        """Note which faces lie up."""
        if do in FACED:
            for place, face in self._world.faces_up():
                self._up.add((place, face))
                self._known.add(face)

    def struck(self, trouble: Trouble, answer: Mapping[str, object]) -> None:
        """Note which troubles were carried out; they are nothing to judge."""
        if answer["ok"]:
            self.happened.append(trouble.key)

    # --- the lines

    def sent(self, port: str, data: bytes) -> None:
        """Bytes leave: what they order is durable, what they acknowledge is safe."""
        for said in self._ears[port, "out"].hear(data):
            match said.name:
                case "EVENT_ACK" | "HELLO":
                    self._acknowledged(port, said.number("consumed_event"))
                case "DISPENSE":
                    self._ordered(said)
                case "PREPARE_DECK":
                    if said.number("command_id") not in self.book.preparations:
                        raise self.broken("P2", f"PREPARE_DECK {said.number('command_id')} leaves before it is durable")
                case _:
                    pass

    def _acknowledged(self, port: str, event_id: int) -> None:
        if event_id > self.book.safe[port]:
            raise self.broken(
                "P2", f"event {event_id} of the {port} is acknowledged; durable is {self.book.safe[port]}"
            )

    def _ordered(self, said: Said) -> None:
        number = said.number("command_id")
        request = self.book.requests.get(number)
        if request is None:
            raise self.broken("P2", f"DISPENSE {number} leaves before its intent is durable")
        sends = self._sends.setdefault(number, set())
        frame = (said.session, said.sequence)
        if frame in sends:
            return  # the link says the same frame again
        sends.add(frame)
        if len(sends) > request.intents:
            raise self.broken("P1", f"DISPENSE {number} is sent {len(sends)} times with {request.intents} intents")
        if len(sends) > 1 and not self._excuses.get(number, set()) & _MOTIONLESS:
            raise self.broken("P1", f"DISPENSE {number} is sent again, and nothing said that it had not moved")
        self._sent_gate[number] = self._world.gate_occupied
        if self.book.questions or self._held_shown:
            raise self.broken("P5", f"DISPENSE {number} leaves while a question is open")

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
            case "QUERY_COMMAND_REPLY" if said.number("outcome") in _INTERRUPTED and said.number("cards_seen") == 0:
                self._excuse(said, "no card")
            case "STACK_TAKEN":
                self._excuse(said, "taken")
                self._taken[said.number("command_id")] = said.number("cards")
            case "QUERY_COMMAND_REPLY" if said.number("taken"):
                self._excuse(said, "taken")
            case "DISPENSE_FAILED" | "DISPENSE_INTERRUPTED" if said.number("cards_seen") == 0:
                self._excuse(said, "no card")
            case "REJECT":
                for number in self._sends:
                    self._excuses.setdefault(number, set()).add("rejected")
            case _:
                pass

    def _excuse(self, said: Said, why: str) -> None:
        self._excuses.setdefault(said.number("command_id"), set()).add(why)

    def _reader_told(self, said: Said) -> None:
        number, place = said.number("face"), said.number("place")
        if number >= _FULL_DECK or not 0 <= place < len(_READER_PLACES):
            return
        face, where = _RANKS[number // 4] + _SUITS[number % 4], _READER_PLACES[place]
        self._read.add((where, face))
        self._known.add(face)
        if (where, face) not in self._up:
            self.lied = True

    # --- what is durable

    def durable(self, entry: Entry, text: str) -> None:
        """An entry is on disk."""
        body: Mapping[str, Any] = entry.body
        if entry.kind in _ALARMS:
            self._must_alarm.clear()
        elif self._must_alarm and entry.kind in _TOO_LATE:
            raise self.broken("P5", f"nothing is asked after {self._must_alarm[0]}; {entry.kind} follows")
        before = _BEFORE.get(entry.kind)
        if before is not None:
            before(self, body)
        self._hides_what_is_hidden(entry, text)
        self.book.take(entry.kind, body)
        if entry.kind in _QUESTIONS and self.book.questions:
            self._must_hold.clear()
        after = _AFTER.get(entry.kind)
        if after is not None:
            after(self, body)

    def _hides_what_is_hidden(self, entry: Entry, text: str) -> None:
        if entry.kind == "table_noted" or entry.body.get("event") == "DeckRejected":
            return
        for face in _FACE.findall(text):
            if face not in self._known and face not in self._known_before:
                raise self.broken("P4", f"{entry.kind} names {face}, which lies face up nowhere")

    def _round_begins(self, _body: Mapping[str, Any]) -> None:
        last = self.book.round
        if last is not None and not last.settled:
            raise self.broken("P6", f"a round begins and round {last.round_id} has no account")
        self._known_before, self._known = self._known, {face for _, face in self._world.faces_up()}
        self._up = set(self._world.faces_up())
        self._read, self._laid, self.lied = set(), {}, False
        self._must_hold.clear()
        self._must_alarm.clear()
        self._excuses = {number: why for number, why in self._excuses.items() if number in self._open_ids()}

    def _open_ids(self) -> set[int]:
        return {number for number, request in self.book.requests.items() if request.fate in ("open", "unknown")}

    def _stack_requested(self, body: Mapping[str, Any]) -> None:
        number, to, round_ = int(body["command_id"]), str(body["to"]), self.book.round
        if round_ is None or round_.settled:
            raise self.broken("P3", f"a stack for {to} is requested while no round is open")
        if not round_.no_more_bets:
            raise self.broken("P3", f"a stack for {to} is requested before no more bets")
        known = self.book.requests.get(number)
        if known is not None and known.fate != "not moved":
            raise self.broken("P1", f"command {number} is requested again; its end is: {known.fate}")
        for other in round_.requests:
            if other.command_id != number and other.fate in ("open", "unknown"):
                raise self.broken(
                    "P1", f"command {number} for {to} while nobody knows what became of {other.command_id}"
                )
        if self.book.questions or self._held_shown:
            raise self.broken("P5", f"a stack for {to} is requested while a question is open")

    def _not_moved(self, body: Mapping[str, Any]) -> None:
        number = int(body["command_id"])
        if number in self._sends and not self._excuses.get(number, set()) & _MOTIONLESS:
            raise self.broken("P1", f"command {number} is taken for not moved, and the shoe did not say so")

    def _delivered(self, body: Mapping[str, Any]) -> None:
        request = self.book.requests.get(int(body["command_id"]))
        if request is None or request.to != body["to"]:
            raise self.broken("P1", f"a stack is counted for {body['to']}; command {body['command_id']} was not for it")
        if "taken" not in self._excuses.get(request.command_id, ()):
            raise self.broken(
                "P1", f"the stack for {request.to} is counted, and the shoe did not say that it was taken"
            )
        if self._taken.get(request.command_id, body["cards"]) not in (body["cards"], _UNKNOWN):
            raise self.broken("P1", f"{body['cards']} cards are counted for {request.to}, and the shoe said otherwise")
        if body["cards"] != request.cards and not request.asked:
            self._must_hold.append(f"{body['cards']} cards for {request.to}")

    def _turned(self, body: Mapping[str, Any]) -> None:
        seen = (str(body["place"]), str(body["face"]))
        if seen not in self._up and seen not in self._read:
            raise self.broken("P4", f"{seen[1]} is entered for {seen[0]}, where it lies face up for nobody")

    def _board_dealt(self, _body: Mapping[str, Any]) -> None:
        round_ = self.book.round
        if round_ is not None:
            self._decided(round_, _NEEDED.get((round_.game, round_.board), 0), "a board card is dealt")

    def _revealed(self, _body: Mapping[str, Any]) -> None:
        round_ = self.book.round
        if round_ is not None:
            self._decided(round_, _NEEDED.get((round_.game, -1), 0), "the dealer's hand is turned")

    def _decided(self, round_: RoundBook, needed: int, what: str) -> None:
        if round_.touched:
            return
        for position in round_.wagering:
            decisions = round_.decisions.get(position, [])
            ended = any(each.startswith(("fold", "play")) for each in decisions)
            if round_.wagers[position].get("ante") and len(decisions) < needed and not ended:
                raise self.broken("P3", f"{what} before position {position} has decided")

    def _decision(self, body: Mapping[str, Any]) -> None:
        round_ = self.book.round
        if round_ is None or DEALER not in round_.delivered:
            raise self.broken("P3", f"position {body['position']} decides before the cards are dealt")
        if body["action"] == "fold":
            self._laid[str(body["position"])] = self._world.lying(str(body["position"]))

    def _cleared(self, body: Mapping[str, Any]) -> None:
        if self._held_since is not None and not self._world.inhibited:
            held_s = self._world.present - self._held_since
            if held_s > INHIBITED_S:
                raise self.broken("P5", f"a question is open for {held_s:.1f} s and the shoe is not inhibited")
        meaning = ERROR_TABLE.get(str(body["code"]))
        needs = meaning.clears if meaning is not None else Clears.FLOOR
        role, second = str(body["role"]), str(body["second"])
        lawful = {
            Clears.NOBODY_NEEDED: True,
            Clears.DEALER: role in ("dealer", "floor", "technician"),
            Clears.FLOOR: role == "floor",
            Clears.TWO_PEOPLE: role == "floor" and second != "",
            Clears.TECHNICIAN: role == "technician",
        }[needs]
        if not lawful or not str(body["reason"]).strip():
            raise self.broken("P5", f"{body['code']} is answered by {role!r} with {second!r}; {needs.value} may")

    def _settled_hand(self, body: Mapping[str, Any]) -> None:
        for place in (str(body["position"]), DEALER, BOARD):
            self._laid.setdefault(place, self._world.lying(place))

    def _completed(self, _body: Mapping[str, Any]) -> None:
        if self._must_hold and self.book.round is not None and not self.book.round.void:
            raise self.broken("P5", f"the round is complete and nothing was asked after: {self._must_hold[0]}")

    def _account(self, body: Mapping[str, Any]) -> None:
        round_ = self.book.round
        if int(body["round"]) in self.book.settled_rounds or round_ is None:
            raise self.broken("money", f"round {body['round']} is settled twice")
        if body["voided"] and not round_.asked:
            raise self.broken("P3", f"round {body['round']} is void and nothing was asked")
        wrong = check_account(body, round_, laid=self._laid, trusted=not (self.lied or self._world.tampered))
        if wrong:
            raise self.broken("money", f"round {body['round']}: {wrong}")

    # --- what must hold

    def _shoe_reported(self, body: Mapping[str, Any]) -> None:
        round_ = self.book.round
        if round_ is None or round_.completed:
            return
        event = str(body["event"])
        if self.book.questions or self._held_shown:
            return  # it is held already
        if event == "CardUnexpected":
            self._must_alarm.append("a card that nobody asked for")
        elif event in ("StackReady", "StackTaken"):
            request = self.book.requests.get(int(body["command_id"]))
            if (
                request is not None
                and request.fate == "open"
                and not request.asked
                and body["cards"] not in (request.cards, None)
            ):
                self._must_hold.append(f"{body['cards']} cards for {request.to}")
        elif event in ("DoorOpened", "ShoeBooted", "ModeChanged") and self._in_deal(round_):
            self._must_alarm.append(f"{event} in mid-deal")
        elif event == "CoverCardInserted" and any(each.to == DEALER for each in round_.requests):
            self._must_hold.append("a cover card after the dealer's stack was requested")
        elif event == "FaultRaised" and self._blocks(str(body["fault"])):
            self._must_alarm.append(f"the fault {body['fault']}")

    def _in_deal(self, round_: RoundBook) -> bool:
        return bool(round_.requests) and DEALER not in round_.delivered and not round_.touched

    def _blocks(self, fault: str) -> bool:
        return fault not in (
            "sensor_chatter",
            "feed_slow",
            "low_battery",
            "lens_dirty",
            "ring_full",
            "watchdog_reset",
            "deck_count_wrong",
            "deck_identity_wrong",
        )

    def _reader_reported(self, body: Mapping[str, Any]) -> None:
        round_ = self.book.round
        if round_ is None or round_.completed or body["event"] != "CardRead" or round_.touched:
            return
        if body["face"] == "foreign":
            self._must_hold.append("a card of another deck")

    # --- what is shown

    def shown(self, view: TableView) -> None:
        """Another view is shown: everything in it is durable."""
        self._held_shown = isinstance(view.due, Held | AnswerAlarm)
        if not self._held_shown or not view.shoe_up:
            self._held_since = None
        elif self._held_since is None:
            self._held_since = self._world.present
        if self._held_shown:
            self._must_hold.clear()
            if self.book.round is not None and isinstance(view.due, Held):
                self.book.round.asked = True
        book, round_ = self.book, self.book.round
        if (view.tally.completed, view.tally.voided) != (book.completed, book.voided):
            raise self.broken(
                "P2", f"{view.tally.completed} rounds are shown as complete, durable are {book.completed}"
            )
        if round_ is None or round_.settled:
            return
        if isinstance(view.due, TakeStack):
            self._shows_a_stack(round_, view.due)
        self._shows_faces(round_, view)

    def _shows_a_stack(self, round_: RoundBook, due: TakeStack) -> None:
        waiting = [each for each in round_.requests if each.fate == "open"]
        if not waiting or not waiting[-1].ready or waiting[-1].to != due.to:
            raise self.broken("P2", f"a stack for {due.to} is shown in the gate, and no report of it is durable")

    def _shows_faces(self, round_: RoundBook, view: TableView) -> None:
        shown = {DEALER: view.dealer_faces, BOARD: view.board_faces}
        shown |= {each.position: each.faces for each in view.positions}
        for place, faces in shown.items():
            for face in faces:
                if face not in round_.faces.get(place, ()):
                    raise self.broken("P4", f"{face} is shown at {place}, and that it lies there is not durable")

    # --- what stands

    def stood(self, live: TableState, rebuilt: TableState) -> None:
        """What is durable leads to what stands."""
        if live != rebuilt:
            raise self.broken("P6", "the entries, told again from the last note, lead to another state than stands")

    def refused(self, act: Act, *, changed: bool) -> None:
        """A refused act changes nothing."""
        if changed:
            raise self.broken("P6", f"{type(act).__name__} was refused, and something changed all the same")

    def restarted(self) -> None:
        """The controller runs again: what it had said before is over."""
        self._ears = {(port, way): Ear(port) for port in ("shoe", "reader") for way in ("out", "in")}


_NEEDED: Final = {
    ("ultimate-texas-holdem", 0): 1,
    ("ultimate-texas-holdem", 3): 2,
    ("ultimate-texas-holdem", -1): 3,
    ("texas-holdem-bonus", 0): 1,
    ("texas-holdem-bonus", 3): 2,
    ("texas-holdem-bonus", 4): 3,
    ("texas-holdem-bonus", -1): 3,
    ("three-card-poker", -1): 1,
}
"""How many answers each position has given before further board cards (by how many lie there), or the reveal (-1)."""

_ALARMS: Final = frozenset({"alarm-raised", "alarm_raised", "irregularity-found", "stack-unknown"})
_TOO_LATE: Final = frozenset({"shoe_reported", "reader_reported", "stack-requested", "hold-cleared", "round-completed"})
"""Entries of a later step: what had to be asked was in the step of the report."""

_QUESTIONS: Final = frozenset({"alarm-raised", "alarm_raised", "stack-unknown"})

_Check = Callable[[Checker, Mapping[str, Any]], None]
_BEFORE: Final[Mapping[str, _Check]] = {
    "round-opened": Checker._round_begins,
    "stack-requested": Checker._stack_requested,
    "stack-not-moved": Checker._not_moved,
    "stack-delivered": Checker._delivered,
    "card-turned": Checker._turned,
    "board-dealt": Checker._board_dealt,
    "dealer-revealed": Checker._revealed,
    "decision-made": Checker._decision,
    "hold-cleared": Checker._cleared,
    "alarm_cleared": Checker._cleared,
    "hand-settled": Checker._settled_hand,
    "round-completed": Checker._completed,
    "settled": Checker._account,
}
_AFTER: Final[Mapping[str, _Check]] = {
    "shoe_reported": Checker._shoe_reported,
    "reader_reported": Checker._reader_reported,
}
