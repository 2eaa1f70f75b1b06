"""The driver against the simulated shoe: two readings of one text, and the machine's own counters.

The world runs in virtual time behind a line that loses, repeats, delays and flips; and as a process behind a real pty.
Proves P1, P8, LINK-4.3, LINK-4.5, LINK-5.7, LINK-6.4, LINK-7.5, SHOE-3.3, SHOE-3.6, SHOE-4.3, SHOE-4.8, SHOE-4.9,
SHOE-6.3 from the host's side.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cardshoe.devices.events import DeviceIdentified, DeviceLost, DeviceRefused, EventsLost, RequestFailed
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import (
    CommandAccepted,
    CommandNotSent,
    CommandOutcome,
    CommandOutcomeUnknown,
    CommandRefused,
    DeckVerified,
    DispenseInterrupted,
    ShoeBooted,
    StackReady,
    StackTaken,
)
from cardshoe.devices.shoe_terms import DispenseResult, Outcome
from cardshoe.sim.world import World


@dataclass
class HostileLine:
    """Pieces on their way, in order except for late repeats."""

    random: Random
    lose: float = 0.0
    repeat: float = 0.0
    delay: float = 0.0
    flip: float = 0.0
    under_way: list[tuple[float, int, bytes]] = field(default_factory=list)
    free_at: float = 0.0
    sent: int = 0

    def send(self, data: bytes, now: float) -> None:
        """Put one write on the line."""
        if not data or self.random.random() < self.lose:
            return
        if self.random.random() < self.flip:
            at = self.random.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ 1 << self.random.randrange(8)]) + data[at + 1 :]
        late = self.random.uniform(0, 0.3) if self.random.random() < self.delay else 0.0
        self.free_at = max(self.free_at, now + 0.002 + late)
        for at in [self.free_at, *([self.free_at + 0.3] if self.random.random() < self.repeat else [])]:
            self.sent += 1
            self.under_way.append((at, self.sent, data))

    def take(self, now: float) -> bytes:
        """Take what has arrived."""
        arrived = sorted(piece for piece in self.under_way if piece[0] <= now)
        self.under_way = [piece for piece in self.under_way if piece[0] > now]
        return b"".join(data for _at, _number, data in arrived)


class Table:
    """A driver and a world under one virtual clock in steps of 10 ms, and a caller that deals stacks of two."""

    def __init__(self, seed: int, **hostility: float) -> None:
        self.random = Random(f"table {seed}")
        self.world = World(seed=seed, speed=10.0)
        nonces = Random(f"nonces {seed}")
        self.driver = ShoeDriver(
            expected=Expected("sim"), nonce=lambda: nonces.randbytes(16), consumed_event=0, lease_ms=1000
        )
        self.down = HostileLine(Random(f"down {seed}"), **hostility)
        self.up = HostileLine(Random(f"up {seed}"), **hostility)
        self.now = 0.0
        self.events: list[Any] = []

    def do(self, call: Callable[..., Any], **arguments: Any) -> None:
        """Let the driver do something now."""
        self.hear(call(now=self.now, **arguments))

    def hear(self, output: Any) -> None:
        """Take a driver's output; every event of the ring is safe at once."""
        self.down.send(output.data, self.now)
        self.events += output.happened
        for event in output.happened:
            if hasattr(event, "event_id"):
                self.hear(self.driver.acknowledge(event.event_id, self.now))

    def hands(self, **request: Any) -> dict[str, Any]:
        """The dealer's hands, faults and counters."""
        answer = self.world.control(request, self.now)
        assert answer["ok"], answer
        return answer

    def run(self, seconds: float) -> None:
        """Let time pass."""
        until = self.now + seconds
        while self.now < until:
            self.now += 0.01
            self.world.advance(self.now)
            if data := self.down.take(self.now):
                self.world.receive("shoe", data, self.now)
            self.up.send(self.world.take_output("shoe"), self.now)
            if data := self.up.take(self.now):
                self.hear(self.driver.receive(data, self.now))
            self.hear(self.driver.advance(self.now))
            if not self.driver.live and self.driver.next_deadline() is None:
                self.hear(self.driver.open(self.now, deadline=self.now + 2))

    def until(self, *kinds: type, seconds: float = 30.0, having: Callable[[Any], bool] = lambda _event: True) -> Any:
        """Run until one of these events comes; earlier ones are forgotten."""
        stop = self.now + seconds
        while self.now < stop:
            for place, event in enumerate(self.events):
                if isinstance(event, kinds) and having(event):
                    del self.events[: place + 1]
                    return event
            self.run(0.01)
        raise AssertionError(f"none of {kinds} in {seconds} s; {self.events}")


ENDS = (CommandAccepted, CommandRefused, CommandNotSent, CommandOutcomeUnknown)


def deal(table: Table, command_id: int) -> Any:
    """Deal one stack as a table must: doubt is asked away, only "never seen" is sent again."""
    while True:
        deadline = table.now + table.random.uniform(0.05, 0.8)
        table.do(table.driver.dispense, command_id=command_id, deck_id=1, cards=2, destination=1, deadline=deadline)
        end = table.until(*ENDS, having=lambda event: event.command_id == command_id)
        if isinstance(end, CommandOutcomeUnknown):
            outcome = ask(table, command_id)
            if outcome.outcome is not Outcome.NEVER_SEEN:
                break
        elif isinstance(end, CommandAccepted):
            break
        elif isinstance(end, CommandRefused):
            assert end.refusal is DispenseResult.NO_LEASE, end  # its id stays unused, so it may be given again
            table.run(0.3)
        else:
            table.run(0.3)
    while (outcome := ask(table, command_id)).outcome is Outcome.RUNNING:
        table.run(0.1)
    return outcome


def ask(table: Table, command_id: int) -> CommandOutcome:
    """Ask what became of a command until the shoe says; asking again is harmless."""
    while True:
        table.do(table.driver.query_command, command_id=command_id, deadline=table.now + 0.8)
        answer = table.until(CommandOutcome, RequestFailed)
        if isinstance(answer, CommandOutcome):
            assert answer.command_id == command_id
            return answer
        table.run(0.2)


HOSTILITY = {
    "quiet": {},
    "lost": {"lose": 0.25},
    "repeated and delayed": {"repeat": 0.5, "delay": 0.3},
    "all": {"lose": 0.1, "repeat": 0.2, "delay": 0.15, "flip": 0.1},
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", HOSTILITY)
def test_every_stack_moves_once_whatever_the_line_does(kind: str, seed: int) -> None:
    """P1, P8, LINK-4.3, LINK-4.5, LINK-7.5, SHOE-3.3, SHOE-3.6, SHOE-4.3: the counters of the mechanism agree."""
    table = Table(seed, **HOSTILITY[kind])
    table.until(DeviceIdentified)
    done = stopped = 0
    for command_id in range(1, 13):
        outcome = deal(table, command_id)
        counters = table.hands(do="counters")
        done += outcome.outcome is Outcome.DONE
        stopped += outcome.outcome is Outcome.INTERRUPTED  # the lease ran out while the line was down (LINK-6.4)
        assert counters["stacks_dispensed"] == done
        assert counters["feeds_started"] == done + stopped
        if table.hands(do="look")["gate"]["backs"]:
            table.hands(do="take_stack", to="1")
            table.run(0.5)
    assert done + stopped == 12
    if kind == "quiet":
        assert done == 12
    assert not any(isinstance(event, EventsLost) for event in table.events)


def test_a_power_cut_in_mid_feed_is_interrupted_and_never_fed_again() -> None:
    """P1, LINK-5.7, SHOE-3.3, SHOE-4.9: the shoe says so after its start, by event and by query; the id is spent."""
    table = Table(5)
    table.until(DeviceIdentified)
    table.do(table.driver.dispense, command_id=7, deck_id=1, cards=7, destination=0, deadline=table.now + 1)
    table.until(CommandAccepted)
    table.run(0.2)
    fed = table.hands(do="counters")["feeds_started"]
    table.hands(do="power", device="shoe", state="off")
    table.until(DeviceLost)
    table.hands(do="power", device="shoe", state="on")
    table.until(DeviceIdentified)
    assert table.until(ShoeBooted).cards_at
    assert table.until(DispenseInterrupted).command_id == 7
    assert ask(table, 7).outcome is Outcome.INTERRUPTED
    table.do(table.driver.dispense, command_id=7, deck_id=1, cards=7, destination=0, deadline=table.now + 1)
    assert table.until(CommandRefused) == CommandRefused(7, DispenseResult.STALE_COMMAND)
    assert table.hands(do="counters")["feeds_started"] == fed


def test_a_stack_that_is_taken_is_told_with_its_cards() -> None:
    """SHOE-4.4, SHOE-4.8, FR-04: accepted, ready, taken: three events of one command."""
    table = Table(6)
    table.until(DeviceIdentified)
    table.do(table.driver.dispense, command_id=1, deck_id=1, cards=3, destination=2, deadline=table.now + 1)
    assert table.until(CommandAccepted) == CommandAccepted(1)
    ready = table.until(StackReady)
    assert (ready.command_id, ready.deck_id, ready.cards, ready.first_slot) == (1, 1, 3, 0)
    table.hands(do="take_stack", to="2")
    taken = table.until(StackTaken)
    assert (taken.command_id, taken.cards) == (1, 3)


def test_a_deck_is_prepared_and_verified() -> None:
    """SHOE-6.2, SHOE-6.3: a new deck id, 52 cards."""
    table = Table(7)
    table.until(DeviceIdentified)
    table.do(table.driver.prepare_deck, command_id=1, deadline=table.now + 1)
    assert table.until(CommandAccepted) == CommandAccepted(1)
    verified = table.until(DeckVerified, seconds=90)
    assert (verified.command_id, verified.deck_id, verified.cards) == (1, 2, 52)


# --- a process behind a real pty


def _ask(control: Path, **request: Any) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as hands:
        hands.settimeout(20)
        hands.connect(str(control))
        with hands.makefile("rw") as lines:
            lines.write(json.dumps(request) + "\n")
            lines.flush()
            answer: dict[str, Any] = json.loads(lines.readline())
            return answer


class RealPort:
    """A raw pty, a driver and the machine's clock."""

    def __init__(self, path: Path) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.fd)
        self.driver = ShoeDriver(
            expected=Expected(f"serial://{path}"),
            nonce=lambda: secrets.token_bytes(16),
            consumed_event=None,
            lease_ms=None,
        )

    def take(self, output: Any) -> list[Any]:
        """Write what the driver says."""
        data = output.data
        while data:
            select.select([], [self.fd], [], 5)
            data = data[os.write(self.fd, data) :]
        return list(output.happened)

    def until(self, *kinds: type, before: list[Any]) -> Any:
        """Run until one of these events comes, 30 s at most."""
        happened, stop = list(before), time.monotonic() + 30
        while time.monotonic() < stop:
            for event in happened:
                if isinstance(event, kinds):
                    return event
            due = self.driver.next_deadline()
            wait = 0.2 if due is None else max(0.0, min(0.2, due - time.monotonic()))
            readable, _, _ = select.select([self.fd], [], [], wait)
            data = os.read(self.fd, 4096) if readable else b""
            happened = self.take(self.driver.receive(data, time.monotonic()))
        raise AssertionError(f"none of {kinds} in 30 s")


def test_a_whole_stack_over_a_real_pty(tmp_path: Path) -> None:
    """P8, P10, LINK-1.1, LINK-1.2: identified, dispensed, taken, and the counters of the process agree."""
    port, control = tmp_path / "shoe", tmp_path / "hands"
    words = ["--shoe", f"pty:{port}", "--control", str(control), "--seed", "3", "--speed", "20"]
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("cardshoe")), "sim", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        stop = time.monotonic() + 30
        while not (control.exists() and port.exists()) and process.poll() is None and time.monotonic() < stop:
            time.sleep(0.02)
        assert process.poll() is None
        line = RealPort(port)
        try:
            opened = line.take(line.driver.open(time.monotonic(), deadline=time.monotonic() + 10))
            first = line.until(DeviceIdentified, DeviceRefused, before=opened)
            assert isinstance(first, DeviceIdentified)
            now = time.monotonic()
            asked = line.driver.dispense(command_id=1, deck_id=1, cards=2, destination=1, now=now, deadline=now + 5)
            ready = line.until(StackReady, before=line.take(asked))
            assert (ready.command_id, ready.cards) == (1, 2)
            assert _ask(control, do="take_stack", to="1")["ok"]
            assert line.until(StackTaken, before=[]).cards == 2
            assert _ask(control, do="counters")["stacks_dispensed"] == 1
        finally:
            os.close(line.fd)
    finally:
        process.terminate()
        process.communicate(timeout=20)
