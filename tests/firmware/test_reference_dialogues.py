"""The reference firmware under the conformance vectors: every dialogue that fits it, in virtual time."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import steps
from device_runner import DeviceRunner
from firmware_kit import Lab, vectors
from reference_dialogues import (
    NO_ROUNDS,
    NOT_RUN,
    STEM,
    bring_to_the_beginning,
    fitting,
    of_rounds,
    of_sessions,
    shoe_dialogues,
)


@pytest.mark.parametrize("vector", fitting(), ids=lambda v: v["id"].removeprefix(STEM))
def test_a_dialogue(lab: Lab, vector: dict[str, Any]) -> None:
    """Each dialogue names the clauses that it shows: LINK-3.1 to LINK-8.3, SHOE-1.1 to SHOE-8.7."""
    count = itertools.count(1)

    def nonce() -> bytes:
        return next(count).to_bytes(16, "little")

    bring_to_the_beginning(lab, nonce)
    DeviceRunner("shoe", lab, nonce).run(vector["steps"])


@pytest.mark.parametrize("last", [252, 253, 254])
@pytest.mark.parametrize("vector", of_sessions(), ids=lambda v: v["id"].removeprefix(STEM))
def test_a_dialogue_where_session_numbers_begin_anew(lab: Lab, vector: dict[str, Any], last: int) -> None:
    """LINK-5.4, LINK-5.5, LINK-5.6: 255 is followed by 1 within the dialogue, and nothing else is different."""
    count = itertools.count(1)

    def nonce() -> bytes:
        return next(count).to_bytes(16, "little")

    bring_to_the_beginning(lab, nonce)
    before = DeviceRunner("shoe", lab, nonce)
    while before.names.get("session") != last:
        before.run([steps.connect(reply={"session": {"bind": "$session"}})])
    before.run([steps.world("reset", device="shoe"), steps.wait(50)])
    while lab.read(lab.now()):
        pass
    DeviceRunner("shoe", lab, nonce).run(vector["steps"])


def test_what_is_not_run_is_told() -> None:
    """The list of dialogues that do not fit names dialogues that exist, each with its reason, and is short."""
    known = {v["id"].removeprefix(STEM) for v in shoe_dialogues()}
    assert set(NOT_RUN) <= known
    assert len(NOT_RUN) == 10
    assert all(len(reason) > 20 for reason in (*NOT_RUN.values(), NO_ROUNDS))
    assert not set(NOT_RUN) & of_rounds()
    assert len(fitting()) == len(shoe_dialogues()) - len(NOT_RUN) - len(of_rounds())


def test_a_round_is_unknown_to_it(lab: Lab) -> None:
    """SHOE-9.1, LINK-4.8, LINK-5.9: a shoe that does not commit rejects the type and tells no round in its status."""
    count = itertools.count(1)

    def nonce() -> bytes:
        return next(count).to_bytes(16, "little")

    bring_to_the_beginning(lab, nonce)
    begin = {"round_id": 1, "deck_id": 1}
    DeviceRunner("shoe", lab, nonce).run([
        *steps.opened(), steps.status(round_id=0, round_state=0),
        steps.send("BEGIN_ROUND", 1, **begin), steps.reject(2, 0x16, 1),
        steps.send("ATTEST", 1, nonce=64 * "0"), steps.reject(2, 0x38, 1),
    ])  # fmt: skip


@pytest.mark.parametrize("vector", vectors("frames.jsonl"), ids=lambda v: v["id"])
def test_a_frame(lab: Lab, vector: dict[str, Any]) -> None:
    """LINK-2.1 to LINK-2.7: what is accepted, and the one encoding of it."""
    lab.frame(0)
    found = [frame for byte in bytes.fromhex(vector["wire"]) if (frame := lab.frame(byte))]
    if not vector["accept"]:
        assert found == []
        return
    head = bytes([vector["session"], vector["type"], vector["sequence"]])
    payload = bytes.fromhex(vector["payload"])
    assert found == [head + payload]
    if len(payload) <= 137:  # the longest that this device sends
        assert lab.encode(*head, payload).hex() == vector["wire"]


@pytest.mark.parametrize("vector", vectors("resync.jsonl"), ids=lambda v: v["id"])
def test_a_stream(lab: Lab, vector: dict[str, Any]) -> None:
    """LINK-3.1 to LINK-3.3: the frames of a stream, whatever stands between them."""
    lab.frame(0)
    before = lab.dropped()
    found = []
    for chunk in vector["chunks"]:
        found += [frame for byte in bytes.fromhex(chunk) if (frame := lab.frame(byte))]
    wanted = [bytes([f["session"], f["type"], f["sequence"]]) + bytes.fromhex(f["payload"]) for f in vector["frames"]]
    assert found == wanted
    assert (lab.dropped() - before) % 65536 == vector["dropped"]
