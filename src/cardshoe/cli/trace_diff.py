"""Two recordings compared by what was said, not by when.

Owns what counts as the same: name and fields, less what is random or a clock (nonces, boot counter, uptime, lease) and
what is sent again while nothing changes (heartbeats, STATUS, repeats, acknowledgements). Pure.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Final

from cardshoe.wire.transcript import Said

FLEETING: Final = frozenset(
    {"host_nonce", "device_nonce", "nonce", "boot_counter", "uptime_ms", "lease_left_ms", "event_id", "last_event"}
    | {"oldest_event", "consumed_event", "session", "held_events"}
)
"""Fields that differ between two runs of the same thing."""

PULSE: Final = frozenset({"HEARTBEAT", "STATUS", "EVENT_ACK"})


def essence(said: Iterable[Said], *, pulse: bool = False) -> list[str]:
    """Return one text for each message that counts, in order; a frame sent again at once counts once."""
    found: list[str] = []
    last: dict[str, bytes] = {}
    for one in said:
        if one.name in PULSE and not pulse:
            continue
        again = last.get(one.way) == one.raw and one.raw != b""
        last[one.way] = one.raw
        if not again:
            found.append(f"{'→' if one.way == 'out' else '←'} {_steady(one)}")
    return found


def _steady(one: Said) -> str:
    shown = one.masked()
    fields = {key: value for key, value in shown.fields.items() if key not in FLEETING}
    return Said(0.0, one.way, one.name, fields, meant=shown.meant).text()


def differences(first: list[str], second: list[str]) -> Iterator[str]:
    """Give lines with `-` (first only), `+` (second only) and some of what stands around them; none where all is the
    same."""
    lines = difflib.unified_diff(first, second, lineterm="", n=2)
    yield from (line for line in lines if not line.startswith(("---", "+++")))
