"""Whole rounds a second through the round machine, and recomputed hands a second through the command.

Owns the measurement of rounds: six positions of Ultimate Texas hold 'em, from the first wager to the last hand in the
rack, faces and settlement included, every event as a live table would apply it. The events are recorded beforehand, so
that the machine alone is measured. Beside it, where it is installed, PokerKit deals and shows down hold 'em for six.
Seconds are processor time: what else the computer does meanwhile changes nothing.
"""

from __future__ import annotations

import importlib.util
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from cardshoe.cards import DECK
from cardshoe.errors import InputError
from cardshoe.games.script import POSITIONS
from cardshoe.lab.bench.figures import Conditions, Figure, Measured, Skipped, Step, Target
from cardshoe.round import events, next_step
from cardshoe.round.machine import apply, open_round

GAME: Final = "ultimate-texas-holdem"
WAGERS: Final = {"ante": 1000, "blind": 1000, "trips": 500}
SEED: Final = 36
RECORDED: Final = 50
SLICES: Final = 5

_POKERKIT: Final = "PokerKit, a hand of six"
_SETTLE_S: Final = 120.0


def rounds(conditions: Conditions, step: Step) -> Iterator[Figure | Skipped]:
    """Yield rounds a second alone and by PokerKit's hands a second, and lines of `settle` a second."""
    recorded = [record(seed) for seed in range(SEED, SEED + RECORDED)]
    kit = _pokerkit()
    slices = conditions.times(SLICES, 1)
    ours, theirs = 0.0, 0.0
    for number in range(slices):  # in turns, so that a busy moment of the computer hits both
        ours = max(ours, _per_second(lambda: _replay(recorded), len(recorded), conditions))
        if kit is not None:
            theirs = max(theirs, _per_second(lambda: _deal_all(kit), _KIT_HANDS, conditions))
        step(0.7 * (number + 1) / slices)
    yield Figure("round.ultimate_six", ours, "rounds/s", target=Target(Measured.VALUE, 1_500, at_most=False))
    name = "round.ultimate_six_by_pokerkit"
    if kit is None:
        yield Skipped(name, "PokerKit is not installed; it comes with the extra `test`")
    else:
        yield Figure(name, ours, "rounds/s", _POKERKIT, theirs, Target(Measured.RATIO, 15, at_most=False))
    lines = conditions.times(15_000, 200)
    yield Figure(
        "round.settle",
        lines / _settle(lines),
        "lines/s",
        target=Target(Measured.VALUE, 3_000, at_most=False) if not conditions.quick else None,
    )


def record(seed: int) -> tuple[events.RoundOpened, list[events.Event]]:
    """Return the events of one round, with cards and answers drawn from `seed`.

    Raises `InputError` `bench-round` if the machine wants something that a round without trouble does not need.
    """
    chance = random.Random(seed)
    deck = [card.text for card in chance.sample(DECK, len(DECK))]
    opened = events.RoundOpened(seed, GAME, "automated-shoe", {}, {at: f"P{at}" for at in POSITIONS})
    state = open_round(opened)
    played: list[events.Event] = []
    wagers: list[events.Event] = [events.WagerPlaced(at, f"P{at}", WAGERS) for at in POSITIONS]
    while not isinstance(due := next_step.next_step(state), next_step.Closed):
        event = wagers.pop(0) if wagers else _dealing(due, len(state.used_commands)) or _playing(due, deck, chance)
        state, _ = apply(state, event)
        played.append(event)
    return opened, played


def _dealing(due: next_step.NextStep, commands: int) -> events.Event | None:
    match due:
        case next_step.TakeWagers():
            return events.NoMoreBetsCalled()
        case next_step.RequestStack(to, cards):
            return events.StackRequested(commands + 1, to, cards)
        case next_step.AwaitStack(command_id, to, cards):
            return events.StackDelivered(command_id, to, cards)
        case next_step.RemoveStub():
            return events.StubRemoved()
        case next_step.BurnCards(cards):
            return events.CardBurned(cards)
        case next_step.DealCommunity(cards):
            return events.BoardDealt(cards)
        case _:
            return None


def _playing(due: next_step.NextStep, deck: list[str], chance: random.Random) -> events.Event:
    match due:
        case next_step.AskDecision(positions, choices):
            return events.DecisionMade(positions[0], chance.choice(choices))
        case next_step.TurnDealer():
            return events.DealerRevealed()
        case next_step.ReadFaces(place):
            return events.CardTurned(deck.pop(), place, events.READ)
        case next_step.SettleHand(position):
            return events.HandSettled(position)
        case next_step.CollectHand(position):
            return events.HandCollected(position)
        case next_step.CompleteRound():
            return events.RoundCompleted()
        case _:
            raise InputError("bench-round", f"a round of {GAME} without trouble came to {due}")


def _replay(recorded: list[tuple[events.RoundOpened, list[events.Event]]]) -> None:
    for opened, played in recorded:
        state = open_round(opened)
        for event in played:
            state, _ = apply(state, event)


def _per_second(operation: Callable[[], object], count: int, conditions: Conditions) -> float:
    """Return the rate over about half a second of this process's own time; `operation` does `count` things."""
    ends_after, done = 0.02 if conditions.quick else 0.5, 0
    began = time.process_time()
    while (passed := time.process_time() - began) < ends_after or not done:
        operation()
        done += count
    return done / passed


# --- PokerKit

_KIT_HANDS: Final = 4


def _pokerkit() -> Callable[[], object] | None:
    """Return what deals one hand of six with PokerKit, blinds called and checked down, or None without it."""
    if importlib.util.find_spec("pokerkit") is None:
        return None
    from pokerkit import Automation, NoLimitTexasHoldem  # noqa: PLC0415 -- an extra of the tests

    automatic = tuple(Automation)

    def hand() -> None:
        table = NoLimitTexasHoldem.create_state(automatic, True, 0, (1, 2), 2, 200, 6)
        while table.status:
            table.check_or_call()

    return hand


def _deal_all(hand: Callable[[], object]) -> None:
    for _ in range(_KIT_HANDS):
        hand()


# --- settle


def _settle(lines: int) -> float:
    """Return the seconds that `cardshoe settle` takes for a file of `lines` hands, its start included."""
    with tempfile.TemporaryDirectory(prefix="cardshoe-bench-") as folder:
        path = Path(folder) / "hands.jsonl"
        path.write_text("".join(json.dumps(_case(number)) + "\n" for number in range(lines)))
        command = [sys.executable, "-m", "cardshoe", "settle", str(path)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(command, capture_output=True, check=False, timeout=_SETTLE_S)  # noqa: S603
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answers = ended.stdout.count(b"\n")
    if ended.returncode or answers != lines:
        said = ended.stderr.decode("utf-8", "replace").strip()[-200:]
        raise InputError(
            "bench-round", f"settle ended with {ended.returncode} after {answers} of {lines} answers; it said: {said!r}"
        )
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _case(number: int) -> dict[str, object]:
    """Return one line: a position that played 1x, cards drawn from its number."""
    cards = [card.text for card in random.Random(number).sample(DECK, 9)]
    position = {"wagers": WAGERS, "cards": cards[:2], "actions": ["check", "check", "play 1x"]}
    return {"id": number, "game": GAME, "positions": {"2": position}, "dealer": cards[2:4], "board": cards[4:]}
