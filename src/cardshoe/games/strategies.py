"""Simple ways to play, so that a main game can be simulated and a robot player has something to say.

Owns one short strategy a game, each written out in words; none claims to be the best. Must not know amounts,
rounds or the faces of anybody else: a decision is made from the own cards and the board that lies face up, as a player
at the table makes it (NY-5324.35(e)(1), (e)(3), (e)(5); NY-5324.36(e)(1), (e)(3), (e)(5)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cardshoe.cards import DECK, Card, parse_cards
from cardshoe.games.hands import FIVE_CARD_CATEGORIES, rank_best_five, rank_three


@dataclass(frozen=True, slots=True)
class Strategy:
    """`words` say how it plays; `choose` maps (own cards, board face up) to the label of a choice of the script."""

    words: str
    choose: Callable[[Sequence[Card], Sequence[Card]], str]


_OUTS_TO_FOLD: Final = 21
_WORST_PLAYED: Final = rank_three(parse_cards(("Qs", "6h", "4d"))).order
_SUITED_FROM: Final = {13: 2, 12: 6, 11: 8}
_OFFSUIT_FROM: Final = {13: 5, 12: 8, 11: 10}
_TWO_PAIR_OR_BETTER: Final = FIVE_CARD_CATEGORIES[: FIVE_CARD_CATEGORIES.index("two pair") + 1]
_TEN: Final = 10


def play_ultimate(own: Sequence[Card], board: Sequence[Card]) -> str:
    """Return "play 4x", "play 2x", "play 1x", "check" or "fold" for a hand of Ultimate Texas hold 'em."""
    if not board:
        return "play 4x" if _starts_strong(own) else "check"
    if len(board) == 3:
        return "play 2x" if _flops_strong(own, board) else "check"
    return "play 1x" if _worth_calling(own, board) else "fold"


def play_bonus(own: Sequence[Card], board: Sequence[Card]) -> str:
    """Return "flop", "fold", "turn", "river" or "check" for a hand of Texas hold 'em bonus."""
    if not board:
        low, high = sorted(card.rank for card in own)
        hopeless = low == 2 and 3 <= high <= 7 and own[0].suit != own[1].suit
        return "fold" if hopeless else "flop"
    street = "turn" if len(board) == 3 else "river"
    return street if _pairs_own(own, board) else "check"


def play_three_cards(own: Sequence[Card], _board: Sequence[Card]) -> str:
    """Return "play" or "fold" for a hand of three-card poker."""
    return "play" if rank_three(own).order >= _WORST_PLAYED else "fold"


STRATEGIES: Final[Mapping[str, Strategy]] = {
    "texas-holdem-bonus": Strategy(
        "A flop wager with everything but a deuce beside a three to a seven of another suit; turn and river wagers "
        "with a pair or better that holds an own card.",
        play_bonus,
    ),
    "ultimate-texas-holdem": Strategy(
        "4x with threes or better, any ace, king-five or any suited king, queen-eight or queen-six suited, jack-ten or "
        "jack-eight suited; after the flop 2x with two pairs or better, with a pair that holds an own card (not deuces "
        "in the hand), or with four of a suit of which the highest own card is a ten or better; at the end 1x with a "
        "better kind of hand than the board's own, or when fewer than 21 unseen cards would, with the board, beat it.",
        play_ultimate,
    ),
    "three-card-poker": Strategy("Queen-six-four or better plays, anything lower folds.", play_three_cards),
}


def _starts_strong(own: Sequence[Card]) -> bool:
    low, high = sorted(card.rank for card in own)
    if low == high:
        return low >= 3
    least = _SUITED_FROM if own[0].suit == own[1].suit else _OFFSUIT_FROM
    return high == 14 or low >= least.get(high, 15)


def _pairs_own(own: Sequence[Card], board: Sequence[Card]) -> bool:
    """Whether an own card belongs to a pair or better, with the other own card or with the board."""
    ranks = {card.rank for card in board}
    paired = own[0].rank == own[1].rank or any(card.rank in ranks for card in own)
    return paired or rank_best_five((*own, *board)).category in ("straight", "flush", "straight flush", "royal flush")


def _flops_strong(own: Sequence[Card], board: Sequence[Card]) -> bool:
    if rank_best_five((*own, *board)).category in _TWO_PAIR_OR_BETTER:
        return True
    if _pairs_own(own, board):
        return own[0].rank != own[1].rank or own[0].rank > 2
    for card in own:
        suited = [other for other in (*own, *board) if other.suit == card.suit]
        if len(suited) == 4 and max(other.rank for other in own if other.suit == card.suit) >= _TEN:
            return True
    return False


def _worth_calling(own: Sequence[Card], board: Sequence[Card]) -> bool:
    mine = rank_best_five((*own, *board))
    if mine.category != rank_best_five(board).category:
        return True
    seen = {*own, *board}
    outs = sum(rank_best_five((*board, card)).order > mine.order for card in DECK if card not in seen)
    return outs < _OUTS_TO_FOLD
