"""At every entry that becomes durable: it follows from what was durable before it, and from what physically is.

Owns what promises P1, P3, P4 and P5 and the money say of the record. Must not import what it judges; the table of codes
is data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.journal import Entry
from cardshoe.lab.simulation.book import BOARD, DEALER, RoundBook
from cardshoe.lab.simulation.facts import NOT_MOVED, Facts
from cardshoe.lab.simulation.money import check_account

Body = Mapping[str, Any]

_FACE: Final = re.compile(r'"([2-9TJQKA][shdc])"')
_UNKNOWN: Final = 0xFF
INHIBITED_S: Final = 6.0
"""With a question open and the shoe connected, so long is enough to inhibit it over any line that keeps a session."""
_ASK_NOTHING: Final = frozenset(
    (
        "sensor_chatter", "feed_slow", "low_battery", "lens_dirty", "ring_full", "watchdog_reset",
        "deck_count_wrong", "deck_identity_wrong",
    )
)  # fmt: skip
"""Faults that only advise, or after which another report asks."""
_ALARMS: Final = frozenset({"alarm-raised", "alarm_raised", "irregularity-found", "stack-unknown"})
_TOO_LATE: Final = frozenset({"shoe_reported", "reader_reported", "stack-requested", "hold-cleared", "round-completed"})
"""Entries of a later step: what had to be asked was in the step of the report."""
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


class Entries:
    """Judges each entry, then counts it."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._before: Mapping[str, Callable[[Body], None]] = {
            "round-opened": self._round_begins,
            "stack-requested": self._stack_requested,
            "stack-not-moved": self._not_moved,
            "stack-delivered": self._delivered,
            "card-turned": self._turned,
            "board-dealt": self._board_dealt,
            "dealer-revealed": self._revealed,
            "decision-made": self._decision,
            "entry-corrected": self._corrected,
            "hold-cleared": self._cleared,
            "alarm_cleared": self._cleared,
            "hand-settled": self._settled_hand,
            "round-completed": self._completed,
            "settled": self._account,
        }
        self._after: Mapping[str, Callable[[Body], None]] = {
            "shoe_reported": self._shoe_reported,
            "reader_reported": self._reader_reported,
        }

    def durable(self, entry: Entry, text: str) -> None:
        """An entry is on disk."""
        body: Mapping[str, Any] = entry.body
        if entry.kind in _ALARMS:
            self._facts.must_alarm.clear()
        elif self._facts.must_alarm and entry.kind in _TOO_LATE:
            raise self._facts.broken("P5", f"nothing is asked after {self._facts.must_alarm[0]}; {entry.kind} follows")
        before = self._before.get(entry.kind)
        if before is not None:
            before(body)
        self._hides_what_is_hidden(entry, text)
        self._facts.book.take(entry.kind, body)
        if entry.kind in _ALARMS and self._facts.book.questions:
            self._facts.must_hold.clear()
        after = self._after.get(entry.kind)
        if after is not None:
            after(body)

    def _hides_what_is_hidden(self, entry: Entry, text: str) -> None:
        if entry.kind == "table_noted" or entry.body.get("event") == "DeckRejected":
            return
        for face in _FACE.findall(text):
            if face not in self._facts.known and face not in self._facts.known_before:
                raise self._facts.broken("P4", f"{entry.kind} names {face}, which lies face up nowhere")

    def _round_begins(self, _body: Body) -> None:
        last = self._facts.book.round
        if last is not None and not last.settled:
            raise self._facts.broken("P6", f"a round begins and round {last.round_id} has no account")
        self._facts.begin_round()

    def _stack_requested(self, body: Body) -> None:
        number, to, round_ = int(body["command_id"]), str(body["to"]), self._facts.book.round
        if round_ is None or round_.settled:
            raise self._facts.broken("P3", f"a stack for {to} is requested while no round is open")
        if not round_.no_more_bets:
            raise self._facts.broken("P3", f"a stack for {to} is requested before no more bets")
        known = self._facts.book.requests.get(number)
        if known is None and number <= self._facts.book.highest_id:
            raise self._facts.broken("P1", f"command {number} was used before; a stack needs a new id")
        if known is not None and known.fate != "not moved":
            raise self._facts.broken("P1", f"command {number} is requested again; its end is: {known.fate}")
        for other in round_.requests:
            if other.command_id != number and other.fate in ("open", "unknown"):
                raise self._facts.broken(
                    "P1", f"command {number} for {to} while nobody knows what became of {other.command_id}"
                )
        if self._facts.held:
            raise self._facts.broken("P5", f"a stack for {to} is requested while a question is open")

    def _not_moved(self, body: Body) -> None:
        number = int(body["command_id"])
        if number in self._facts.sends and not self._facts.excuses.get(number, set()) & NOT_MOVED:
            raise self._facts.broken("P1", f"command {number} is taken for not moved, and the shoe did not say so")

    def _delivered(self, body: Body) -> None:
        request = self._facts.book.requests.get(int(body["command_id"]))
        if request is None or request.to != body["to"]:
            raise self._facts.broken(
                "P1", f"a stack is counted for {body['to']}; command {body['command_id']} was not for it"
            )
        if "taken" not in self._facts.excuses.get(request.command_id, ()):
            raise self._facts.broken(
                "P1", f"the stack for {request.to} is counted, and the shoe did not say that it was taken"
            )
        if not self._facts.taken.get(request.command_id, {_UNKNOWN}) & {body["cards"], _UNKNOWN}:
            raise self._facts.broken(
                "P1", f"{body['cards']} cards are counted for {request.to}, and the shoe said otherwise"
            )
        if body["cards"] != request.cards and not request.asked:
            self._facts.must_hold.append(f"{body['cards']} cards for {request.to}")

    def _turned(self, body: Body) -> None:
        seen = (str(body["place"]), str(body["face"]))
        if self._told_by_the_shoe(body):
            self._facts.known.add(seen[1])
            return
        if seen not in self._facts.up and seen not in self._facts.read:
            raise self._facts.broken("P4", f"{seen[1]} is entered for {seen[0]}, where it lies face up for nobody")

    def _told_by_the_shoe(self, body: Body) -> bool:
        """Tell whether the shoe said it, at the step at which the rules turn the card up (SHOE-9.7)."""
        round_, place = self._facts.book.round, str(body["place"])
        if self._facts.has_reader or body["source"] != "read" or place == BOARD or round_ is None:
            return False
        if not round_.may_be_told(place):
            raise self._facts.broken("P4", f"the shoe tells the cards of {place} before the rules turn them up")
        return True

    def _decided(self, round_: RoundBook, needed: int, what: str) -> None:
        if round_.touched:
            return
        for position in round_.wagering:
            decisions = round_.decisions.get(position, [])
            ended = any(each.startswith(("fold", "play")) for each in decisions)
            if round_.wagers[position].get("ante") and len(decisions) < needed and not ended:
                raise self._facts.broken("P3", f"{what} before position {position} has decided")

    def _board_dealt(self, _body: Body) -> None:
        round_ = self._facts.book.round
        if round_ is not None:
            self._decided(round_, _NEEDED.get((round_.game, round_.board), 0), "a board card is dealt")

    def _revealed(self, _body: Body) -> None:
        round_ = self._facts.book.round
        if round_ is not None:
            self._decided(round_, _NEEDED.get((round_.game, -1), 0), "the dealer's hand is turned")

    def _decision(self, body: Body) -> None:
        round_ = self._facts.book.round
        if round_ is None or not round_.dealt:
            raise self._facts.broken("P3", f"position {body['position']} decides before the cards are dealt")
        if body["action"] == "fold":
            self._facts.laid[str(body["position"])] = self._facts.world.lying(str(body["position"]))

    def _corrected(self, body: Body) -> None:
        """What is entered in the place of the last entry is judged like any entry."""
        last, kind = self._facts.book.last, str(body["entry"]["kind"])
        if last is None or last.kind != kind:
            raise self._facts.broken("P6", f"a {kind} is corrected, and it is not what was entered last")
        judge = self._before.get(kind)
        if judge is not None:
            judge(body["entry"])

    def _cleared(self, body: Body) -> None:
        if self._facts.held_since is not None and not self._facts.world.inhibited:
            held_s = self._facts.world.present - self._facts.held_since
            if held_s > INHIBITED_S:
                raise self._facts.broken("P5", f"a question is open for {held_s:.1f} s and the shoe is not inhibited")
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
            raise self._facts.broken("P5", f"{body['code']} is answered by {role!r} with {second!r}; {needs.value} may")
        self._facts.held_shown = False  # the next view tells whether another question is open

    def _settled_hand(self, body: Body) -> None:
        for place in (str(body["position"]), DEALER, BOARD):
            self._facts.laid.setdefault(place, self._facts.world.lying(place))

    def _completed(self, _body: Body) -> None:
        if self._facts.must_hold and self._facts.book.round is not None and not self._facts.book.round.void:
            raise self._facts.broken(
                "P5", f"the round is complete and nothing was asked after: {self._facts.must_hold[0]}"
            )
        for request in self._facts.book.round.requests if self._facts.book.round is not None else ():
            if request.fate == "open" and not request.through:
                raise self._facts.broken(
                    "P3", f"the round is complete and nobody knows what became of command {request.command_id}"
                )

    def _account(self, body: Body) -> None:
        round_ = self._facts.book.round
        if int(body["round"]) in self._facts.book.settled_rounds or round_ is None:
            raise self._facts.broken("money", f"round {body['round']} is settled twice")
        if body["voided"] and not round_.asked:
            raise self._facts.broken("P3", f"round {body['round']} is void and nothing was asked")
        wrong = check_account(
            body, round_, laid=self._facts.laid, trusted=not (self._facts.lied or self._facts.world.tampered)
        )
        if wrong:
            raise self._facts.broken("money", f"round {body['round']}: {wrong}")

    def _shoe_reported(self, body: Body) -> None:
        round_ = self._facts.book.round
        if round_ is None or round_.completed:
            return
        event = str(body["event"])
        if self._facts.held:
            return  # it is held already
        if event == "CardUnexpected":
            self._facts.must_alarm.append("a card that nobody asked for")
        elif event in ("StackReady", "StackTaken"):
            request = self._facts.book.requests.get(int(body["command_id"]))
            if (
                request is not None
                and request.round_id == round_.round_id
                and request.fate == "open"
                and not request.asked
                and body["cards"] not in (request.cards, None)
            ):
                self._facts.must_hold.append(f"{body['cards']} cards for {request.to}")
        elif event in ("DoorOpened", "ShoeBooted", "ModeChanged") and self._in_deal(round_):
            self._facts.must_alarm.append(f"{event} in mid-deal")
        elif event == "CoverCardInserted" and any(each.to == DEALER for each in round_.requests):
            self._facts.must_hold.append("a cover card after the dealer's stack was requested")
        elif event == "FaultRaised" and body["fault"] not in _ASK_NOTHING:
            self._facts.must_alarm.append(f"the fault {body['fault']}")

    def _in_deal(self, round_: RoundBook) -> bool:
        return bool(round_.requests) and not round_.dealt and not round_.touched

    def _reader_reported(self, body: Body) -> None:
        round_ = self._facts.book.round
        if round_ is None or round_.completed or body["event"] != "CardRead" or round_.touched:
            return
        if body["face"] == "foreign":
            self._facts.must_hold.append("a card of another deck")
