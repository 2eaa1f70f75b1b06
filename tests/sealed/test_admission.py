"""On which terms a live table takes a device (LINK-12.4, T4, T17; SHOE-1.1, SHOE-9.14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cardshoe.clock import SystemClock
from cardshoe.devices.attest import Attestation, Standing, Why
from cardshoe.devices.events import (
    AttestationJudged,
    DeviceIdentified,
    DeviceLost,
    DeviceRefused,
    FaultCleared,
    Output,
    RequestFailed,
    SealedCountSeen,
)
from cardshoe.errors import ConfigError, DeviceError
from cardshoe.link.events import Identity, LostReason
from cardshoe.table.admission import UNANSWERED, Admission, Terms, refusal_of
from cardshoe.wire.spec import load_faults

WHO = Identity(1, "CS-1", "S-1", "1.0", b"", 1, 128, 255, 1, 1, 0)
GOOD = Attestation(Standing.ATTESTED, Why.LISTED, bytes(32), 4)
LOST = DeviceLost(LostReason.SILENCE, DeviceError("device-lost-silence", "gone"))
REPORT = FaultCleared(1, load_faults()[0x0101])


@pytest.mark.parametrize(
    ("identity", "attestation", "code"),
    [
        (WHO, GOOD, None),
        (WHO, Attestation(Standing.UNATTESTED, Why.NOT_LISTED), "device-unattested"),
        (WHO, Attestation(Standing.UNATTESTED, Why.UNKNOWN_TO_DEVICE), "device-unattested"),
        (WHO, UNANSWERED, "device-unattested"),
        (WHO, Attestation(Standing.FAILED, Why.MEASUREMENT), "device-attestation-failed"),
        (replace(WHO, capabilities=31), GOOD, "device-not-for-live"),
        (replace(WHO, capabilities=255 | 256), GOOD, "device-not-for-live"),
        (replace(WHO, model="CS-SIM-SHOE"), GOOD, "device-not-for-live"),
        (replace(WHO, firmware="1.0.0-sim"), GOOD, "device-not-for-live"),
        (replace(WHO, device_kind=2, capabilities=7), GOOD, None),
    ],
)
def test_what_a_live_table_deals_from(identity: Identity, attestation: Attestation, code: str | None) -> None:
    told = refusal_of(identity, attestation, "serial:///dev/x")
    assert (told.code if told is not None else None) == code
    assert told is None or ("serial:///dev/x" in told.text and identity.serial in told.text)


class Bench:
    """An admission, and what it did."""

    def __init__(self, *, live: bool = True, store_fails: bool = False) -> None:
        self.done: list[str] = []
        self.told: list[Any] = []
        self.counts: list[tuple[str, int]] = []
        self.store_fails = store_fails
        terms = Terms(self.keep, live, "serial:///dev/x")
        self.admission: Admission[Any] = Admission(
            self, terms, clock=SystemClock(), perform=lambda _output: None, hand_on=self.told.append
        )

    def keep(self, key_id: str, count: int) -> None:
        if self.store_fails:
            raise ConfigError("keystore-write", "the disk is full")
        self.counts.append((key_id, count))

    def count_kept(self, _now: float) -> Output[Any]:
        self.done.append("count kept")
        return Output(b"", ())

    def attest(self, *, now: float, deadline: float) -> Output[Any]:
        assert deadline > now
        self.done.append("attest")
        return Output(b"", ())

    def close(self) -> Output[Any]:
        self.done.append("close")
        return Output(b"", ())

    def take(self, *events: Any) -> None:
        for event in events:
            self.admission.take(event)


def test_nothing_is_handed_on_before_the_device_is_known() -> None:
    """LINK-9.6, LINK-12.2: count, then attestation, then who it is, then what it reported meanwhile."""
    bench = Bench()
    bench.take(SealedCountSeen(b"\x01" * 8, 5), DeviceIdentified(WHO, sealed=True), REPORT)
    assert (bench.done, bench.told, bench.counts) == (["count kept", "attest"], [], [("01" * 8, 5)])
    bench.take(AttestationJudged(GOOD), LOST)
    assert bench.told == [DeviceIdentified(WHO, sealed=True, attestation=GOOD), REPORT, LOST]


def test_a_device_that_may_not_deal_is_turned_away_and_its_reports_are_kept() -> None:
    bench = Bench()
    failed = Attestation(Standing.FAILED, Why.SIGNATURE)
    bench.take(DeviceIdentified(WHO, sealed=True), REPORT, AttestationJudged(failed), LOST)
    refused, report = bench.told
    assert isinstance(refused, DeviceRefused)
    assert (refused.error.code, report, bench.done) == ("device-attestation-failed", REPORT, ["attest", "close"])
    bench.take(DeviceIdentified(WHO, sealed=True), AttestationJudged(GOOD))
    assert bench.told[-1] == DeviceIdentified(WHO, sealed=True, attestation=GOOD)


@pytest.mark.parametrize("end", [RequestFailed("ATTEST", None, LostReason.UNANSWERED), LOST])
def test_no_answer_is_no_attestation(end: Any) -> None:
    """LINK-12.4: on a bench it is handed on as unattested, on a live table turned away."""
    bench = Bench(live=False)
    bench.take(DeviceIdentified(WHO, sealed=True), end)
    assert bench.told[0] == DeviceIdentified(WHO, sealed=True, attestation=UNANSWERED)
    bench = Bench()
    bench.take(DeviceIdentified(WHO, sealed=True), end)
    assert isinstance(bench.told[0], DeviceRefused)


def test_a_count_that_cannot_be_stored_ends_the_attempt() -> None:
    """LINK-9.6: nothing was sent, and the reason is the disk's."""
    bench = Bench(store_fails=True)
    bench.take(SealedCountSeen(b"\x01" * 8, 5))
    (refused,) = bench.told
    assert isinstance(refused, DeviceRefused)
    assert (refused.error.code, bench.done) == ("device-count-not-kept", ["close"])
    assert "the disk is full" in refused.error.text
