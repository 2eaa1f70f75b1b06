"""The simulator gives what `sealed.jsonl` says, which a third implementation computed: promise P8."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sim_host import PROTOCOLS

from cardshoe.sim import hidden, wire
from cardshoe.sim.agenda import Agenda, Timers
from cardshoe.sim.attesting import Attestor
from cardshoe.sim.channel import COUNTER_MAX, Channel, Tally
from cardshoe.sim.keys import KeyMemory, Pairing
from cardshoe.sim.nvram import CommittedCard, LinkMemory, Store
from cardshoe.sim.pairing import PairingDesk
from cardshoe.sim.primitives import identity_of
from cardshoe.sim.sealing import Sealer, SealResult
from cardshoe.sim.sessions import Identity, hashed_opening

VECTORS = [
    json.loads(line) for line in (PROTOCOLS / "vectors" / "sealed.jsonl").read_text(encoding="ascii").splitlines()
]
NOTHING: frozenset[str] = frozenset()


def of_kind(kind: str) -> list[Any]:
    return [pytest.param(one, id=one["id"]) for one in VECTORS if one["kind"] == kind]


def given(vector: dict[str, Any], name: str) -> bytes:
    return bytes.fromhex(vector["given"][name])


@pytest.mark.parametrize("vector", of_kind("pair"))
def test_a_pairing(vector: dict[str, Any]) -> None:
    """LINK-11.1, LINK-11.4 to LINK-11.6."""
    gives = vector["gives"]
    keys = KeyMemory(label=bytes.fromhex(gives["label_secret"]), identity=given(vector, "identity_secret"))
    assert keys.label_printed == vector["given"]["label"]
    desk = PairingDesk(
        device="shoe",
        keys=keys,
        timers=Timers(Agenda(0.0), speed=1.0),
        store=Store(None),
        secret=lambda: given(vector, "device_secret"),
        mutations=NOTHING,
    )
    desk.press()
    desk.begin(given(vector, "hello"), given(vector, "hello_reply"))
    answer = desk.pair(bytes.fromhex(gives["pair"]))
    assert answer is not None
    assert (answer.paired, answer.payload.hex()) == (True, gives["pair_reply"])
    (pairing,) = keys.pairings
    assert (pairing.pair_key.hex(), pairing.key_id.hex()) == (gives["pair_key"], gives["key_id"])
    assert (pairing.role, pairing.host_name) == (vector["given"]["role"], vector["given"]["host_name"])
    assert pairing.auditor == given(vector, "auditor_public")


@pytest.mark.parametrize("vector", of_kind("seal"))
def test_an_opening(vector: dict[str, Any]) -> None:
    """LINK-9.2 to LINK-9.5: transcripts, proofs and keys."""
    gives, told = vector["gives"], vector["given"]
    pairing = Pairing(bytes.fromhex(gives["key_id"]), given(vector, "pair_key"), 0, "table", bytes(32))
    pairing.sealed_count = told["sealed_count"] - 1
    sealer = Sealer(
        device="shoe",
        keys=KeyMemory(bytes(16), bytes(32), [pairing]),
        store=Store(None),
        secret=lambda: given(vector, "device_secret"),
        tally=Tally(),
        mutations=NOTHING,
    )
    t0 = hashed_opening(given(vector, "hello"), given(vector, "hello_reply"))
    assert t0.hex() == gives["t0"]
    seal = bytes.fromhex(gives["seal"])
    assert sealer.judge(seal, transcript=t0, role=0) == (SealResult.OK, pairing)
    opening = sealer.open(seal, pairing, transcript=t0, oldest=told["oldest_event"], last=told["last_event"])
    assert opening.reply.hex() == gives["seal_reply"]
    assert opening.transcript.hex() == gives["t1"]
    made = Channel(
        host_key=bytes.fromhex(gives["host_key"]),
        device_key=bytes.fromhex(gives["device_key"]),
        tally=Tally(),
        mutations=NOTHING,
    )
    frame = wire.Frame(wire.VERSION_SEALED, 3, 0x82, 1, b"status")
    assert opening.channel.seal(frame) == made.seal(frame)


@pytest.mark.parametrize("vector", of_kind("frame"))
def test_a_sealed_frame(vector: dict[str, Any]) -> None:
    """LINK-9.8, LINK-9.10: taken or dropped, and why; what is taken is sealed to the same bytes."""
    key, tally = bytes.fromhex(vector["key"]), Tally()
    channel = Channel(host_key=key, device_key=key, tally=tally, mutations=NOTHING)
    channel.taken = vector["last_counter"]
    deframer = wire.Deframer()
    deframer.unseal = channel.unseal
    on_the_line = bytes.fromhex(vector["wire"])
    frames = [one for one in deframer.feed(on_the_line) if one.version == wire.VERSION_SEALED]
    counted = {"wrong_tag": (1, 0), "replay": (0, 1)}.get(vector["why"], (0, 0))
    assert (tally.wrong_tags, tally.replays) == counted
    if not vector["accept"]:
        assert frames == []
        return
    (frame,) = frames
    assert (frame.session, frame.type, frame.sequence) == (vector["session"], vector["type"], vector["sequence"])
    assert frame.payload.hex() == vector["payload"]
    assert channel.taken == vector["counter"]
    assert vector["counter"] <= COUNTER_MAX
    channel.sent = vector["counter"] - 1
    assert wire.framed(channel.seal(frame)) == on_the_line


@pytest.mark.parametrize("vector", of_kind("attest"))
def test_an_attestation(vector: dict[str, Any]) -> None:
    """LINK-12.1."""
    told = vector["given"]
    attestor = Attestor(
        measured=lambda: given(vector, "measurement"),
        identity=Identity("shoe", 1, told["model"], told["serial"], told["firmware"], 0),
        keys=KeyMemory(bytes(16), given(vector, "identity_secret")),
        memory=LinkMemory(boot_counter=told["boot_counter"]),
        mutations=NOTHING,
    )
    answer = attestor.answer(given(vector, "nonce"), given(vector, "t1"))
    assert identity_of(given(vector, "identity_secret")).hex() == vector["gives"]["identity_public"]
    assert answer == {
        "measurement": given(vector, "measurement"),
        "signature": bytes.fromhex(vector["gives"]["signature"]),
    }


@pytest.mark.parametrize("vector", of_kind("commitment"))
def test_a_commitment(vector: dict[str, Any]) -> None:
    """SHOE-9.2."""
    told = vector["given"]
    salt = hidden.salt_of(given(vector, "seed"), told["slot"])
    assert salt.hex() == vector["gives"]["salt"]
    place = hidden.Place(told["serial"], told["deck_id"], told["round_id"])
    assert hidden.commitment_of(salt, place, told["slot"], told["face"]).hex() == vector["gives"]["commitment"]


@pytest.mark.parametrize("vector", of_kind("envelope"))
def test_an_envelope(vector: dict[str, Any]) -> None:
    """SHOE-9.10."""
    told, gives = vector["given"], vector["gives"]
    faces = given(vector, "faces")
    cards = [CommittedCard(1, told["first_slot"] + n, face) for n, face in enumerate(faces) if face != 0xFF]
    made = hidden.envelope_of(
        given(vector, "seed"),
        hidden.Place(told["serial"], told["deck_id"], told["round_id"]),
        cards,
        auditor=bytes.fromhex(gives["auditor_public"]),
        secret=given(vector, "ephemeral_secret"),
    )
    assert (made.first_slot, made.cards) == (told["first_slot"], told["cards"])
    assert (made.auditor.hex(), made.ephemeral.hex(), made.sealed.hex()) == (
        gives["auditor"], gives["ephemeral"], gives["sealed"],
    )  # fmt: skip
