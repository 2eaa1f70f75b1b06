"""The counters of a table in the text form that Prometheus reads.

Owns the allow-list: what is not named here does not leave. No label holds a name, a card or an amount. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cardshoe.console.ports import TablePort
from cardshoe.console.trends import counters

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_COUNTERS: Final = {
    "completed": ("rounds_completed_total", "Rounds that were completed."),
    "voided": ("rounds_voided_total", "Rounds that were void."),
    "held": ("questions_total", "Questions that held the table."),
    "alarms": ("alarms_total", "Alarms."),
    "stacks_requested": ("stacks_requested_total", "Stacks asked of the shoe."),
    "stacks_dispensed": ("stacks_dispensed_total", "Stacks that the shoe dispensed."),
    "cards_read": ("cards_read_total", "Cards read since the table was opened."),
    "cards_unreadable": ("cards_unreadable_total", "Cards that could not be read since the table was opened."),
    "losses": ("device_losses_total", "Losses of a device since the table was opened."),
}


def exposition(table: TablePort, *, listeners: int, refusals: int) -> str:
    """Return all metrics as text."""
    return "\n".join(_lines(table, listeners, refusals)) + "\n"


def _lines(table: TablePort, listeners: int, refusals: int) -> Iterator[str]:
    values = counters(table)
    for name, (metric, what) in _COUNTERS.items():
        if name in values:
            yield from _metric(metric, what, "counter", values[name])
    yield from _metric("console_refusals_total", "Requests that the console refused.", "counter", refusals)
    yield from _metric("console_listeners", "Browsers that listen.", "gauge", listeners)
    yield from _metric("table_running", "1 while the table runs.", "gauge", int(table.failure is None))
    yield "# HELP cardshoe_device_up 1 while the device answers."
    yield "# TYPE cardshoe_device_up gauge"
    for device in table.devices():
        yield f'cardshoe_device_up{{device="{device.name}"}} {int(device.health == "up")}'


def _metric(name: str, what: str, kind: str, value: int) -> Iterator[str]:
    yield f"# HELP cardshoe_{name} {what}"
    yield f"# TYPE cardshoe_{name} {kind}"
    yield f"cardshoe_{name} {value}"
