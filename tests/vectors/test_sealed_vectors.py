"""The product gives what the third implementation gives, and takes and drops the same frames.

The vectors come from plain Python after the RFCs (`rfc_ciphers`, `sealed_wire`), which shares nothing with the product.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from vector_files import id_of, lines

from cardshoe.devices.attest import Standing, Why, attested_message, judge, parse_manifest
from cardshoe.devices.commitments import Place, commitment_of, salt_of
from cardshoe.devices.envelope import auditor_mark, open_envelope
from cardshoe.devices.round_events import RoundSealed
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.link import session_keys as keys
from cardshoe.link.events import Identity
from cardshoe.link.messages import AttestReply, HelloReply, PairReply, Role, SealReply
from cardshoe.link.pairing import Pairing, PairingDone, PairingWish, parse_label, print_label
from cardshoe.link.seal import SealedCheck
from cardshoe.link.seal_exchange import PairKey, Sealed, SealExchange
from cardshoe.wire.framing import Deframer, Frame, encode_frame


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [vector for vector in lines("sealed") if vector["kind"] == kind]


def given(vector: dict[str, Any], name: str) -> bytes:
    return bytes.fromhex(vector["given"][name])


def decode(name: str, payload: bytes) -> Any:
    return SHOE_CODEC.decode(Frame(0, SHOE_CODEC.spec.messages[name].type, 0, payload))


@pytest.mark.parametrize("vector", of_kind("seal"), ids=id_of)
def test_an_opening_gives_the_same_keys_and_proofs(vector: dict[str, Any]) -> None:
    """LINK-9.2 to LINK-9.5."""
    gives = vector["gives"]
    hello, reply = given(vector, "hello"), given(vector, "hello_reply")
    greeting = decode("HELLO_REPLY", reply)
    assert isinstance(greeting, HelloReply)
    key = PairKey(bytes.fromhex(gives["key_id"]), given(vector, "pair_key"))
    exchange = SealExchange(
        key, greeting, hello=hello, reply=reply, secret=given(vector, "host_secret"), last_count=0, repeat_s=1, now=0
    )
    seal = SHOE_CODEC.payload(exchange.seal)
    assert seal.hex() == gives["seal"]
    assert keys.seal_transcript(hello, reply).hex() == gives["t0"]
    answer = bytes.fromhex(gives["seal_reply"])
    message = decode("SEAL_REPLY", answer)
    assert isinstance(message, SealReply)
    made = exchange.judge(message, seal=seal, payload=answer)
    assert isinstance(made, Sealed)
    assert made.transcript.hex() == gives["t1"]
    assert (made.keys.host_sending.hex(), made.keys.device_sending.hex()) == (gives["host_key"], gives["device_key"])
    assert made.keys.confirmation.hex() == gives["confirmation_key"]
    assert (made.sealed_count, made.greeting.oldest_event, made.greeting.last_event) == (
        vector["given"]["sealed_count"],
        vector["given"]["oldest_event"],
        vector["given"]["last_event"],
    )


def _check(vector: dict[str, Any]) -> SealedCheck:
    """A receiver that has the vector's key and has taken the frame before."""
    key = bytes.fromhex(vector["key"])
    check = SealedCheck(keys.SessionKeys(key, key, bytes(32)))
    if vector["last_counter"]:
        sender = SealedCheck(keys.SessionKeys(key, key, bytes(32)), sent=vector["last_counter"] - 1)
        assert len(check.feed(sender.encode(session=7, type=0x15, sequence=0, payload=b""))) == 1
    return check


@pytest.mark.parametrize("vector", of_kind("frame"), ids=id_of)
def test_a_sealed_frame_is_taken_or_dropped_for_its_reason(vector: dict[str, Any]) -> None:
    """LINK-2.2, LINK-2.3, LINK-9.5, LINK-9.8 to LINK-9.11."""
    check = _check(vector)
    frames = check.feed(bytes.fromhex(vector["wire"]))
    if not vector["accept"]:
        assert frames == []
        told = {"replay": check.replays, "wrong_tag": check.wrong_tags}
        assert check.dropped == 1
        assert told.get(vector["why"], 1) == 1
        assert sum(told.values()) == (1 if vector["why"] in told else 0)
        return
    payload = bytes.fromhex(vector["payload"])
    assert frames == [Frame(vector["session"], vector["type"], vector["sequence"], payload)]
    key = bytes.fromhex(vector["key"])
    sender = SealedCheck(keys.SessionKeys(key, key, bytes(32)), sent=vector["counter"] - 1)
    wire = sender.encode(session=vector["session"], type=vector["type"], sequence=vector["sequence"], payload=payload)
    assert wire.hex() == vector["wire"]


@pytest.mark.parametrize("vector", of_kind("pair"), ids=id_of)
def test_a_pairing_gives_the_same_key(vector: dict[str, Any]) -> None:
    """LINK-11.1, LINK-11.4 to LINK-11.6, through the exchange itself."""
    gives = vector["gives"]
    label = parse_label(vector["given"]["label"])
    assert label.hex() == gives["label_secret"]
    assert print_label(label) == vector["given"]["label"]
    hello = decode("HELLO", given(vector, "hello"))
    secrets = {16: hello.host_nonce, 32: given(vector, "host_secret")}
    wish = PairingWish(
        label, Role(vector["given"]["role"]), vector["given"]["host_name"], given(vector, "auditor_public")
    )
    pairing = Pairing(SHOE_CODEC, wish, entropy=secrets.__getitem__, now=0.0, deadline=5.0)
    (asked,) = Deframer().feed(pairing.advance(0.0).data)
    assert asked.payload == given(vector, "hello")
    types = {name: message.type for name, message in SHOE_CODEC.spec.messages.items()}
    reply = given(vector, "hello_reply")
    wire = encode_frame(session=0, type=types["HELLO_REPLY"], sequence=0, payload=reply)
    (pair,) = Deframer().feed(pairing.receive(wire, 0.1).data)
    assert (pair.session, pair.payload.hex()) == (7, gives["pair"])
    answer = bytes.fromhex(gives["pair_reply"])
    assert isinstance(decode("PAIR_REPLY", answer), PairReply)
    wire = encode_frame(session=7, type=types["PAIR_REPLY"], sequence=pair.sequence, payload=answer)
    end = pairing.receive(wire, 0.2).end
    assert isinstance(end, PairingDone)
    assert (end.key.secret.hex(), end.key.key_id.hex()) == (gives["pair_key"], gives["key_id"])
    assert end.identity_public == decode("PAIR_REPLY", answer).identity_public


def test_an_attestation_and_its_manifest() -> None:
    """LINK-12.1 to LINK-12.4: the signature is right, and the manifest lists the device."""
    (vector,), (signed,) = of_kind("attest"), of_kind("manifest")
    fields = vector["given"]
    identity = Identity(
        1, fields["model"], fields["serial"], fields["firmware"], bytes(32), fields["boot_counter"], 128, 0, 7, 1, 0
    )
    nonce, t1, measurement = given(vector, "nonce"), given(vector, "t1"), given(vector, "measurement")
    reply = AttestReply(measurement, bytes.fromhex(vector["gives"]["signature"]))
    text = json.dumps(json.loads(signed["given"]["rest"]) | {"signature": signed["gives"]["signature"]}).encode()
    signer = bytes.fromhex(signed["gives"]["signer_public"])
    manifest = parse_manifest(text, signer=signer, where="here", last_sequence=4)
    public = bytes.fromhex(vector["gives"]["identity_public"])
    assert attested_message(nonce, t1, measurement, identity)[:22] == b"cardshoe link-v1 attes"
    told = judge(reply, nonce=nonce, transcript=t1, identity=identity, identity_public=public, manifest=manifest)
    assert (told.standing, told.why, told.measurement) == (Standing.ATTESTED, Why.LISTED, measurement)
    stale = judge(reply, nonce=nonce[::-1], transcript=t1, identity=identity, identity_public=public, manifest=manifest)
    assert (stale.standing, stale.why) == (Standing.FAILED, Why.SIGNATURE)


@pytest.mark.parametrize("vector", of_kind("commitment"), ids=id_of)
def test_a_commitment(vector: dict[str, Any]) -> None:
    """SHOE-9.2."""
    fields = vector["given"]
    salt = salt_of(given(vector, "seed"), fields["slot"])
    assert salt.hex() == vector["gives"]["salt"]
    place = Place(fields["serial"], fields["deck_id"], fields["round_id"], fields["slot"])
    assert commitment_of(salt, place, fields["face"]).hex() == vector["gives"]["commitment"]


def test_an_envelope_opens_with_the_auditor_s_key() -> None:
    """SHOE-9.10: every face of the round, each held against its commitment."""
    (vector,) = of_kind("envelope")
    fields, gives = vector["given"], {name: bytes.fromhex(value) for name, value in vector["gives"].items()}
    private = X25519PrivateKey.from_private_bytes(given(vector, "auditor_secret"))
    assert private.public_key().public_bytes_raw() == gives["auditor_public"]
    assert auditor_mark(gives["auditor_public"]) == gives["auditor"]
    numbers = (fields["round_id"], fields["deck_id"], fields["first_slot"], fields["cards"])
    envelope = RoundSealed(1, *numbers, gives["auditor"], gives["ephemeral"], gives["sealed"])
    promised = {each["given"]["slot"]: bytes.fromhex(each["gives"]["commitment"]) for each in of_kind("commitment")}
    opened = open_envelope(envelope, fields["serial"], private, promised)
    assert opened.sound
    told = {each.slot: each.card.index if each.card is not None else each.what for each in opened.cards}
    assert told == {4: 51, 5: 0, 6: "unreadable", 7: 17, 9: "foreign"}
    assert len(opened.cards) == fields["cards"]
