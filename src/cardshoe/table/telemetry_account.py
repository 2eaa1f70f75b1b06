"""Messages out of a journal: what it counts up to each completed round, in the rows of the allow-list.

Owns the reading of the counters and names out of records, and when a message is due: each so many completed rounds,
and at the end of a shift. It tells only what stands in `table_noted`, which is written between two rounds, so that
nothing of an open round is in it. Pure: records come in as values. Implements WAC 230-16-152.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardshoe.journal import Record
from cardshoe.table.state import NOTED
from cardshoe.table.telemetry import FIRST_BEFORE, Message, Meter, fitting

SHIFT_END: Final = "shift-end"
_TALLY: Final = {
    "completed": Meter.ROUNDS_COMPLETED,
    "voided": Meter.ROUNDS_VOIDED,
    "held": Meter.QUESTIONS,
    "alarms": Meter.ALARMS,
    "stacks_requested": Meter.STACKS_REQUESTED,
    "stacks_dispensed": Meter.STACKS_DISPENSED,
}
_SHIFT: Final = {
    "reads": Meter.CARDS_READ,
    "unreadable": Meter.CARDS_UNREADABLE,
    "losses": Meter.DEVICE_LOSSES,
}
_OPENED: Final = {"software": Meter.SOFTWARE, "config": Meter.CONFIGURATION, "mode": Meter.MODE}
_DEVICES: Final = {
    "shoe": {"serial": Meter.SHOE_SERIAL, "model": Meter.SHOE_MODEL, "firmware": Meter.SHOE_FIRMWARE},
    "reader": {"serial": Meter.READER_SERIAL, "model": Meter.READER_MODEL, "firmware": Meter.READER_FIRMWARE},
}
_SHUFFLES: Final = {"DeckVerified": Meter.SHUFFLES_DONE, "DeckRejected": Meter.SHUFFLES_FAILED}


@dataclass(frozen=True, slots=True)
class Counted:
    """What was told or is to be told: the values as of the last completed round at `record` whose digest is `head`."""

    record: int = 0
    head: str = FIRST_BEFORE
    values: Mapping[Meter, int | str] | None = None

    @property
    def rounds(self) -> int:
        """How many rounds are through: completed and void."""
        values = self.values or {}
        return sum(int(values.get(meter, 0)) for meter in (Meter.ROUNDS_COMPLETED, Meter.ROUNDS_VOIDED))


def accounts(records: Iterable[tuple[Record, str]], told: Counted, *, rounds: int) -> Iterator[tuple[Counted, str]]:
    """Yield what a message is to be made of, with its reason, for `records` after those of `told`.

    Each record comes with its digest in hexadecimal. A message is due when `rounds` more rounds are through, and at the
    end of a shift if any round was completed since the last one.
    """
    running: dict[Meter, int | str] = dict(told.values or {})
    last, newest = told, told
    for record, digest in records:
        _take(running, record)
        if record.kind == NOTED:
            newest = Counted(record.seq, digest, dict(running))
        due = newest.rounds - last.rounds >= rounds
        ends = record.kind == "head_signed" and record.body.get("reason") == SHIFT_END
        if due or (ends and newest.record > last.record):
            yield newest, "rounds" if due else SHIFT_END
            last = newest


def message(counted: Counted, why: str, *, sequence: int, before: str) -> tuple[Message, tuple[Meter, ...]]:
    """Return the message of `counted`, and the rows left out because their value has not the form that may leave."""
    report, left_out = fitting(counted.values or {})
    return Message(sequence, before, counted.record, counted.head, why, report), left_out


def _take(running: dict[Meter, int | str], record: Record) -> None:
    """Take what `record` tells for the allow-list; shuffles count when the next round is through, like all else."""
    body: Mapping[str, Any] = record.body
    match record.kind:
        case "table_noted":
            _copy(running, body.get("tally", {}), _TALLY)
            _copy(running, body.get("upkeep", {}).get("shift", {}), _SHIFT)
        case "table_opened":
            _copy(running, body, _OPENED)
        case "device_identified":
            _copy(running, body, _DEVICES.get(str(body.get("device")), {}))
        case "shoe_reported" if body.get("event") in _SHUFFLES:
            meter = _SHUFFLES[str(body["event"])]
            running[meter] = int(running.get(meter, 0)) + 1
        case _:
            pass


def _copy(running: dict[Meter, int | str], body: Mapping[str, Any], names: Mapping[str, Meter]) -> None:
    for name, meter in names.items():
        if name in body:
            running[meter] = body[name]
