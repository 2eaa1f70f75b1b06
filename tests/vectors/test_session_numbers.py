"""Dialogues of sessions where the number is about to begin anew: 255 is followed by 1, wherever a device stands."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from device_runner import DeviceRunner
from patterns import VectorFailed
from vector_files import dialogues, id_of
from world_bench import START_S, WorldBench, nonces

from cardshoe.sim.world import World

ABOUT_SESSIONS = [v for v in dialogues("device") if {"LINK-5.4", "LINK-5.5", "LINK-5.6"} & set(v["clauses"])]
NUMBERS = (252, 253, 254)  # of the session before: 255 is passed at the first, second or third one from there


def run_at(vector: dict[str, Any], last: int) -> None:
    """Run one dialogue against a world whose last session had the number `last`."""
    device, nonce = vector["device"], nonces(vector["id"])
    world = World(seed=1, now=START_S)
    world.line_opened(device, START_S)
    bench = WorldBench(world, device)
    try:
        before = DeviceRunner(device, bench, nonce)
        while before.names.get("session") != last:
            before.run([{"connect": {}, "reply": {"result": 0, "session": {"bind": "$session"}}, "within_ms": 30_000}])
        before.run([{"world": {"do": "reset", "device": device}}, {"wait_ms": 2000}])
        while bench.read(bench.now()):
            pass
        DeviceRunner(device, bench, nonce).run(vector["steps"])
    finally:
        world.close()


@pytest.mark.parametrize(
    ("vector", "last"),
    list(itertools.product([v for v in ABOUT_SESSIONS if v["device"] == "shoe"], NUMBERS)),
    ids=lambda value: id_of(value) if isinstance(value, dict) else str(value),
)
def test_the_number_begins_anew_within_the_dialogue(vector: dict[str, Any], last: int) -> None:
    """LINK-5.4, LINK-5.5, LINK-5.6: the same outcome at every number, so also where 255 is passed."""
    run_at(vector, last)


def test_a_number_that_is_not_the_next_is_seen_there_too() -> None:
    """LINK-5.4: the dialogue is able to fail at each of these numbers."""
    ended = next(v for v in ABOUT_SESSIONS if v["id"].endswith("/nonce-of-an-ended-session"))
    wrong = json.loads(json.dumps(ended).replace("$s mod 255+1", "$s mod 255+2"))
    for last in NUMBERS:
        with pytest.raises(VectorFailed):
            run_at(wrong, last)
