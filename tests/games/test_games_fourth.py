"""A fourth game is a fourth file: Mississippi stud as shipped, and a game that is dropped in as a test drops it in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cardshoe.games
from cardshoe.cli.plan import planned
from cardshoe.cli.rehearse import rehearsed
from cardshoe.cli.settle import settled
from cardshoe.errors import CardshoeError
from cardshoe.games import games

STUD = "mississippi-stud"


def _settle(cards: str, board: str, *actions: str) -> dict[str, Any]:
    answer: Any = settled(
        {
            "game": STUD,
            "positions": {"3": {"wagers": {"ante": 100}, "cards": cards.split(), "actions": list(actions)}},
            "board": board.split(),
        }
    )
    position: dict[str, Any] = answer["positions"]["3"]
    return position


@pytest.mark.parametrize(
    ("cards", "board", "to_one"),
    [
        ("As Ks", "Qs Js Ts", 500),
        ("9s Ks", "Qs Js Ts", 100),
        ("9s 9h", "9c 9d Ts", 40),
        ("9s 9h", "9c Td Ts", 10),
        ("2s 9s", "Ks Js Ts", 6),
        ("9s Kh", "Qs Js Ts", 4),
        ("9s 9h", "9c 2d Ts", 3),
        ("9s 9h", "Tc 2d Ts", 2),
        ("Js Jh", "Tc 2d 3s", 1),
        ("As 4h", "Ac 2d 3s", 1),
        ("Ts Th", "9c 2d 3s", 0),
        ("6s 6h", "9c 2d 3s", 0),
        ("5s 5h", "9c 2d 3s", -1),
        ("As Kh", "9c 2d 3s", -1),
    ],
)
def test_mississippi_stud_pays_by_its_table(cards: str, board: str, to_one: int) -> None:
    """All four wagers win, push or lose together on the five cards."""
    position = _settle(cards, board, "bet 1x", "bet 2x", "bet 300")
    staked = {"ante": 100, "third": 100, "fourth": 200, "fifth": 300}
    for name, cents in staked.items():
        given = position["wagers"][name]
        if to_one > 0:
            expected = ("win", cents * to_one, cents)
        else:
            expected = ("push", 0, cents) if to_one == 0 else ("lose", 0, 0)
        assert (given["outcome"], given["won"], given["returned"]) == expected


def test_mississippi_stud_folds_and_refusals() -> None:
    """A fold at any street loses what lies there; bets are 1, 2 or 3 antes."""
    for place in range(3):
        position = _settle("As Ad", "9c 2d 3s", *["bet 3x"] * place, "fold")
        assert position["state"] == "folded"
        assert position["won"] + position["returned"] == 0
    for actions in (["check"], ["bet 4x"], ["bet 50"], ["bet 1x"], ["fold", "fold"]):
        with pytest.raises(CardshoeError):
            _settle("As Ad", "9c 2d 3s", *actions)


def test_mississippi_stud_is_planned_and_rehearsed() -> None:
    """No dealer's hand; three community cards from the hand, face down, turned one by one; stub 49 − 2n."""
    for count in range(1, 7):
        positions = [str(position) for position in range(1, count + 1)]
        steps: Any = planned({"game": STUD, "method": "automated-shoe", "positions": positions})["steps"]
        used = sum(step.get("cards", 0) for step in steps if step["step"] in ("stack", "board"))
        assert 52 - used == 49 - 2 * count
        assert "dealer" not in {step.get("to") for step in steps}
    operations = [
        {"op": "seat", "position": "1", "player": "P"},
        {"op": "wager", "position": "1", "player": "P", "wagers": {"ante": 100}},
        {"op": "no_more_bets"},
        {"op": "stack", "to": "dealer", "cards": 2},
        {"op": "stack", "to": "1", "cards": 2},
        {"op": "board", "cards": 3},
        {"op": "remove_stub"},
        {"op": "decide", "position": "1", "action": "bet 1x"},
        {"op": "board", "cards": 3},
        {"op": "turn_board", "cards": 1},
        {"op": "decide", "position": "1", "action": "bet 1x"},
        {"op": "turn_board", "cards": 2},
        {"op": "turn_board", "cards": 1},
        {"op": "decide", "position": "1", "action": "bet 3x"},
        {"op": "turn_board", "cards": 1},
        {"op": "reveal_dealer"},
        {"op": "decide", "position": "1", "action": "bet 1x"},
        {"op": "turn_board", "cards": 1},
        {"op": "settle", "position": "1"},
        {"op": "collect", "position": "1"},
    ]
    answer: Any = rehearsed({"game": STUD, "method": "automated-shoe", "operations": operations})
    accepted = "".join("y" if ok else "n" for ok in answer["accepted"])
    assert accepted == "yyynynynyn" + "ynyyynyyyy"


ONE_CARD = '''
"""One-card war: the higher card wins; a game of four lines, for the test that drops it in."""
from cardshoe.games.hands import Ranked
from cardshoe.games.script import *
from cardshoe.games.verdicts import EQUIPMENT, SILENT, Case


def one_card(own, dealer, board):
    return Ranked("card", tuple(own), own[0].rank)


_STEPS = (
    CallNoMoreBets(None),
    DealStacks(1, to_dealer=True, cites=None, cover_card_cites=None),
    RevealDealer(None),
    SettleHands(None),
)
GAME = Game(
    name="one-card-war", title="One-card war", text="", effective="", cards_each=1, board_cards=0, layout=(),
    hand_clauses={}, spots=(Spot("war", Placed.REQUIRED, AgainstDealer(None, None, None, pays=Odds(2)), None),),
    at_least_one_of=("war",), scripts=dict.fromkeys(Method, _STEPS), options=(), board_from=(None,), rank=one_card,
    qualifies=None, verdicts={**dict.fromkeys(Case, SILENT), **EQUIPMENT},
    clauses=Clauses(**dict.fromkeys(("kinds", "betting", "beside", "at_their_points", "seated", "one_position",
                                     "amounts", "folded_waits", "folded_goes", "collect", "limit"))),
    limit_cents=None,
)
'''


@pytest.fixture
def dropped_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A directory with one more game file stands on the path of the games."""
    (tmp_path / "one_card_war.py").write_text(ONE_CARD)
    monkeypatch.setattr(cardshoe.games, "__path__", [*cardshoe.games.__path__, str(tmp_path)])
    games.cache_clear()
    yield
    games.cache_clear()
    sys.modules.pop("cardshoe.games.one_card_war", None)


@pytest.mark.usefixtures("dropped_in")
def test_a_game_that_is_dropped_in_is_played() -> None:
    """Nothing else is told: it is listed, planned and settled."""
    assert "one-card-war" in games()
    steps: Any = planned({"game": "one-card-war", "method": "hand", "positions": ["2", "4"]})["steps"]
    kinds = ["no_more_bets", "stack", "stack", "cover_card_allowed", "stack", "reveal_dealer", "settle"]
    assert [step["step"] for step in steps] == kinds
    hands = {at: {"wagers": {"war": 100}, "cards": [card], "actions": []} for at, card in (("2", "As"), ("4", "2s"))}
    answer: Any = settled({"game": "one-card-war", "positions": hands, "dealer": ["9d"]})
    assert [answer["positions"][at]["won"] for at in "24"] == [200, 0]
    assert answer["settled_in_order"] == ["4", "2"]


def test_the_games_that_are_shipped() -> None:
    """`interfaces.md` names three; the fourth is there to show that it is one file."""
    assert list(games()) == [STUD, "texas-holdem-bonus", "three-card-poker", "ultimate-texas-holdem"]
