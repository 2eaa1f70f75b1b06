"""Field reports about cards that wear and money that does not add up: FR-46, FR-50 and FR-51."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from cardshoe.lab.virtual import VirtualTable
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.sim.world import World
from cardshoe.table.config import parse_config
from cardshoe.table.service import LEAST_READS, notices
from cardshoe.table.upkeep import Upkeep, upkept

TOML = """
[table]
name = "T1"
mode = "bench"
game = "{game}"
journal = "unused"
[house]
{house}
[devices.shoe]
url = "sim://shoe"
[devices.reader]
url = "sim://reader"
"""
SPEED = 100.0


def played(game: str, rounds: int, *, seed: int, faults: tuple[dict[str, object], ...] = ()) -> VirtualTable:
    house = 'board_from = "hand"' if game == "texas-holdem-bonus" else ""
    config = parse_config(TOML.format(game=game, house=house), "test.toml")
    table = VirtualTable(config, World(seed=seed, speed=SPEED, faults=faults), seed=seed)
    VirtualPlay(table, seed=seed, speed=SPEED).rounds(rounds)
    return table


@pytest.mark.parametrize("game", ["ultimate-texas-holdem", "texas-holdem-bonus", "three-card-poker"])
def test_money_adds_up_in_every_hand(game: str) -> None:
    """FR-50: whole cents; what was staked is returned or kept, what was won is the sum of its wagers."""
    table = played(game, 12, seed=5)
    hands: list[Any] = [
        hand
        for entry in table.entries
        if entry.kind == "settled"
        for hand in entry.body["positions"].values()  # type: ignore[attr-defined]
        if hand["result"]
    ]
    assert hands
    for hand in hands:
        wagers = hand["result"]["wagers"]
        for wager in wagers:
            kept = wager["staked_cents"] - wager["returned_cents"]
            assert kept in (0, wager["staked_cents"])
            assert (wager["outcome"] == "lose") == (kept > 0)
            assert wager["won_cents"] == 0 or wager["outcome"] == "win"
            assert all(type(wager[key]) is int for key in ("staked_cents", "won_cents", "returned_cents"))
        assert hand["result"]["won_cents"] == sum(wager["won_cents"] for wager in wagers)
        assert hand["result"]["returned_cents"] == sum(wager["returned_cents"] for wager in wagers)


HANDS = {
    # cards, dealer, board: (ante and play, blind) as odds to one, None for a push, -1 for a loss
    "flush against a pair": (["Ac", "Jc"], ["Qh", "Qd"], ["2c", "7c", "9c", "Ks", "4d"], 1, 1.5),
    "the board plays": (["2c", "3c"], ["2h", "3d"], ["Ac", "Kd", "Qh", "Js", "Td"], None, None),
    "beaten by a pair": (["Ac", "Jd"], ["Qh", "Qd"], ["2c", "7h", "9c", "Ks", "4d"], -1, -1),
    "wheel against a pair": (["Ac", "2d"], ["Qh", "Qd"], ["3c", "4h", "5c", "Ks", "9d"], 1, 1),
    "pair against a pair": (["Kc", "2d"], ["Qh", "Qd"], ["3c", "4h", "8c", "Ks", "9d"], 1, None),
}
BETS = [1, 5, 7, 15, 1_428_570, 1_428_571, 1_428_572, 3_000_000]
LIMIT = 5_000_000


def test_odd_bets_pushes_and_the_limit() -> None:
    """FR-51: 3 to 2 on an odd amount pays a whole cent more, never less than the odds, and never above the limit."""
    cases = [(name, bet) for name in HANDS for bet in BETS]
    lines = [
        json.dumps(
            {
                "id": number,
                "game": "ultimate-texas-holdem",
                "positions": {
                    "2": {
                        "wagers": {"ante": bet, "blind": bet},
                        "cards": HANDS[name][0],
                        "actions": ["check", "check", "play 1x"],
                    }
                },
                "dealer": HANDS[name][1],
                "board": HANDS[name][2],
            }
        )
        for number, (name, bet) in enumerate(cases)
    ]
    done = subprocess.run(
        [sys.executable, "-m", "cardshoe", "settle"], input="\n".join(lines), capture_output=True, text=True, timeout=60
    )
    answers = [json.loads(line)["positions"]["2"] for line in done.stdout.splitlines()]
    assert len(answers) == len(cases)
    for (name, bet), answer in zip(cases, answers, strict=True):
        even, blind = HANDS[name][3:]
        won = sum(_won(odds, bet) for odds in (even, even, blind))
        returned = sum(0 if odds == -1 else bet for odds in (even, even, blind))
        assert answer["won"] == min(won, LIMIT), (name, bet)
        assert answer["returned"] == returned, (name, bet)
        assert answer["limited"] is (won > LIMIT), (name, bet)


def _won(odds: float | None, bet: int) -> int:
    if odds is None or odds == -1:
        return 0
    return (3 * bet + 1) // 2 if odds == 1.5 else bet


def test_a_rising_rate_of_unread_cards_is_told_before_anything_stops() -> None:
    """FR-46, S14: from 0 to 5 %: nothing is said at 0, advice above the limit, by deck and by shift."""

    def reads(good: int, bad: int) -> Upkeep:
        upkeep = Upkeep()
        for face in ["As"] * good + ["unreadable"] * bad:
            upkeep = upkept(upkeep, "reader_reported", {"event": "CardRead", "face": face}, 1)
        return upkeep

    told = [notices(reads(100 - bad, bad), 20) for bad in range(6)]
    assert told[0] == ()
    assert [any("Clean or change the deck" in text for text in texts) for texts in told] == [False] * 3 + [True] * 3
    assert all(f"Cards not read since the table opened: {bad} of 100." in told[bad] for bad in range(1, 6))
    few = notices(reads(LEAST_READS - 2, 1), 20)
    assert not any("Clean" in text for text in few)
    fresh = upkept(reads(95, 5), "deck_armed", {"deck_id": 2, "cards": 52}, 1)
    assert fresh.deck_reads == 0
    assert any("Clean the reader's window" in text for text in notices(fresh, 20))


def test_cards_that_read_badly_hold_no_round() -> None:
    """FR-46: unreadable at first, read at the second look: rounds go on, and the rate stands in the journal."""
    faults = ({"kind": "unreadable", "recovers_after_s": 0.2, "chance": 0.2},)
    table = played("ultimate-texas-holdem", 4, seed=2, faults=faults)
    advised = [entry.body for entry in table.entries if entry.kind == "service_advised"]
    assert advised
    assert int(str(advised[0]["deck_unreadable"])) > 0
    assert table.shown.tally.completed == 4
