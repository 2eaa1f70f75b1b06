"""Mississippi stud: no dealer's hand, three community cards dealt face down from the hand and turned one by one.

Owns this game as one frozen value. Must not know how a step is carried out (`round` does). The automated-shoe part of
N.J.A.C. 13:69F-35.9 is known in part only and the pay table is an operators' one, so that no step carries a clause; a
house that offers the game has to put its approved text beside this file first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cardshoe.cards import Card
from cardshoe.games.hands import Ranked, rank_best_five
from cardshoe.games.paytables import MISSISSIPPI
from cardshoe.games.script import (
    Area,
    Ask,
    CallNoMoreBets,
    Choice,
    ChoiceKind,
    Clauses,
    DealBoard,
    DealSingles,
    DealStacks,
    Game,
    Method,
    OnCards,
    Placed,
    SettleHands,
    Spot,
    Step,
    TableOption,
    TakeStub,
    TurnBoard,
)
from cardshoe.games.verdicts import EQUIPMENT, SILENT, Case

_JACK, _SIX = 11, 6


def stud_hand(own: Sequence[Card], _dealer: Sequence[Card], board: Sequence[Card]) -> Ranked:
    """The own two cards and the three community cards; a pair is told apart by what it is paid."""
    ranked = rank_best_five((*own, *board))
    if ranked.category != "pair":
        return ranked
    rank = ranked.best[0].rank
    if rank >= _JACK:
        return replace(ranked, category="pair of jacks or better")
    return replace(ranked, category="pair of sixes to tens" if rank >= _SIX else "pair of fives or less")


def _street(name: str) -> Ask:
    bets = tuple(Choice(f"bet {antes}x", ChoiceKind.WAGER, None, spot=name, multiple=antes) for antes in (1, 2, 3))
    return Ask((Choice("fold", ChoiceKind.FOLD, None, ends=True), *bets), in_turn=True, cites=None)


def _spot(name: str, placed: Placed, most_antes: int) -> Spot:
    settles = OnCards("pay_table", stud_hand, wins=None, loses=None, survives_fold=False)
    return Spot(name, placed, settles, area=None, most_antes=most_antes)


_ROUND: Final[tuple[Step, ...]] = (
    DealBoard(3, None, face_up=False),
    _street("third"),
    TurnBoard(1, None),
    _street("fourth"),
    TurnBoard(1, None),
    _street("fifth"),
    TurnBoard(1, None),
    SettleHands(None),
)
_TURN: Final = DealSingles(None, None, dealer_under_cover_card=False, to_dealer=False)
_BY_HAND: Final[tuple[Step, ...]] = (CallNoMoreBets(None), _TURN, _TURN, *_ROUND)

GAME: Final = Game(
    name="mississippi-stud",
    title="Mississippi stud",
    text="N.J.A.C. 13:69F-35.9 (known in part)",
    effective="",
    cards_each=2,
    board_cards=3,
    layout=(Area("ante, third, fourth and fifth street; three community cards", "N.J.A.C. 13:69F-35.9"),),
    hand_clauses={},
    spots=(
        _spot("ante", Placed.REQUIRED, 0),
        _spot("third", Placed.DECISION, 3),
        _spot("fourth", Placed.DECISION, 3),
        _spot("fifth", Placed.DECISION, 3),
    ),
    at_least_one_of=("ante",),
    scripts={
        Method.AUTOMATED_SHOE: (
            CallNoMoreBets(None),
            DealStacks(2, to_dealer=False, cites=None, cover_card_cites=None),
            TakeStub("always", None),
            *_ROUND,
        ),
        Method.MANUAL_SHOE: _BY_HAND,
        Method.HAND: _BY_HAND,
    },
    options=(TableOption("pay_table", MISSISSIPPI, "500-100-40-10-6-4-3-2-1", None),),
    board_from=(None, "hand"),
    rank=stud_hand,
    qualifies=None,
    verdicts={**dict.fromkeys(Case, SILENT), **EQUIPMENT},
    clauses=Clauses(
        kinds=None,
        betting=None,
        beside=None,
        at_their_points=None,
        seated=None,
        one_position=None,
        amounts=None,
        folded_waits=None,
        folded_goes=None,
        collect=None,
        limit=None,
    ),
    limit_cents=None,
)
