"""The link's intervals in seconds, from the protocol file.

Owns the change of units and nothing else: no interval of the link is written in code. Implements LINK-4.5, LINK-5.12,
LINK-6.1, LINK-6.3, LINK-6.5 and LINK-3.4 as far as numbers go.
"""

from __future__ import annotations

from dataclasses import dataclass

from cardshoe.wire.spec import Timing


@dataclass(frozen=True, slots=True)
class Intervals:
    """What the host's side of the link waits for, in seconds."""

    heartbeat_s: float
    lost_s: float
    command_repeat_s: float
    hello_repeat_s: float
    seal_repeat_s: float
    idle_delimiter_s: float


def intervals(timing: Timing) -> Intervals:
    """Return the host's intervals of `timing` in seconds."""
    return Intervals(
        heartbeat_s=timing.heartbeat_interval_ms / 1000,
        lost_s=timing.link_lost_ms / 1000,
        command_repeat_s=timing.command_repeat_ms / 1000,
        hello_repeat_s=timing.hello_repeat_ms / 1000,
        seal_repeat_s=timing.seal_repeat_ms / 1000,
        idle_delimiter_s=timing.idle_delimiter_ms / 1000,
    )


def lease_ms(timing: Timing, wanted_ms: int | None) -> int:
    """Return the lease to ask for: `wanted_ms`, or the file's own when None; raises `ValueError` outside LINK-6.3."""
    lease = timing.lease_default_ms if wanted_ms is None else wanted_ms
    if not timing.lease_min_ms <= lease <= timing.lease_max_ms:
        raise ValueError(f"a lease of {lease} ms is outside {timing.lease_min_ms} to {timing.lease_max_ms} ms")
    return lease
