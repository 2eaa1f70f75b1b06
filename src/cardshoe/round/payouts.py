"""The account of a round as a plain JSON object: what every wager came to.

Owns the form in which payouts are written down and compared: the journal stores it once a round is complete, and a
replay must give the same, byte for byte (promise P6). Must not know journals. Faces stand in it only where they lay
face up.
"""

from __future__ import annotations

from cardshoe.round.settlement import HandResult, WagerResult, settle_hand
from cardshoe.round.state import Hand, State


def payouts(state: State) -> dict[str, object]:
    """Return the account of the round as far as it is settled, in cents; positions without a wager are left out."""
    return {
        "round": state.round_id,
        "game": state.game.name,
        "voided": state.void_all,
        "settled_in_order": list(state.settled_in_order),
        "dealer": [card.text for card in state.dealer_faces],
        "board": [card.text for card in state.board_faces],
        "positions": {hand.position: _hand(state, hand) for hand in state.hands if hand.wagers},
    }


def _hand(state: State, hand: Hand) -> dict[str, object]:
    account: dict[str, object] = {
        "player": hand.player,
        "status": hand.status.value,
        "wagers": dict(hand.wagers),
        "decided": list(hand.decided),
        "faces": [card.text for card in hand.faces],
        "sources": list(hand.sources),
    }
    result = hand.result
    if result is None and state.over:  # folded or void with nothing that waited: lost or returned without a settlement
        result = settle_hand(state, hand)
    if result is not None:
        account["result"] = _result(result)
    return account


def _result(result: HandResult) -> dict[str, object]:
    return {
        "category": result.ranked.category if result.ranked is not None else None,
        "best": [card.text for card in result.ranked.best] if result.ranked is not None else None,
        "won_cents": result.won_cents,
        "returned_cents": result.returned_cents,
        "limited": result.limited,
        "also": dict(result.also),
        "wagers": [_wager(each) for each in result.wagers],
    }


def _wager(result: WagerResult) -> dict[str, object]:
    return {
        "spot": result.spot,
        "staked_cents": result.staked_cents,
        "outcome": result.outcome,
        "won_cents": result.won_cents,
        "returned_cents": result.returned_cents,
        "cites": result.cites,
    }
