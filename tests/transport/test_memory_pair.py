"""The in-process pair: what the channel decides is what arrives, in an order that repeats."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.errors import DeviceError
from cardshoe.transport import memory_pair
from cardshoe.transport.memory import Channel


class Handle:
    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class VirtualLoop:
    """The least that drives a pair: a clock that stands still between call-backs."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.queue: list[tuple[float, int, Handle, Callable[..., object], tuple[Any, ...]]] = []
        self.count = 0

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[..., object], *args: object) -> Handle:
        self.count += 1
        handle = Handle()
        heapq.heappush(self.queue, (when, self.count, handle, callback, args))
        return handle

    def call_soon(self, callback: Callable[..., object], *args: object) -> Handle:
        return self.call_at(self.now, callback, *args)

    def run(self, until: float = float("inf")) -> None:
        while self.queue and self.queue[0][0] <= until:
            when, _, handle, callback, args = heapq.heappop(self.queue)
            self.now = max(self.now, when)
            if not handle.cancelled:
                callback(*args)


def started(loop: VirtualLoop, **channels: Channel) -> tuple[Any, Any, list[tuple[float, bytes]], list[str]]:
    near, far = memory_pair(**channels)
    arrived: list[tuple[float, bytes]] = []
    lost: list[str] = []
    near.start(loop, lambda _: None, lambda error: lost.append(f"near {error.code}"))
    far.start(loop, lambda data: arrived.append((loop.now, data)), lambda error: lost.append(f"far {error.code}"))
    return near, far, arrived, lost


def drop(data: bytes, now: float) -> list[tuple[float, bytes]]:
    return []


def flip(data: bytes, now: float) -> list[tuple[float, bytes]]:
    return [(0.0, bytes([data[0] ^ 0x01]) + data[1:])]


def split(data: bytes, now: float) -> list[tuple[float, bytes]]:
    return [(0.001 * n, data[n : n + 1]) for n in range(len(data))]


def late(data: bytes, now: float) -> list[tuple[float, bytes]]:
    return [(0.25, data)]


def twice(data: bytes, now: float) -> list[tuple[float, bytes]]:
    return [(0.0, data), (0.1, data)]


def overtake(data: bytes, now: float) -> list[tuple[float, bytes]]:
    return [(0.2, data[:1]), (0.1, data[1:])]


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        (drop, []),
        (flip, [(0.0, b"`bc")]),
        (split, [(0.0, b"a"), (0.001, b"b"), (0.002, b"c")]),
        (late, [(0.25, b"abc")]),
        (twice, [(0.0, b"abc"), (0.1, b"abc")]),
        (overtake, [(0.1, b"bc"), (0.2, b"a")]),
    ],
)
def test_the_channel_decides_what_arrives_and_when(channel: Channel, expected: list[tuple[float, bytes]]) -> None:
    loop = VirtualLoop()
    near, _, arrived, lost = started(loop, forth=channel)
    near.write(b"abc")
    assert arrived == [], "nothing is delivered from inside a write"
    loop.run()
    assert [(round(t - 1000.0, 6), data) for t, data in arrived] == expected
    assert lost == []


@given(seed=st.integers(), pieces=st.lists(st.binary(min_size=1, max_size=20), max_size=20))
def test_the_same_seed_gives_the_same_run(seed: int, pieces: list[bytes]) -> None:
    def once() -> list[tuple[float, bytes]]:
        source = random.Random(seed)

        def hostile(data: bytes, now: float) -> list[tuple[float, bytes]]:
            cut = source.randrange(len(data) + 1)
            return [(source.random(), part) for part in (data[:cut], data[cut:]) if source.random() < 0.8]

        loop = VirtualLoop()
        near, _, arrived, _ = started(loop, forth=hostile)
        for n, piece in enumerate(pieces):
            loop.run(until=1000.0 + n * 0.1)
            near.write(piece)
        loop.run()
        return arrived

    assert once() == once()


@given(pieces=st.lists(st.binary(min_size=1, max_size=20), max_size=20))
def test_equal_delays_keep_the_order(pieces: list[bytes]) -> None:
    loop = VirtualLoop()
    near, _, arrived, _ = started(loop, forth=late)
    for piece in pieces:
        near.write(piece)
    loop.run()
    assert [data for _, data in arrived] == pieces


def test_the_channel_is_told_the_time() -> None:
    times: list[float] = []

    def note(data: bytes, now: float) -> list[tuple[float, bytes]]:
        times.append(now)
        return []

    loop = VirtualLoop()
    near, _, _, _ = started(loop, forth=note)
    loop.now = 1234.5
    near.write(b"x")
    assert times == [1234.5]


def test_unplugging_loses_both_sides_and_what_is_on_its_way() -> None:
    loop = VirtualLoop()
    near, _, arrived, lost = started(loop, forth=late)
    near.write(b"abc")
    near.unplug()
    loop.run()
    assert sorted(lost) == ["far memory-lost", "near memory-lost"]
    assert arrived == []


def test_closing_lets_the_last_bytes_arrive_before_the_other_side_is_lost() -> None:
    loop = VirtualLoop()
    near, _, arrived, lost = started(loop, forth=late)
    near.write(b"abc")
    near.close()
    assert lost == []
    loop.run()
    assert [data for _, data in arrived] == [b"abc"]
    assert lost == ["far memory-lost"]


def test_a_peer_started_later_gets_what_waited_for_it_and_then_the_loss() -> None:
    loop = VirtualLoop()
    near, far = memory_pair()
    seen: list[bytes | str] = []
    near.start(loop, lambda _: None, lambda _: None)
    near.write(b"abc")
    near.close()
    loop.run()
    far.start(loop, seen.append, lambda error: seen.append(error.code))
    loop.run()
    assert seen == [b"abc", "memory-lost"]


def test_a_loss_before_the_start_is_signalled_after_it() -> None:
    loop = VirtualLoop()
    near, far = memory_pair()
    near.close()
    lost: list[DeviceError] = []
    far.start(loop, lambda _: None, lost.append)
    assert lost == []
    loop.run()
    assert [error.code for error in lost] == ["memory-lost"]


def test_too_much_before_the_start_is_the_same_overflow() -> None:
    loop = VirtualLoop()
    near, _ = memory_pair(write_limit_bytes=10)
    near.write(b"x" * 11)
    lost: list[DeviceError] = []
    near.start(loop, lambda _: None, lost.append)
    loop.run()
    assert [error.code for error in lost] == ["transport-overflow"]
