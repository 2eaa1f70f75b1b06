"""`cardshoe pair`, `keys`, `unpair` and `audit`, as people call them, with a device after the prose behind a TCP port.

Proves LINK-11.1 to LINK-11.7 for the commands, SHOE-9.10 and SHOE-9.11 for the auditor's.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import sealed_wire
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from pairing_device import LABEL, PairingDevice, on_tcp

CARDSHOE = str(Path(sys.executable).with_name("cardshoe"))


async def call(*arguments: str, label: str | None = None) -> tuple[int, str, str]:
    """Run `cardshoe`; the label secret comes from a descriptor. Returns status, output, errors."""
    read, write = os.pipe()
    os.write(write, (label or "").encode() + b"\n")
    os.close(write)
    more = [] if label is None else ["--label-fd", str(read)]
    done = await asyncio.create_subprocess_exec(
        CARDSHOE, *arguments, *more, pass_fds=[read], stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await done.communicate()
    os.close(read)
    return done.returncode or 0, out.decode(), err.decode()


def test_a_device_is_paired_listed_and_unpaired(tmp_path: Path) -> None:
    """LINK-11.3 to LINK-11.7: the key is stored, shown without its secret, and gone on both sides at the end."""
    keys, device, printed = str(tmp_path / "keys"), PairingDevice(), sealed_wire.label_text(LABEL)

    async def run() -> None:
        async with on_tcp(device) as url:
            pair = ("pair", url, "--role", "deal", "--keys", keys, "--auditor", 64 * "5", "--name", "T7", "--json")
            status, out, err = await call(*pair, label=printed)
            assert (status, err) == (0, "")
            told = json.loads(out)
            assert {"kind": told["kind"], "serial": told["serial"]} == {"kind": "shoe", "serial": "S-0001"}
            ((key_id, (secret, _role)),) = device.keys.items()
            assert (told["key_id"], device.auditor.hex(), device.hosts[key_id]) == (key_id.hex(), 64 * "5", "T7")
            status, out, err = await call("keys", "--keys", keys)
            assert status == 0
            assert key_id.hex() in out
            assert secret.hex() not in out + err
            status, out, err = await call("unpair", key_id.hex(), "--url", url, "--keys", keys, "--json")
            assert (status, json.loads(out)["at_device"], device.keys) == (0, True, {})
            assert (await call("keys", "--keys", keys, "--json"))[1] == ""

    asyncio.run(run())


def test_what_goes_wrong_at_the_device_is_told_and_stores_nothing(tmp_path: Path) -> None:
    """LINK-11.2, LINK-11.5: a wrong label, a closed window; a text that is no label never reaches the line."""
    keys = tmp_path / "keys"

    async def run() -> None:
        device = PairingDevice()
        async with on_tcp(device) as url:
            pair = ("pair", url, "--role", "deal", "--keys", str(keys), "--wait-s", "1")
            status, _out, err = await call(*pair, label=sealed_wire.label_text(bytes(16)))
            assert (status, "label secret" in err) == (3, True)
            status, _out, err = await call(*pair, label="not a label")
            assert (status, "not a label\n" in err) == (1, False)
            device.window = False
            status, _out, err = await call(*pair, label=sealed_wire.label_text(LABEL))
            assert (status, "pairing window is not open" in err) == (3, True)
            assert device.wrong == 1

    asyncio.run(run())
    assert list(keys.iterdir()) == []


def envelope(path: Path, auditor: X25519PrivateKey, *, lie: bool = False) -> None:
    """An envelope file of three cards; with `lie` one of them is not the one that was committed to."""
    seed, serial, faces = bytes(range(32)), "S-1", {3: 51, 4: 0, 5: 12}
    public = auditor.public_key().public_bytes_raw()
    plain = seed + bytes(faces.get(3 + at, 0xFF) for at in range(52))
    about = (serial, 7, 9, 3, 3)
    secret = bytes(range(60, 92))
    ephemeral = X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
    commitments = {
        slot: sealed_wire.commitment_of(
            sealed_wire.salt_of(seed, slot), serial, 9, 7, slot, face ^ (1 if lie and slot == 4 else 0)
        ).hex()
        for slot, face in faces.items()
    }
    body: dict[str, Any] = {"format": "cardshoe-envelope-1", "serial": serial, "round_id": 7, "deck_id": 9}
    body |= {"first_slot": 3, "cards": 3, "auditor": sealed_wire.sha256(public)[:8].hex(), "commitments": commitments}
    body |= {"ephemeral": ephemeral.hex()}
    body |= {"sealed": sealed_wire.envelope_of(secret, ephemeral, public, plain, about).hex()}
    path.write_text(json.dumps(body))


def audit(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `cardshoe audit`."""
    return subprocess.run([CARDSHOE, "audit", *arguments], capture_output=True, text=True, check=False)


def made_key(path: Path) -> X25519PrivateKey:
    """A key by `audit keygen`."""
    assert audit("keygen", str(path)).returncode == 0
    key = load_pem_private_key(path.read_bytes(), None)
    assert isinstance(key, X25519PrivateKey)
    return key


def test_an_envelope_is_opened_and_the_opening_is_logged(tmp_path: Path) -> None:
    """SHOE-9.10: every card with its commitment; a line in the log for each opening, before anything is told."""
    path, file = tmp_path / "auditor", tmp_path / "e.json"
    key = made_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    envelope(file, key)
    done = audit("open", str(file), "--round", "7", "--key", str(path), "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["sound"]) == (0, True)
    assert [(each["slot"], each["card"], each["commitment"]) for each in told["cards"]] == [
        (3, "As", "kept"), (4, "2c", "kept"), (5, "5c", "kept"),
    ]  # fmt: skip
    log = [json.loads(line) for line in (tmp_path / "auditor.openings.log").read_text().splitlines()]
    assert [entry["did"] for entry in log] == ["open", "opened"]
    assert all("card" not in entry for entry in log)


def test_a_broken_commitment_and_another_key(tmp_path: Path) -> None:
    """SHOE-9.2, SHOE-9.10, SHOE-9.11: the slot is named; another auditor's key opens nothing, and that is logged."""
    path, file = tmp_path / "auditor", tmp_path / "e.json"
    envelope(file, made_key(path), lie=True)
    done = audit("open", str(file), "--round", "7", "--key", str(path))
    assert (done.returncode, "slot  4" in done.stdout, "NOT every" in done.stdout) == (1, True, True)
    other = tmp_path / "other"
    made_key(other)
    done = audit("open", str(file), "--round", "7", "--key", str(other))
    assert (done.returncode, "is sealed to the auditor's key" in done.stderr) == (1, True)
    assert json.loads((tmp_path / "other.openings.log").read_text().splitlines()[-1])["code"] == "envelope-other-key"
    other.chmod(0o644)
    assert audit("open", str(file), "--round", "7", "--key", str(other)).returncode == 2
    assert audit("open", str(file), "--round", "8", "--key", str(path)).returncode == 1
    assert audit("keygen", str(path)).returncode == 2
