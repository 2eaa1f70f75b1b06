"""Somebody stands in the line of a sealed session: what he tries is refused, counted for what it is, and moves nothing.

Proves for the host, and for the device after the prose, LINK-9.1 to LINK-9.12: read, change, replay, reorder, splice
of two sessions, downgrade, swap of devices, clone with copied memory (T1, T5 to T7 of the threat model).
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import sealed_wire as sealed
from scripted_device import TYPE, Rig, dispense, frame_of
from sealed_device import CAPABILITIES, PAIR_KEY, SealedDevice, pair_key, payload_of, sealed_host, sealed_rig
from vector_wire import cobs_decode, cobs_encode, read_collection, wire_of

from cardshoe.cards import DECK
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.link.events import (
    CommandReplied,
    EventArrived,
    LinkLost,
    Refusal,
    SealedCountRose,
    SessionOpened,
    SessionRefused,
    TamperingSuspected,
)
from cardshoe.link.machine import Phase
from cardshoe.wire.framing import Frame


class Middle:
    """Somebody who hears every piece of the line and may put others in its place."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.down: list[bytes] = []
        self.up: list[bytes] = []
        self.change_down: Callable[[bytes], bytes] = lambda data: data
        self.change_up: Callable[[bytes], bytes] = lambda data: data
        send_down, send_up = rig.down.send, rig.up.send

        def down(data: bytes, now: float) -> None:
            self.down.append(data)
            send_down(self.change_down(data), now)

        def up(data: bytes, now: float) -> None:
            self.up.append(data)
            send_up(self.change_up(data), now)

        rig.down.send, rig.up.send = down, up  # type: ignore[method-assign]

    def frames(self, pieces: list[bytes]) -> list[bytes]:
        """The frames in these pieces, each with its 00."""
        return [part + b"\0" for part in b"".join(pieces).split(b"\0") if part]

    def sealed_frames(self, pieces: list[bytes]) -> list[bytes]:
        """Those of version 81."""
        return [frame for frame in self.frames(pieces) if (cobs_decode(frame[:-1]) or b"\0")[0] == 0x81]


def opened(**options: Any) -> tuple[Rig, Middle]:
    """A session that is open, with somebody in the line."""
    rig = sealed_rig(**options)
    middle = Middle(rig)
    rig.take(rig.host.open(0.0, deadline=3.0))
    rig.run(0.3)
    assert rig.host.phase is Phase.OPEN
    return rig, middle


def each_frame(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Change the content of every frame in a piece."""

    def changed(data: bytes) -> bytes:
        parts = data.split(b"\0")
        return b"\0".join(cobs_encode(change(cobs_decode(part) or b"")) if part else b"" for part in parts)

    return changed


# --- read


def test_reading_the_line_gives_no_payload() -> None:
    """LINK-9.8, LINK-9.12: the same command twice looks different, and its bytes are nowhere."""
    rig, middle = opened()
    middle.down.clear()
    command = dispense(0xA1B2C3D4E5F60708)
    rig.take(rig.host.send_command(command, now=rig.now, deadline=rig.now + 1))
    rig.device_mute = True
    rig.run(0.4)
    orders = [frame for frame in middle.sealed_frames(middle.down) if (cobs_decode(frame[:-1]) or b"")[2] == 0x11]
    assert len(orders) == 3  # repeated, each under a counter of its own (LINK-9.9)
    assert len(set(orders)) == 3
    assert all(SHOE_CODEC.payload(command)[:8] not in (cobs_decode(each[:-1]) or b"") for each in orders)


def test_length_and_type_do_not_depend_on_a_card() -> None:
    """LINK-9.12: a match of any face is sealed to the same length, under the same type."""
    rig, middle = opened()
    shapes = set()
    for face in range(len(DECK)):
        fields = {"round_id": 1, "command_id": 1, "face": face}
        wire = rig.host._check.encode(session=1, type=0x19, sequence=1, payload=payload_of("MATCH_CARD", fields))
        content = cobs_decode(wire[:-1]) or b""
        shapes.add((len(wire), len(content), content[:5]))
    assert len(shapes) == 1
    assert middle.up


# --- change


@pytest.mark.parametrize("place", [1, 2, 3, 5, 9, 12, -1])
def test_a_changed_command_is_not_carried_out(place: int) -> None:
    """LINK-9.8, LINK-9.10, T5: header, counter, payload or tag: the device drops it, and nothing moves."""
    rig, middle = opened()

    def turn(content: bytes) -> bytes:
        at = place % len(content)
        return content[:at] + bytes((content[at] ^ 1,)) + content[at + 1 :]

    middle.change_down = each_frame(turn)
    rig.take(rig.host.send_command(dispense(5), now=rig.now, deadline=rig.now + 0.5))
    rig.run(0.6)
    assert rig.device.done == []
    assert rig.device.log == []
    assert rig.told(CommandReplied) == []


def test_changed_answers_are_counted_as_wrong_tags_and_told_above_noise() -> None:
    """LINK-9.10, T5: no report is taken, and somebody at the line is told apart from a bad one."""
    rig, middle = opened()
    middle.change_up = each_frame(lambda content: content[:-1] + bytes((content[-1] ^ 1,)))
    for _ in range(40):
        rig.device.happen("DECK_LOADED")
        rig.run(0.02)
    check: Any = rig.host._check
    assert check.wrong_tags > 8
    assert check.replays == 0
    (told, *_more) = rig.told(TamperingSuspected)
    assert isinstance(told, TamperingSuspected)
    assert told.replays == 0
    assert told.wrong_tags > 8
    assert rig.told(EventArrived) == []


# --- replay, reorder


def test_a_replayed_command_moves_nothing() -> None:
    """LINK-9.9, LINK-9.10, T6: the device takes no frame twice, even after its reply cache has moved on."""
    rig, middle = opened()
    middle.down.clear()
    for command_id in (5, 6):
        rig.take(rig.host.send_command(dispense(command_id), now=rig.now, deadline=rig.now + 1))
        rig.run(0.3)
    assert rig.device.done == [5, 6]
    log = list(rig.device.log)
    for frame in middle.sealed_frames(middle.down):
        rig.device.receive(frame, rig.now)
    assert (rig.device.done, rig.device.log) == ([5, 6], log)
    assert rig.device.replays == len(middle.sealed_frames(middle.down))
    assert rig.device.wrong_tags == 0


def test_a_replayed_report_is_not_taken_and_is_told_at_once() -> None:
    """LINK-9.10, T6: a card that left the shoe once is not told twice; noise cannot do this, so one is enough."""
    rig, middle = opened()
    rig.device.happen("DECK_LOADED")
    rig.run(0.1)
    (first,) = rig.told(EventArrived)
    before = len(rig.events)
    frames = middle.sealed_frames(middle.up)
    rig.take(rig.host.receive(b"\0" + frames[-1], rig.now))
    assert rig.events[before:] == [TamperingSuspected(1, 0)]
    assert rig.told(EventArrived) == [first]
    check: Any = rig.host._check
    assert (check.replays, check.wrong_tags) == (1, 0)


def test_frames_that_change_places_cost_the_later_one() -> None:
    """LINK-9.10: strict order: the frame that was overtaken is a replay, its command is repeated and done once."""
    rig, middle = opened()
    held: list[bytes] = []

    def hold(data: bytes) -> bytes:
        parts = middle.sealed_frames([data])
        if parts and not held:
            held.append(b"\0" + parts[0])
            return b""
        return data

    middle.change_down = hold
    rig.take(rig.host.send_command(dispense(5), now=rig.now, deadline=rig.now + 1))
    rig.run(0.3)
    assert rig.device.done == [5]
    rig.device.receive(held[0], rig.now)
    assert rig.device.done == [5]
    assert rig.device.replays == 1


# --- splice


def test_frames_of_another_session_are_worth_nothing() -> None:
    """LINK-9.5, LINK-9.10, T6: keys are fresh in each session, so what was recorded before has a wrong tag."""
    rig, middle = opened()
    rig.take(rig.host.send_command(dispense(5), now=rig.now, deadline=rig.now + 1))
    rig.device.happen("DECK_LOADED")
    rig.run(0.3)
    old_down, old_up = middle.sealed_frames(middle.down), middle.sealed_frames(middle.up)
    rig.take(rig.host.open(rig.now, deadline=rig.now + 2))
    rig.run(0.3)
    assert rig.host.phase is Phase.OPEN
    rig.device.wrong_tags = rig.device.replays = 0
    check: Any = rig.host._check
    before = len(rig.told(EventArrived))
    log = list(rig.device.log)
    for frame in old_down:
        rig.device.receive(frame, rig.now)
    for frame in old_up:
        rig.take(rig.host.receive(b"\0" + frame, rig.now))
    assert (rig.device.log, rig.device.wrong_tags, rig.device.replays) == (log, len(old_down), 0)
    assert (check.wrong_tags, check.replays) == (len(old_up), 0)
    assert len(rig.told(EventArrived)) == before


def test_a_spliced_opening_opens_nothing() -> None:
    """LINK-9.2, LINK-9.6: SEAL_REPLY of another session fits no other T1; the true answer still counts."""
    rig, middle = opened()
    old = [frame for frame in middle.frames(middle.up) if _clear_type(frame) == TYPE["SEAL_REPLY"]]
    rig.take(rig.host.open(rig.now, deadline=rig.now + 1))
    middle.change_up = _put_for("SEAL_REPLY", _with_session(old[0], 2))
    rig.run(1.1)
    refused = rig.told(SessionRefused)[-1]
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is Refusal.NOT_PROVED
    assert len(rig.told(SessionOpened)) == 1


def _clear_type(frame: bytes) -> int:
    read = read_collection(frame[:-1])
    return -1 if isinstance(read, str) else read.type


def _with_session(frame: bytes, session: int) -> bytes:
    read = read_collection(frame[:-1])
    assert not isinstance(read, str)
    return wire_of(session, read.type, read.sequence, read.payload)


def _put_for(name: str, other: bytes) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        parts = [part + b"\0" for part in data.split(b"\0") if part]
        return b"\0" + b"".join(other if _clear_type(part) == TYPE[name] else part for part in parts) if parts else data

    return changed


# --- downgrade


def _rewrite(name: str, **changes: Any) -> Callable[[bytes], bytes]:
    """Change fields of every clear message called `name`, its check made right again."""

    def changed(data: bytes) -> bytes:
        out = b""
        for part in (part for part in data.split(b"\0") if part):
            read = read_collection(part)
            if isinstance(read, str) or read.type != TYPE[name]:
                out += b"\0" + part + b"\0"
                continue
            message: Any = SHOE_CODEC.decode(Frame(read.session, read.type, read.sequence, read.payload))
            payload = SHOE_CODEC.payload(message._replace(**changes))
            out += b"\0" + wire_of(read.session, read.type, read.sequence, payload)
        return out

    return changed


def test_a_hello_made_clear_opens_nothing() -> None:
    """LINK-5.9, LINK-9.2, T7: a paired device refuses it; the host asks for no other session by itself."""
    rig = sealed_rig()
    middle = Middle(rig)
    middle.change_down = _rewrite("HELLO", security=0)
    rig.take(rig.host.open(0.0, deadline=1.0))
    rig.run(1.1)
    (refused,) = rig.told(SessionRefused)
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is Refusal.SECURITY_UNAVAILABLE
    assert (rig.device.count, rig.told(SessionOpened)) == (0, [])


@pytest.mark.parametrize(
    "changes",
    [{"capabilities": 31}, {"capabilities": 0}, {"firmware": "9.9.9"}, {"serial": "S-0002"}, {"ring_size": 16}],
)
def test_what_a_device_says_of_itself_cannot_be_changed(changes: dict[str, Any]) -> None:
    """LINK-9.2, LINK-9.3, T7: the device sees that the two have read different words, and says so."""
    rig = sealed_rig(device=SealedDevice(ring_size=128))
    middle = Middle(rig)
    middle.change_up = _rewrite("HELLO_REPLY", **changes)
    rig.take(rig.host.open(0.0, deadline=1.0))
    rig.run(1.1)
    (refused,) = rig.told(SessionRefused)
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is Refusal.WRONG_PROOF
    assert (rig.device.count, rig.told(SessionOpened, SealedCountRose)) == (0, [])


def test_event_numbers_in_clear_do_not_count() -> None:
    """LINK-9.2, LINK-9.4: what HELLO_REPLY says of events is nobody's word; SEAL_REPLY's is proved."""
    rig = sealed_rig()
    middle = Middle(rig)
    middle.change_up = _rewrite("HELLO_REPLY", oldest_event=77, last_event=99)
    rig.take(rig.host.open(0.0, deadline=1.0))
    rig.run(0.5)
    (opened_,) = rig.told(SessionOpened)
    assert isinstance(opened_, SessionOpened)
    assert (opened_.identity.oldest_event, opened_.identity.last_event) == (1, 0)
    assert opened_.identity.capabilities == CAPABILITIES


@pytest.mark.parametrize("field", ["sealed_count", "last_event", "oldest_event", "device_public", "device_proof"])
def test_a_changed_seal_reply_is_dropped_and_waited_on(field: str) -> None:
    """LINK-9.5, LINK-9.6: nothing opens while it is changed; the session opens once it is left alone."""
    rig = sealed_rig()
    middle = Middle(rig)
    value: Any = bytes(32) if field == "device_public" else bytes(16) if field == "device_proof" else 99
    middle.change_up = _rewrite("SEAL_REPLY", **{field: value})
    rig.take(rig.host.open(0.0, deadline=3.0))
    rig.run(0.6)
    assert rig.told(SessionOpened, SessionRefused, SealedCountRose) == []
    middle.change_up = lambda data: data
    rig.run(0.5)
    assert len(rig.told(SessionOpened)) == 1
    assert rig.device.count == 1


def test_clear_frames_move_nothing_in_a_sealed_session() -> None:
    """LINK-9.11, T7: an order in clear is dropped by the device, a report in clear by the host."""
    rig, _middle = opened()
    fields = {"command_id": 5, "deck_id": 1, "cards": 2, "destination": 1}
    rig.device.receive(b"\0" + frame_of("DISPENSE", fields, session=1, sequence=1), rig.now)
    report = {"event_id": 1, "boot_counter": 1, "uptime_ms": 0}
    rig.take(rig.host.receive(b"\0" + frame_of("DECK_LOADED", report, session=1, sequence=0), rig.now))
    assert (rig.device.done, rig.device.clear_dropped) == ([], 1)
    assert rig.told(EventArrived) == []


# --- swap and clone


def test_another_device_in_its_place_cannot_prove_itself() -> None:
    """LINK-9.3, LINK-9.6, T1: it does not hold the key, and if it answers all the same it has no proof."""
    rig = sealed_rig(device=SealedDevice(keys={}))
    rig.take(rig.host.open(0.0, deadline=1.0))
    rig.run(0.5)
    (refused,) = rig.told(SessionRefused)
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is Refusal.UNKNOWN_KEY

    class Bluffs(SealedDevice):
        """It takes our key id for a key of its own."""

    key_id = pair_key().key_id
    bluff = Bluffs(keys={key_id: (bytes(32), 0)})
    rig = sealed_rig(device=bluff)
    middle = Middle(rig)
    blank = {"device_public": bytes(range(32)), "sealed_count": 9, "oldest_event": 1, "last_event": 0}
    answer = wire_of(
        1, TYPE["SEAL_REPLY"], 1, payload_of("SEAL_REPLY", {"result": 0, **blank, "device_proof": bytes(16)})
    )
    middle.change_up = _put_for("SEAL_REPLY", answer)
    rig.take(rig.host.open(0.0, deadline=1.0))
    rig.run(1.1)
    (refused,) = rig.told(SessionRefused)
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is Refusal.NOT_PROVED


def test_a_clone_is_found_by_its_count() -> None:
    """LINK-9.4, LINK-9.6, T4: memory that was copied or put back counts from where it was."""
    rig, _middle = opened()
    for _ in range(3):
        rig.take(rig.host.open(rig.now, deadline=rig.now + 2))
        rig.run(0.3)
    assert rig.device.count == 4
    clone = SealedDevice(count=2, session=rig.device.session, random=Random("clone"))
    rig.device = clone
    before = len(rig.told(SessionOpened))
    rig.take(rig.host.open(rig.now, deadline=rig.now + 2))
    rig.run(0.5)
    refused = rig.told(SessionRefused)[-1]
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is Refusal.COPIED
    assert (len(rig.told(SessionOpened)), clone.log) == (before, [])


def test_a_clone_is_found_after_the_host_was_restarted() -> None:
    """LINK-9.6: the count that was stored is the one that it is held against; an equal one is too low."""
    for stored, opens in ((4, False), (3, True)):
        rig = sealed_rig(sealed_host(last_count=stored), SealedDevice(count=3))
        rig.take(rig.host.open(0.0, deadline=1.0))
        rig.run(0.5)
        assert bool(rig.told(SessionOpened)) is opens


def test_a_key_without_its_secret_opens_nothing() -> None:
    """LINK-9.3: the right key id and a wrong secret: the device names it, and stays as it was."""
    key = pair_key()
    wrong = type(key)(key.key_id, bytes(32), key.role)
    rig = sealed_rig(sealed_host(key=wrong))
    rig.take(rig.host.open(0.0, deadline=1.0))
    rig.run(0.5)
    (refused,) = rig.told(SessionRefused)
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is Refusal.WRONG_PROOF
    assert rig.device.count == 0


def test_a_greeting_in_an_open_session_disturbs_nothing() -> None:
    """LINK-9.1: somebody's HELLO makes a pending session and no more; the one before goes on."""
    rig, _middle = opened()
    stranger = sealed_host(seed=99)
    rig.device.receive(stranger.open(0.0, deadline=1.0).data, rig.now)
    rig.take(rig.host.send_command(dispense(5), now=rig.now, deadline=rig.now + 1))
    rig.run(1.5)
    assert rig.device.done == [5]
    assert rig.told(LinkLost) == []


def test_no_secret_is_printed() -> None:
    """P4: keys stand in no repr."""
    rig, _middle = opened()
    for shown in (pair_key(), rig.host._sealing, rig.host, rig.host._check):
        assert PAIR_KEY.hex() not in repr(shown)
        assert repr(PAIR_KEY) not in repr(shown)
    assert sealed.key_id_of(PAIR_KEY).hex() in repr(pair_key())
