"""Sealed request and reply over a real pty, beside the same in clear in the same run.

Owns the measurement of what sealing adds: READ_COUNTERS, one at a time, through the product's port, link and driver.
Both peers are as bare as the one of the clear measurement: nonce and secrets are fixed, so every frame that can come is
known beforehand, whatever heartbeats come between, and so is its reply; what is measured is this side's sealing and
opening. What one message costs is measured without a line. Blocks of both take turns, so that a busy moment of the
computer hits both.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from cardshoe.devices.paired import Paired
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.lab.bench.figures import Conditions, Figure, Measured, Skipped, Step, Target, median
from cardshoe.lab.bench.link_speed import NONCE, SESSION, Asking, canned_replies, identity
from cardshoe.lab.bench.peers import apart, pty_responder
from cardshoe.link.seal import Check, ClearCheck, SealedCheck
from cardshoe.link.seal_exchange import SEAL_SEQUENCE, PairKey
from cardshoe.link.session_keys import (
    SessionKeys,
    device_proof,
    ephemeral,
    host_proof,
    key_id,
    key_transcript,
    seal_transcript,
    session_keys,
    shared_secret,
)
from cardshoe.wire.framing import encode_frame

BLOCKS: Final = 20
HEARTBEATS: Final = 40
"""So many heartbeats the canned peer is prepared for: ten seconds."""
FLOOR: Final = "the same in a clear session"

_KEY: Final = bytes(range(32))
_HOST, _DEVICE = bytes(range(1, 33)), bytes(range(2, 34))
_COUNTERS: Final = tuple(field.name for field in SHOE_CODEC.spec.messages["READ_COUNTERS_REPLY"].fields)
_IN_A_BLOCK: Final = 100
_MESSAGES: Final = 2  # one is made, one is taken
_MICROSECONDS: Final = 1e6


def sealed(conditions: Conditions, step: Step) -> Iterator[Figure | Skipped]:
    """Yield the median of request and reply in a sealed session, and what sealing adds to a message."""
    count = conditions.times(60, 4)
    with (
        apart() as processors,
        pty_responder(processors, canned=canned_replies()) as (clear_at, _),
        pty_responder(processors, canned=sealed_replies((BLOCKS + 1) * count)) as (sealed_at, _),
    ):
        clear, ours = asyncio.run(_in_turn(clear_at, sealed_at, count, step))
    step(1.0)
    floor, value = median(clear) * _MICROSECONDS, median(ours) * _MICROSECONDS
    share = Target(Measured.RATIO, 1.15, at_most=True)
    yield Figure("sealed.request_reply.median", value, "µs", FLOOR, floor, share)
    added = Target(Measured.VALUE, 8.0, at_most=True)
    yield Figure("sealed.added_a_message", _added_s(conditions.times(400, 10)) * _MICROSECONDS, "µs", target=added)


def _added_s(blocks: int) -> float:
    """Return what sealing adds to a message, in seconds: made or taken, the median of blocks that take turns."""
    payload = _payload("READ_COUNTERS_REPLY", dict.fromkeys(_COUNTERS, 1000))
    keys = SessionKeys(_HOST, _HOST, _DEVICE)
    checks: tuple[Check, Check] = (ClearCheck(), SealedCheck(keys))
    added: list[float] = []
    for _ in range(blocks):
        clear, ours = (_block_s(check, payload) for check in checks)
        added.append((ours - clear) / (_IN_A_BLOCK * _MESSAGES))
    return median(added)


def _block_s(check: Check, payload: bytes) -> float:
    kind = SHOE_CODEC.spec.messages["READ_COUNTERS_REPLY"].type
    began = time.perf_counter()
    for _ in range(_IN_A_BLOCK):
        check.feed(check.encode(session=SESSION, type=kind, sequence=1, payload=payload))
    return time.perf_counter() - began


async def _in_turn(clear_at: Path, sealed_at: Path, count: int, step: Step) -> tuple[list[float], list[float]]:
    async with Asking(clear_at) as clear, Asking(sealed_at, _paired()) as ours:
        for asking in (clear, ours):  # the first ones fill caches
            await asking.ask(count)
            asking.durations.clear()
        for number in range(BLOCKS):
            await clear.ask(count)
            await ours.ask(count)
            step(0.9 * (number + 1) / BLOCKS)
        return clear.durations, ours.durations


def _paired() -> Paired:
    return Paired(PairKey(key_id(_KEY), _KEY), bytes(32), 0, lambda size: _HOST[:size])


def sealed_replies(requests: int) -> dict[bytes, bytes]:
    """Return every frame that a measurement of so many requests can send, without its 00, and the reply to it.

    Host and device use one counter for a request and its reply: gaps are allowed (LINK-9.10).
    """
    spec = SHOE_CODEC.spec
    hello = {"host_nonce": NONCE, "spec_hash": spec.hash, "purpose": 0, "security": 1, "consumed_event": 0}
    keys, replies = _opening(_payload("HELLO", hello), _payload("HELLO_REPLY", identity()))
    back = SessionKeys(keys.device_sending, keys.host_sending, keys.confirmation)
    status = dict.fromkeys((field.name for field in spec.messages["STATUS"].fields), 0)
    counters = dict.fromkeys((field.name for field in spec.messages["READ_COUNTERS_REPLY"].fields), 1000)
    told = _payload("STATUS", {**status, "boot_counter": 1, "state": 1, "deck_state": 2, "deck_id": 1})
    answer = _payload("READ_COUNTERS_REPLY", counters)
    lease = _payload("HEARTBEAT", {"lease_ms": spec.timing.lease_default_ms})
    host, device = _Counting(keys), _Counting(back)
    for beats in range(1, HEARTBEATS + 1):
        for asked in range(requests + 1):
            request = host.frame("READ_COUNTERS", b"", asked, asked + beats)
            replies[request] = device.frame("READ_COUNTERS_REPLY", answer, asked, asked + beats) + b"\0"
            beat = host.frame("HEARTBEAT", lease, beats, asked + beats)
            replies[beat] = device.frame("STATUS", told, beats, asked + beats) + b"\0"
    return replies


class _Counting:
    """One direction of the session, whose counter is chosen."""

    def __init__(self, keys: SessionKeys) -> None:
        self._keys = keys

    def frame(self, name: str, payload: bytes, sequence: int, counter: int) -> bytes:
        """Return a frame without its 00."""
        check = SealedCheck(self._keys, sent=counter - 1)
        kind = SHOE_CODEC.spec.messages[name].type
        return check.encode(session=SESSION, type=kind, sequence=sequence % 256, payload=payload)[:-1]


def _opening(hello: bytes, reply: bytes) -> tuple[SessionKeys, dict[bytes, bytes]]:
    host_private, host_public = ephemeral(_HOST)
    _device_private, device_public = ephemeral(_DEVICE)
    t0 = seal_transcript(hello, reply)
    proof = host_proof(_KEY, t0, key_id(_KEY), host_public)
    seal = _payload("SEAL", {"key_id": key_id(_KEY), "host_public": host_public, "host_proof": proof})
    fields = {"result": 0, "device_public": device_public, "sealed_count": 1, "oldest_event": 1, "last_event": 0}
    t1 = key_transcript(t0, seal, _payload("SEAL_REPLY", {**fields, "device_proof": bytes(16)}))
    keys = session_keys(_KEY, shared_secret(host_private, device_public) or b"", t1)
    answer = _payload("SEAL_REPLY", {**fields, "device_proof": device_proof(keys.confirmation, t1)})
    canned = {
        _clear("HELLO", hello, 0, 0)[:-1]: _clear("HELLO_REPLY", reply, 0, 0),
        _clear("SEAL", seal, SESSION, SEAL_SEQUENCE)[:-1]: _clear("SEAL_REPLY", answer, SESSION, SEAL_SEQUENCE),
    }
    return keys, canned


def _payload(name: str, fields: Mapping[str, Any]) -> bytes:
    return SHOE_CODEC.payload(SHOE_CODEC.build(name, fields))


def _clear(name: str, payload: bytes, session: int, sequence: int) -> bytes:
    kind = SHOE_CODEC.spec.messages[name].type
    return encode_frame(session=session, type=kind, sequence=sequence, payload=payload)
