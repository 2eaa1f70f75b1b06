"""Sealed sessions and attestation of the simulated devices, by a host of the tests' own: LINK-9, LINK-12."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sealed_host import SealedBench, paired
from sim_host import cobs, uncobs, wire_frame

from cardshoe.sim.channel import COUNTER_MAX
from cardshoe.sim.world import World

DEVICES = ("shoe", "reader")


def security(bench: SealedBench) -> dict[str, object]:
    return bench.do("security", device=bench.port)


@pytest.mark.parametrize("device", DEVICES)
def test_a_sealed_session_carries_everything(device: str) -> None:
    """LINK-9.1 to LINK-9.5, LINK-9.8: heartbeat, commands and events go on inside."""
    bench = paired(port=device)
    assert security(bench)["session"] == "sealed"
    assert bench.command("READ_COUNTERS").name == "READ_COUNTERS_REPLY"
    bench.run(0.3)
    assert "BOOTED" in bench.names
    assert bench.refused_frames == 0


def test_a_stack_is_dealt_in_a_sealed_session() -> None:
    """LINK-9.8: all of the document holds for the decrypted payload."""
    bench = paired()
    assert bench.dispense(1) == 0
    assert bench.until("STACK_READY").cards == 2
    bench.do("take_stack", to="1")
    assert bench.until("STACK_TAKEN").cards == 2


def test_a_repeated_command_is_answered_under_a_new_counter() -> None:
    """LINK-4.3, LINK-9.9: the kept reply is sealed anew, and nothing is carried out twice."""
    bench = paired()
    fields = {"command_id": 4, "deck_id": 1, "cards": 1, "destination": 1}
    first = bench.put(bench.frame("DISPENSE", bench.sequence, **fields))
    second = bench.put(bench.frame("DISPENSE", bench.sequence, **fields))
    assert [one.result for one in first + second if one.name == "DISPENSE_REPLY"] == [0, 0]
    bench.run(3.0)
    assert bench.do("counters")["stacks_dispensed"] == 1


def test_a_replay_is_dropped_and_counted_apart() -> None:
    """LINK-9.10: an equal or lower counter."""
    bench = paired()
    frame = bench.frame("HEARTBEAT", 77, lease_ms=1000)
    assert [one.name for one in bench.put(frame)] == ["STATUS"]
    assert bench.put(frame) == []
    bench.beat()
    assert bench.put(frame) == []
    told = security(bench)
    assert (told["replays"], told["wrong_tags"]) == (2, 0)


def test_a_gap_of_counters_is_a_loss_and_allowed() -> None:
    """LINK-9.10."""
    bench = paired()
    bench.sent += 40
    bench.beat()


@settings(max_examples=60)
@given(place=st.integers(0, 25), change=st.integers(1, 255))
def test_a_changed_frame_is_dropped(place: int, change: int) -> None:
    """LINK-9.8, LINK-9.11: header, counter, payload and tag are all covered; nothing is answered."""
    bench = paired()
    payload = bench.protocol.pack("SET_INHIBIT", {"inhibited": 1})
    good = bench.seal(bench.protocol.by_name["SET_INHIBIT"][0], bench.sequence, payload)
    content = bytearray(uncobs(good[:-1]))
    content[place] ^= change
    assert bench.put(b"\x00" + cobs(bytes(content)) + b"\x00") == []
    assert not bench.beat().flags & 4


def test_a_frame_of_another_session_is_dropped() -> None:
    """LINK-9.5: keys of two sessions are unlike, so that none can be spliced into another."""
    bench = paired()
    old = bench.frame("SET_INHIBIT", 1, inhibited=1)
    assert bench.sealed() == 0
    assert bench.put(old) == []
    assert not bench.beat().flags & 4
    assert security(bench)["wrong_tags"] == 1


def test_clear_frames_are_dropped_in_a_sealed_session() -> None:
    """LINK-9.11: commands, heartbeats and acknowledgements that anybody could write."""
    bench = paired()
    for name, fields in (("SET_INHIBIT", {"inhibited": 1}), ("HEARTBEAT", {"lease_ms": 1000})):
        kind = bench.protocol.by_name[name][0]
        assert bench.clear(wire_frame(bench.session, kind, 1, bench.protocol.pack(name, fields))) == []
        assert bench.clear(wire_frame(bench.session + 1, kind, 1, bench.protocol.pack(name, fields))) == []
    assert not bench.beat().flags & 4


def test_sealed_frames_are_dropped_without_a_sealed_session() -> None:
    """LINK-9.11: after a restart nobody can read them; a new session makes new keys."""
    bench = paired()
    frame = bench.frame("HEARTBEAT", 5, lease_ms=1000)
    bench.do("reset", device="shoe")
    assert bench.put(frame) == []
    bench.run(1.0)
    assert bench.sealed() == 0
    bench.beat()


def test_a_hello_alone_does_not_end_the_session() -> None:
    """LINK-9.1: whoever holds the wire may send HELLO; the session before goes on."""
    bench = paired()
    bench.dispense(1)
    for _ in range(300):
        assert bench.opening(1)[0].result == 0
    bench.beat()
    assert bench.until("STACK_READY").cards == 2
    assert bench.opening(0)[0].result == 3


def test_a_wrong_proof_changes_nothing() -> None:
    """LINK-9.3: the pending session is gone, the present one goes on."""
    bench = paired()
    keep = (bench.session, bench.sequence, bench.sending, bench.receiving, bench.sent, bench.taken)
    assert bench.sealed(proof=bytes(16)) == 2
    (bench.session, bench.sequence, bench.sending, bench.receiving, bench.sent, bench.taken) = keep
    bench.beat()
    assert bench.key is not None
    bench.key.key_id = bytes(8)
    assert bench.sealed() == 1


def test_the_role_fits_the_purpose() -> None:
    """LINK-9.3: a deal key opens no service session, a service key no deal session."""
    bench = SealedBench(World(seed=3), "reader")
    assert bench.pair(role=0) == 0
    assert bench.sealed(purpose=1) == 3
    assert bench.pair(role=1) == 0
    assert bench.sealed(purpose=0) == 3
    assert bench.sealed(purpose=1) == 0
    bench.beat()


def test_seal_without_a_pending_session() -> None:
    """LINK-9.3, LINK-5.6: it belongs to no session."""
    bench = SealedBench(World(seed=1))
    assert bench.pair() == 0
    answer = bench.clear(wire_frame(9, 4, 1, bytes(56)))[0]
    assert (answer.name, answer.reason) == ("REJECT", 1)


def test_the_same_seal_is_answered_until_a_sealed_frame_came() -> None:
    """LINK-9.7."""
    bench = paired()
    assert bench.clear(wire_frame(bench.session, 4, 5, bench.seal_payload)) == []


def test_the_count_of_sealed_sessions_survives(tmp_path: Path) -> None:
    """LINK-9.4, LINK-11.8: it never falls, so that a copy of the device can be told from it."""
    bench = paired(state_dir=tmp_path)
    assert bench.sealed() == 0
    key = bench.key
    bench.world.close()
    later = SealedBench(World(seed=1, state_dir=tmp_path), key=key, rng=bench.rng)
    later.run(0.6)
    assert later.sealed() == 0
    assert key is not None
    assert key.sealed_count == 3
    later.world.close()


def test_a_side_without_counters_is_silent() -> None:
    """LINK-9.9: at FFFFFFFF the session is over."""
    bench = paired()
    link = bench.world.box("shoe").link
    assert link is not None
    channel = link._outlet.channel
    assert channel is not None
    channel.sent = COUNTER_MAX - 1
    bench.beat()
    assert [one for one in bench._send_beat() if one.name == "STATUS"] == []
    assert security(bench)["session"] == "none"
    assert bench.sealed() == 0


# --- attestation


@pytest.mark.parametrize("device", DEVICES)
def test_attestation_is_fresh_and_bound_to_the_session(device: str) -> None:
    """LINK-12.1, LINK-12.2: measurement, nonce and T1 under the identity key of the pairing."""
    bench = paired(port=device)
    assert bench.attest(b"\x01" * 32)
    assert bench.attest(b"\x02" * 32)
    t1 = bench.t1
    assert bench.sealed() == 0
    assert bench.attest(b"\x02" * 32)
    bench.t1 = t1
    assert not bench.attest(b"\x02" * 32)


def test_other_firmware_has_another_measurement() -> None:
    """LINK-12.1: signed all the same; whether it is right is for the manifest to say (LINK-12.3)."""
    bench = paired()
    before = bench.command("ATTEST", nonce=bytes(32)).measurement
    assert before.hex() == bench.do("identity", device="shoe")["measurement"]
    bench.do("fault", kind="firmware_changed")
    assert bench.command("ATTEST", nonce=bytes(32)).measurement != before
    assert bench.attest(bytes(32))


def test_in_clear_there_is_neither_attestation_nor_unpairing() -> None:
    """LINK-12.5."""
    bench = SealedBench(World(seed=1))
    bench.hello()
    assert bench.command("ATTEST", nonce=bytes(32)).reason == 7
    assert bench.command("UNPAIR").reason == 7
