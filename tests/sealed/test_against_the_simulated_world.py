"""The product's side of sealed sessions and the simulator's, which share no code, in virtual time.

Proves LINK-9, LINK-11 and LINK-12 between two independent implementations, and SHOE-9.2, SHOE-9.7 and SHOE-9.10: what
the simulated shoe commits to, reveals and seals is what the product checks and opens.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from world_bench import START_S, WorldBench

from cardshoe.devices import round_events as rounds
from cardshoe.devices import shoe_events as shoe
from cardshoe.devices.attest import ListedDevice, ListedFirmware, Manifest, Standing
from cardshoe.devices.commitments import Place
from cardshoe.devices.envelope import open_envelope
from cardshoe.devices.events import AttestationJudged, DeviceIdentified, DeviceRefused, SealedCountSeen, Unpaired
from cardshoe.devices.paired import Paired
from cardshoe.devices.reader import ReaderDriver
from cardshoe.devices.reader_wire import READER_CODEC
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_terms import MatchResult, RevealResult, RoundResult, RoundState
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.link.events import Refusal
from cardshoe.link.messages import Role
from cardshoe.link.pairing import Pairing, PairingDone, PairingEnd, PairingFailed, PairingWish, parse_label
from cardshoe.sim.world import World

AUDITOR = X25519PrivateKey.from_private_bytes(bytes(range(40, 72)))
CODECS = {"shoe": SHOE_CODEC, "reader": READER_CODEC}
DRIVERS: dict[str, Any] = {"shoe": ShoeDriver, "reader": ReaderDriver}


class House:
    """A world, and one of its devices as this host meets it."""

    def __init__(self, device: str = "shoe", seed: int = 1) -> None:
        self.world = World(seed=seed, now=START_S)
        self.world.line_opened(device, START_S)
        self.device, self.bench = device, WorldBench(self.world, device)
        self.entropy = Random(f"{device} {seed}").randbytes
        self.told: list[Any] = []
        self.driver: Any = None

    def do(self, do: str, **keys: Any) -> dict[str, Any]:
        """An act at the device."""
        answer = self.bench.control({"do": do, **keys})
        assert answer["ok"], answer
        return answer

    def pair(self, *, role: Role = Role.DEAL, label: bytes | None = None, press: bool = True) -> PairingEnd:
        """Pair, standing at the device."""
        printed = parse_label(self.do("label", device=self.device)["label"])
        if press:
            self.do("pairing", device=self.device)
        wish = PairingWish(label or printed, role, "table-7", AUDITOR.public_key().public_bytes_raw())
        now = self.bench.now()
        pairing = Pairing(CODECS[self.device], wish, entropy=self.entropy, now=now, deadline=now + 3)
        output = pairing.advance(now)
        while output.end is None:
            self.bench.write(output.data)
            data = self.bench.read(pairing.next_deadline() or now)
            now = self.bench.now()
            output = pairing.receive(data, now) if data else pairing.advance(now)
        return output.end

    def open(self, done: PairingDone, *, last_count: int = 0, manifest: Manifest | None = None) -> None:
        """Open a sealed session; what happened is in `told`."""
        paired = Paired(done.key, done.identity_public, last_count, self.entropy, manifest)
        self.driver = DRIVERS[self.device](
            expected=Expected("memory"), nonce=lambda: self.entropy(16), consumed_event=None, paired=paired
        )
        self.take(self.driver.open(self.bench.now(), deadline=self.bench.now() + 3))
        self.run(lambda: self.driver.live or self.last(DeviceRefused) is not None)

    def take(self, output: Any) -> None:
        """Carry out what the driver gave; counts are kept as soon as they are told, reports acknowledged."""
        self.bench.write(output.data)
        for event in output.happened:
            self.told.append(event)
            if isinstance(event, SealedCountSeen):
                self.take(self.driver.count_kept(self.bench.now()))
            event_id = getattr(event, "event_id", None)
            if event_id is not None:
                self.take(self.driver.acknowledge(event_id, self.bench.now()))

    def run(self, until: Callable[[], bool], *, within_s: float = 30.0) -> None:
        """Let virtual time pass until something is so."""
        end = self.bench.now() + within_s
        while not until():
            assert self.bench.now() < end, self.told[-5:]
            due = self.driver.next_deadline()
            data = self.bench.read(end if due is None else due)
            now = self.bench.now()
            self.take(self.driver.receive(data, now) if data else self.driver.advance(now))

    def last(self, kind: type) -> Any:
        """The last event of this kind, or None."""
        return next((event for event in reversed(self.told) if isinstance(event, kind)), None)

    def ask(self, name: str, kind: type, **fields: Any) -> Any:
        """One request of the driver and its answer."""
        count = sum(isinstance(event, kind) for event in self.told)
        now = self.bench.now()
        self.take(getattr(self.driver, name)(**fields, now=now, deadline=now + 1))
        self.run(lambda: sum(isinstance(event, kind) for event in self.told) > count)
        return self.last(kind)


def paired(house: House, **options: Any) -> PairingDone:
    """A pairing that succeeds."""
    end = house.pair(**options)
    assert isinstance(end, PairingDone)
    return end


@pytest.mark.parametrize("device", ["shoe", "reader"])
def test_pairing_session_attestation_and_unpairing(device: str) -> None:
    """LINK-9.1 to LINK-9.6, LINK-11.2 to LINK-11.7, LINK-12.1 to LINK-12.4: both devices, from button to end."""
    house = House(device)
    done = paired(house)
    listed = house.do("identity", device=device)
    assert done.identity_public.hex() == listed["identity"]
    row = ListedDevice(device, listed["model"], listed["serial"], done.identity_public)
    firmware = ListedFirmware(device, listed["model"], listed["firmware"], bytes.fromhex(listed["measurement"]))
    house.open(done, manifest=Manifest(3, (row,), (firmware,)))
    assert house.last(DeviceIdentified).sealed
    assert house.do("security", device=device)["session"] == "sealed"
    attested = house.ask("attest", AttestationJudged).attestation
    assert (attested.standing, attested.manifest_sequence) == (Standing.ATTESTED, 3)
    assert isinstance(house.ask("unpair", Unpaired), Unpaired)
    assert house.do("security", device=device)["keys"] == []


def test_changed_firmware_fails_its_attestation() -> None:
    """LINK-12.4, E34: measured afresh at each session."""
    house = House()
    done = paired(house)
    listed = house.do("identity", device="shoe")
    row = ListedDevice("shoe", listed["model"], listed["serial"], done.identity_public)
    firmware = ListedFirmware("shoe", listed["model"], listed["firmware"], bytes.fromhex(listed["measurement"]))
    house.do("fault", kind="firmware_changed", device="shoe")
    house.open(done, manifest=Manifest(3, (row,), (firmware,)))
    assert house.ask("attest", AttestationJudged).attestation.standing is Standing.FAILED


def test_no_window_and_a_wrong_label() -> None:
    """LINK-11.2, LINK-11.3, LINK-11.5."""
    for options, refusal in (({"press": False}, Refusal.NOT_PAIRING), ({"label": bytes(16)}, Refusal.WRONG_LABEL)):
        end = House().pair(**options)
        assert isinstance(end, PairingFailed)
        assert end.refusal is refusal


@pytest.mark.parametrize(("role", "code"), [(Role.SERVICE, "device-refuses-purpose"), (Role.DEAL, "device-copied")])
def test_a_service_key_and_a_copied_device(role: Role, code: str) -> None:
    """LINK-5.8, LINK-9.3, LINK-9.6: a deck is inside, so no service; a count that is not above the stored one."""
    house = House()
    house.open(paired(house, role=role), last_count=99)
    assert house.last(DeviceRefused).error.code == code


def _deal(house: House, command_id: int, cards: int, destination: int) -> None:
    now = house.bench.now()
    deck_id = house.last(shoe.ShoeStatusSeen).status.deck_id
    house.take(
        house.driver.dispense(
            command_id=command_id, deck_id=deck_id, cards=cards, destination=destination, now=now, deadline=now + 1
        )
    )
    house.run(lambda: getattr(house.last(shoe.StackReady), "command_id", 0) == command_id)
    house.do("take_stack", to="dealer" if destination == 0 else str(destination))
    house.run(lambda: getattr(house.last(shoe.StackTaken), "command_id", 0) == command_id)


def test_a_round_from_commitments_to_the_opened_envelope() -> None:
    """SHOE-9.1 to SHOE-9.10, in a sealed session: revealed, kept to what was promised, opened by the auditor."""
    house = House()
    house.open(paired(house))
    house.run(lambda: house.last(shoe.ShoeStatusSeen) is not None)
    serial = house.last(DeviceIdentified).identity.serial
    deck_id = house.last(shoe.ShoeStatusSeen).status.deck_id
    begun = house.ask("begin_round", rounds.RoundBegun, round_id=7, deck_id=deck_id)
    assert begun.result is RoundResult.DONE
    _deal(house, 1, 2, 1)
    _deal(house, 2, 3, 0)
    promised = {each.slot: each for each in house.told if isinstance(each, rounds.CardCommitted)}
    assert sorted(promised) == [0, 1, 2, 3, 4]
    early = house.ask("reveal_stack", rounds.StackRevealed, round_id=7, command_id=2)
    assert (early.result, early.cards) == (RevealResult.NOT_YET, ())
    assert house.ask("close_deal", rounds.DealClosed, round_id=7).result is RoundResult.DONE
    revealed = house.ask("reveal_stack", rounds.StackRevealed, round_id=7, command_id=2)
    assert revealed.result is RevealResult.REVEALED
    places = [Place(serial, deck_id, 7, slot) for slot in (2, 3, 4)]
    assert all(card.keeps(promised[p.slot].commitment, p) for card, p in zip(revealed.cards, places, strict=True))
    assert not revealed.cards[0].keeps(promised[3].commitment, places[1])
    shown = [card.card.reveal(lies_face_up=True) for card in revealed.cards]
    assert house.ask("end_round", rounds.RoundEnded, round_id=7).result is RoundResult.DONE
    house.run(lambda: house.last(rounds.RoundSealed) is not None)
    opened = open_envelope(
        house.last(rounds.RoundSealed), serial, AUDITOR, {slot: each.commitment for slot, each in promised.items()}
    )
    assert opened.sound
    assert [each.card for each in opened.cards][2:] == shown
    first = opened.cards[0].card
    assert first is not None
    late = house.ask("match_card", rounds.CardMatched, round_id=7, command_id=1, card=first)
    assert late.result is MatchResult.NOT_OPEN
    house.run(lambda: house.last(shoe.ShoeStatusSeen).status.round_state is RoundState.NONE)
