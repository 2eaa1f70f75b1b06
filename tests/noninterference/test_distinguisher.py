"""A distinguisher over rounds that are not paired: lengths and times per kind of message against a hidden card.

Proves T3 of the threat model: at p < 0.001 after correction nothing goes with the dealer's first card, neither in
virtual time nor in what the driver's and controller's own work costs; a planted millisecond is found.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
from channels import Measured
from distinguisher import Groups, welch
from pairs import Planted, Setup, play

from cardshoe.devices.round_events import CardCommitted
from cardshoe.lab.simulation.runs import config_of
from cardshoe.table.controller import Controller
from cardshoe.table.state import TableState

P = 0.001
ROUNDS, ROUNDS_AT_NIGHT = 80, 2000
GAME = "three-card-poker"
LATE_S = 0.001
HIGH = 26
"""Cards from this number on (8d and above) count as high."""


def measured(rounds: int, plant: Callable[[Planted], None] | None = None) -> Groups:
    """Play rounds, each with a deck of its own; the group is that of the dealer's first card, which is hidden for long.

    Only what was seen before that card became public is counted.
    """
    groups = Groups()
    for seed in range(rounds):
        one = play(Setup(GAME, "automated-shoe", 5000 + seed), plant=plant, pictures=False)
        card = next((card for card, place in one.lay.items() if place == "dealer"), None)
        if card is None:
            continue
        until_s = one.seen[min(one.public_at.get(card, len(one.seen)), len(one.seen)) - 1].at_us / 1e6
        for each in one.measured:
            if each.at_s < until_s:
                groups.add(f"length of {each.kind}", [each.bytes_on_line], high=card >= HIGH)
                groups.add(f"time before {each.kind}", [each.after_s], high=card >= HIGH)
    return groups


def late_for_a_high_card(at: Planted) -> None:
    """The shoe's reports come a millisecond later where the dealer's first card is a high one."""
    passed = at.recorder._passed

    def passing(port: str, way: str, data: bytes) -> None:
        before = len(at.recorder.measured)
        passed(port, way, data)  # type: ignore[arg-type]
        cards = [placed.card.uid for placed in at.recorder.world._table.cards("dealer")]
        if way == "in" and cards and cards[0] >= HIGH:
            late = [_later(each) for each in at.recorder.measured[before:]]
            at.recorder.measured[before:] = late

    at.recorder._passed = passing  # type: ignore[method-assign, assignment]


def _later(each: Measured) -> Measured:
    return Measured(each.kind, each.at_s, each.after_s + LATE_S, each.bytes_on_line, each.fields)


def test_our_t_test_agrees_with_exchanging_at_random() -> None:
    """Against an oracle without any formula: how often do groups that are dealt anew differ by as much."""
    dice = random.Random(4)
    for shift in (0.0, 0.1, 0.4):
        one = [dice.gauss(0, 1) for _ in range(200)]
        two = [dice.gauss(shift, 1) for _ in range(200)]
        differs, both, as_much = abs(sum(one) - sum(two)), [*one, *two], 0
        for _ in range(800):
            dice.shuffle(both)
            as_much += abs(sum(both[:200]) - sum(both[200:])) >= differs
        assert welch(one, two) == pytest.approx(as_much / 800, abs=0.06)


def test_no_message_tells_the_dealers_card() -> None:
    """In virtual time: lengths and times of every kind of message on both lines."""
    found = measured(ROUNDS).p_values()
    assert len(found) > 10
    assert {kind: p for kind, p in found.items() if p < P} == {}


def test_a_planted_delay_is_found() -> None:
    """The same rounds, with reports that are late for a high card."""
    found = measured(ROUNDS, late_for_a_high_card).p_values()
    assert [kind for kind, p in found.items() if p < P and kind.startswith("time")] != []


def _process_times(rounds: int, slow: Callable[[int], None]) -> Groups:
    """How long a controller works on a commitment to a low and to a high card, and on the wait in between, in turn."""
    dice, groups = random.Random(8), Groups()
    for number in range(rounds):
        card = dice.randrange(52)
        commitment = dice.randbytes(32)  # the controller sees no more of the card than this
        controller = Controller(config_of(GAME), TableState())
        event = CardCommitted(number + 1, 1, 1, 0, commitment)
        begun = time.perf_counter_ns()
        slow(card)
        controller.shoe(event, 1.0)
        groups.add("work on a commitment", [time.perf_counter_ns() - begun], high=card >= HIGH)
    return groups


@pytest.mark.nightly
def test_no_message_tells_the_dealers_card_in_many_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    """The same over many more rounds, and with real process times; prints the smallest corrected p."""
    found = measured(ROUNDS_AT_NIGHT).p_values()
    times = _process_times(4000, lambda _card: None).p_values()
    with capsys.disabled():
        print(f"\n{ROUNDS_AT_NIGHT} rounds, {len(found)} tests, smallest p after correction {min(found.values()):.3g};")
        print(f"real process times over 4000 commitments: p {min(times.values()):.3g}")
    assert {kind: p for kind, p in {**found, **times}.items() if p < P} == {}


def test_a_planted_delay_in_real_time_is_found() -> None:
    """Work that takes a millisecond longer for a high card stands out of the noise of a busy machine."""
    times = _process_times(400, lambda card: time.sleep(0.001 if card >= HIGH else 0)).p_values()
    assert max(times.values()) < P
