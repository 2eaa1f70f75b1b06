"""What a device did before it was connected is told before a round begins on it, over a clear and a sealed line."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from cardshoe.devices.events import Output, SealedCountSeen
from cardshoe.devices.paired import Paired
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.journal import Entry
from cardshoe.lab.simulation.runs import SPEED, config_of
from cardshoe.lab.virtual import VirtualTable
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.link.messages import Role
from cardshoe.link.pairing import Pairing, PairingDone, PairingWish, parse_label
from cardshoe.round.events import NoMoreBetsCalled, WagerPlaced
from cardshoe.sim.world import World
from cardshoe.table.acts import OpenRound
from cardshoe.table.view import OpenRoundDue, Wait

SEEDS = (1, 7, 500_123)


class LateTable(VirtualTable):
    """Everything that the shoe says right behind its first answer is lost on the line, and said again later."""

    lost = False

    def _hear(self, line: Any, data: bytes) -> None:
        if line.port == "shoe" and not self.lost:
            answer, _, behind = data.lstrip(b"\x00").partition(b"\x00")
            self.lost = bool(behind.strip(b"\x00"))
            data = answer + b"\x00"
        super()._hear(line, data)


class SealedTable(VirtualTable):
    """Its shoe is paired: what comes while the count of the session is stored is not heard (LINK-9.6)."""

    def __init__(self, pairing: PairingDone, *args: Any, **keys: Any) -> None:
        self._pairing, self._entropy = pairing, Random("entropy").randbytes
        super().__init__(*args, **keys)

    def _driver(self, port: str, url: str) -> Any:
        if port != "shoe":
            return super()._driver(port, url)
        known = self.controller.state.devices.get(port)
        return ShoeDriver(
            expected=Expected(where=url),
            nonce=lambda: self._entropy(16),
            consumed_event=known.consumed_event if known is not None else None,
            paired=Paired(self._pairing.key, self._pairing.identity_public, 0, self._entropy, None),
        )

    def _take(self, line: Any, output: Output[Any]) -> None:
        super()._take(line, output)
        if any(isinstance(event, SealedCountSeen) for event in output.happened):
            super()._take(line, line.driver.count_kept(self.now))


def _with_a_deck(seed: int) -> tuple[World, list[Entry]]:
    """A world whose shoe holds a verified deck and restarted since, unseen; the journal knows the deck."""
    world = World(seed=seed, speed=SPEED)
    table = VirtualTable(config_of("three-card-poker"), world, seed=seed)
    assert table.run_until(lambda: table.shown.shoe_up, within_s=3.0)
    assert table.hands("load_deck")["ok"]
    desk = table.controller.desk
    assert table.run_until(
        lambda: desk.state.upkeep.verified_deck_id != 0 and desk.state.command is None, within_s=30.0
    )
    world.control({"do": "reset", "device": "shoe"}, table.now + 1.0)
    world.take_output("shoe")
    world.take_output("reader")
    world.advance(table.now + 5.0)
    return world, list(table.entries)


def _paired(world: World, now: float) -> tuple[PairingDone, float]:
    label = parse_label(str(world.control({"do": "label", "device": "shoe"}, now)["label"]))
    world.control({"do": "pairing", "device": "shoe"}, now)
    entropy = Random("pairing").randbytes
    wish = PairingWish(label, Role.DEAL, "table-7", entropy(32))
    pairing = Pairing(SHOE_CODEC, wish, entropy=entropy, now=now, deadline=now + 3)
    output = pairing.advance(now)
    while output.end is None:
        world.receive("shoe", output.data, now)
        now += 0.01
        world.advance(now)
        data = world.take_output("shoe")
        output = pairing.receive(data, now) if data else pairing.advance(now)
    assert isinstance(output.end, PairingDone)
    return output.end, now + 0.2


def _clear(seed: int) -> VirtualTable:
    world, entries = _with_a_deck(seed)
    return LateTable(config_of("three-card-poker"), world, seed=seed, entries=entries, now=100.0)


def _sealed(seed: int) -> VirtualTable:
    world, entries = _with_a_deck(seed)
    pairing, now = _paired(world, 100.0)
    return SealedTable(pairing, config_of("three-card-poker"), world, seed=seed, entries=entries, now=now)


def _told(table: VirtualTable) -> list[str]:
    return [str(entry.body["event"]) for entry in table.entries if entry.kind == "shoe_reported"]


@pytest.mark.parametrize("make", [_clear, _sealed])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_round_is_offered_before_a_device_has_told_its_past(make: Callable[[int], VirtualTable], seed: int) -> None:
    """Promise P5, SHOE-8.5, LINK-7.4: the shoe's status is ahead of its events, and the events count."""
    table = make(seed)
    assert table.run_until(lambda: table.shown.shoe_up and table.controller.desk.live.shoe is not None, within_s=3.0)
    assert isinstance(table.shown.due, Wait)
    assert "before they were connected" in table.shown.words
    assert _told(table).count("ShoeBooted") == 1
    assert table.run_until(lambda: not isinstance(table.shown.due, Wait), within_s=3.0)
    assert _told(table).count("ShoeBooted") == 2
    assert not isinstance(table.shown.due, OpenRoundDue)  # the deck lay in a shoe that restarted: it is verified anew


@pytest.mark.parametrize("make", [_clear, _sealed])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_round_opened_at_once_is_not_held_by_the_past(make: Callable[[int], VirtualTable], seed: int) -> None:
    """Promise P3, P5: no deck is armed, and no stack is asked for, on a status that is ahead of the shoe's events."""
    table = make(seed)
    assert table.run_until(lambda: table.shown.shoe_up and table.controller.desk.live.shoe is not None, within_s=3.0)
    table.act(OpenRound({"1": "Ada"}))
    table.act(WagerPlaced("1", "Ada", {"ante": 500}))
    table.act(NoMoreBetsCalled())
    assert table.run_until(lambda: _told(table).count("ShoeBooted") == 2, within_s=3.0)
    table.run_until(lambda: False, within_s=1.0)
    kinds = [entry.kind for entry in table.entries]
    assert "deck_armed" not in kinds
    assert not [entry.body for entry in table.entries if entry.kind in ("alarm-raised", "alarm_raised")]
    play = VirtualPlay(table, seed=seed, speed=SPEED)
    play.rounds(1)
    assert table.shown.tally.completed == 1
