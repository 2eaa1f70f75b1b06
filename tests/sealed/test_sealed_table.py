"""A table and its sealed devices: admitted on proof, recorded with it, turned away with a reason.

A device after the prose stands behind a TCP port. Proves LINK-9.6, LINK-9.10, LINK-12.1 to LINK-12.5 for a table, and
what of T4, T7, T16 and T17 a table enforces.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import sealed_wire
from pairing_device import PairingDevice, on_tcp
from rfc_ciphers import ed25519_public
from sealed_device import IDENTITY_PUBLIC, KEY_ID, MEASUREMENT, PAIR_KEY, SealedDevice

from cardshoe.errors import CardshoeError, ConfigError, DeviceError
from cardshoe.journal.reader import JournalReader
from cardshoe.link.messages import Role
from cardshoe.table.app import Table, open_table
from cardshoe.table.config import parse_config
from cardshoe.table.header import round_header
from cardshoe.table.keystore import KeyEntry, KeyInfo, KeyStore

SIGNER = bytes(range(200, 232))
SIGNER_PUBLIC = ed25519_public(SIGNER).hex()


def manifest(path: Path, *, sequence: int = 1, signer: bytes = SIGNER, **changes: Any) -> Path:
    """A signed list with the device of the tests on it."""
    device = {"kind": "shoe", "model": "CS-1000", "serial": "S-0001", "identity": IDENTITY_PUBLIC.hex()}
    firmware = {"kind": "shoe", "model": "CS-1000", "firmware": "1.0.0", "measurement": MEASUREMENT.hex()}
    rest = {"format": "cardshoe-manifest-1", "sequence": sequence, "devices": [device], "firmware": [firmware]}
    path.write_text(json.dumps(sealed_wire.signed_manifest({**rest, **changes}, signer)))
    return path


def store(tmp_path: Path, *, count: int = 0) -> KeyStore:
    """A key store that holds the key of the device of the tests."""
    made = KeyStore(tmp_path / "keys", create=True)
    info = KeyInfo("shoe", "CS-1000", "S-0001", Role.DEAL, KEY_ID.hex(), None, count, "then", "ann")
    made.put(KeyEntry(info, PAIR_KEY, IDENTITY_PUBLIC))
    return made


def config_text(url: str, *, listed: bool = True, mode: str = "bench", security: str = "sealed") -> str:
    """A table with this shoe."""
    people = 'people = "people.json"\n' if mode == "live" else ""
    approved = f'manifest = "manifest.json"\nmanifest_key = "{SIGNER_PUBLIC}"\n' if listed else ""
    return (
        f'[table]\nname = "T7"\nmode = "{mode}"\ngame = "ultimate-texas-holdem"\njournal = "j.db"\n{people}'
        f'[devices.shoe]\nurl = "{url}"\nsecurity = "{security}"\n[security]\nkeys = "keys"\n{approved}'
    )


def opened(
    tmp_path: Path, device: SealedDevice, then: Callable[[Table], Awaitable[None]] | None = None, **config: Any
) -> list[tuple[str, dict[str, Any]]]:
    """Open a table on the device, do something, close; returns the journal's records."""

    async def run() -> None:
        async with on_tcp(device) as url:
            read = parse_config(config_text(url, **config), "table.toml")
            async with open_table(read, tmp_path / "j.db") as table:
                if then is not None:
                    await then(table)

    asyncio.run(run())
    return records(tmp_path)


def records(tmp_path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The journal's records."""
    with JournalReader(tmp_path / "j.db") as reader:
        return [(record.kind, dict(record.body)) for record in reader.records()]


def bodies(found: list[tuple[str, dict[str, Any]]], kind: str) -> list[dict[str, Any]]:
    """The bodies of one kind."""
    return [body for each, body in found if each == kind]


def test_an_attested_device_is_recorded_as_such(tmp_path: Path) -> None:
    """LINK-12.2, LINK-12.4: in the record of who answered, and in the header of each round."""
    store(tmp_path)
    manifest(tmp_path / "manifest.json")
    seen: list[dict[str, Any]] = []

    async def look(table: Table) -> None:
        await asyncio.sleep(0.3)
        seen.append(round_header(table.controller.desk))

    (body,) = bodies(opened(tmp_path, SealedDevice(), look), "device_identified")
    proved = {"security": "sealed", "attestation": "attested", "measurement": MEASUREMENT.hex(), "manifest": 1}
    assert {key: body[key] for key in proved} == proved
    (header,) = seen
    told = header["devices"]
    assert isinstance(told, dict)
    assert {key: told["shoe"][key] for key in proved} == proved


def test_the_count_is_stored_with_each_session(tmp_path: Path) -> None:
    """LINK-9.6: durable before the first sealed frame, and held against the next session."""
    kept, device = store(tmp_path), SealedDevice()
    for count in (1, 2, 3):
        opened(tmp_path, device, listed=False)
        assert kept.find("shoe", Role.DEAL).info.sealed_count == count == device.count


@pytest.mark.parametrize(
    ("device", "changes", "standing", "why"),
    [
        (SealedDevice(attests=False), {}, "unattested", "does not know"),
        (SealedDevice(), {"devices": []}, "unattested", "not in the manifest"),
        (SealedDevice(), {"firmware": []}, "failed", "firmware"),
    ],
)
def test_a_bench_table_records_what_is_not_proved(
    tmp_path: Path, device: SealedDevice, changes: dict[str, Any], standing: str, why: str
) -> None:
    """LINK-12.4, LINK-12.5: it is flagged, and a bench goes on."""
    store(tmp_path)
    manifest(tmp_path / "manifest.json", **changes)
    (body,) = bodies(opened(tmp_path, device), "device_identified")
    assert body["attestation"] == standing
    assert why in body["attestation_why"]


def test_another_identity_than_the_listed_one_fails(tmp_path: Path) -> None:
    """LINK-12.3, LINK-12.4: the name is on the list, the key is another's."""
    store(tmp_path)
    other = {"kind": "shoe", "model": "CS-1000", "serial": "S-0001", "identity": 32 * "ab"}
    manifest(tmp_path / "manifest.json", devices=[other])
    (body,) = bodies(opened(tmp_path, SealedDevice()), "device_identified")
    assert (body["attestation"], "identity" in body["attestation_why"]) == ("failed", True)


def test_a_copy_holds_the_table(tmp_path: Path) -> None:
    """LINK-9.6, T4: refused, journalled with the count's own code, and an alarm."""
    store(tmp_path, count=9)
    with pytest.raises(DeviceError) as refused:
        opened(tmp_path, SealedDevice(count=4), listed=False)
    assert refused.value.code == "device-copied"
    found = records(tmp_path)
    assert [body["code"] for body in bodies(found, "device_refused")] == ["device-copied"]
    assert "device-copied" in [body["code"] for body in bodies(found, "alarm_raised")]
    assert bodies(found, "device_identified") == []


def test_replayed_frames_hold_the_table(tmp_path: Path) -> None:
    """LINK-9.10, T6: told once, with how many of which."""
    store(tmp_path)
    device = SealedDevice()

    async def replay(table: Table) -> None:
        await asyncio.sleep(0.2)
        assert table.shoe is not None
        assert device._session_keys is not None
        old = sealed_wire.sealed_wire(device._session_keys.device, 1, device.session, 0x82, 1, bytes(10))
        table.shoe.perform(table.shoe.driver.receive(b"\0" + old, asyncio.get_running_loop().time()))
        await asyncio.sleep(0.2)

    found = opened(tmp_path, device, replay, listed=False)
    (body,) = bodies(found, "link_tampered")
    assert (body["device"], body["replays"], body["wrong_tags"]) == ("shoe", 1, 0)
    assert "link-tampered" in [body["code"] for body in bodies(found, "alarm_raised")]


def refused_config(tmp_path: Path, **config: Any) -> ConfigError:
    """Why a table is not opened at all; no port was touched."""
    with pytest.raises(ConfigError) as refused:
        opened(tmp_path, SealedDevice(), **config)
    assert not (tmp_path / "j.db").exists()
    return refused.value


def test_what_is_missing_is_told_before_anything_starts(tmp_path: Path) -> None:
    assert refused_config(tmp_path).code == "keystore-missing"
    KeyStore(tmp_path / "keys", create=True)
    assert refused_config(tmp_path, listed=False).code == "key-missing"
    kept = store(tmp_path)
    assert refused_config(tmp_path).code == "manifest-missing"
    path = manifest(tmp_path / "manifest.json", signer=bytes(32))
    assert refused_config(tmp_path).code == "manifest-signature"
    kept.manifest_used(7)
    manifest(path, sequence=6)
    assert refused_config(tmp_path).code == "manifest-older"
    for text in ("", "{", "[]", "{}", "[" * 100_000, '{"signature": 5}', json.dumps({"signature": 128 * "0"})):
        path.write_text(text)
        assert refused_config(tmp_path).code in ("manifest-unreadable", "manifest-signature")


@pytest.mark.parametrize("rows", [5, [5], [{"kind": "shoe"}], [{"kind": 1, "model": "", "serial": "", "identity": ""}]])
def test_a_signed_list_that_is_none_is_refused(tmp_path: Path, rows: Any) -> None:
    """LINK-12.3: who signs may err too."""
    store(tmp_path)
    manifest(tmp_path / "manifest.json", devices=rows)
    assert refused_config(tmp_path).code == "manifest-unreadable"


@pytest.mark.parametrize(
    ("device", "security", "code"),
    [
        (SealedDevice(keys={}), "sealed", "device-unknown-key"),
        (SealedDevice(keys={KEY_ID: (bytes(32), 0)}), "sealed", "device-wrong-proof"),
        (SealedDevice(keys={KEY_ID: (PAIR_KEY, 1)}), "sealed", "device-wrong-role"),
        (SealedDevice(), "clear", "device-wants-sealed"),
    ],
)
def test_a_key_that_does_not_fit_has_its_own_error(
    tmp_path: Path, device: SealedDevice, security: str, code: str
) -> None:
    """LINK-9.3, LINK-5.9: one paragraph with the address in it; nothing was asked of the device."""
    store(tmp_path)
    with pytest.raises(CardshoeError) as refused:
        opened(tmp_path, device, listed=False, security=security)
    assert (refused.value.code, device.log) == (code, [])
    assert "tcp://127.0.0.1" in refused.value.text


def test_a_device_that_was_never_paired_is_asked_in_vain(tmp_path: Path) -> None:
    """LINK-5.9: it answers that it serves no sealed session."""
    store(tmp_path)
    device = PairingDevice()
    device.change_reply = lambda fields: {**fields, "result": 3}
    with pytest.raises(DeviceError) as refused:
        opened(tmp_path, device, listed=False)
    assert refused.value.code == "device-not-paired"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (config_text("tcp://127.0.0.1:1", mode="live", security="clear"), "config-live-clear"),
        (config_text("tcp://127.0.0.1:1", mode="live", listed=False), "config-live-manifest"),
        (config_text("sim://shoe", mode="live"), "config-live-simulated"),
        (config_text("tcp://127.0.0.1:1").replace("manifest_key", "# manifest_key"), "config-manifest"),
        (config_text("tcp://127.0.0.1:1", security="half"), "config-value"),
    ],
)
def test_what_a_configuration_may_not_say(text: str, code: str) -> None:
    """T7, T17: a live table is sealed, attested and not simulated, before any port is opened."""
    with pytest.raises(ConfigError) as refused:
        parse_config(text, "table.toml")
    assert refused.value.code == code
