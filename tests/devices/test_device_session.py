"""Who answered, and what people are told when it is not the one expected or is lost.

Proves LINK-5.3, LINK-5.8, LINK-5.9, LINK-6.5 as far as people are told of them; FR-30, FR-43; E27, E29, E31.
"""

from __future__ import annotations

from typing import Any

import pytest
from driver_bench import WHERE, Bench, reader_bench, shoe_bench

from cardshoe.devices.events import DeviceIdentified, DeviceLost, DeviceRefused
from cardshoe.devices.session import Expected, lost_error, refused_error
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.error_table import ERROR_TABLE
from cardshoe.errors import DeviceError
from cardshoe.link.events import LostReason, Refusal


def refused(bench: Bench, **changes: Any) -> DeviceError:
    """Open with an answer that is refused; returns the error."""
    (told,) = bench.open(**changes)
    assert isinstance(told, DeviceRefused)
    return told.error


@pytest.mark.parametrize(
    ("expected", "changes", "code", "words"),
    [
        (
            {},
            {"result": 1, "device_kind": 2, "spec_hash": bytes(32)},
            "device-other-kind",
            ["reader", "shoe", "swapped"],
        ),
        ({}, {"result": 1, "spec_hash": b"\xab" * 32}, "device-other-version", ["abababab", "shoe-v1", "same version"]),
        ({}, {"result": 2}, "device-refuses-purpose", ["refuses a session for dealing"]),
        ({}, {"result": 3}, "device-wants-sealed", ["sealed sessions only"]),
        ({}, {"result": 9}, "device-absurd", ["contradicts shoe-v1"]),
        ({}, {"session": 0, "result": 0, "ring_size": 3}, "device-absurd", ["contradicts shoe-v1"]),
        ({}, {"result": 1, "device_kind": 77}, "device-other-kind", ["device of kind 77"]),
        ({"model": "CS-2000"}, {}, "device-other-model", ["'CS-1000'", "'CS-2000' is expected"]),
        ({"serial": "S-0002"}, {}, "device-other-serial", ["'S-0001'", "'S-0002' is expected"]),
        ({"model": "CS-1000", "serial": "S-0002"}, {}, "device-other-serial", ["'S-0002' is expected"]),
    ],
)
def test_a_refusal_names_who_answered_where_and_what_to_do(
    expected: dict[str, str], changes: dict[str, Any], code: str, words: list[str]
) -> None:
    """LINK-5.3, LINK-5.8, LINK-5.9: one paragraph, the address in it; no command and no heartbeat was sent."""
    bench = shoe_bench(opened=False, **expected)
    error = refused(bench, **changes)
    assert (error.code, error.exit_status) == (code, 3)
    assert [word for word in [WHERE, "S-0001", *words] if word not in error.text] == []
    assert not bench.driver.live


@pytest.mark.parametrize(
    ("noise", "code"),
    [(b"", "device-silent"), (b"\x00\x00", "device-silent"), (b"login:\x00", "device-noise")],
)
def test_silence_and_noise_send_people_to_different_places(noise: bytes, code: str) -> None:
    """LINK-5.12: at the deadline, with the address."""
    bench = shoe_bench(opened=False)
    bench.driver.open(0.0, deadline=2.0)
    if noise:
        bench.driver.receive(noise, 0.1)
    (told,) = bench.driver.advance(2.0).happened
    assert isinstance(told, DeviceRefused)
    assert (told.error.code, told.identity) == (code, None)
    assert WHERE in told.error.text


def test_a_device_that_goes_on_starting_is_told_as_such() -> None:
    """LINK-5.3, FR-30: limited by the caller's deadline, then a stable reason."""
    bench = reader_bench(opened=False)
    output = bench.driver.open(0.0, deadline=2.0)
    assert bench.driver.receive(bench.hello_reply(output.data, result=4), 0.1).happened == ()
    (told,) = bench.driver.advance(2.0).happened
    assert told.error.code == "device-starting"


def test_the_expected_device_is_identified() -> None:
    """LINK-5.3: with everything that it says of itself."""
    bench = shoe_bench(opened=False, model="CS-1000", serial="S-0001")
    (told,) = bench.open(capabilities=31)
    assert isinstance(told, DeviceIdentified)
    assert (told.identity.firmware, told.identity.capabilities, bench.driver.live) == ("1.0.0", 31, True)


@pytest.mark.parametrize("reason", list(LostReason))
def test_every_loss_has_its_code_and_text(reason: LostReason) -> None:
    """LINK-6.5, E29, E31: which device, where, what to do."""
    error = lost_error(reason, Expected(WHERE), SHOE_CODEC.spec)
    assert error.text.startswith(f"the shoe at {WHERE} ")
    assert error.code in ERROR_TABLE
    assert "connect again" in error.text


@pytest.mark.parametrize("refusal", list(Refusal))
def test_every_refusal_has_its_code(refusal: Refusal) -> None:
    """Nothing falls through, with or without someone who answered."""
    bench = shoe_bench(opened=False)
    (told,) = bench.open()
    for identity in (None, told.identity):
        error = refused_error(refusal, identity, Expected(WHERE, serial="S-9"), SHOE_CODEC.spec, dropped=3)
        assert error.code in ERROR_TABLE
        assert WHERE in error.text


def test_a_lost_device_is_not_opened_again_by_the_driver() -> None:
    """FR-43, FR-30: when to try again is its caller's business; the driver has no loop of its own."""
    bench = shoe_bench()
    (told,) = bench.driver.advance(1.0).happened
    assert isinstance(told, DeviceLost)
    assert told.error.code == "device-lost-silence"
    assert bench.driver.next_deadline() is None
    assert bench.driver.advance(1000.0).data == b""
    assert isinstance(bench.open(1001.0)[0], DeviceIdentified)
