"""What may leave the table's computer without a person who carries it: the allow-list and the reports made of it.

Owns `Meter`, a closed set of counters, states and names of versions; the form that each value must have; and `Report`,
which holds nothing else and cannot be made of anything else. There is no free text in it: every text is one of a list
or fits a pattern that no card, name or amount of a round fits. Values that a round moves are told only of completed
rounds (`Meters`). Pure: it must not know journals, files, sockets or time; nothing here reads what comes in. Implements
the rule of one-way telemetry (WAC 230-16-152) and promise P4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final, assert_never

from cardshoe.errors import InputError

COUNT_MOST: Final = (1 << 53) - 1
"""The largest count: what every reader of JSON reads exactly."""


class When(Enum):
    """When a value may be told: after the round that moved it was completed, or at any time."""

    COMPLETED = "completed rounds only"
    ANY_TIME = "any time"


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number from 0."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these words."""

    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shaped:
    """A name of a device or program: whole texts that fit `pattern`."""

    pattern: str


Form = Count | OneOf | Shaped

_VERSION: Final = Shaped(r"[0-9]{1,5}(\.[0-9]{1,5}){0,3}([a-z]{1,4}[0-9]{1,5})?(-[a-z]{2,8})?")
_DIGEST: Final = Shaped(r"[0-9a-f]{64}")
_SERIAL: Final = Shaped(r"[A-Za-z0-9._-]{3,16}")
_MODEL: Final = Shaped(r"[A-Z0-9-]{3,16}")
_UP: Final = OneOf(frozenset({"up", "not up"}))


class Meter(Enum):
    """All that may leave. The value is its name outside."""

    ROUNDS_COMPLETED = "rounds_completed"
    ROUNDS_VOIDED = "rounds_voided"
    QUESTIONS = "questions"
    ALARMS = "alarms"
    STACKS_REQUESTED = "stacks_requested"
    STACKS_DISPENSED = "stacks_dispensed"
    CARDS_READ = "cards_read"
    CARDS_UNREADABLE = "cards_unreadable"
    DEVICE_LOSSES = "device_losses"
    SHUFFLES_DONE = "shuffles_done"
    SHUFFLES_FAILED = "shuffles_failed"
    CONSOLE_REFUSALS = "console_refusals"
    CONSOLE_LISTENERS = "console_listeners"
    TABLE = "table"
    SHOE = "shoe"
    READER = "reader"
    SOFTWARE = "software"
    CONFIGURATION = "configuration"
    MODE = "mode"
    SHOE_SERIAL = "shoe_serial"
    SHOE_MODEL = "shoe_model"
    SHOE_FIRMWARE = "shoe_firmware"
    READER_SERIAL = "reader_serial"
    READER_MODEL = "reader_model"
    READER_FIRMWARE = "reader_firmware"


@dataclass(frozen=True, slots=True)
class Allowed:
    """One row of the allow-list: the form of the value, when it may be told, and what it says."""

    form: Form
    when: When
    what: str


def _counted(what: str, when: When = When.COMPLETED) -> Allowed:
    return Allowed(Count(), when, what)


def _named(form: Form, what: str) -> Allowed:
    return Allowed(form, When.ANY_TIME, what)


ALLOWED: Final[Mapping[Meter, Allowed]] = MappingProxyType(
    {
        Meter.ROUNDS_COMPLETED: _counted("Rounds that were completed."),
        Meter.ROUNDS_VOIDED: _counted("Rounds that were void."),
        Meter.QUESTIONS: _counted("Questions that held the table."),
        Meter.ALARMS: _counted("Alarms."),
        Meter.STACKS_REQUESTED: _counted("Stacks asked of the shoe."),
        Meter.STACKS_DISPENSED: _counted("Stacks that the shoe dispensed."),
        Meter.CARDS_READ: _counted("Cards read since the table was opened."),
        Meter.CARDS_UNREADABLE: _counted("Cards that could not be read since the table was opened."),
        Meter.DEVICE_LOSSES: _counted("Losses of a device since the table was opened."),
        Meter.SHUFFLES_DONE: _counted("Shuffles after which the deck was verified."),
        Meter.SHUFFLES_FAILED: _counted("Shuffles after which the deck was not verified."),
        Meter.CONSOLE_REFUSALS: _counted("Requests that the console refused.", When.ANY_TIME),
        Meter.CONSOLE_LISTENERS: _counted("Browsers that listen.", When.ANY_TIME),
        Meter.TABLE: _named(OneOf(frozenset({"running", "stopped"})), "Whether the table runs."),
        Meter.SHOE: _named(_UP, "Whether the shoe answers."),
        Meter.READER: _named(_UP, "Whether the table reader answers."),
        Meter.SOFTWARE: _named(_VERSION, "Version of this program."),
        Meter.CONFIGURATION: _named(_DIGEST, "Digest of the configuration that applies."),
        Meter.MODE: _named(OneOf(frozenset({"bench", "live"})), "What the table is for."),
        Meter.SHOE_SERIAL: _named(_SERIAL, "Serial number of the shoe."),
        Meter.SHOE_MODEL: _named(_MODEL, "Model of the shoe."),
        Meter.SHOE_FIRMWARE: _named(_VERSION, "Firmware that the shoe names."),
        Meter.READER_SERIAL: _named(_SERIAL, "Serial number of the table reader."),
        Meter.READER_MODEL: _named(_MODEL, "Model of the table reader."),
        Meter.READER_FIRMWARE: _named(_VERSION, "Firmware that the table reader names."),
    }
)
"""The allow-list. What is not a row here does not leave."""


def allowed(meter: Meter, value: int | str) -> int | str:
    """Return `value`. Raises `InputError` `telemetry-value`, which does not repeat it, if its form is another."""
    if not isinstance(meter, Meter):
        raise InputError("telemetry-value", "What is no row of the allow-list of table/telemetry.py does not leave.")
    form = ALLOWED[meter].form
    match form:
        case Count():
            fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= COUNT_MOST
        case OneOf(words):
            fits = isinstance(value, str) and value in words
        case Shaped(pattern):
            fits = isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None
        case never:
            assert_never(never)
    if not fits:
        raise InputError(
            "telemetry-value", f"The value of {meter.value} has not the form that may leave; it is left out."
        )
    return value


class Report:
    """Values that may leave, each of a row of the allow-list and in its form. Cannot be changed."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[Meter, int | str]) -> None:
        """Take `values`. Raises `InputError` `telemetry-value` for what may not leave; then there is no report."""
        self._values: Mapping[Meter, int | str] = MappingProxyType(
            {meter: allowed(meter, value) for meter, value in values.items()}
        )

    @property
    def values(self) -> Mapping[Meter, int | str]:
        """The values, not to be changed."""
        return self._values

    def plain(self) -> dict[str, int | str]:
        """Return the values by their names outside, in the order of the allow-list."""
        return {meter.value: self._values[meter] for meter in Meter if meter in self._values}


def fitting(values: Mapping[Meter, int | str]) -> tuple[Report, tuple[Meter, ...]]:
    """Return a report of those of `values` that may leave, and the rows whose value had another form.

    For what a device says of itself: a firmware that names itself wrongly must not end the messages.
    """
    fit: dict[Meter, int | str] = {}
    left_out: list[Meter] = []
    for meter, value in values.items():
        try:
            fit[meter] = allowed(meter, value)
        except InputError:
            left_out.append(meter)
    return Report(fit), tuple(left_out)


class Meters:
    """What may be told now of a running table: counts that rounds move stand still while a round is open."""

    def __init__(self) -> None:
        self._completed: Mapping[Meter, int | str] = {}

    def look(self, values: Mapping[Meter, int | str], *, round_open: bool) -> Report:
        """Return the report that may leave; called at each change so that no completed round is passed over.

        Before the first completed round that was looked at, counts that rounds move are not in it. Raises `InputError`
        `telemetry-value`.
        """
        checked = Report(values)
        if not round_open:
            self._completed = {
                meter: value for meter, value in checked.values.items() if ALLOWED[meter].when is When.COMPLETED
            }
        any_time = {m: value for m, value in checked.values.items() if ALLOWED[m].when is When.ANY_TIME}
        return Report({**self._completed, **any_time})


FIRST_BEFORE: Final = "0" * 64
"""What the first message of an archive names as the digest of the one before."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its number in the archive from 1, SHA-256 of the bytes before it, the place in the journal up to
    which it tells (`record`, and `head`, the digest of that record), why it was made, and the report."""

    sequence: int
    before: str
    record: int
    head: str
    why: str
    report: Report

    def sent(self) -> bytes:
        """Return the exact bytes that are kept and sent: one line of JSON. Raises `InputError` `telemetry-value`."""
        if self.why not in REASONS:
            raise InputError("telemetry-value", "The reason of a message has not the form that may leave.")
        if not re.fullmatch(_DIGEST.pattern, self.before) or not re.fullmatch(_DIGEST.pattern, self.head):
            raise InputError("telemetry-value", "A digest of a message has not the form that may leave.")
        plain = {
            "sequence": self.sequence,
            "before": self.before,
            "journal": {"record": self.record, "head": self.head},
            "why": self.why,
            "meters": self.report.plain(),
        }
        return json.dumps(plain, separators=(",", ":"), ensure_ascii=True).encode("ascii") + b"\n"


REASONS: Final = frozenset({"rounds", "shift-end"})
"""Why a message is made: so many rounds were completed, or a shift ended."""
