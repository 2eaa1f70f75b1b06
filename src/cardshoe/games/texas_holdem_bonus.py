"""Texas hold 'em bonus: 9 NYCRR 5324.35, line by line.

Owns this game as one frozen value, to be laid beside the text. Must not know how a step is carried out (`round` does).
Where the text can be read in two ways, or is silent, the ruling that is followed stands beside the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cardshoe.cards import Card
from cardshoe.games.hands import Ranked
from cardshoe.games.paytables import BONUS_BOTH_ACES, BONUS_PLAIN, BOTH_ACES
from cardshoe.games.ranking import best_five_with_board
from cardshoe.games.script import (
    AgainstDealer,
    Area,
    Ask,
    Burn,
    CallNoMoreBets,
    Choice,
    ChoiceKind,
    Clauses,
    DealBoard,
    DealSingles,
    DealStacks,
    FlagOption,
    Game,
    Method,
    MultipleOption,
    OnCards,
    Placed,
    RevealDealer,
    SettleHands,
    Spot,
    Step,
    TakeStub,
    WordOption,
)
from cardshoe.games.verdicts import EQUIPMENT, SILENT, Case

_ACE, _KING, _QUEEN, _JACK = 14, 13, 12, 11


def two_card_bonus(own: Sequence[Card], dealer: Sequence[Card], _board: Sequence[Card]) -> Ranked:
    """The row of NY-5324.35(f)(2) that the player's two cards reach, "nothing" below all of them."""
    high, low = sorted(own, key=lambda card: card.index, reverse=True)
    return Ranked(_bonus_row(high, low, dealer), (high, low), 0)


def _bonus_row(high: Card, low: Card, dealer: Sequence[Card]) -> str:
    if high.rank == low.rank:
        if high.rank == _ACE:
            return BOTH_ACES if all(card.rank == _ACE for card in dealer) else "ace-ace"
        return "king-king, queen-queen or jack-jack" if high.rank >= _JACK else "ten-ten to two-two"
    if high.rank != _ACE or low.rank < _JACK:
        return "nothing"
    pair = "ace-king" if low.rank == _KING else "ace-queen or ace-jack"
    return f"{pair} suited" if high.suit == low.suit else f"{pair} offsuit"


def _wager(name: str, cites: str) -> Choice:
    # The text sets no amount: any, unless the house sets a multiple of the ante.
    return Choice(name, ChoiceKind.WAGER, cites, spot=name, multiple_option=f"{name}_multiple", spells="amount")


def _check(cites: str) -> Choice:
    return Choice("check", ChoiceKind.CHECK, cites)


def _street(name: str, most_antes: int) -> Spot:
    return Spot(
        name,
        Placed.DECISION,
        AgainstDealer(
            lower="NY-5324.35(e)(8)(i)",
            higher="NY-5324.35(e)(8)(ii)",  # pays 1:1: NY-5324.35(f)(1)
            equal="NY-5324.35(e)(8)(iii)",
        ),
        area="NY-5324.35(a)(2)(ii)",
        most_antes=most_antes,
        most_antes_option=f"{name}_multiple",
    )


_FOLD: Final = Choice("fold", ChoiceKind.FOLD, "NY-5324.35(e)(1)(ii)", ends=True)

_ROUND: Final[tuple[Step, ...]] = (
    # Ruling: the text names no order here; the positions may answer in any.
    Ask((_FOLD, _wager("flop", "NY-5324.35(e)(1)(i)")), in_turn=False, cites="NY-5324.35(e)(1)"),
    Burn(1, "NY-5324.35(e)(2)"),
    DealBoard(3, "NY-5324.35(e)(2)"),
    Ask((_check("NY-5324.35(e)(3)"), _wager("turn", "NY-5324.35(e)(3)")), in_turn=True, cites="NY-5324.35(e)(3)"),
    Burn(1, "NY-5324.35(e)(4)"),
    DealBoard(1, "NY-5324.35(e)(4)"),
    Ask((_check("NY-5324.35(e)(5)"), _wager("river", "NY-5324.35(e)(5)")), in_turn=True, cites="NY-5324.35(e)(5)"),
    Burn(1, "NY-5324.35(e)(6)"),
    DealBoard(1, "NY-5324.35(e)(6)"),
    RevealDealer("NY-5324.35(e)(7)"),
    SettleHands("NY-5324.35(e)(8)", collect_before_next=True, unless_wager=("bonus",)),
)

_BY_HAND: Final[tuple[Step, ...]] = (
    CallNoMoreBets("NY-5324.35(c)(2)"),
    # Ruling: "each player" is each wagering player, in every mode of dealing. No cover card is mentioned.
    DealSingles("NY-5324.35(d)(1)(i)", "NY-5324.35(d)(1)(ii)", dealer_under_cover_card=False),
    DealSingles("NY-5324.35(d)(1)(iii)", "NY-5324.35(d)(1)(iv)", dealer_under_cover_card=False),
    *_ROUND,
)

GAME: Final = Game(
    name="texas-holdem-bonus",
    title="Texas hold 'em bonus",
    text="9 NYCRR 5324.35",
    effective="2021-09-15",
    cards_each=2,
    board_cards=5,
    layout=(
        Area("six player positions, the dealer opposite", "NY-5324.35(a)(1)"),
        Area("ante", "NY-5324.35(a)(2)(i)"),
        Area("flop, turn and river, above the ante", "NY-5324.35(a)(2)(ii)"),
        Area("bonus, above and right of the flop", "NY-5324.35(a)(2)(iii)"),
        Area("five community cards, in the centre", "NY-5324.35(a)(2)(iv)"),
        Area("the dealer's two cards", "NY-5324.35(a)(2)(v)"),
        Area("inscription: the ante is paid on a straight, or on a flush, or higher", "NY-5324.35(a)(2)(vi)"),
    ),
    hand_clauses={
        "royal flush": "NY-5324.35(b)(2)(i)",
        "straight flush": "NY-5324.35(b)(2)(ii)",
        "four of a kind": "NY-5324.35(b)(2)(iii)",
        "full house": "NY-5324.35(b)(2)(iv)",
        "flush": "NY-5324.35(b)(2)(v)",
        "straight": "NY-5324.35(b)(2)(vi)",
        "three of a kind": "NY-5324.35(b)(2)(vii)",
        "two pair": "NY-5324.35(b)(2)(viii)",
        "pair": "NY-5324.35(b)(2)(ix)",
        "high card": "NY-5324.35(b)(3)",
    },
    spots=(
        Spot(
            "ante",
            Placed.REQUIRED,
            AgainstDealer(
                lower="NY-5324.35(e)(8)(i)",
                higher="NY-5324.35(e)(8)(ii)",
                equal="NY-5324.35(e)(8)(iii)",
                # Ruling: below the inscribed rank a winning ante is returned, neither paid nor taken.
                floor_option="ante_qualifier",
            ),
            area="NY-5324.35(a)(2)(i)",
            folds="NY-5324.35(e)(1)(ii)",
        ),
        # Ruling: minimum stakes are reckoned with the usual 2, 1 and 1 antes where the house sets no multiple.
        _street("flop", 2),
        _street("turn", 1),
        _street("river", 1),
        Spot(
            "bonus",
            Placed.OPTIONAL,
            OnCards("bonus_pays_both_aces", two_card_bonus, wins="NY-5324.35(f)(2)", loses="NY-5324.35(f)(2)"),
            area="NY-5324.35(a)(2)(iii)",
            beside=("ante",),
            beside_cites="NY-5324.35(c)(3)",
            minimum_cents=100,
        ),
    ),
    at_least_one_of=("ante",),
    scripts={
        Method.AUTOMATED_SHOE: (
            CallNoMoreBets("NY-5324.35(c)(2)"),
            DealStacks(2, to_dealer=True, cites="NY-5324.35(d)(2)", cover_card_cites="NY-5324.35(d)(2)"),
            # The text does not say where community cards come from: the house says it.
            TakeStub("house", None),
            *_ROUND,
        ),
        Method.MANUAL_SHOE: _BY_HAND,
        Method.HAND: _BY_HAND,
    },
    options=(
        WordOption("ante_qualifier", ("straight", "flush"), "straight", "NY-5324.35(a)(2)(vi)"),
        FlagOption(
            "bonus_pays_both_aces", default=True, cites="NY-5324.35(f)(2)", tables=(BONUS_PLAIN, BONUS_BOTH_ACES)
        ),
        MultipleOption("flop_multiple", "NY-5324.35(e)(1)(i)"),
        MultipleOption("turn_multiple", "NY-5324.35(e)(3)"),
        MultipleOption("river_multiple", "NY-5324.35(e)(5)"),
    ),
    board_from=(None, "hand", "shoe"),
    rank=best_five_with_board,
    qualifies=None,
    verdicts={
        **EQUIPMENT,
        Case.DEALER_CARD_SEEN_EARLY: SILENT,
        Case.DEALER_CARD_SEEN_LATE: SILENT,
        Case.CARD_FACE_UP_AFTER_DEAL: SILENT,
        Case.CARD_FACE_UP_DURING_DEAL: SILENT,
        Case.PLAYER_WRONG_COUNT: SILENT,
        Case.DEALER_WRONG_COUNT: SILENT,
        Case.DEALER_SHORT_REPAIRABLE: SILENT,
    },
    clauses=Clauses(
        kinds="NY-5324.35(c)(1)",
        betting="NY-5324.35(c)(2)",
        beside="NY-5324.35(c)(3)",
        at_their_points="NY-5324.35(c)(4)",
        seated="NY-5324.35(c)(5)",
        one_position="NY-5324.35(g)",
        amounts="NY-5324.35(e)(1)",
        folded_waits="NY-5324.35(e)(1)(ii)(a)",
        folded_goes="NY-5324.35(e)(1)(ii)(b)",
        collect="NY-5324.35(e)(9)",
        limit="NY-5324.35(f)(3)",
    ),
    limit_cents=5_000_000,
)
