"""What a shift or a day came to, counted out of a journal's records: for the floor, for the house, for the file.

Owns the cutting of a journal into shifts and days, and the counting. Every figure comes from records alone, so that two
who hold the same journal count the same. Pure: records come in, values go out. It must not judge, nor know devices
beyond the names under which their reports stand in the records. A shift ends where somebody signed off (a head signed
with the reason `shift-end`); a day is that of the wall clock in the record, which is for people and may be wrong: a
step of that clock is counted, and durations are of the monotonic clock. Rounds of training are counted apart, and
nothing else of what was written in training is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from cardshoe.errors import CardshoeError
from cardshoe.journal.canonical import Record
from cardshoe.journal.replay import SETTLED, Differs, MachineDriver
from cardshoe.round.records import TRAINING
from cardshoe.round.state import State

SHIFT_END: Final = "shift-end"
_VOID: Final = "void"
_DRIVER: Final = MachineDriver()
_MICROSECONDS: Final = 1_000_000
_SPOT: Final = ("wagers", "drop_cents", "won_cents", "returned_cents", "house_cents", "void_wagers", "void_cents")


@dataclass(slots=True)
class SpotAccount:
    """The wagers on one spot, in cents. `drop_cents` leaves out wagers that were void: they were given back."""

    wagers: int = 0
    drop_cents: int = 0
    won_cents: int = 0
    returned_cents: int = 0
    void_wagers: int = 0
    void_cents: int = 0

    @property
    def house_cents(self) -> int:
        """What stayed with the house; below zero where the players won."""
        return self.drop_cents - self.won_cents - self.returned_cents

    @property
    def hold(self) -> float | None:
        """The part of the drop that stayed with the house; None where nothing was wagered."""
        return self.house_cents / self.drop_cents if self.drop_cents else None


@dataclass(frozen=True, slots=True)
class StubCount:
    """The rest of the deck, counted by hand."""

    round: int | None
    cards: int
    expected: int


@dataclass(slots=True)
class Period:
    """One shift or day: `open_us` is how long the table was open in it, by the monotonic clock."""

    title: str
    table: str = ""
    games: Counter[str] = field(default_factory=Counter)
    first_seq: int = 0
    last_seq: int = 0
    begins: str = ""
    ends: str = ""
    signed_off: bool = False
    open_us: int = 0
    settled: int = 0
    voided: int = 0
    training_rounds: int = 0
    hands: int = 0
    void_hands: int = 0
    limited_hands: int = 0
    cards: int = 0
    stacks: int = 0
    misfeeds: Counter[str] = field(default_factory=Counter)
    alarms: Counter[str] = field(default_factory=Counter)
    irregularities: Counter[str] = field(default_factory=Counter)
    rulings: int = 0
    corrections: int = 0
    losses: Counter[str] = field(default_factory=Counter)
    clock_steps: int = 0
    unplayable: int = 0
    stub_counts: list[StubCount] = field(default_factory=list)
    spots: dict[str, SpotAccount] = field(default_factory=dict)
    by_hour: Counter[str] = field(default_factory=Counter)

    @property
    def rounds(self) -> int:
        """Rounds that came to their end, void ones among them."""
        return self.settled + self.voided

    @property
    def rounds_per_hour(self) -> float | None:
        """Rounds an hour that the table was open; None where it was open for no time."""
        return self.rounds * 3600 * _MICROSECONDS / self.open_us if self.open_us else None

    @property
    def misfeeds_per_10000(self) -> float | None:
        """Stacks that failed in the shoe for 10,000 cards dealt from it; None where it dealt none."""
        return self.misfeeds.total() * 10_000 / self.cards if self.cards else None

    @property
    def in_all(self) -> SpotAccount:
        """All spots together."""
        total = SpotAccount()
        for spot in self.spots.values():
            total.wagers += spot.wagers
            total.drop_cents += spot.drop_cents
            total.won_cents += spot.won_cents
            total.returned_cents += spot.returned_cents
            total.void_wagers += spot.void_wagers
            total.void_cents += spot.void_cents
        return total


def shifts(records: Iterable[Record]) -> Iterator[Period]:
    """Yield the shifts of a journal in order; the last one may not have ended. `records`: all, oldest first."""
    counting, number = _Counting("Shift 1"), 1
    for record in records:
        counting.take(record)
        if record.kind == "head_signed" and record.body.get("reason") == SHIFT_END:
            counting.period.signed_off = True
            yield counting.period
            number += 1
            counting = _Counting(f"Shift {number}", before=counting)
    if counting.worked or number == 1:
        yield counting.period


def days(records: Iterable[Record]) -> Iterator[Period]:
    """Yield the days of a journal in the order of its records, each titled YYYY-MM-DD (UTC)."""
    counting: _Counting | None = None
    for record in records:
        day = record.wall[:10]
        if counting is None or counting.period.title != day:
            if counting is not None:
                yield counting.period
            counting = _Counting(day, before=counting)
        counting.take(record)
    if counting is not None:
        yield counting.period


class _Counting:
    """A period that is being counted; `worked`: something happened in it beyond opening and closing the journal."""

    period: Period

    def __init__(self, title: str, before: _Counting | None = None) -> None:
        self.period = Period(title, table=before.period.table if before is not None else "")
        self.worked = False
        self.last: Record | None = before.last if before is not None else None
        self.round: State | None = before.round if before is not None else None

    def take(self, record: Record) -> None:
        """Count `record`."""
        period, last = self.period, self.last
        if not period.first_seq:
            period.first_seq, period.begins = record.seq, record.wall
        period.last_seq, period.ends = record.seq, record.wall
        if last is not None and last.boot == record.boot:
            period.open_us += max(0, record.mono_us - last.mono_us)
        self.last = record
        self.worked = self.worked or not record.kind.startswith("journal_")
        if TRAINING in record.body:
            period.training_rounds += record.kind == SETTLED
            return
        self._ask(record)
        if record.kind == SETTLED:
            _settled(period, record)
        else:
            _noticed(period, record)

    def _ask(self, record: Record) -> None:
        """Count the questions that the round asks because of `record`, as the round machine asks them.

        Of a round that cannot be played again, which `journal replay` reports, the questions are not counted on.
        """
        try:
            if _DRIVER.opens(record.kind):
                self.round = _DRIVER.open(record.body)
            elif self.round is not None and _DRIVER.continues(record.kind):
                before, self.round = self.round, _DRIVER.apply(self.round, record.body)
                self.period.alarms.update(hold.code for hold in self.round.holds if hold not in before.holds)
        except (CardshoeError, Differs):
            self.round = None
            self.period.unplayable += 1


def _settled(period: Period, record: Record) -> None:
    account: Mapping[str, Any] = record.body
    if account.get("voided"):
        period.voided += 1
    else:
        period.settled += 1
    period.games[str(account.get("game", ""))] += 1
    period.by_hour[record.wall[:13]] += 1
    for hand in account.get("positions", {}).values():
        period.hands += 1
        period.void_hands += hand.get("status") == _VOID
        result = hand.get("result") or {}
        period.limited_hands += bool(result.get("limited"))
        for wager in result.get("wagers", ()):
            _wager(period.spots.setdefault(str(wager["spot"]), SpotAccount()), wager)


def _wager(spot: SpotAccount, wager: Mapping[str, Any]) -> None:
    if wager["outcome"] == _VOID:
        spot.void_wagers += 1
        spot.void_cents += int(wager["staked_cents"])
        return
    spot.wagers += 1
    spot.drop_cents += int(wager["staked_cents"])
    spot.won_cents += int(wager["won_cents"])
    spot.returned_cents += int(wager["returned_cents"])


def _noticed(period: Period, record: Record) -> None:
    """Count what happened beside the wagers."""
    body: Mapping[str, Any] = record.body
    match record.kind:
        case "table_opened":
            period.table = str(body.get("name", ""))
        case "stack-delivered":
            period.stacks += 1
            period.cards += int(body.get("cards", 0))
        case "stub_counted":
            period.stub_counts.append(StubCount(record.round, int(body["cards"]), int(body["expected"])))
        case "floor-ruled":
            period.rulings += 1
        case "entry-corrected":
            period.corrections += 1
        case "clock_stepped":
            period.clock_steps += 1
        case _:
            _went_wrong(period, record.kind, body)


def _went_wrong(period: Period, kind: str, body: Mapping[str, Any]) -> None:
    match kind:
        case "shoe_reported" if body.get("event") == "DispenseFailed":
            period.misfeeds[str(body.get("fault", "unknown"))] += 1
        case "alarm_raised":  # between rounds; within one the round itself asks
            period.alarms[str(body.get("code", ""))] += 1
        case "irregularity-found":
            period.irregularities[str(body.get("case", ""))] += 1
        case "device_lost":
            period.losses[str(body.get("device", ""))] += 1
        case _:
            pass


def period_plain(period: Period) -> dict[str, Any]:
    """Return what `period` came to as a JSON object; rates as numbers, money as cents."""
    told: dict[str, Any] = {}
    for each in fields(period):
        value = getattr(period, each.name)
        told[each.name] = dict(value) if isinstance(value, Counter) else value
    told |= {
        "stub_counts": [asdict(each) for each in period.stub_counts],
        "rounds": period.rounds,
        "rounds_per_hour": _rounded(period.rounds_per_hour),
        "misfeeds_per_10000_cards": _rounded(period.misfeeds_per_10000),
        "spots": {name: _spot(spot) for name, spot in period.spots.items()},
        "in_all": _spot(period.in_all),
    }
    return told


def _spot(spot: SpotAccount) -> dict[str, Any]:
    return {name: getattr(spot, name) for name in _SPOT} | {"hold": _rounded(spot.hold, 4)}


def _rounded(value: float | None, places: int = 2) -> float | None:
    return None if value is None else round(value, places)
