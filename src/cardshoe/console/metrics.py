"""The counters of a table in the text form that Prometheus reads.

Owns the names and the form. What may be told, and when, is the allow-list of `table.telemetry`: a value that is no row
of it cannot be written here, and what a round moves stands still while a round is open. No label holds a name, a card
or an amount. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from cardshoe.console.ports import TablePort
from cardshoe.console.trends import counters
from cardshoe.table.telemetry import ALLOWED, Meter, Meters, Report, fitting

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_COUNTERS: Final[Mapping[str, Meter]] = {
    "completed": Meter.ROUNDS_COMPLETED,
    "voided": Meter.ROUNDS_VOIDED,
    "held": Meter.QUESTIONS,
    "alarms": Meter.ALARMS,
    "stacks_requested": Meter.STACKS_REQUESTED,
    "stacks_dispensed": Meter.STACKS_DISPENSED,
    "cards_read": Meter.CARDS_READ,
    "cards_unreadable": Meter.CARDS_UNREADABLE,
    "losses": Meter.DEVICE_LOSSES,
}
_DEVICES: Final[Mapping[str, Meter]] = {"shoe": Meter.SHOE, "reader": Meter.READER}
_TOTALS: Final = (*_COUNTERS.values(), Meter.CONSOLE_REFUSALS)


class Metrics:
    """The metrics of one table; `look` is called at each change, so that no completed round is passed over."""

    def __init__(self, table: TablePort) -> None:
        self._table = table
        self._meters = Meters()

    def look(self, *, listeners: int = 0, refusals: int = 0) -> Report:
        """Return what may be told now."""
        table = self._table
        counted = counters(table)
        values: dict[Meter, int | str] = {meter: counted[name] for name, meter in _COUNTERS.items() if name in counted}
        values |= {
            Meter.CONSOLE_REFUSALS: refusals,
            Meter.CONSOLE_LISTENERS: listeners,
            Meter.TABLE: "running" if table.failure is None else "stopped",
        }
        values |= {_DEVICES[device.name]: "up" if device.health == "up" else "not up" for device in table.devices()}
        return self._meters.look(fitting(values)[0].values, round_open=table.round_open)

    def exposition(self, *, listeners: int, refusals: int) -> str:
        """Return all metrics as text."""
        return "\n".join(_lines(self.look(listeners=listeners, refusals=refusals))) + "\n"


def _lines(report: Report) -> Iterator[str]:
    told = report.values
    for meter in _TOTALS:
        if meter in told:
            yield from _metric(f"{meter.value}_total", ALLOWED[meter].what, "counter", told[meter])
    yield from _metric(
        "console_listeners", ALLOWED[Meter.CONSOLE_LISTENERS].what, "gauge", told[Meter.CONSOLE_LISTENERS]
    )
    yield from _metric("table_running", "1 while the table runs.", "gauge", int(told[Meter.TABLE] == "running"))
    yield "# HELP cardshoe_device_up 1 while the device answers."
    yield "# TYPE cardshoe_device_up gauge"
    for name, meter in _DEVICES.items():
        if meter in told:
            yield f'cardshoe_device_up{{device="{name}"}} {int(told[meter] == "up")}'


def _metric(name: str, what: str, kind: str, value: int | str) -> Iterator[str]:
    yield f"# HELP cardshoe_{name} {what}"
    yield f"# TYPE cardshoe_{name} {kind}"
    yield f"cardshoe_{name} {value}"
