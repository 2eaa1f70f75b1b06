"""Replaying a journal: every recorded step again, and whether the same rulings and payouts come out.

Owns the walk over the records and the comparison, byte for byte in canonical form (promise P6). The rules come in by
`RoundDriver`; `MachineDriver` is the round machine that runs the table. It must not know devices, nor why a record was
written: kinds that are neither an event of a round nor its account have no effect on rulings.

A table writes for one round: a record of each event in order, the first `round-opened`, each under the event's kind
and with the event's plain record as body; and `settled` with the account once the round is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar, get_args

from cardshoe.errors import CardshoeError
from cardshoe.journal.canonical import Record, canonical_json
from cardshoe.round.events import Event, RoundOpened
from cardshoe.round.machine import apply, open_round
from cardshoe.round.payouts import payouts
from cardshoe.round.records import from_record, kind_of, unmarked
from cardshoe.round.state import State

SETTLED: Final = "settled"

S = TypeVar("S")


class RoundDriver(Protocol[S]):
    """The rules, as replay needs them; events are plain records, `S` is the state of one round."""

    def opens(self, kind: str) -> bool:
        """Tell whether records of `kind` open a round."""

    def continues(self, kind: str) -> bool:
        """Tell whether records of `kind` are events of an open round."""

    def open(self, event: Mapping[str, object]) -> S:
        """Return the state of the round that `event` opens. Raises CardshoeError."""

    def apply(self, state: S, event: Mapping[str, object]) -> S:
        """Return the state after `event`. Raises CardshoeError where the rules do not allow it."""

    def is_complete(self, state: S) -> bool:
        """Tell whether the round takes no further event."""

    def payouts(self, state: S) -> Mapping[str, object]:
        """Return the account of the round as plain JSON."""


class MachineDriver:
    """The round machine that runs the table, as a driver."""

    _kinds = frozenset(kind_of(kind) for kind in get_args(Event))
    _opening = kind_of(RoundOpened)

    def opens(self, kind: str) -> bool:
        """Tell whether `kind` is the opening of a round."""
        return kind == self._opening

    def continues(self, kind: str) -> bool:
        """Tell whether `kind` is any other event of the machine."""
        return kind in self._kinds and kind != self._opening

    def open(self, event: Mapping[str, object]) -> State:
        """Return the state after the opening. Raises InputError."""
        opened = from_record(event)
        if not isinstance(opened, RoundOpened):
            raise Differs(f"it says that it is {event.get('kind')!r}")
        return open_round(opened)

    def apply(self, state: State, event: Mapping[str, object]) -> State:
        """Return the state after `event`. Raises InputError or Refused."""
        return apply(state, from_record(event))[0]

    def is_complete(self, state: State) -> bool:
        """Tell whether the round was completed."""
        return state.closed

    def payouts(self, state: State) -> Mapping[str, object]:
        """Return the account of the round."""
        return payouts(state)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay found: how much was recomputed, which rounds have no account yet, and the first difference."""

    ok: bool
    records: int
    rounds: int
    events: int
    settled: int
    unsettled: tuple[int, ...] = ()
    first_bad: int | None = None
    why: str | None = None


class Differs(Exception):
    """A record is not what the rules give; the text says how."""


@dataclass(slots=True)
class _Walk(Generic[S]):
    """Where the replay stands. Only the open round's state is kept, so that memory stays flat."""

    driver: RoundDriver[S]
    records: int = 0
    rounds: int = 0
    events: int = 0
    settled: int = 0
    unsettled: list[int] = field(default_factory=list)
    number: int | None = None
    state: S | None = None

    def step(self, record: Record) -> None:
        self.records += 1
        if self.driver.opens(record.kind):
            self._open(record)
        elif self.driver.continues(record.kind):
            state = self._state_of(record)
            self.state = self.driver.apply(state, _event(record))
            self.events += 1
        elif record.kind == SETTLED:
            self._compare(record, self._state_of(record))

    def _open(self, record: Record) -> None:
        event = _event(record)
        if record.round is None or event.get("round_id", record.round) != record.round:
            raise Differs(f"the record is of round {record.round}, its event of round {event.get('round_id')}")
        if self.number is not None and self.state is not None and not self.driver.is_complete(self.state):
            raise Differs(f"round {record.round} was opened while round {self.number} was not complete")
        self.state = self.driver.open(event)
        self.number = record.round
        self.rounds += 1
        self.events += 1
        self.unsettled.append(record.round)

    def _state_of(self, record: Record) -> S:
        if self.state is None or record.round != self.number:
            open_now = "no round" if self.number is None else f"round {self.number}"
            raise Differs(f"it belongs to round {record.round}, but {open_now} is open")
        return self.state

    def _compare(self, record: Record, state: S) -> None:
        if not self.driver.is_complete(state):
            raise Differs(f"round {record.round} was settled before it was complete")
        if record.round not in self.unsettled:
            raise Differs(f"round {record.round} was settled twice")
        again, account = self.driver.payouts(state), unmarked(record.body)
        if canonical_json(again, where=SETTLED) != canonical_json(account, where=SETTLED):
            raise Differs(first_difference(account, again) or "its account is written in another form")
        self.unsettled.remove(record.round)
        self.settled += 1


def _event(record: Record) -> Mapping[str, object]:
    if record.body.get("kind") != record.kind:
        raise Differs(f"its event says that it is {record.body.get('kind')!r}")
    return record.body


def first_difference(recorded: object, again: object, path: str = "") -> str | None:
    """Return where two plain values first differ, in words, or None if they are the same."""
    match recorded, again:
        case dict(), dict():
            for key in sorted(recorded.keys() | again.keys()):
                inner = f"{path}.{key}" if path else str(key)
                if key not in recorded or key not in again:
                    return f"{inner} is {'recorded' if key in recorded else 'recomputed'} only"
                if (found := first_difference(recorded[key], again[key], inner)) is not None:
                    return found
            return None
        case list(), list() if len(recorded) == len(again):
            pairs = enumerate(zip(recorded, again, strict=True), 1)
            inside = (first_difference(one, other, f"{path}[{number}]") for number, (one, other) in pairs)
            return next((found for found in inside if found is not None), None)
        case _:
            same = type(recorded) is type(again) and recorded == again
            return None if same else f"{path} is recorded as {recorded!r}, recomputed as {again!r}"


def replay(records: Iterable[Record], driver: RoundDriver[S]) -> Replayed:
    """Replay `records`, which must be those of a verified journal in order, and report the first difference."""
    walk = _Walk(driver)
    first_bad, why = None, None
    for record in records:
        try:
            walk.step(record)
        except (Differs, CardshoeError) as difference:
            first_bad, why = (
                record.seq,
                f"Record {record.seq} ({record.kind}) cannot be replayed: {str(difference).rstrip('.')}.",
            )
            break
    return Replayed(
        ok=why is None,
        records=walk.records,
        rounds=walk.rounds,
        events=walk.events,
        settled=walk.settled,
        unsettled=tuple(walk.unsettled),
        first_bad=first_bad,
        why=why,
    )
