"""Which dialogues the reference firmware is asked, how it is brought to where they begin, and which do not fit it."""

from __future__ import annotations

from typing import Any

import firmware_kit
import steps
from device_runner import Bench, DeviceRunner

NO_READER = "the firmware counts and reads no faces (capability 2 is not set)"
NO_COVER = "there is no slot for a cover card (capability 8 is not set)"
NOT_RUN = {
    "deck-duplicate": NO_READER,
    "deck-foreign": NO_READER,
    "deck-joker": NO_READER,
    "deck-unreadable": NO_READER,
    "deck-face-up": NO_READER,
    "deck-extra": NO_READER + ": of 53 cards it cannot say which is one too many",
    "cover-card-in-deck": NO_COVER,
    "cover-card": NO_COVER,
    "two-cover-cards": NO_COVER,
    "fault-feed-slow": "it measures no feed while nothing is fed, so the fault cannot appear by itself",
}
NO_ROUNDS = "the firmware commits to no cards (capability 32 is not set) and answers BEGIN_ROUND with unknown_type"
STEM = "dialogue/device/shoe/"


def shoe_dialogues() -> list[dict[str, Any]]:
    """All dialogues of role `device` for a shoe."""
    return [v for v in firmware_kit.vectors("dialogues.jsonl") if v["role"] == "device" and v["device"] == "shoe"]


def of_rounds() -> set[str]:
    """The dialogues of shoe-v1 chapter 9, by name: those that ask for something of a round."""
    asked = {"BEGIN_ROUND", "CLOSE_DEAL", "END_ROUND", "MATCH_CARD", "REVEAL_STACK", "READ_ASKED"}
    return {
        v["id"].removeprefix(STEM)
        for v in shoe_dialogues()
        if any(step.get("send", {}).get("message") in asked for step in v["steps"])
    }


def fitting() -> list[dict[str, Any]]:
    """Those that the firmware's capabilities allow."""
    left_out = {*NOT_RUN, *of_rounds()}
    return [v for v in shoe_dialogues() if v["id"].removeprefix(STEM) not in left_out]


def of_sessions() -> list[dict[str, Any]]:
    """Those of them in which a session ends and another begins."""
    return [v for v in fitting() if {"LINK-5.4", "LINK-5.5", "LINK-5.6"} & set(v["clauses"])]


def bring_to_the_beginning(bench: Bench, nonce: Any, *, slack_ms: int = 0) -> None:
    """A verified deck, no session, nothing held but BOOTED: README.md section 4 of the vectors."""
    runner = DeviceRunner("shoe", bench, nonce, slack_ms=slack_ms)
    bench.control({"do": "bench", "count_ms": 2})
    prepared = steps.want("DECK_VERIFIED", steps.PREPARE_MS, command_id=1, cards=52)
    runner.run([
        steps.connect(), steps.beats(), steps.status(state=1), {"discard_ms": 100},
        steps.send("PREPARE_DECK", 1, command_id=1), steps.want("PREPARE_DECK_REPLY", sequence=1, result=0), prepared,
        steps.status(last_event={"bind": "$le"}, deck_state=2), steps.send("EVENT_ACK", 0, consumed_event="$le"),
        steps.wait(50), steps.world("bench", count_ms=firmware_kit.COUNT_MS), steps.world("reset", device="shoe"),
        steps.wait(50),
    ])  # fmt: skip
    while bench.read(bench.now()):
        pass
