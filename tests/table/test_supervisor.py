"""A device's life under a virtual clock: pauses that grow, a log that does not flood, an end that comes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from cardshoe.devices.events import DeviceIdentified, DeviceLost, Output
from cardshoe.errors import DeviceError
from cardshoe.link.events import Identity, LostReason
from cardshoe.table import supervisor
from cardshoe.table.config import TimingPart
from cardshoe.table.supervisor import DevicePort, Health, Repeats

WHO = Identity(1, "CS-1", "S-1", "1.0", b"", 1, 128, 31, 1, 1, 0)


class Clock:
    """Time that only a test moves."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def wall(self) -> str:
        return "2026-01-01T00:00:00.000Z"


class Port:
    """A transport that does nothing but count its closings."""

    url = "serial:///dev/x"

    def __init__(self) -> None:
        self.closed = 0

    def start(self, _loop: Any, _on_bytes: Any, on_lost: Callable[[DeviceError], None]) -> None:
        self.on_lost = on_lost

    def write(self, _data: bytes) -> None:
        return

    def close(self) -> None:
        self.closed += 1


class Device:
    """A driver whose device identifies itself at once and is gone after `up_s` of the test's clock."""

    def __init__(self, clock: Clock, up_s: float) -> None:
        self.clock = clock
        self.up_s = up_s

    def open(self, _now: float, *, deadline: float) -> Output[Any]:
        assert deadline > self.clock.now()
        self.clock.seconds += 0.0
        return Output(b"hello", (DeviceIdentified(WHO),))

    def receive(self, _data: bytes, _now: float) -> Output[Any]:
        return Output(b"", ())

    def advance(self, _now: float) -> Output[Any]:
        self.clock.seconds += self.up_s
        return Output(
            b"", (DeviceLost(LostReason.SILENCE, DeviceError("device-lost-silence", "the shoe fell silent")),)
        )

    def next_deadline(self) -> float | None:
        return self.clock.now()

    def acknowledge(self, _event_id: int, _now: float) -> Output[Any]:
        return Output(b"", ())

    def close(self) -> Output[Any]:
        return Output(b"", ())

    def port_lost(self) -> Output[Any]:
        return Output(b"", ())


class Enough(Exception):
    pass


def pauses(monkeypatch: pytest.MonkeyPatch, *, up_s: float, attempts: int, missing: bool = False) -> list[float]:
    """Let a device come and go `attempts` times; return the pauses between the attempts."""
    clock, waited, ports = Clock(), [], []
    sleep = asyncio.sleep

    async def slept(seconds: float) -> None:
        waited.append(seconds)
        clock.seconds += seconds
        if len(waited) >= attempts:
            raise Enough
        await sleep(0)

    async def opener(url: str) -> Any:
        if missing:
            raise DeviceError("port-missing", f"{url} is not there")
        ports.append(Port())
        return ports[-1]

    async def run() -> None:
        device = DevicePort(
            "shoe",
            "serial:///dev/x",
            Device(clock, up_s),
            clock=clock,
            timing=TimingPart(),
            opener=opener,
            on_happened=lambda _event: None,
        )
        device.start()
        assert device._task is not None
        with pytest.raises(Enough):
            await device._task
        assert device.health is Health.LOST
        await device.close()

    monkeypatch.setattr(supervisor.asyncio, "sleep", slept)
    asyncio.run(run())
    assert all(port.closed for port in ports)
    return waited


def test_a_brief_success_does_not_reset_the_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-43: identified, gone after 3 s, twenty times: the pauses grow to the longest and stay there."""
    waited = pauses(monkeypatch, up_s=3.0, attempts=20)
    assert waited == [0.25, 0.5] + [1.0] * 18


def test_a_stable_time_takes_the_pause_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-43: after a session that lasted the next loss is met with the first pause."""
    assert pauses(monkeypatch, up_s=10.0, attempts=5) == [0.25] * 5


@pytest.mark.parametrize("missing", [True, False], ids=["no port", "comes and goes"])
def test_ten_minutes_without_a_device_are_few_lines(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, missing: bool
) -> None:
    """FR-25: state changes once, repeats summed up once a minute."""
    with caplog.at_level(logging.INFO, logger=supervisor.__name__):
        waited = pauses(monkeypatch, up_s=0.5, attempts=600, missing=missing)
    assert sum(waited) > 590
    assert 10 <= len(caplog.records) < 50
    assert any("more times since it was last told" in record.getMessage() for record in caplog.records)


def test_what_repeats_is_counted_and_told() -> None:
    """FR-25."""
    repeats = Repeats()
    assert repeats.say("lost", 0.0) == ""
    assert [repeats.say("lost", now) for now in (1.0, 2.0, 59.9)] == [None, None, None]
    assert repeats.say("other", 3.0) == ""
    assert repeats.say("lost", 60.0) == " (3 more times since it was last told)"
    assert repeats.say("lost", 120.0) == ""
