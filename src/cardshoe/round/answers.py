"""A settled round as `cardshoe settle` answers it.

Owns the public form of an answer (`interfaces.md`). Must not know how it is printed.
"""

from __future__ import annotations

from cardshoe.games.hands import Ranked
from cardshoe.games.script import Game, OnCards
from cardshoe.round.settlement import HandResult, dealer_ranked, settle_hand
from cardshoe.round.state import FOLDED, LIVE, VOID, Hand, State, Status

_STATES = {LIVE: "played", FOLDED: "folded", VOID: "void"}


def answer(state: State) -> dict[str, object]:
    """Return dealer, positions, order and whether all hands are void; amounts in cents."""
    hands = [hand for hand in state.hands if hand.status is not Status.EMPTY]
    voided = all(hand.status is VOID for hand in hands)
    dealer = None if voided else dealer_ranked(state)
    return {
        "dealer": _dealer(state.game, dealer),
        "positions": {hand.position: _position(state, hand) for hand in hands},
        "settled_in_order": list(state.settled_in_order),
        "voided": voided,
    }


def _dealer(game: Game, ranked: Ranked | None) -> dict[str, object] | None:
    if ranked is None:
        return None
    qualifies = game.qualifies(ranked) if game.qualifies is not None else None
    return {"category": ranked.category, "best": [card.text for card in ranked.best], "qualifies": qualifies}


def _position(state: State, hand: Hand) -> dict[str, object]:
    result = hand.result if hand.result is not None else settle_hand(state, hand)
    ranked = result.ranked
    position: dict[str, object] = {
        "category": ranked.category if ranked is not None else None,
        "best": [card.text for card in ranked.best] if ranked is not None else None,
        "state": _STATES[hand.status],
        "wagers": _wagers(result),
        "won": result.won_cents,
        "returned": result.returned_cents,
        "limited": result.limited,
    }
    for spot in state.game.spots:
        settles = spot.settles
        if isinstance(settles, OnCards) and settles.reports_as and spot.name in hand.wagers:
            position[settles.reports_as] = dict(result.also).get(settles.reports_as)
    return position


def _wagers(result: HandResult) -> dict[str, object]:
    return {
        each.spot: {
            "staked": each.staked_cents,
            "outcome": each.outcome,
            "won": each.won_cents,
            "returned": each.returned_cents,
            "cites": each.cites,
        }
        for each in result.wagers
    }
