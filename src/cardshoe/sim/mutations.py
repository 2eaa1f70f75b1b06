"""Ways in which a simulated device can break one clause of its protocol on purpose.

Owns the list and its texts. A conformance suite that does not notice one of them is no conformance suite.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cardshoe.sim.errors import SimError

MUTATIONS: Final[dict[str, str]] = {
    "LINK-2.4": "every seventh frame carries a wrong check",
    "LINK-2.8": "answers a command that is one byte too long as if it were right",
    "LINK-4.2": "replies to commands 400 ms late",
    "LINK-4.3": "forgets the kept reply: a repeated command is carried out again",
    "LINK-4.4": "takes any sequence number",
    "LINK-5.3": "accepts a host with another spec hash",
    "LINK-5.4": "begins every session with the same number",
    "LINK-5.5": "the same HELLO again begins another session",
    "LINK-5.6": "takes frames of any session number",
    "LINK-5.9": "serves clear sessions although it is paired",
    "LINK-5.10": "does not count its starts",
    "LINK-5.11": "does not forget the events that HELLO says are consumed",
    "LINK-6.2": "answers a heartbeat with the state of the heartbeat before",
    "LINK-6.4": "keeps moving without a lease",
    "LINK-7.1": "skips an event id now and then",
    "LINK-7.3": "never sends an event again",
    "LINK-7.4": "forgets an event when it has been sent once",
    "LINK-7.7": "deals with a full event ring",
    "LINK-7.8": "sends held events newest first after HELLO_REPLY",
    "LINK-9.3": "begins a sealed session whatever the host's proof",
    "LINK-9.4": "tells the same count of sealed sessions each time",
    "LINK-9.5": "uses one ephemeral key for all sessions of a start",
    "LINK-9.8": "takes a sealed frame with a wrong tag",
    "LINK-9.9": "seals two frames in a row under one counter",
    "LINK-9.10": "takes a sealed frame that is played again",
    "LINK-9.11": "obeys clear frames in a sealed session",
    "LINK-11.2": "never closes its pairing window",
    "LINK-11.3": "begins pairing sessions though nobody pressed the button",
    "LINK-11.4": "pairs whatever the proof of the label secret",
    "LINK-11.7": "keeps the key that UNPAIR removes",
    "LINK-12.1": "answers the second attestation of a session with the first one, nonce and all",
    "LINK-12.5": "attests in a clear session",
    "SHOE-3.2": "moves before it accepts, and writes the id to memory only afterwards",
    "SHOE-3.3": "accepts a stale command id",
    "SHOE-3.5": "forgets outcomes at a restart",
    "SHOE-4.2": "deals into an occupied gate",
    "SHOE-4.4": "reports one card more than came, and every other time the slot of the stack before",
    "SHOE-4.6": "resumes an interrupted command when the lease returns",
    "SHOE-4.7": "pushes a card that had not reached the exit sensor into the gate, uncounted",
    "SHOE-4.8": "does not tell that a stack was taken",
    "SHOE-4.9": "names a number of cards after a restart though one lay in the sensor",
    "SHOE-5.1": "ignores an inhibit",
    "SHOE-6.3": "gives a new deck the id of the deck before",
    "SHOE-6.6": "the door leaves a verified deck verified",
    "SHOE-9.1": "begins every round with the same seed: salts come twice",
    "SHOE-9.2": "binds every commitment to slot 0",
    "SHOE-9.3": "leaves out every third commitment",
    "SHOE-9.4": "allows two tries for each card",
    "SHOE-9.6": "deals after CLOSE_DEAL",
    "SHOE-9.7": "reveals before CLOSE_DEAL",
    "SHOE-9.8": "does not write tries into its log",
    "SHOE-9.9": "ends a round without its envelope",
    "SHOE-9.10": "seals the envelope to a key that is not the auditor's",
    "SHOE-9.12": "forgets at a restart which tries were spent",
    "READER-2.2": "does not tell when an unreadable card becomes readable",
    "READER-2.4": "reports the previous card again",
}

# What shows these needs keys or hashes, which a dialogue of plain steps does not compute.
NEEDS_KEYS: Final = frozenset(
    {
        "LINK-5.9", "LINK-9.3", "LINK-9.4", "LINK-9.5", "LINK-9.8", "LINK-9.9", "LINK-9.10", "LINK-9.11", "LINK-11.2",
        "LINK-11.4", "LINK-11.7", "LINK-12.1", "SHOE-9.1", "SHOE-9.2", "SHOE-9.10",
    }
)  # fmt: skip


def checked(clauses: Iterable[str]) -> frozenset[str]:
    """Return the clauses as a set. Raises SimError that lists the known ones when one is unknown."""
    chosen = frozenset(clauses)
    unknown = sorted(chosen - set(MUTATIONS))
    if unknown:
        known = "\n".join(f"  {clause}  {text}" for clause, text in MUTATIONS.items())
        raise SimError(f"there is no mutation of {', '.join(unknown)}; known are:\n{known}")
    return chosen
