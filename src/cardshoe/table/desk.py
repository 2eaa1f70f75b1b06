"""Where entries are written and absorbed, and what the table knows only as long as it runs.

Owns the one place where the table's state changes: `write` and `happened` make an entry and absorb it in the same
breath, so that what a restart rebuilds from the journal is what stood here. `Live` is the other half: what no journal
needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from cardshoe.journal import Entry
from cardshoe.round.events import AlarmRaised, Event
from cardshoe.round.payouts import payouts
from cardshoe.round.records import TRAINING, kind_of, recorded
from cardshoe.round.state import State
from cardshoe.sealed_card import SealedCard
from cardshoe.table.config import TableConfig
from cardshoe.table.interlocks import Obstacle, ShoeView
from cardshoe.table.memory import noted
from cardshoe.table.orders import Order, Step
from cardshoe.table.state import NOTED, Known, TableState, absorb, absorb_event
from cardshoe.table.upkeep import Upkeep

ANSWER_S: Final = 5.0
"""So long a connected shoe may owe an answer; then people are told."""


@dataclass
class Live:
    """What is true only now. Times are monotonic seconds.

    `command_unknown`: the open command must be asked about before anything else; `asked`: the question is on its
    way. `command_due`: when the open command is overdue. `quiet_until`: no new command before (after a refusal).
    `was_overdue`: it was overdue once and still runs. `done_unreported`: the shoe says that it is done, and its
    report has not come. `inhibit_asked`, `fault_asked`: an order on its way. `waiting_since`: since when a
    connected shoe owes an answer, after `waited_s` before the last loss. `obstacle`: why nothing is dispensed now,
    for people. `next_back`: the deck that goes in next; `stub_due`: the stub is to be counted; `notices`: for service,
    out of what was `noticed`. `refused`: why a device was turned away last, by its name; `standing`: what is proved of
    each that was connected; `past`: the last event that each held when it connected. `round_asked`: a question about
    the shoe's own round is on its way, `seals_asked` times for its end; `revealing`: the shoe is to tell faces;
    `compare_by`: when people compare cards that the shoe cannot. `faces`: what a bench shoe told of face-down cards, by
    round and place. `auditor`: the mark of the auditor's key (hex) that the paired shoe seals to. `closing`: the table
    is being closed, so nothing moves.
    """

    shoe_up: bool = False
    shoe: ShoeView | None = None
    reader_up: bool = False
    command_unknown: bool = False
    asked: bool = False
    command_due: float | None = None
    was_overdue: bool = False
    done_unreported: bool = False
    quiet_until: float = 0.0
    inhibit_asked: bool = False
    fault_asked: bool = False
    round_asked: bool = False
    seals_asked: int = 0
    compare_by: float | None = None
    revealing: bool = False
    waiting_since: float | None = None
    waited_s: float = 0.0
    shoe_capabilities: int | None = None
    reader_capabilities: int | None = None
    obstacle: Obstacle | None = None
    next_back: str = ""
    stub_due: bool = False
    notices: tuple[str, ...] = ()
    noticed: Upkeep | None = None
    refused: dict[str, str] = field(default_factory=dict)
    standing: dict[str, dict[str, object]] = field(default_factory=dict)
    past: dict[str, int] = field(default_factory=dict)
    closing: bool = False
    auditor: str | None = None
    faces: dict[tuple[int, str], list[SealedCard | None]] = field(default_factory=dict)

    def next_deadline(self) -> float | None:
        """Return the first time at which something is due."""
        first = self.command_due
        if self.quiet_until and (first is None or self.quiet_until < first):
            first = self.quiet_until
        if self.compare_by is not None and (first is None or self.compare_by < first):
            first = self.compare_by
        if self.waiting_since is not None:
            owed = self.waiting_since + ANSWER_S - self.waited_s
            first = owed if first is None or owed < first else first
        return first

    def past_untold(self, device: str, known: Known | None) -> bool:
        """Tell whether `device`, which is connected, has still to tell what happened before that.

        Its status is ahead of its events: what it says of a deck may be undone by what it has not told yet.
        """
        return known is not None and known.consumed_event < self.past.get(device, 0)

    def owed(self, now: float) -> bool:
        """Note that an answer is due, or not; tell whether it has been due for `ANSWER_S` of connected time."""
        if not (self.asked or self.inhibit_asked or self.fault_asked or self.round_asked):
            return False
        if self.waiting_since is None:
            self.waiting_since = now
        return self.waited_s + now - self.waiting_since >= ANSWER_S

    def answered(self) -> None:
        """Note that the shoe gave an answer."""
        self.waiting_since, self.waited_s = None, 0.0

    def lost(self, now: float) -> None:
        """Note that the line is gone: the time without a line is not the shoe's."""
        if self.waiting_since is not None:
            self.waited_s += now - self.waiting_since
        self.waiting_since = None
        self.asked = self.inhibit_asked = self.fault_asked = self.round_asked = False

    def keep_face(self, round_id: int, to: str, card: SealedCard | None) -> None:
        """Keep, in memory alone and sealed, what a bench shoe told of a card that went to `to`."""
        self.faces = {key: cards for key, cards in self.faces.items() if key[0] == round_id}
        self.faces.setdefault((round_id, to), []).append(card)


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
        """Whether a question is open, or the table is being closed; then nothing moves (promise P5)."""
        round_ = self.open_round
        return self.live.closing or bool(self.state.alarms) or (round_ is not None and bool(round_.holds))

    def write(self, kind: str, body: Mapping[str, object]) -> None:
        """Write an entry and absorb it. The present round's number goes with it while a round is open."""
        number = None if self.state.round_closed else self.state.last_round_id
        self._entries.append(Entry(kind, self._marked(dict(body)), number))
        self.state = absorb(self.state, kind, body)

    def happened(self, event: Event) -> None:
        """Write a round's event and apply it. Raises what the round machine raises; then nothing was written."""
        body, event = recorded(event)
        self.state = absorb_event(self.state, event)
        self._entries.append(Entry(kind_of(event), self._marked(body), self.state.last_round_id))

    def close_round(self) -> None:
        """Write the account of the complete round, and the note from which a restart sets out."""
        if self.state.round is not None:
            self.write("settled", payouts(self.state.round))
            self.write(NOTED, noted(self.state))

    def alarm(self, code: str, text: str) -> None:
        """Hold the open round, or the table between rounds. A question that is open already is not asked again."""
        round_ = self.open_round
        if round_ is not None:
            if any((hold.code, hold.question) == (code, text) for hold in round_.holds):
                return
            self.happened(AlarmRaised(code, text))
        elif not any(alarm.code == code for alarm in self.state.alarms):
            self.write("alarm_raised", {"code": code, "text": text})

    def mark(self) -> int:
        """Return where the next entry will stand, for `sign`."""
        return len(self._entries)

    def sign(self, mark: int, kind: str, body: Mapping[str, object]) -> None:
        """Write who answers for the act whose first entry stands at `mark`, behind that and in the same round."""
        if mark == len(self._entries):
            self.write(kind, body)
        else:
            self._entries.insert(mark + 1, Entry(kind, self._marked(dict(body)), self._entries[mark].round))

    def _marked(self, body: dict[str, object]) -> dict[str, object]:
        """Return `body`, marked where the table is in training."""
        return {**body, TRAINING: True} if self.state.upkeep.training else body

    def order(self, order: Order) -> None:
        """Have something done once the entries so far are on disk."""
        self._orders.append(order)

    def take(self) -> Step:
        """Return what was written and ordered since the last call."""
        step = Step(tuple(self._entries), tuple(self._orders))
        self._entries, self._orders = [], []
        return step
