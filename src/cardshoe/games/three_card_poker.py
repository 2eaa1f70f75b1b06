"""Three-card poker with the six-card bonus: N.J.A.C. 13:69F-20.12A, and the base game as operators publish it.

Owns this game as one frozen value, to be laid beside the text. Must not know how a step is carried out (`round` does).
Only the six-card bonus has a text that is known; whatever else stands here is data without a clause.
"""

from __future__ import annotations

from typing import Final

from cardshoe.games.hands import Ranked
from cardshoe.games.paytables import ANTE_BONUS, PAIR_PLUS, SIX_CARD, SIX_CARD_ROWS
from cardshoe.games.ranking import six_with_dealer, three_own
from cardshoe.games.script import (
    Against,
    AgainstDealer,
    Area,
    Ask,
    CallNoMoreBets,
    Choice,
    ChoiceKind,
    Clauses,
    DealSingles,
    DealStacks,
    Game,
    Method,
    OnCards,
    Placed,
    RevealDealer,
    SettleHands,
    Spot,
    Step,
    TableOption,
    TakeStub,
    WordOption,
)
from cardshoe.games.verdicts import EQUIPMENT, SILENT, Case

_QUEEN: Final = 12


def _queen_high(dealer: Ranked) -> bool:
    return dealer.category != "high card" or dealer.best[0].rank >= _QUEEN


_ROUND: Final[tuple[Step, ...]] = (
    Ask(
        (
            Choice("fold", ChoiceKind.FOLD, None, ends=True),
            Choice("play", ChoiceKind.WAGER, None, spot="play", multiple=1, spells="bare", ends=True),
        ),
        in_turn=True,
        cites=None,
        of_those_with="ante",
    ),
    RevealDealer(None),
    SettleHands(None),
)

_TURN: Final = DealSingles(None, None, dealer_under_cover_card=False)
_BY_HAND: Final[tuple[Step, ...]] = (CallNoMoreBets("NJ-69F-20.12A(b)"), _TURN, _TURN, _TURN, *_ROUND)

GAME: Final = Game(
    name="three-card-poker",
    title="Three-card poker",
    text="N.J.A.C. 13:69F-20.12A",
    effective="2024-10-07",
    cards_each=3,
    board_cards=0,
    layout=(Area("pair plus, and the six-card bonus beside it", "NJ-69F-20.12A(a)"),),
    hand_clauses={
        "royal flush": "NJ-69F-20.12A(a)1",
        "straight flush": "NJ-69F-20.12A(a)2",
        "four of a kind": "NJ-69F-20.12A(a)3",
        "full house": "NJ-69F-20.12A(a)4",
        "flush": "NJ-69F-20.12A(a)5",
        "straight": "NJ-69F-20.12A(a)6",
        "three of a kind": "NJ-69F-20.12A(a)7",
    },
    spots=(
        Spot(
            "ante",
            Placed.OPTIONAL,
            AgainstDealer(
                lower=None,
                higher=None,
                equal=None,
                unqualified=Against.WINS,
                extra="ante_bonus_table",
                extra_name="ante_bonus",
            ),
            area=None,
        ),
        Spot(
            "play",
            Placed.DECISION,
            AgainstDealer(lower=None, higher=None, equal=None, unqualified=Against.RETURNED),
            area=None,
            most_antes=1,
        ),
        Spot(
            "pair_plus",
            Placed.OPTIONAL,
            OnCards("pair_plus_table", three_own, wins=None, loses=None, survives_fold=("pair_plus_on_fold", "settle")),
            area=None,
        ),
        Spot(
            "six_card",
            Placed.OPTIONAL,
            # NJ-69F-20.12A(d): nothing bears on it. Ruling: it lives after a fold; the cards stay.
            OnCards(
                "six_card_table",
                six_with_dealer,
                wins="NJ-69F-20.12A(c)",
                loses="NJ-69F-20.12A(a)",
                reports_as="six_card_category",
            ),
            area="NJ-69F-20.12A(a)",
            beside_option="six_card_requires",
            beside_cites="NJ-69F-20.12A(a)",
        ),
    ),
    at_least_one_of=("ante", "pair_plus"),
    scripts={
        Method.AUTOMATED_SHOE: (
            CallNoMoreBets("NJ-69F-20.12A(b)"),
            DealStacks(3, to_dealer=True, cites=None, cover_card_cites=None),
            TakeStub("never planned", None),
            *_ROUND,
        ),
        Method.MANUAL_SHOE: _BY_HAND,
        Method.HAND: _BY_HAND,
    },
    options=(
        TableOption(
            "ante_bonus_table",
            ANTE_BONUS,
            "5-4-1",
            None,
            custom_rows=("straight flush", "three of a kind", "straight", "flush", "pair"),
        ),
        TableOption(
            "pair_plus_table",
            PAIR_PLUS,
            "40-30-6-4-1",
            None,
            custom_rows=("straight flush", "three of a kind", "straight", "flush", "pair"),
        ),
        TableOption(
            "six_card_table",
            SIX_CARD,
            "1000-200-50-25-20-10-5",
            "NJ-69F-20.12A(a)",
            custom_rows=SIX_CARD_ROWS,
            every_row=True,
        ),
        WordOption("six_card_requires", ("pair_plus", "ante"), "pair_plus", "NJ-69F-20.12A(a)"),
        WordOption("pair_plus_on_fold", ("forfeit", "settle"), "forfeit", None),
    ),
    board_from=(None, "hand"),
    rank=three_own,
    qualifies=_queen_high,
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
        kinds=None,
        betting="NJ-69F-20.12A(b)",
        beside="NJ-69F-20.12A(a)",
        at_their_points=None,
        seated=None,
        one_position=None,
        amounts=None,
        folded_waits="NJ-69F-20.12A(d)",
        folded_goes=None,
        collect=None,
        limit=None,
    ),
    limit_cents=None,
)
