"""The hands that wagers are settled on, made from a player's cards, the dealer's cards and the board.

Owns the few ways in which a game combines cards. Must not know odds. A game whose wagers look at cards in another way
brings its own function of the same shape (`script.Ranking`).
"""

from __future__ import annotations

from collections.abc import Sequence

from cardshoe.cards import Card
from cardshoe.games.hands import Ranked, rank_best_five, rank_three


def best_five_with_board(own: Sequence[Card], _dealer: Sequence[Card], board: Sequence[Card]) -> Ranked:
    """The best five of the own cards and the board (NY-5324.35(e)(8), NY-5324.36(e)(8))."""
    return rank_best_five((*own, *board))


def three_own(own: Sequence[Card], _dealer: Sequence[Card], _board: Sequence[Card]) -> Ranked:
    """The own three cards."""
    return rank_three(own)


def six_with_dealer(own: Sequence[Card], dealer: Sequence[Card], _board: Sequence[Card]) -> Ranked:
    """The best five of the player's three and the dealer's three cards (NJ-69F-20.12A(a), NJ-69F-20.12A(c))."""
    return rank_best_five((*own, *dealer))
