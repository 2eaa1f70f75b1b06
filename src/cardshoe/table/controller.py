"""The table's decisions: what a person's act or a device's report leads to.

Owns the joining of one round machine, one shoe and one reader: the intents, the resolution of commands whose outcome
is not known, the deck in play, alarms. Pure: every input returns a `Step`, whose entries must be on disk before its
orders are carried out (promise P2). Nothing that moves a card is ordered twice for one command id unless the shoe has
said that it never saw it (P1). Implements conditions E11, E14, E16–E18, E27–E29 and E35 as far as a shoe in a clear
session can tell.

    controller   what people do, and the shape of a step
    desk         writing entries and absorbing them: the one place where the state changes
    shoe_reports what each report of the shoe means          reader_reports  what each report of the reader means
    dealing      what is ordered next of the shoe            commands        what becomes of an order
    decks        which deck may be dealt from                housekeeping    what people do about decks and counts
    connections  who is connected                            service         what wears out
    authority    who is signed in and may give an order      roles           who may do what
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

from cardshoe.devices import reader_events as reader
from cardshoe.devices import shoe_events as shoe
from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.errors import Refused
from cardshoe.games.script import Method
from cardshoe.journal import Verdict
from cardshoe.journal.space import Space
from cardshoe.round.events import (
    DECLARED,
    CardTurned,
    EntryCorrected,
    Event,
    HandSettled,
    HoldCleared,
    RoundCompleted,
    RoundOpened,
)
from cardshoe.round.faces import BOARD
from cardshoe.round.irregular import may_clear
from cardshoe.table import commits
from cardshoe.table.acts import (
    ENTERED_BY_DEVICES,
    ENTERED_WITHOUT_SHOE,
    Act,
    CalibrationChanged,
    ClearAlarm,
    CorrectEntry,
    DeckDoubted,
    DeckPlaced,
    DeckReplaced,
    HandShuffled,
    LimitsChanged,
    OpenRound,
    ShoeGivenUp,
    SignedOff,
    StopAsked,
    StubCounted,
    TableReopened,
    TrainingSet,
)
from cardshoe.table.authority import Authority, Signature
from cardshoe.table.commands import require_none_open
from cardshoe.table.config import NO_PEOPLE, TableConfig
from cardshoe.table.dealing import reconcile
from cardshoe.table.desk import Desk
from cardshoe.table.header import round_header
from cardshoe.table.housekeeping import keep_house, stub_count_due
from cardshoe.table.journal_watch import past_checked, room_looked_at
from cardshoe.table.limits import house_of
from cardshoe.table.orders import SignHead, Step
from cardshoe.table.persons import Person
from cardshoe.table.reader_reports import reader_told
from cardshoe.table.recordable import require_recordable
from cardshoe.table.shoe_reports import shoe_told
from cardshoe.table.state import TableState
from cardshoe.table.wall_clock import ClockStepped


class Controller:
    """One table. `state` comes from the journal; `config` is what applies now. `now` is monotonic seconds."""

    def __init__(self, config: TableConfig, state: TableState) -> None:
        self.desk = Desk(config, state)
        self.authority = None if config.table.people == NO_PEOPLE else Authority(self.desk)

    @property
    def state(self) -> TableState:
        """What is known and written."""
        return self.desk.state

    def act(self, act: Act, now: float, token: bytes | None = None) -> Step:
        """Do what a person asks: whoever holds `token`, where people sign in. Raises `Refused` or `InputError`; then
        nothing changed.

        An answer to a question that is not open any more came too late, and an order of one who may not give it: that
        is written down with the next step.
        """
        require_recordable(act)
        if self.authority is None:
            self._do(act)
        else:
            self._do_by(*self.authority.ordered(act, token, now))
        return self._finish(now)

    def second(self, token: bytes, person: Person, now: float) -> Step:
        """Have the order that waits at `token` confirmed by `person`, who has proved his name, and do it."""
        if self.authority is None:
            raise Refused("second-person-late", "nobody signs in at this table, and no order waits")
        act, signature = self.authority.seconded(token, person, now)
        if act is not None:
            self._do_by(act, signature)
        return self._finish(now)

    def attended(self, told: Callable[[Authority], None], now: float) -> Step:
        """Take what happened among people; `told` tells it to the authority. Raises what that raises."""
        if self.authority is not None:
            told(self.authority)
        return self._finish(now)

    def _do_by(self, act: Act, signature: Signature) -> None:
        """Do an order, and write who answers for it; a refused one leaves no record."""
        mark = self.desk.mark()
        self._do(act)
        self.desk.sign(mark, "ordered", asdict(signature))

    def _do(self, act: Act) -> None:
        match act:
            case OpenRound():
                self._open_round(act.seats)
            case ClearAlarm():
                self._clear_alarm(act)
            case (
                DeckPlaced()
                | DeckReplaced()
                | DeckDoubted()
                | HandShuffled()
                | StopAsked()
                | StubCounted()
                | SignedOff()
                | CalibrationChanged()
                | LimitsChanged()
                | TrainingSet()
                | TableReopened()
                | ShoeGivenUp()
            ):
                keep_house(self.desk, act)
            case CorrectEntry():
                self._correct(act)
            case _:
                self._round_act(act)

    def shoe(self, event: shoe.ShoeEvent, now: float) -> Step:
        """Take what the shoe's driver says happened."""
        try:
            shoe_told(self.desk, event, now)
        except Refused as error:
            self._misfit("shoe", error)
        return self._finish(now)

    def reader(self, event: reader.ReaderEvent, now: float) -> Step:
        """Take what the reader's driver says happened."""
        try:
            reader_told(self.desk, event)
        except Refused as error:
            self._misfit("reader", error)
        return self._finish(now)

    def clock_stepped(self, step: ClockStepped, now: float) -> Step:
        """Write down that the wall clock was set (condition E36). It changes nothing else."""
        self.desk.write("clock_stepped", asdict(step))
        return self._finish(now)

    def room_looked_at(self, space: Space, now: float) -> Step:
        """Take how much room the journal's disk has."""
        room_looked_at(self.desk, space)
        return self._finish(now)

    def past_checked(self, verdict: Verdict, now: float) -> Step:
        """Take the verdict on the part of the journal that was verified after the opening."""
        past_checked(self.desk, verdict)
        return self._finish(now)

    def advance(self, now: float) -> Step:
        """Let time pass: overdue commands are asked about, idle people are signed out."""
        if self.authority is not None:
            self.authority.expire(now)
        return self._finish(now)

    def next_deadline(self) -> float | None:
        """Return when `advance` is due, in monotonic seconds, or None."""
        due = self.desk.live.next_deadline()
        if self.authority is None:
            return due
        idle = self.authority.next_deadline()
        return min(due, idle) if due is not None and idle is not None else idle if due is None else due

    def _misfit(self, device: str, error: Refused) -> None:
        """A report that the round cannot take is never dropped and never forced: it holds."""
        self.desk.alarm("report-misfit", f"A report of the {device} does not fit the round: {error.text}.")

    def _finish(self, now: float) -> Step:
        reconcile(self.desk, now)
        return self.desk.take()

    def _open_round(self, seats: Mapping[str, str]) -> None:
        desk = self.desk
        state, table = desk.state, desk.config.table
        if state.round is not None and not state.round_closed:
            raise Refused("round-open", f"round {state.last_round_id} is not complete; finish it first")
        if state.alarms:
            raise Refused("held", f"the table is held: {state.alarms[0].text} First clear {state.alarms[0].code}.")
        require_none_open(desk)
        if state.upkeep.signed_off:
            raise Refused("signed-off", "the cards of this table were counted out; the floor opens the table anew")
        house, maximum_cents = house_of(desk)
        desk.happened(
            RoundOpened(
                round_id=state.last_round_id + 1,
                game=table.game,
                method=table.method,
                house=house,
                seats={**state.seats, **seats},
                live=True,
                maximum_cents=maximum_cents,
            )
        )
        desk.write("round_header", round_header(desk))

    def _clear_alarm(self, act: ClearAlarm) -> None:
        if not any(alarm.code == act.code for alarm in self.state.alarms):
            self._came_late(act.code, act.role)
            raise Refused("no-hold", f"no alarm {act.code!r} is open")
        meaning = ERROR_TABLE.get(act.code)
        clears = meaning.clears if meaning is not None else Clears.FLOOR
        if not may_clear(clears, act.role, act.second):
            raise Refused("role", f"{act.role!r} may not clear {act.code}; {clears.value} may")
        if not act.reason.strip():
            raise Refused("reason", f"clearing {act.code} needs a reason; say why")
        self.desk.write(
            "alarm_cleared", {"code": act.code, "role": act.role, "second": act.second, "reason": act.reason}
        )

    def _confirmed(self, event: Event) -> None:
        """An entered card pays only after the floor has confirmed it; where nothing reads cards, once a round."""
        desk = self.desk
        declared = desk.state.round.declared if desk.state.round is not None else ()
        reads = desk.config.devices.reader is not None
        if declared and (isinstance(event, RoundCompleted) or (reads and isinstance(event, HandSettled))):
            raise Refused("declared-unconfirmed", f"the floor confirms what was entered first: {', '.join(declared)}")

    def _compared(self, event: Event) -> None:
        """A hand is settled on cards that the shoe has compared with what it dealt, or a person instead of it."""
        if isinstance(event, HandSettled | RoundCompleted) and commits.comparing(self.state):
            raise Refused("not-compared-yet", "the shoe still compares the cards that lie up; try again in a moment")
        if isinstance(event, CardTurned) and event.place != BOARD and self.desk.live.revealing:
            raise Refused("not-compared-yet", f"the shoe is asked for the cards at {event.place}; wait a moment")
        if isinstance(event, EntryCorrected) and isinstance(event.entry, CardTurned):
            self._not_tried(event.entry)

    def _not_tried(self, entry: CardTurned) -> None:
        """Each card has one try: what the shoe has answered is not entered otherwise behind it (SHOE-9.4)."""
        round_ = self.state.round
        entered = round_.entry.event if round_ is not None and round_.entry is not None else None
        if isinstance(entered, CardTurned) and commits.entered_and_tried(self.state, entered):
            why = f"{entered.face} at {entered.place} was held against what the shoe dealt; {entry.face} comes too late"
            raise Refused("card-compared", f"{why}. Call the floor")

    def _correct(self, act: CorrectEntry) -> None:
        """Put another entry in the place of the last one, and write why."""
        if not act.reason.strip():
            raise Refused("reason", "a correction needs a reason; say why")
        self._round_act(EntryCorrected(act.entry))
        self.desk.write("correction_explained", {"role": act.role, "reason": act.reason})

    def _came_late(self, code: str, role: str) -> None:
        """A decision on what is over already is refused, and on record as such (scenario S20)."""
        self.desk.write("answer_came_late", {"code": code, "role": role})

    def _round_act(self, event: Event) -> None:
        desk = self.desk
        without_shoe = desk.config.table.method != Method.AUTOMATED_SHOE.value
        if type(event) in ENTERED_BY_DEVICES and not (without_shoe and type(event) in ENTERED_WITHOUT_SHOE):
            raise Refused("act", f"{type(event).__name__} is reported by a device; a person cannot enter it")
        if isinstance(event, CardTurned) and event.source != DECLARED:
            raise Refused("act", "a card that a person enters is declared, not read")
        if desk.state.round is None:
            raise Refused("no-round", "no round is open; open one first")
        if isinstance(event, RoundCompleted):
            require_none_open(desk)
            if stub_count_due(desk):
                raise Refused("stub-count-due", "spread the stub and enter its count before the round is completed")
        self._confirmed(event)
        self._compared(event)
        if isinstance(event, HoldCleared) and event.code not in [hold.code for hold in desk.state.round.holds]:
            self._came_late(event.code, event.role)
            raise Refused("no-hold", f"no question {event.code!r} is open")
        desk.happened(event)
        if isinstance(event, RoundCompleted):
            desk.close_round()
            desk.order(SignHead(desk.state.last_round_id))
