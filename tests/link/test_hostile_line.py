"""The promises of the link on a line that loses, repeats, delays, splits and flips, under virtual time.

Proves P1 (at most once, and no lie about the outcome), P9 and LINK-4.3, LINK-4.5, LINK-5.4, LINK-5.7, LINK-5.10,
LINK-7.5, LINK-7.6, LINK-8.1 together; E27, E28, E29, E32, E33, S16, S17, FR-08, FR-20, FR-26, FR-28, FR-29, FR-31.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest
from scripted_device import Line, Rig, ScriptedDevice, dispense, make_host

from cardshoe.devices.shoe_wire import SHOE_CODEC, Dispense, DispenseReply, QueryCommand, QueryCommandReply
from cardshoe.link.events import (
    CommandNotSent,
    CommandRejected,
    CommandReplied,
    CommandUnknown,
    EventArrived,
    EventsLost,
    LinkEvent,
    LinkLost,
    LostReason,
    SessionRefused,
    StatusArrived,
)
from cardshoe.link.machine import Phase

NEVER_SEEN, DONE = 0, 2
STALE, RING_FULL = 10, 12


@dataclass
class Caller:
    """What a table does with a link: one command at a time, query after doubt, acknowledge what is safe, open again.

    Notes every claim of the link beside the truth in the device at that moment.
    """

    rig: Rig
    random: Random
    commands: int
    acknowledges: float  # how often it has got its events safe, per step
    lies: list[str] = field(default_factory=list)
    handed: list[tuple[int, str]] = field(default_factory=list)
    losses: list[EventsLost] = field(default_factory=list)
    sessions: int = 0
    doubts: int = 0
    in_doubt: bool = False
    waiting: bool = False
    next_id: int = 1

    def step(self) -> None:
        """Hear what happened, then do what comes next."""
        told, self.rig.events = self.rig.events, []
        for event in told:
            self._hear(event)
        rig = self.rig
        if rig.host.phase is Phase.CLOSED:
            self.sessions += 1
            rig.take(rig.host.open(rig.now, deadline=rig.now + 3))
        elif rig.host.phase is Phase.OPEN:
            self._go_on()

    def _go_on(self) -> None:
        rig = self.rig
        if self.handed and self.random.random() < self.acknowledges:
            rig.take(rig.host.acknowledge(self.handed[-1][0], rig.now))
        if self.waiting or self.next_id > self.commands or self.random.random() < 0.7:
            return
        self.waiting = True
        command = (
            SHOE_CODEC.build("QUERY_COMMAND", {"command_id": self.next_id}) if self.in_doubt else dispense(self.next_id)
        )
        rig.take(rig.host.send_command(command, now=rig.now, deadline=rig.now + self.random.uniform(0.02, 1.5)))

    def _hear(self, event: LinkEvent) -> None:
        moved = self.next_id in self.rig.device.done
        match event:
            case CommandReplied(Dispense(), DispenseReply(command_id, result)):
                self._claim(command_id, moved, result == 0 or (result == STALE and moved))
                if result == RING_FULL:
                    self.next_id -= 1
            case CommandReplied(QueryCommand(), QueryCommandReply() as reply):
                self._claim(reply.command_id, moved, reply.outcome == DONE)
                self.in_doubt = False
                if reply.outcome == NEVER_SEEN:
                    self.next_id -= 1  # the same id may be sent again
            case CommandRejected(command=Dispense()) | CommandNotSent(command=Dispense()):
                self._claim(self.next_id, moved, claimed=False)
                self.next_id -= 1
            case CommandUnknown(command=Dispense()):
                self.in_doubt, self.waiting, self.doubts = True, False, self.doubts + 1
                return
            case CommandUnknown() | CommandNotSent() | CommandRejected():
                self.waiting = False
                return
            case EventArrived(event_id, message):
                self.handed.append((event_id, type(message).__name__))
                return
            case EventsLost():
                self.losses.append(event)
                return
            case _:
                return
        self.waiting, self.next_id = False, self.next_id + 1

    def _claim(self, command_id: int, moved: bool, claimed: bool) -> None:
        if command_id != self.next_id or moved != claimed:
            self.lies.append(f"command {command_id}: told moved={claimed}, the device says {moved}")


def play(
    seed: int,
    *,
    seconds: float,
    restarts: float = 0.0,
    doors: float = 0.05,
    acknowledges: float = 0.5,
    **hostility: float,
) -> tuple[Caller, ScriptedDevice]:
    """Play a table for `seconds` on a bad line, then 60 s on a good one."""
    random = Random(f"hostile {seed}")
    device = ScriptedDevice(busy_hellos=random.randrange(3), refuse=lambda command_id: 3 if command_id % 7 == 0 else 0)
    down, up = (Line(Random(f"{seed} {way}"), **hostility) for way in ("down", "up"))
    rig = Rig(make_host(seed, consumed_event=0), device, down=down, up=up)
    caller = Caller(rig, random, 40, acknowledges)
    while rig.now < seconds:
        rig.run(0.1)
        if random.random() < doors:
            device.happen("DOOR_OPENED", cards_left=40)
        if random.random() < restarts:
            device.restart()
        caller.step()
    for line in (down, up):
        line.lose = line.repeat = line.delay = line.split = line.flip = 0.0
    caller.acknowledges = 0.5
    for _ in range(600):
        rig.run(0.1)
        caller.step()
    return caller, device


HOSTILITY = {
    "lost": {"lose": 0.3},
    "repeated late": {"repeat": 0.5},
    "delayed": {"delay": 0.3},
    "split and flipped": {"split": 0.7, "flip": 0.2},
    "all": {"lose": 0.1, "repeat": 0.2, "delay": 0.1, "split": 0.3, "flip": 0.1},
    "restarts": {"restarts": 0.03, "lose": 0.05, "repeat": 0.2},
    "slow to acknowledge": {"acknowledges": 0.005, "doors": 0.3, "lose": 0.05, "restarts": 0.01},
}


def check(caller: Caller, device: ScriptedDevice) -> None:
    """The promises, over a whole run."""
    # P1: at most once, in the order given, refused ones never; and the link never claims what is not so.
    assert caller.lies == []
    assert device.done == [number for number in range(1, 41) if number % 7]
    # In order, once each, or a loss told.
    ids = [event_id for event_id, _name in caller.handed]
    assert ids == sorted(set(ids))
    missing = set(range(1, device.last_event + 1)) - set(ids)
    told = {number for loss in caller.losses for number in range(loss.received + 1, loss.oldest)}
    assert missing == told
    names = {event_id: name.upper().replace("_", "") for event_id, name in device.all_events}
    assert all(names[event_id] == name.upper() for event_id, name in caller.handed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", HOSTILITY)
def test_at_most_once_and_in_order_or_a_loss_told(kind: str, seed: int) -> None:
    """P1, LINK-4.3, LINK-4.5, LINK-5.4, LINK-5.7, LINK-5.10, LINK-7.5, LINK-7.6, E27 to E29, FR-28, FR-29, FR-31."""
    check(*play(seed, seconds=40, **HOSTILITY[kind]))


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", HOSTILITY)
def test_at_most_once_over_many_seeds(kind: str) -> None:
    """P1, LINK-4.3, LINK-7.5: the same over 100 seeds a kind."""
    for seed in range(100, 200):
        check(*play(seed, seconds=120, **HOSTILITY[kind]))


def test_the_line_is_as_hostile_as_it_says() -> None:
    """The runs above do lose sessions and events and leave commands in doubt, or they would prove nothing."""
    doubts = losses = sessions = 0
    for hostility in HOSTILITY.values():
        for seed in range(4):
            caller, _device = play(seed, seconds=40, **hostility)
            doubts, losses, sessions = doubts + caller.doubts, losses + len(caller.losses), sessions + caller.sessions
    assert doubts > 50
    assert losses > 5
    assert sessions > 100


def test_a_restart_in_the_middle_is_seen_and_events_of_before_come_after_it() -> None:
    """LINK-5.7, LINK-5.10, LINK-7.2, FR-29: the ring kept the stack's event; a query would say done."""
    device = ScriptedDevice()
    rig = Rig(make_host(consumed_event=0), device)
    rig.take(rig.host.open(0.0, deadline=2.0))
    rig.run(0.3)
    device.happen("DOOR_OPENED", cards_left=40)
    device.restart()
    rig.run(0.5)
    assert rig.told(LinkLost) == [LinkLost(LostReason.NO_SESSION)]
    device.happen("BOOTED", cause=1, cards_at=1)
    rig.take(rig.host.open(rig.now, deadline=rig.now + 2))
    rig.run(0.5)
    assert [event.event_id for event in rig.told(EventArrived)] == [1, 2]
    assert rig.told(EventsLost) == []


def test_a_device_that_stops_answering_is_lost_and_comes_back() -> None:
    """LINK-6.5, FR-08: the port stays open; what it says while mute is gone, and nothing old is acted on."""
    device = ScriptedDevice()
    rig = Rig(make_host(consumed_event=0), device)
    rig.take(rig.host.open(0.0, deadline=2.0))
    rig.run(1.0)
    rig.device_mute = True
    rig.run(1.5)
    assert rig.told(LinkLost) == [LinkLost(LostReason.SILENCE)]
    rig.device_mute = False
    rig.run(1.0)
    assert rig.told(LinkLost) == [LinkLost(LostReason.SILENCE)]
    rig.take(rig.host.open(rig.now, deadline=rig.now + 2))
    rig.run(1.0)
    assert rig.host.phase is Phase.OPEN


def test_single_faults_spread_over_84_minutes_do_not_add_up() -> None:
    """S17, E33: eight lost answers, ten minutes apart; the session lasts."""
    device = ScriptedDevice()
    rig = Rig(make_host(consumed_event=0), device)
    rig.take(rig.host.open(0.0, deadline=2.0))
    for _ in range(8):
        rig.run(630.0)
        rig.device_mute = True
        rig.run(0.3)
        rig.device_mute = False
    rig.run(1.0)
    assert rig.told(LinkLost, SessionRefused) == []
    assert len(rig.told(StatusArrived)) > 20_000


def test_a_frame_lost_exactly_at_the_wrap_is_one_repeat() -> None:
    """LINK-4.1, LINK-4.3, LINK-4.5, FR-28: at 255 and at 0 the command or its reply is lost; each is done once."""
    device = ScriptedDevice(ring_size=1000)
    rig = Rig(make_host(consumed_event=0), device)
    rig.take(rig.host.open(0.0, deadline=2.0))
    rig.run(0.1)
    for command_id in range(1, 601):
        lossy = command_id % 256 in (255, 0)
        rig.take(rig.host.send_command(dispense(command_id), now=rig.now, deadline=rig.now + 1))
        if lossy and command_id < 300:
            rig.down.under_way.clear()  # the command is lost
        rig.device_mute = lossy and command_id > 300  # its reply is lost
        rig.run(0.05)
        rig.device_mute = False
        rig.run(0.2 if lossy else 0.0)
    assert device.done == list(range(1, 601))
    assert device.log == [f"Dispense {number % 256}" for number in range(1, 601)]
    assert len(rig.told(CommandReplied)) == 600
    assert rig.told(LinkLost, CommandUnknown) == []
