"""Pairing with a device after the prose: a key on both sides, or none.

Proves for the host LINK-11.1 to LINK-11.8 as far as a host sees them.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from pairing_device import LABEL, PairingDevice
from scripted_device import SPEC, Rig
from sealed_device import IDENTITY_PUBLIC, sealed_host, sealed_rig

from cardshoe.devices.reader_wire import READER_CODEC
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.errors import InputError
from cardshoe.link.events import Refusal, SessionOpened, SessionRefused
from cardshoe.link.messages import Role
from cardshoe.link.pairing import Pairing, PairingDone, PairingEnd, PairingFailed, PairingWish, parse_label, print_label

AUDITOR = bytes(range(32))


def wish(**changes: Any) -> PairingWish:
    """What this host asks for."""
    fields: dict[str, Any] = {"label_secret": LABEL, "role": Role.DEAL, "host_name": "table-7", "auditor": AUDITOR}
    return PairingWish(**{**fields, **changes})


def run(
    device: PairingDevice, wanted: PairingWish, *, lose: float = 0.0, seed: int = 1, deadline: float = 5.0
) -> PairingEnd:
    """One attempt, on a line that loses frames of both directions."""
    random = Random(seed)
    pairing = Pairing(SHOE_CODEC, wanted, entropy=Random(f"host {seed}").randbytes, now=0.0, deadline=deadline)
    now = 0.0
    output = pairing.advance(now)
    while output.end is None:
        answer = device.receive(output.data, now) if output.data and random.random() >= lose else b""
        if answer and random.random() >= lose:
            output = pairing.receive(answer, now)
            continue
        due = pairing.next_deadline()
        assert due is not None
        now = max(now, due)
        output = pairing.advance(now)
    assert pairing.next_deadline() is None
    assert pairing.receive(b"\0garbage\0", now + 1).end is None
    return output.end


@pytest.mark.parametrize("lose", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("role", list(Role))
def test_both_sides_hold_one_key(role: Role, lose: float) -> None:
    """LINK-11.3 to LINK-11.6: also where answers are lost: the same PAIR gets the same reply."""
    device = PairingDevice()
    end = run(device, wish(role=role), lose=lose, seed=3, deadline=20.0)
    assert isinstance(end, PairingDone)
    assert device.keys == {end.key.key_id: (end.key.secret, role)}
    assert (end.key.role, end.identity_public, device.auditor) == (role, IDENTITY_PUBLIC, AUDITOR)
    assert not device.window
    assert end.key.secret.hex() not in repr(end)


def test_the_key_opens_a_sealed_session() -> None:
    """LINK-11.6, LINK-9.3: what pairing made is what the opening proves."""
    device = PairingDevice()
    end = run(device, wish())
    assert isinstance(end, PairingDone)
    rig: Rig = sealed_rig(sealed_host(key=end.key), device)
    rig.take(rig.host.open(0.0, deadline=2.0))
    rig.run(0.4)
    assert len(rig.told(SessionOpened)) == 1


@pytest.mark.parametrize(
    ("device", "wanted", "refusal"),
    [
        (PairingDevice(window=False), wish(), Refusal.NOT_PAIRING),
        (PairingDevice(), wish(label_secret=bytes(16)), Refusal.WRONG_LABEL),
        (PairingDevice(room=0), wish(), Refusal.NO_ROOM),
        (PairingDevice(lies=True), wish(), Refusal.NOT_PROVED),
    ],
    ids=["no window", "another label", "no room", "no proof"],
)
def test_what_fails_leaves_no_key_here(device: PairingDevice, wanted: PairingWish, refusal: Refusal) -> None:
    """LINK-11.2, LINK-11.3, LINK-11.5: each for its own reason."""
    end = run(device, wanted)
    assert isinstance(end, PairingFailed)
    assert end.refusal is refusal


def test_three_wrong_labels_close_the_window() -> None:
    """LINK-11.2."""
    device = PairingDevice()
    wrong = wish(label_secret=bytes(16))
    assert [_refusal(run(device, wrong, seed=seed)) for seed in range(3)] == [Refusal.WRONG_LABEL] * 3
    assert _refusal(run(device, wish())) is Refusal.NOT_PAIRING


def _refusal(end: PairingEnd) -> Refusal | None:
    return end.refusal if isinstance(end, PairingFailed) else None


def test_a_new_pairing_takes_the_place_of_the_old_key() -> None:
    """LINK-11.7, LINK-11.8: rotation: the old key opens nothing any more."""
    device = PairingDevice()
    old = run(device, wish(), seed=1)
    device.window = True
    device._pairing = device._pair_kept = None
    new = run(device, wish(), seed=2)
    assert isinstance(old, PairingDone)
    assert isinstance(new, PairingDone)
    assert list(device.keys) == [new.key.key_id]
    rig = sealed_rig(sealed_host(key=old.key), device)
    rig.take(rig.host.open(0.0, deadline=1.0))
    rig.run(0.5)
    (refused,) = rig.told(SessionRefused)
    assert isinstance(refused, SessionRefused)
    assert refused.refusal is Refusal.UNKNOWN_KEY


def test_nobody_and_another_kind() -> None:
    """LINK-11.3: silence, noise, and a device of another protocol, which names itself."""
    for noise, refusal in ((b"", Refusal.SILENT), (b"login:\0", Refusal.NOISE)):
        pairing = Pairing(SHOE_CODEC, wish(), entropy=Random(1).randbytes, now=0.0, deadline=1.0)
        pairing.receive(noise, 0.1)
        assert _refusal(pairing.advance(1.0).end or _never()) is refusal
    pairing = Pairing(READER_CODEC, wish(), entropy=Random(1).randbytes, now=0.0, deadline=1.0)
    device = PairingDevice()
    end = pairing.receive(device.receive(pairing.advance(0.0).data, 0.0), 0.1).end
    assert isinstance(end, PairingFailed)
    assert end.refusal is Refusal.WRONG_SPEC_HASH
    assert end.identity is not None
    assert end.identity.device_kind == SPEC.device_kind


def _never() -> PairingEnd:
    raise AssertionError("the attempt had no end")


@pytest.mark.parametrize("secret", [bytes(16), bytes(range(16)), 16 * b"\xff", LABEL])
def test_a_label_is_read_as_it_is_printed(secret: bytes) -> None:
    """LINK-11.1: 26 letters in groups of four; capitals, dashes and blanks do not matter."""
    printed = print_label(secret)
    assert len(printed.replace("-", "")) == 26
    assert [len(group) for group in printed.split("-")] == [4, 4, 4, 4, 4, 4, 2]
    for typed in (printed, printed.lower(), printed.replace("-", " "), printed.replace("-", "")):
        assert parse_label(typed) == secret


@pytest.mark.parametrize("typed", ["", "AAAA", 26 * "1", 27 * "A", 26 * "B", 25 * "A" + "B", 26 * "Ä", 26 * "="])
def test_what_is_no_label_is_refused_and_not_repeated(typed: str) -> None:
    """LINK-11.1: what was typed is nearly a secret."""
    with pytest.raises(InputError) as refused:
        parse_label(typed)
    assert refused.value.code == "label-secret"
    assert not typed or typed not in refused.value.text
