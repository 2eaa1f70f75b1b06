"""Pairing: the window that the button inside the door opens, and PAIR.

Owns LINK-11.2 to LINK-11.7. Must not know sessions beyond the HELLO that began the pairing one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from cardshoe.sim.agenda import Entry, Timers
from cardshoe.sim.keys import NO_AUDITOR, PLACES_FOR_KEYS, ROLES, KeyMemory, Pairing
from cardshoe.sim.messages import MESSAGES, Value
from cardshoe.sim.nvram import Store
from cardshoe.sim.primitives import KEY_BYTES, PROOF_BYTES, agreed, derived, identity_of, proof, public_of, same, sha256

WINDOW_S: Final = 120.0
WRONG_PROOFS_MAX: Final = 3


class PairResult(IntEnum):
    """The answer to PAIR (LINK-11.5)."""

    PAIRED = 0
    WRONG_PROOF = 1
    NO_ROOM = 2
    BAD_VALUE = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """The payload of PAIR_REPLY, and whether the device is paired now."""

    payload: bytes
    paired: bool


class PairingDesk:
    """One start of a device's pairing. `secret` gives 32 random bytes."""

    def __init__(
        self,
        *,
        device: str,
        keys: KeyMemory,
        timers: Timers,
        store: Store,
        secret: Callable[[], bytes],
        mutations: frozenset[str],
    ) -> None:
        self._messages = MESSAGES[device]
        self._keys = keys
        self._timers = timers
        self._store = store
        self._secret = secret
        self._mutations = mutations
        self._open = False
        self._closing: Entry | None = None
        self._wrong = 0
        self._answered: dict[bytes, bytes] = {}
        self._transcript = b""

    @property
    def window_open(self) -> bool:
        """Tell whether a pairing session may begin."""
        return self._open or "LINK-11.3" in self._mutations

    def press(self) -> None:
        """Someone pressed the button inside the door (LINK-11.2)."""
        if self._closing is not None:
            self._closing.cancel()
        self._open, self._wrong = True, 0
        if "LINK-11.2" not in self._mutations:
            self._closing = self._timers.at(self._timers.now + WINDOW_S, lambda _: self._close())

    def _close(self) -> None:
        if "LINK-11.2" not in self._mutations:
            self._open = False

    def begin(self, hello: bytes, reply: bytes) -> None:
        """A pairing session has begun with these payloads of HELLO and HELLO_REPLY."""
        self._transcript = sha256(b"cardshoe link-v1 pair", hello, reply[:-16])
        self._answered.clear()

    def pair(self, payload: bytes) -> Answer | None:
        """Answer PAIR, None when it gets no answer: the window is closed, and this is no repetition."""
        known = self._answered.get(payload)
        if known is not None:
            return Answer(known, paired=False)
        if not self.window_open:
            return None
        values = self._messages["PAIR"].unpack(payload)
        answer = self._judged(payload, values)
        self._answered[payload] = answer.payload
        return answer

    def _judged(self, payload: bytes, values: dict[str, Value]) -> Answer:
        role, host_name = values["role"], values["host_name"]
        host_public, auditor = _raw(values["host_public"]), _raw(values["auditor_public"])
        expected = proof(self._keys.label, b"pair host", self._transcript, payload[:-PROOF_BYTES])
        if not same(expected, _raw(values["proof"])) and "LINK-11.4" not in self._mutations:
            self._wrong += 1
            if self._wrong >= WRONG_PROOFS_MAX:
                self._close()
            return self._refused(PairResult.WRONG_PROOF)
        own = self._secret()
        shared = agreed(own, host_public)
        auditor_fits = auditor == NO_AUDITOR or agreed(own, auditor) is not None
        if not isinstance(role, int) or role not in ROLES or shared is None or not auditor_fits:
            return self._refused(PairResult.BAD_VALUE)
        before = self._keys.of_host(str(host_name), role)
        if before is None and len(self._keys.pairings) >= PLACES_FOR_KEYS:
            return self._refused(PairResult.NO_ROOM)
        if before is not None:
            self._keys.remove(before)
        half: dict[str, Value] = {
            "result": PairResult.PAIRED,
            "device_public": public_of(own),
            "identity_public": identity_of(self._keys.identity),
        }
        reply = self._messages["PAIR_REPLY"].pack({**half, "proof": bytes(PROOF_BYTES)})
        salt = sha256(b"cardshoe link-v1 paired", self._transcript, payload, reply[:-PROOF_BYTES])
        pair_key = derived(shared + self._keys.label, salt=salt, info=b"cardshoe link-v1 pair key", length=KEY_BYTES)
        key_id = sha256(b"cardshoe link-v1 key id", pair_key)[:8]
        self._keys.pairings.append(Pairing(key_id, pair_key, role, str(host_name), auditor))
        self._keys.auditor = auditor
        self._store.touch()
        self._close()
        return Answer(reply[:-PROOF_BYTES] + proof(pair_key, b"pair device"), paired=True)

    def _refused(self, result: PairResult) -> Answer:
        empty: dict[str, Value] = {"device_public": bytes(32), "identity_public": bytes(32), "proof": bytes(16)}
        return Answer(self._messages["PAIR_REPLY"].pack({"result": result, **empty}), paired=False)


def _raw(value: Value) -> bytes:
    return value if isinstance(value, bytes) else b""
