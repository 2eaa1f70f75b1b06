"""A sealed session of the host with a device after the prose: opened, used, repeated, lost.

Proves for the host LINK-9.1 to LINK-9.11 and LINK-5.9; the device's ciphers are the vectors' own.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from scripted_device import Line, dispense
from sealed_device import CAPABILITIES, SealedDevice, pair_key, sealed_host, sealed_rig
from vector_wire import read_collection

from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.link.events import (
    CommandReplied,
    EventArrived,
    LinkLost,
    LostReason,
    Refusal,
    SealedCountRose,
    SessionOpened,
    SessionRefused,
    StatusArrived,
    TamperingSuspected,
)
from cardshoe.link.machine import Phase
from cardshoe.link.messages import Hello, Seal
from cardshoe.link.seal import COUNTER_END, SealedCheck
from cardshoe.wire.framing import Frame


def clear_messages(data: bytes) -> list[Any]:
    """The clear messages in `data`, as the third implementation reads them."""
    read = [read_collection(part) for part in data.split(b"\0") if part]
    frames = [Frame(each.session, each.type, each.sequence, each.payload) for each in read if not isinstance(each, str)]
    return [SHOE_CODEC.decode(frame) for frame in frames]


def test_a_session_opens_sealed_and_carries_everything() -> None:
    """LINK-9.1, LINK-9.4, LINK-9.8, LINK-9.9: commands, events and heartbeats, each once."""
    rig = sealed_rig()
    rig.take(rig.host.open(0.0, deadline=3.0))
    rig.run(0.5)
    (opened,) = rig.told(SessionOpened)
    assert isinstance(opened, SessionOpened)
    assert opened.transcript is not None
    assert (opened.identity.capabilities, opened.identity.session) == (CAPABILITIES, 1)
    rig.take(rig.host.send_command(dispense(5), now=rig.now, deadline=rig.now + 1))
    rig.run(1.0)
    (replied,), (arrived,) = rig.told(CommandReplied), rig.told(EventArrived)
    assert isinstance(replied, CommandReplied)
    assert isinstance(arrived, EventArrived)
    assert (rig.device.done, arrived.event_id) == ([5], 1)
    assert len(rig.told(StatusArrived)) >= 5
    assert rig.told(TamperingSuspected, LinkLost) == []
    assert rig.host.dropped == 0


def test_nothing_but_the_opening_is_in_clear() -> None:
    """LINK-9.1, LINK-9.8: HELLO and SEAL, then no clear frame more, and no payload to be read on the line."""
    rig = sealed_rig()
    seen = bytearray()
    send = rig.down.send
    rig.down.send = lambda data, now: (seen.extend(data), send(data, now))[1]  # type: ignore[method-assign]
    rig.take(rig.host.open(0.0, deadline=3.0))
    rig.run(0.3)
    command = dispense(0x1122334455667788)
    rig.take(rig.host.send_command(command, now=rig.now, deadline=rig.now + 1))
    rig.run(0.5)
    assert [type(message) for message in clear_messages(bytes(seen))] == [Hello, Seal]
    assert SHOE_CODEC.payload(command)[:8] not in seen
    assert rig.device.done == [0x1122334455667788]


def test_nothing_is_sent_before_the_count_is_kept() -> None:
    """LINK-9.6: told, then silence until the caller has it stored; a caller that never has gets no session."""
    rig = sealed_rig()
    rig.on_event = lambda _event: None
    rig.take(rig.host.open(0.0, deadline=1.0))
    rig.run(0.3)
    assert [event for event in rig.events if isinstance(event, SealedCountRose)] == [
        SealedCountRose(pair_key().key_id, 1)
    ]
    taken = rig.device.log
    rig.run(0.5)
    assert (rig.host.phase, taken, rig.told(SessionOpened)) == (Phase.OPENING, [], [])
    rig.run(0.5)
    (refused,) = rig.told(SessionRefused)
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is Refusal.COUNT_NOT_KEPT


def test_each_session_has_keys_of_its_own_and_a_higher_count() -> None:
    """LINK-9.4, LINK-9.5, LINK-9.6."""
    rig = sealed_rig()
    for number in (1, 2, 3):
        rig.take(rig.host.open(rig.now, deadline=rig.now + 2))
        rig.run(0.3)
        assert rig.told(SealedCountRose)[-1] == SealedCountRose(pair_key().key_id, number)
    opened = [event.transcript for event in rig.events if isinstance(event, SessionOpened)]
    assert len(set(opened)) == 3


def test_a_lost_answer_is_asked_for_again() -> None:
    """LINK-9.7: the same SEAL gets the same answer; one session begins."""
    rig = sealed_rig()
    rig.take(rig.host.open(0.0, deadline=3.0))
    rig.device_mute = True
    rig.run(0.1)
    rig.device_mute = False
    rig.run(0.28)  # HELLO again is answered, SEAL goes out
    rig.device_mute = True
    rig.run(0.02)
    rig.device_mute = False
    rig.run(0.5)
    assert len(rig.told(SessionOpened)) == 1
    assert rig.device.count == 1


@pytest.mark.parametrize("seed", range(6))
def test_a_bad_line_costs_frames_and_never_a_promise(seed: int) -> None:
    """LINK-9.9, LINK-9.10, LINK-4.3: losses and damage are repeated under new counters; each command once."""
    random = Random(seed)
    trouble = {"lose": 0.1, "flip": 0.05, "split": 0.5}
    device = SealedDevice()
    rig = sealed_rig(device=device, down=Line(random, **trouble), up=Line(random, **trouble))
    opened = 0
    given: list[int] = []
    while len(given) < 12:
        if rig.host.phase is not Phase.OPEN:
            rig.take(rig.host.open(rig.now, deadline=rig.now + 5))
            rig.run(2.0)
            opened += 1
            assert opened < 30
            continue
        given.append(len(given) + 1)
        rig.take(rig.host.send_command(dispense(given[-1]), now=rig.now, deadline=rig.now + 2))
        rig.run(1.0)
        for event in rig.told(EventArrived):
            assert isinstance(event, EventArrived)
            rig.take(rig.host.acknowledge(event.event_id, rig.now))
    assert len(device.done) == len(set(device.done))
    assert device.replays == 0


def test_frames_of_a_clear_version_are_dropped_in_a_sealed_session() -> None:
    """LINK-9.11: REJECT too; the loss is noticed by silence alone (LINK-6.5)."""
    rig = sealed_rig()
    rig.take(rig.host.open(0.0, deadline=2.0))
    rig.run(0.3)
    from scripted_device import TYPE, frame_of  # noqa: PLC0415

    reject = frame_of("REJECT", {"reason": 1, "rejected_type": TYPE["HEARTBEAT"]}, session=1, sequence=0)
    before = rig.host.dropped
    rig.take(rig.host.receive(b"\0" + reject, rig.now))
    assert (rig.host.phase, rig.host.dropped) == (Phase.OPEN, before + 1)
    rig.device.restart()
    rig.run(1.5)
    (lost,) = rig.told(LinkLost)
    assert lost == LinkLost(LostReason.SILENCE)


def test_a_session_ends_before_its_counters_do() -> None:
    """LINK-9.9: no counter is ever used twice."""
    rig = sealed_rig()
    rig.take(rig.host.open(0.0, deadline=2.0))
    rig.run(0.3)
    check: Any = rig.host._check
    assert isinstance(check, SealedCheck)
    check._sent = COUNTER_END
    rig.run(0.3)
    assert rig.told(LinkLost) == [LinkLost(LostReason.COUNTER)]


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"key": pair_key(secret=bytes(32))}, Refusal.UNKNOWN_KEY),
        ({"key": pair_key(role=1)}, Refusal.WRONG_ROLE),
    ],
)
def test_the_device_s_refusals_are_told_apart(change: dict[str, Any], refusal: Refusal) -> None:
    """LINK-9.3: a key that it does not hold; a role that does not fit the purpose."""
    rig = sealed_rig(sealed_host(**change))
    rig.take(rig.host.open(0.0, deadline=2.0))
    rig.run(0.5)
    (refused,) = rig.told(SessionRefused)
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is refusal
    assert rig.device.count == 0
