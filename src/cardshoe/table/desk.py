"""Where entries are written and absorbed, and what the table knows only as long as it runs.

Owns the one place where the table's state changes: `write` and `happened` make an entry and absorb it in the same
breath, so that what a restart rebuilds from the journal is what stood here. `Live` is the other half: what no journal
needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cardshoe.journal import Entry
from cardshoe.round.events import AlarmRaised, Event
from cardshoe.round.payouts import payouts
from cardshoe.round.records import kind_of, to_record
from cardshoe.round.state import State
from cardshoe.table.config import TableConfig
from cardshoe.table.interlocks import Obstacle, ShoeView
from cardshoe.table.memory import noted
from cardshoe.table.orders import Order, Step
from cardshoe.table.state import NOTED, TableState, absorb


@dataclass
class Live:
    """What is true only now. Times are monotonic seconds.

    `command_unknown`: the open command must be asked about before anything else; `asked`: the question is on its way.
    `command_due`: when the open command is overdue. `quiet_until`: no new command before (after a refusal).
    `was_overdue`: it was overdue once and still runs. `inhibit_asked`, `fault_asked`: an order on its way. `obstacle`:
    why nothing is dispensed now, for people.
    """

    shoe_up: bool = False
    shoe: ShoeView | None = None
    reader_up: bool = False
    command_unknown: bool = False
    asked: bool = False
    command_due: float | None = None
    was_overdue: bool = False
    quiet_until: float = 0.0
    inhibit_asked: bool = False
    fault_asked: bool = False
    obstacle: Obstacle | None = None

    def next_deadline(self) -> float | None:
        """Return the first time at which something is due."""
        due = [time for time in (self.command_due, self.quiet_until or None) if time is not None]
        return min(due) if due else None


class Desk:
    """The state, what is known only now, and the step that is being put together."""

    def __init__(self, config: TableConfig, state: TableState) -> None:
        self.config = config
        self.state = state
        self.live = Live(command_unknown=state.command is not None)
        self._entries: list[Entry] = []
        self._orders: list[Order] = []

    @property
    def open_round(self) -> State | None:
        """The round that is not complete yet, or None."""
        return None if self.state.round_closed else self.state.round

    @property
    def held(self) -> bool:
        """Whether a question is open; then nothing moves (promise P5)."""
        round_ = self.open_round
        return bool(self.state.alarms) or (round_ is not None and bool(round_.holds))

    def write(self, kind: str, body: Mapping[str, object]) -> None:
        """Write an entry and absorb it. The present round's number goes with it while a round is open."""
        number = None if self.state.round_closed else self.state.last_round_id
        self._entries.append(Entry(kind, dict(body), number))
        self.state = absorb(self.state, kind, body)

    def happened(self, event: Event) -> None:
        """Write a round's event and apply it. Raises what the round machine raises; then nothing was written."""
        body, kind = to_record(event), kind_of(event)
        self.state = absorb(self.state, kind, body)
        self._entries.append(Entry(kind, body, self.state.last_round_id))

    def close_round(self) -> None:
        """Write the account of the complete round, and the note from which a restart sets out."""
        if self.state.round is not None:
            self.write("settled", payouts(self.state.round))
            self.write(NOTED, noted(self.state))

    def alarm(self, code: str, text: str) -> None:
        """Hold the open round, or the table between rounds."""
        if self.open_round is not None:
            self.happened(AlarmRaised(code, text))
        elif not any(alarm.code == code for alarm in self.state.alarms):
            self.write("alarm_raised", {"code": code, "text": text})

    def order(self, order: Order) -> None:
        """Have something done once the entries so far are on disk."""
        self._orders.append(order)

    def take(self) -> Step:
        """Return what was written and ordered since the last call."""
        step = Step(tuple(self._entries), tuple(self._orders))
        self._entries, self._orders = [], []
        return step
