"""Pairing of the simulated devices: LINK-11 and LINK-5.9."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from sealed_host import SealedBench, label_bytes, paired
from sim_host import wire_frame

from cardshoe.sim.world import World


def strangers(seed: int = 1, port: str = "shoe", **keys: object) -> SealedBench:
    return SealedBench(World(seed=seed, **keys), port)  # type: ignore[arg-type]


def test_a_new_device_serves_clear_sessions_only() -> None:
    """LINK-5.9: sealed needs a pairing, and pairing the button."""
    bench = strangers()
    assert bench.opening(1)[0].result == 3
    assert bench.opening(2)[0].result == 5
    assert bench.opening(3)[0].result == 3
    assert bench.hello().result == 0


@pytest.mark.parametrize("device", ["shoe", "reader"])
def test_a_paired_device_serves_sealed_sessions_only(device: str) -> None:
    """LINK-5.9: no way back to clear."""
    bench = strangers(port=device)
    assert bench.pair() == 0
    assert bench.opening(0)[0].result == 3
    assert bench.sealed() == 0


def test_labels_are_secret_and_unlike() -> None:
    """LINK-11.1: 26 characters of base32 for 16 bytes, of each device its own."""
    worlds = [strangers(seed) for seed in (1, 2)]
    labels = {bench.do("label", device=device)["label"] for bench in worlds for device in ("shoe", "reader")}
    assert len(labels) == 4
    assert {len(label_bytes(label)) for label in labels} == {16}
    assert len({SealedBench(World(seed=None)).do("label", device="shoe")["label"] for _ in range(3)}) == 3


def test_without_the_button_there_is_no_pairing() -> None:
    """LINK-11.2, LINK-11.3."""
    bench = strangers()
    assert bench.pair(press=False) == "hello 5"


def test_the_window_ends_after_two_minutes() -> None:
    """LINK-11.2: in real time, whatever the speed of the mechanism."""
    bench = strangers(speed=100.0)
    bench.do("pairing", device="shoe")
    bench.run(119.9)
    assert bench.do("security", device="shoe")["window_open"]
    bench.run(0.2)
    assert bench.pair(press=False) == "hello 5"


def test_the_window_ends_with_a_pairing_a_restart_or_three_wrong_proofs() -> None:
    """LINK-11.2."""
    bench = strangers()
    assert bench.pair() == 0
    assert bench.pair(press=False, host="another") == "hello 5"
    bench.do("pairing", device="shoe")
    bench.do("reset", device="shoe")
    bench.run(0.6)
    assert bench.pair(press=False, host="another") == "hello 5"
    bench.do("pairing", device="shoe")
    for _ in range(3):
        assert bench.pair(press=False, label=bytes(16), host="another") == 1
    assert bench.pair(press=False, host="another") == "hello 5"
    assert bench.pair(host="another") == 0


def test_the_window_does_not_open_in_the_middle_of_a_command() -> None:
    """LINK-11.2: nor without power."""
    bench = strangers()
    bench.hello()
    bench.beat()
    bench.dispense(1)
    assert "command" in bench.refused("pairing", device="shoe")
    bench.do("power", device="reader", state="off")
    assert "power" in bench.refused("pairing", device="reader")


def test_a_session_is_not_disturbed_until_pair_succeeds() -> None:
    """LINK-11.3: then it ends."""
    bench = paired()
    bench.do("pairing", device="shoe")
    session = bench.opening(2)[0].fields["session"]
    bench.beat()
    for name in ("HEARTBEAT", "EVENT_ACK", "SET_INHIBIT"):
        kind, fields = bench.protocol.by_name[name]
        width = sum(int(one[1][1:]) // 8 for one in fields)
        assert bench.clear(wire_frame(session, kind, 1, bytes(width))) == [], "the pairing session knows PAIR only"
    bench.beat()
    assert bench.pair(press=False, host="table 8") == 0
    assert bench.do("security", device="shoe")["session"] == "none"
    assert bench._send_beat() == []


def test_a_host_pairs_again() -> None:
    """LINK-11.7: rotation; the old key opens nothing any more."""
    bench = paired()
    old = bench.key
    assert bench.pair() == 0
    new, bench.key = bench.key, old
    assert bench.sealed() == 1
    bench.key = new
    assert bench.sealed() == 0
    assert len(bench.do("security", device="shoe")["keys"]) == 1


def test_there_is_room_for_four_keys() -> None:
    """LINK-11.5: at least four; a fifth finds no room, another role of a known host counts as a fifth."""
    bench = strangers()
    for number in range(4):
        assert bench.pair(host=f"table {number}") == 0
    assert bench.pair(host="table 0", role=1) == 2
    assert bench.pair(host="table 0") == 0


def test_values_that_cannot_be_a_pairing() -> None:
    """LINK-11.5: role, and public keys that fix the result."""
    bench = strangers()
    assert bench.pair(role=2) == 3
    low_order = (1).to_bytes(32, "little")
    bench.auditor = low_order
    assert bench.pair() == 3
    bench.auditor = bytes(32)
    assert bench.pair() == 0


def test_unpair_is_answered_and_removes_the_key() -> None:
    """LINK-11.7: the device serves clear sessions again when no key is left."""
    bench = paired()
    assert bench.command("UNPAIR").name == "UNPAIR_REPLY"
    assert bench._send_beat() == []
    told = bench.do("security", device="shoe")
    assert (told["session"], told["keys"]) == ("none", [])
    assert bench.opening(0)[0].result == 0


def test_the_button_held_removes_all_keys() -> None:
    """LINK-11.7: the procedure for a lost key."""
    bench = paired()
    bench.do("unpair", device="shoe")
    assert bench.do("security", device="shoe")["session"] == "none"
    assert bench.opening(1)[0].result == 3
    assert bench.pair() == 0


def test_keys_survive_the_power(tmp_path: Path) -> None:
    """LINK-11.8: and the identity key with them."""
    bench = paired(state_dir=tmp_path)
    before = [bench.do(what, device="shoe") for what in ("label", "identity")]
    keys = bench.do("security", device="shoe")["keys"]
    bench.world.close()
    later = SealedBench(World(seed=1, state_dir=tmp_path), rng=random.Random(5), key=bench.key)
    assert [later.do(what, device="shoe") for what in ("label", "identity")] == before
    assert later.do("security", device="shoe")["keys"] == keys
    later.run(0.6)
    assert later.sealed() == 0
    later.world.close()
