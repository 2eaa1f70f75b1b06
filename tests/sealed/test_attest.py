"""What an attestation says, what it does not, and what a driver makes of each answer (LINK-12.1 to LINK-12.6)."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
import sealed_wire
from rfc_ciphers import ed25519_sign, sha256
from sealed_device import IDENTITY, IDENTITY_PUBLIC, MEASUREMENT, SealedDevice, pair_key

from cardshoe.devices.attest import (
    Attestation,
    ListedDevice,
    ListedFirmware,
    Manifest,
    Standing,
    Why,
    judge,
)
from cardshoe.devices.events import AttestationJudged, DeviceLost, RequestFailed, SealedCountSeen, Unpaired
from cardshoe.devices.paired import Paired
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.link.events import Identity
from cardshoe.link.messages import AttestReply

WHO = Identity(1, "CS-1000", "S-0001", "1.0.0", bytes(32), 3, 128, 255, 1, 1, 0)
NONCE, T1 = bytes(range(32)), bytes(range(1, 33))
LISTED = Manifest(
    2,
    (ListedDevice("shoe", "CS-1000", "S-0001", IDENTITY_PUBLIC),),
    (ListedFirmware("shoe", "CS-1000", "1.0.0", MEASUREMENT),),
)


def reply(measurement: bytes = MEASUREMENT, **changes: Any) -> AttestReply:
    """What the device signs, with something of it changed after the signature."""
    given: dict[str, Any] = {"nonce": NONCE, "t1": T1, "names": ("CS-1000", "S-0001", "1.0.0"), "boot_counter": 3}
    fields = {**given, **changes}
    message = sealed_wire.attested(fields["nonce"], fields["t1"], measurement, fields["names"], fields["boot_counter"])
    return AttestReply(measurement, ed25519_sign(IDENTITY, message))


def judged(answer: AttestReply, who: Identity = WHO, manifest: Manifest | None = LISTED) -> Attestation:
    """How the device stands."""
    return judge(answer, nonce=NONCE, transcript=T1, identity=who, identity_public=IDENTITY_PUBLIC, manifest=manifest)


@pytest.mark.parametrize(
    "changes",
    [{"nonce": bytes(32)}, {"t1": bytes(32)}, {"boot_counter": 4}, {"names": ("CS-1000", "S-0002", "1.0.0")}],
    ids=["another nonce", "another session", "another start", "another serial"],
)
def test_a_signature_over_anything_else_fails(changes: dict[str, Any]) -> None:
    """LINK-12.1, LINK-12.2: not for another nonce, session, start or device."""
    told = judged(reply(**changes))
    assert (told.standing, told.why, told.measurement) == (Standing.FAILED, Why.SIGNATURE, None)


def test_each_standing_has_its_reason() -> None:
    """LINK-12.3, LINK-12.4."""
    assert judged(reply()) == Attestation(Standing.ATTESTED, Why.LISTED, MEASUREMENT, 2)
    assert judged(reply(), manifest=None) == Attestation(Standing.UNATTESTED, Why.NO_MANIFEST, MEASUREMENT)
    other = sha256(b"another image")
    assert judged(reply(other)) == Attestation(Standing.FAILED, Why.MEASUREMENT, other, 2)
    named = reply(names=("CS-1000", "S-0001", "2.0.0"))
    assert judged(named, replace(WHO, firmware="2.0.0")).why is Why.MEASUREMENT
    assert judged(reply(), manifest=replace(LISTED, devices=())).why is Why.NOT_LISTED
    swapped = replace(LISTED, devices=(replace(LISTED.devices[0], identity=bytes(32)),))
    assert judged(reply(), manifest=swapped).why is Why.IDENTITY


def test_firmware_that_lies_about_itself_is_attested() -> None:
    """LINK-12.6: the limit is stated, so it is shown: whoever holds the identity key may sign any measurement."""
    assert judged(reply(MEASUREMENT)).standing is Standing.ATTESTED  # whatever image runs there


class Sealed:
    """A driver in a sealed session with a device after the prose."""

    def __init__(self, device: SealedDevice) -> None:
        self.device, self.told = device, list[Any]()
        random = Random(5)
        paired = Paired(pair_key(), IDENTITY_PUBLIC, 0, random.randbytes, LISTED)
        self.driver = ShoeDriver(expected=Expected("x"), nonce=lambda: random.randbytes(16), paired=paired)
        self.now = 0.0
        self.take(self.driver.open(0.0, deadline=2.0))
        assert self.driver.live

    def take(self, output: Any) -> None:
        self.told += output.happened
        for event in output.happened:
            if isinstance(event, SealedCountSeen):
                self.take(self.driver.count_kept(self.now))
        self.now += 0.001
        if answer := self.device.receive(output.data, self.now) if output.data else b"":
            self.take(self.driver.receive(answer, self.now))


def test_a_driver_asks_afresh_each_time() -> None:
    """LINK-12.2: two answers differ, as their nonces do."""
    bench = Sealed(SealedDevice())
    for _ in range(2):
        bench.take(bench.driver.attest(now=bench.now, deadline=bench.now + 1))
    first, second = (event for event in bench.told if isinstance(event, AttestationJudged))
    assert first == second == AttestationJudged(Attestation(Standing.ATTESTED, Why.LISTED, MEASUREMENT, 2))
    assert len(bench.device.log) == 0


def test_a_device_that_knows_no_attestation_is_unattested() -> None:
    """LINK-12.4, LINK-12.5: `unknown_type` inside the session is its own word."""
    bench = Sealed(SealedDevice(attests=False))
    bench.take(bench.driver.attest(now=bench.now, deadline=bench.now + 1))
    (told,) = (event for event in bench.told if isinstance(event, AttestationJudged))
    assert told.attestation == Attestation(Standing.UNATTESTED, Why.UNKNOWN_TO_DEVICE)


def test_no_answer_is_told_and_the_session_ends() -> None:
    """LINK-4.5: asking again is harmless, in the next session."""
    bench = Sealed(SealedDevice())
    output = bench.driver.attest(now=bench.now, deadline=bench.now + 0.5)
    assert output.happened == ()
    told = bench.driver.advance(bench.now + 0.5).happened
    assert isinstance(told[0], RequestFailed)
    assert told[0].request == "ATTEST"
    assert isinstance(told[-1], DeviceLost)


def test_unpairing_takes_the_key_away() -> None:
    """LINK-11.7."""
    bench = Sealed(SealedDevice())
    bench.take(bench.driver.unpair(now=bench.now, deadline=bench.now + 1))
    assert Unpaired() in bench.told
    assert bench.device.keys == {}


def test_in_clear_nothing_is_asked() -> None:
    """LINK-12.5: the answer is known beforehand, and nothing goes on the line."""
    driver = ShoeDriver(expected=Expected("x"), nonce=lambda: bytes(16))
    output = driver.attest(now=0.0, deadline=1.0)
    assert (output.data, output.happened) == (
        b"",
        (AttestationJudged(Attestation(Standing.UNATTESTED, Why.NOT_ASKED)),),
    )
