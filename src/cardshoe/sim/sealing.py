"""SEAL: the second half of the opening of a sealed session, from a pending HELLO to the keys.

Owns LINK-9.2 to LINK-9.5. Must not know when a session begins or ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from cardshoe.sim.channel import Channel, Tally
from cardshoe.sim.keys import KeyMemory, Pairing
from cardshoe.sim.messages import MESSAGES, Value
from cardshoe.sim.nvram import Store
from cardshoe.sim.primitives import PROOF_BYTES, agreed, derived, proof, public_of, same, sha256


class SealResult(IntEnum):
    """The answer to SEAL (LINK-9.3)."""

    OK = 0
    UNKNOWN_KEY = 1
    WRONG_PROOF = 2
    WRONG_ROLE = 3


@dataclass(frozen=True, slots=True)
class Opening:
    """What a SEAL that was accepted led to; `transcript` is T1."""

    pairing: Pairing
    channel: Channel
    transcript: bytes
    reply: bytes


class Sealer:
    """Answers SEAL. `secret` gives 32 random bytes."""

    def __init__(
        self,
        *,
        device: str,
        keys: KeyMemory,
        store: Store,
        secret: Callable[[], bytes],
        tally: Tally,
        mutations: frozenset[str],
    ) -> None:
        self._tally = tally
        self._messages = MESSAGES[device]
        self._keys = keys
        self._store = store
        self._secret = secret
        self._mutations = mutations
        self._own = b""

    def judge(self, payload: bytes, *, transcript: bytes, role: int) -> tuple[SealResult, Pairing | None]:
        """Return whether SEAL is accepted for a session of this role, and the pairing (LINK-9.3)."""
        values = self._messages["SEAL"].unpack(payload)
        key_id, public, given = (_raw(values[name]) for name in ("key_id", "host_public", "host_proof"))
        pairing = self._keys.find(key_id)
        if pairing is None:
            return SealResult.UNKNOWN_KEY, None
        expected = proof(pairing.pair_key, b"host", transcript, key_id, public)
        if not same(expected, given) and "LINK-9.3" not in self._mutations:
            return SealResult.WRONG_PROOF, None
        self._own = self._own if self._own and "LINK-9.5" in self._mutations else self._secret()
        if agreed(self._own, public) is None:
            return SealResult.WRONG_PROOF, None
        if pairing.role != role:
            return SealResult.WRONG_ROLE, None
        return SealResult.OK, pairing

    def open(self, payload: bytes, pairing: Pairing, *, transcript: bytes, oldest: int, last: int) -> Opening:
        """Make the keys of a session whose SEAL was accepted, and its SEAL_REPLY. Raises ValueError after a refusal."""
        values = self._messages["SEAL"].unpack(payload)
        shared = agreed(self._own, _raw(values["host_public"]))
        if shared is None:
            raise ValueError("this SEAL was not accepted")
        if "LINK-9.4" not in self._mutations or pairing.sealed_count == 0:
            pairing.sealed_count += 1
        self._store.touch()
        half: dict[str, Value] = {
            "result": SealResult.OK,
            "device_public": public_of(self._own),
            "sealed_count": pairing.sealed_count,
            "oldest_event": oldest,
            "last_event": last,
        }
        reply = self._messages["SEAL_REPLY"].pack({**half, "device_proof": bytes(PROOF_BYTES)})[:-PROOF_BYTES]
        told = sha256(b"cardshoe link-v1 keys", transcript, payload, reply)
        made = derived(shared + pairing.pair_key, salt=told, info=b"cardshoe link-v1 session", length=96)
        channel = Channel(host_key=made[:32], device_key=made[32:64], tally=self._tally, mutations=self._mutations)
        if "LINK-9.5" not in self._mutations:
            self._own = b""  # ephemeral secrets are erased
        return Opening(pairing, channel, told, reply + proof(made[64:], b"device", told))

    def refusal(self, result: SealResult) -> bytes:
        """Return the payload of a SEAL_REPLY that refuses."""
        empty: dict[str, Value] = {
            "device_public": bytes(32),
            "sealed_count": 0,
            "oldest_event": 0,
            "last_event": 0,
            "device_proof": bytes(PROOF_BYTES),
        }
        return self._messages["SEAL_REPLY"].pack({"result": result, **empty})


def _raw(value: Value) -> bytes:
    return value if isinstance(value, bytes) else b""
