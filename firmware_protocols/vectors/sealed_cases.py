"""The cases of sealed.jsonl: what sealed sessions, pairing, attestation and commitments give for fixed secrets.

Owns the given values; `sealed_wire.py` computes what they give. The secrets are patterns and serve no device.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import sealed_wire as sealed
from message_cases import NONCE_A, NONCE_B
from rfc_ciphers import ed25519_public, ed25519_sign, sha256, x25519_public
from vector_wire import Value, load, pack, spec_hash

Vector = dict[str, Any]
SHOE = load("shoe")
LABEL = bytes(range(0x40, 0x50))
HOST, DEVICE = bytes(range(32)), bytes(range(100, 132))
OTHER_HOST, OTHER_DEVICE = bytes(range(1, 33)), bytes(range(101, 133))
AUDITOR, EPHEMERAL = bytes(range(50, 82)), bytes(range(60, 92))
IDENTITY, SIGNER = bytes(range(150, 182)), bytes(range(200, 232))
ORDER = SHOE["DISPENSE"]
NAMES = ("CS-1000", "S-0001", "1.0.0")


def _hello(security: int, **changes: Value) -> bytes:
    fields: dict[str, Value] = {"host_nonce": NONCE_A, "spec_hash": spec_hash("shoe"), "purpose": 0}
    return pack(SHOE["HELLO"], fields | {"security": security, "consumed_event": 0} | changes)


def _hello_reply(**changes: Value) -> bytes:
    fields: dict[str, Value] = {"result": 0, "host_nonce": NONCE_A, "device_nonce": NONCE_B}
    fields |= {"spec_hash": spec_hash("shoe"), "session": 7, "device_kind": 1, "model": NAMES[0], "serial": NAMES[1]}
    fields |= {"firmware": NAMES[2], "boot_counter": 3, "ring_size": 128, "capabilities": 255}
    return pack(SHOE["HELLO_REPLY"], fields | {"oldest_event": 5, "last_event": 9} | changes)


# --- pairing


def _pairing(role: int, host_name: str, auditor: bytes) -> dict[str, Any]:
    hello, reply = _hello(2), _hello_reply()
    p0 = sealed.p0_of(hello, reply)
    host_public, device_public = x25519_public(HOST), x25519_public(DEVICE)
    fields: dict[str, Value] = {"role": role, "host_name": host_name, "host_public": host_public.hex()}
    fields |= {"auditor_public": auditor.hex()}
    proof = sealed.pair_proof(LABEL, p0, pack(SHOE["PAIR"], fields | {"proof": 16 * "00"}))
    pair = pack(SHOE["PAIR"], fields | {"proof": proof.hex()})
    answer: dict[str, Value] = {"result": 0, "device_public": device_public.hex()}
    answer |= {"identity_public": ed25519_public(IDENTITY).hex()}
    unproved = pack(SHOE["PAIR_REPLY"], answer | {"proof": 16 * "00"})
    key = sealed.pair_key_of(HOST, device_public, LABEL, p0, pair, unproved)
    pair_reply = pack(SHOE["PAIR_REPLY"], answer | {"proof": sealed.pair_reply_proof(key).hex()})
    return {
        "given": {"label": sealed.label_text(LABEL), "host_secret": HOST.hex(), "device_secret": DEVICE.hex()}
        | {"identity_secret": IDENTITY.hex(), "hello": hello.hex(), "hello_reply": reply.hex()}
        | {"role": role, "host_name": host_name, "auditor_public": auditor.hex()},
        "gives": {"label_secret": LABEL.hex(), "p0": p0.hex(), "pair": pair.hex(), "pair_reply": pair_reply.hex()}
        | {"pair_key": key.hex(), "key_id": sealed.key_id_of(key).hex()},
    }


PAIRED = _pairing(0, "table-7", x25519_public(AUDITOR))
PAIR_KEY = bytes.fromhex(PAIRED["gives"]["pair_key"])
KEY_ID = bytes.fromhex(PAIRED["gives"]["key_id"])


def pairings() -> Iterator[Vector]:
    """Two pairings: with an auditor, and without."""
    cites = ["LINK-11.1", "LINK-11.4", "LINK-11.5", "LINK-11.6"]
    note = "a key of role deal, with an auditor"
    yield {"id": "sealed/pair-deal", "clauses": cites, "note": note, "kind": "pair", **PAIRED}
    note = "a key of role service, a host name of 16 letters, no auditor"
    other = _pairing(1, "SIXTEEN-LETTERS-", bytes(32))
    yield {"id": "sealed/pair-service", "clauses": cites, "note": note, "kind": "pair", **other}


# --- the opening


def _opening(
    host: bytes, device: bytes, hello: bytes, reply: bytes, count: int, events: tuple[int, int]
) -> dict[str, Any]:
    t0 = sealed.t0_of(hello, reply)
    host_public, device_public = x25519_public(host), x25519_public(device)
    fields: dict[str, Value] = {"key_id": KEY_ID.hex(), "host_public": host_public.hex()}
    proof = sealed.host_proof(PAIR_KEY, t0, KEY_ID, host_public)
    seal = pack(SHOE["SEAL"], fields | {"host_proof": proof.hex()})
    answer: dict[str, Value] = {"result": 0, "device_public": device_public.hex(), "sealed_count": count}
    answer |= {"oldest_event": events[0], "last_event": events[1]}
    t1 = sealed.t1_of(t0, seal, pack(SHOE["SEAL_REPLY"], answer | {"device_proof": 16 * "00"}))
    keys = sealed.keys_of(host, device_public, PAIR_KEY, t1)
    reply_proof = sealed.device_proof(keys.confirmation, t1)
    seal_reply = pack(SHOE["SEAL_REPLY"], answer | {"device_proof": reply_proof.hex()})
    return {
        "given": {"pair_key": PAIR_KEY.hex(), "host_secret": host.hex(), "device_secret": device.hex()}
        | {"hello": hello.hex(), "hello_reply": reply.hex(), "sealed_count": count}
        | {"oldest_event": events[0], "last_event": events[1]},
        "gives": {"key_id": KEY_ID.hex(), "t0": t0.hex(), "seal": seal.hex(), "t1": t1.hex()}
        | {"seal_reply": seal_reply.hex(), "host_key": keys.host.hex(), "device_key": keys.device.hex()}
        | {"confirmation_key": keys.confirmation.hex()},
    }


OPENED = _opening(HOST, DEVICE, _hello(1), _hello_reply(), 1, (5, 9))
OTHER = _opening(OTHER_HOST, OTHER_DEVICE, _hello(1), _hello_reply(session=8), 2, (5, 9))
T1 = bytes.fromhex(OPENED["gives"]["t1"])


def openings() -> Iterator[Vector]:
    """The opening, and what changes with each of its parts."""
    cites = ["LINK-9.2", "LINK-9.3", "LINK-9.4", "LINK-9.5"]
    yield {"id": "sealed/opening", "clauses": cites, "note": "the opening", "kind": "seal", **OPENED}
    note = "another session: other secrets, the session number one up"
    yield {"id": "sealed/opening-again", "clauses": cites, "note": note, "kind": "seal", **OTHER}
    moved = _opening(HOST, DEVICE, _hello(1), _hello_reply(oldest_event=1, last_event=99), 1, (5, 9))
    note = "other oldest_event and last_event in HELLO_REPLY: T0 is that of sealed/opening"
    yield {"id": "sealed/opening-moved", "clauses": ["LINK-9.2"], "note": note, "kind": "seal", **moved}
    top = 2**64 - 1
    changed = _opening(HOST, DEVICE, _hello(1, consumed_event=top), _hello_reply(capabilities=31), top, (top, top - 1))
    note = "the largest numbers, and fewer capabilities: T0 is another"
    yield {"id": "sealed/opening-top", "clauses": cites, "note": note, "kind": "seal", **changed}


# --- frames


def _frame(
    name: str, cites: list[str], note: str, wire: bytes, *, key: str = "host_key", last: int = 0, why: str | None = None
) -> Vector:
    """One frame for a receiver that has taken counter `last` in the session sealed/opening."""
    given = bytes.fromhex(OPENED["gives"][key])
    vector: Vector = {"id": f"sealed/frame/{name}", "clauses": cites, "note": note, "kind": "frame"}
    vector |= {"key": given.hex(), "last_counter": last, "wire": wire.hex(), "accept": why is None, "why": why}
    if why is None:
        opened = sealed.open_sealed(given, wire[:-1])
        if isinstance(opened, str):
            raise ValueError(f"{name}: {opened}")
        session, kind, sequence, counter, payload = opened
        vector |= {"session": session, "type": kind, "sequence": sequence, "counter": counter}
        vector |= {"payload": payload.hex()}
    return vector


def frames() -> Iterator[Vector]:
    """Sealed frames: good, replayed, changed, spliced."""
    key, other = (bytes.fromhex(which["gives"]["host_key"]) for which in (OPENED, OTHER))
    back = bytes.fromhex(OPENED["gives"]["device_key"])
    order = pack(ORDER, {"command_id": 9, "deck_id": 7, "cards": 2, "destination": 4})
    good = sealed.sealed_wire(key, 1, 7, ORDER.type, 1, order)
    laid = ["LINK-9.8", "LINK-9.10"]
    yield _frame("first", laid, "DISPENSE under counter 1", good)
    yield _frame("empty", laid, "no payload", sealed.sealed_wire(key, 2, 7, SHOE["READ_COUNTERS"].type, 2, b""), last=1)
    longest = sealed.sealed_wire(key, 3, 7, 0x7F, 1, bytes(range(228)))
    yield _frame("longest", laid, "228 bytes of payload: 255 bytes on the line", longest, last=2)
    back_wire = sealed.sealed_wire(back, 1, 7, SHOE["DISPENSE_REPLY"].type, 1, order[:8] + b"\0")
    yield _frame("from-device", laid, "the device's direction has its own key", back_wire, key="device_key")
    high = sealed.sealed_wire(key, 0xFFFFFFFE, 7, ORDER.type, 1, order)
    note = "a gap is a loss on the line; the highest counter but one"
    yield _frame("gap", ["LINK-9.9", "LINK-9.10"], note, high, last=41)
    again = sealed.sealed_wire(key, 2, 7, ORDER.type, 1, order)
    yield _frame("repeated", ["LINK-9.9"], "the same command again, under a new counter", again, last=1)
    replay = ["LINK-9.10"]
    yield _frame("replayed", replay, "the very same frame again", good, last=1, why="replay")
    yield _frame("reordered", replay, "a frame that comes after a later one", good, last=5, why="replay")
    content = sealed.sealed_content(key, 1, 7, ORDER.type, 1, order)
    for place, name in ((1, "session"), (2, "type"), (3, "sequence"), (5, "counter"), (9, "payload"), (-1, "tag")):
        changed = bytearray(content)
        changed[place] ^= 0x10
        wire = sealed.cobs_encode(bytes(changed)) + b"\0"
        yield _frame(f"changed-{name}", ["LINK-9.8"], f"a bit of {name} turned", wire, why="wrong_tag")
    spliced = sealed.sealed_wire(other, 6, 7, ORDER.type, 1, order)
    note = "made in another session of the same two, its session byte put right"
    yield _frame("spliced", ["LINK-9.5", "LINK-9.10"], note, spliced, last=5, why="wrong_tag")
    note = "the host's own frame sent back at it"
    yield _frame("reflected", ["LINK-9.5", "LINK-9.8"], note, good, key="device_key", why="wrong_tag")
    shorter = bytearray(content)
    shorter[4] -= 1
    note = "length says one byte less"
    wire = sealed.cobs_encode(bytes(shorter)) + b"\0"
    yield _frame("length", ["LINK-2.3", "LINK-9.8"], note, wire, why="wrong_length")
    clear = sealed.cobs_encode(sealed.sealed_content(key, 1, 7, ORDER.type, 1, order, version=1)) + b"\0"
    yield _frame("version", ["LINK-2.2", "LINK-9.11"], "version 01 inside a sealed session", clear, why="wrong_version")


# --- attestation, commitments, envelope


def attestations() -> Iterator[Vector]:
    """What a device signs, and a manifest that lists it."""
    nonce, measurement = bytes(range(32)), sha256(b"firmware image")
    message = sealed.attested(nonce, T1, measurement, NAMES, 3)
    given = {"identity_secret": IDENTITY.hex(), "nonce": nonce.hex(), "t1": T1.hex(), "measurement": measurement.hex()}
    given |= {"model": NAMES[0], "serial": NAMES[1], "firmware": NAMES[2], "boot_counter": 3}
    public = ed25519_public(IDENTITY)
    gives = {"identity_public": public.hex(), "signature": ed25519_sign(IDENTITY, message).hex()}
    cites = ["LINK-12.1", "LINK-12.2"]
    note = "ATTEST_REPLY in the session sealed/opening"
    yield {"id": "sealed/attest", "clauses": cites, "note": note, "kind": "attest", "given": given, "gives": gives}
    device = {"kind": "shoe", "model": NAMES[0], "serial": NAMES[1], "identity": public.hex()}
    firmware = {"kind": "shoe", "model": NAMES[0], "firmware": NAMES[2], "measurement": measurement.hex()}
    rest = {"format": "cardshoe-manifest-1", "sequence": 4, "devices": [device], "firmware": [firmware]}
    manifest = sealed.signed_manifest(rest, SIGNER)
    yield {
        "id": "sealed/manifest",
        "clauses": ["LINK-12.3", "LINK-12.4"],
        "note": "a manifest that lists the device of sealed/attest",
        "kind": "manifest",
        "given": {"signer_secret": SIGNER.hex(), "rest": json.dumps(rest)},
        "gives": {"signer_public": ed25519_public(SIGNER).hex(), "signature": manifest["signature"]},
    }


SEED = bytes(range(0x20, 0x40))
DECK_ID, ROUND_ID, FIRST_SLOT = 65_536, 2**40 + 5, 4
DEALT = {4: 51, 5: 0, 6: 0xFE, 7: 17, 9: 0xFD}  # slot 8 went back to the magazine


def commitments() -> Iterator[Vector]:
    """Salts and commitments of a round of five cards, one of them unreadable, one of another design."""
    for slot, face in DEALT.items():
        salt = sealed.salt_of(SEED, slot)
        commitment = sealed.commitment_of(salt, NAMES[1], DECK_ID, ROUND_ID, slot, face)
        yield {
            "id": f"sealed/commitment-{slot}",
            "clauses": ["SHOE-9.2"],
            "note": f"slot {slot}, face {face:02X}",
            "kind": "commitment",
            "given": {"seed": SEED.hex(), "serial": NAMES[1], "deck_id": DECK_ID, "round_id": ROUND_ID}
            | {"slot": slot, "face": face},
            "gives": {"salt": salt.hex(), "commitment": commitment.hex()},
        }


def envelopes() -> Iterator[Vector]:
    """The envelope of that round."""
    public, auditor = x25519_public(EPHEMERAL), x25519_public(AUDITOR)
    faces = bytes(DEALT.get(FIRST_SLOT + at, 0xFF) for at in range(52))
    about = (NAMES[1], ROUND_ID, DECK_ID, FIRST_SLOT, len(DEALT))
    box = sealed.envelope_of(EPHEMERAL, public, auditor, SEED + faces, about)
    given = {"auditor_secret": AUDITOR.hex(), "ephemeral_secret": EPHEMERAL.hex(), "seed": SEED.hex()}
    given |= {"faces": faces.hex(), "serial": NAMES[1], "round_id": ROUND_ID, "deck_id": DECK_ID}
    given |= {"first_slot": FIRST_SLOT, "cards": len(DEALT)}
    gives = {"auditor_public": auditor.hex(), "auditor": sha256(auditor)[:8].hex(), "ephemeral": public.hex()}
    gives |= {"sealed": box.hex()}
    yield {
        "id": "sealed/envelope",
        "clauses": ["SHOE-9.10"],
        "note": "ROUND_SEALED of that round",
        "kind": "envelope",
        "given": given,
        "gives": gives,
    }


def vectors() -> list[Vector]:
    """All lines of sealed.jsonl."""
    groups = (pairings, openings, frames, attestations, commitments, envelopes)
    return [vector for group in groups for vector in group()]
