"""Ultimate Texas hold 'em: 9 NYCRR 5324.36, line by line.

Owns this game as one frozen value, to be laid beside the text. Must not know how a step is carried out (`round` does).
Where the text can be read in two ways the ruling that is followed stands beside the line.
"""

from __future__ import annotations

from typing import Final

from cardshoe.games.hands import Ranked
from cardshoe.games.paytables import BLIND, TRIPS
from cardshoe.games.ranking import best_five_with_board
from cardshoe.games.script import (
    Against,
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
)
from cardshoe.games.verdicts import EQUIPMENT, SILENT, Case, Outcome, Verdict


def _pair_or_better(dealer: Ranked) -> bool:
    # A straight or flush without a pair is above a pair (NY-5324.36(e)(7), NY-5324.36(e)(8)).
    return dealer.category != "high card"


def _check(cites: str) -> Choice:
    return Choice("check", ChoiceKind.CHECK, cites)


def _play(multiple: int, cites: str) -> Choice:
    # NY-5324.36(a)(2)(v)(c): the multiple is of the ante. One play wager a round: who has played is asked no more.
    return Choice(f"play {multiple}x", ChoiceKind.WAGER, cites, spot="play", multiple=multiple, ends=True)


_FOLD: Final = Choice("fold", ChoiceKind.FOLD, "NY-5324.36(e)(5)(ii)", ends=True)

_ROUND: Final[tuple[Step, ...]] = (
    Ask(
        (
            _check("NY-5324.36(e)(1)(ii)"),
            _play(3, "NY-5324.36(e)(1)(i)"),
            _play(4, "NY-5324.36(e)(1)(i)"),
        ),
        in_turn=True,
        cites="NY-5324.36(e)(1)",
    ),
    Burn(1, "NY-5324.36(e)(2)"),
    DealBoard(3, "NY-5324.36(e)(2)"),
    Ask((_check("NY-5324.36(e)(3)(ii)"), _play(2, "NY-5324.36(e)(3)(i)")), in_turn=True, cites="NY-5324.36(e)(3)"),
    Burn(1, "NY-5324.36(e)(4)"),
    DealBoard(2, "NY-5324.36(e)(4)"),
    Ask((_FOLD, _play(1, "NY-5324.36(e)(5)(i)")), in_turn=True, cites="NY-5324.36(e)(5)"),
    RevealDealer("NY-5324.36(e)(6)"),
    # NY-5324.36(e)(7) settles in the same order under a dealer below a pair.
    SettleHands("NY-5324.36(e)(8)"),
)

_BY_HAND: Final[tuple[Step, ...]] = (
    CallNoMoreBets("NY-5324.36(c)(2)"),
    DealSingles("NY-5324.36(d)(1)(i)", "NY-5324.36(d)(1)(ii)", dealer_under_cover_card=True),
    DealSingles("NY-5324.36(d)(1)(iii)", "NY-5324.36(d)(1)(iv)", dealer_under_cover_card=True),
    *_ROUND,
)

GAME: Final = Game(
    name="ultimate-texas-holdem",
    title="Ultimate Texas hold 'em",
    text="9 NYCRR 5324.36",
    effective="2016-11-16",
    cards_each=2,
    board_cards=5,
    layout=(
        Area("six player positions, the dealer opposite", "NY-5324.36(a)(1)"),
        Area(
            "trips nearest the dealer, play farthest, ante between, blind right of it after an =", "NY-5324.36(a)(2)(i)"
        ),
        Area("five community cards, in the centre", "NY-5324.36(a)(2)(ii)"),
        Area("the dealer's two cards", "NY-5324.36(a)(2)(iii)"),
        Area("inscription: an ante pushes when the dealer has less than a pair", "NY-5324.36(a)(2)(iv)"),
        Area("inscription: blind and trips odds", "NY-5324.36(a)(2)(v)(a)"),
        Area("inscription: the blind is paid only when the player outranks the dealer", "NY-5324.36(a)(2)(v)(b)"),
        Area("inscription: play 3x or 4x, 2x after the flop, 1x after all five", "NY-5324.36(a)(2)(v)(c)"),
        Area("sign: whatever is not inscribed", "NY-5324.36(a)(2)(v)(d)"),
    ),
    hand_clauses={
        "royal flush": "NY-5324.36(b)(2)(i)",
        "straight flush": "NY-5324.36(b)(2)(ii)",
        "four of a kind": "NY-5324.36(b)(2)(iii)",
        "full house": "NY-5324.36(b)(2)(iv)",
        "flush": "NY-5324.36(b)(2)(v)",
        "straight": "NY-5324.36(b)(2)(vi)",
        "three of a kind": "NY-5324.36(b)(2)(vii)",
        "two pair": "NY-5324.36(b)(2)(viii)",
        "pair": "NY-5324.36(b)(2)(ix)",
        "high card": "NY-5324.36(b)(3)",
    },
    spots=(
        Spot(
            "ante",
            Placed.REQUIRED,
            AgainstDealer(
                lower="NY-5324.36(e)(8)(i)",
                higher="NY-5324.36(e)(8)(ii)",  # pays 1:1: NY-5324.36(f)(1)
                equal="NY-5324.36(e)(8)(iii)",
                # Ruling: to every player still in, also to one who loses.
                unqualified=Against.RETURNED,
                unqualified_cites="NY-5324.36(e)(7)",
            ),
            area="NY-5324.36(a)(2)(i)",
            folds="NY-5324.36(e)(5)(ii)",
        ),
        Spot(
            "blind",
            Placed.REQUIRED,
            AgainstDealer(
                lower="NY-5324.36(e)(8)(i)",
                higher="NY-5324.36(e)(8)(ii)",  # not paid below a straight: the table's others push
                equal="NY-5324.36(e)(8)(iii)",
                table="blind_table",
                table_cites="NY-5324.36(f)(2)",
            ),
            area="NY-5324.36(a)(2)(i)",
            beside=("ante",),
            beside_cites="NY-5324.36(c)(3)",
            equals="ante",
            equals_cites="NY-5324.36(a)(2)(i)",
            folds="NY-5324.36(e)(5)(ii)",
        ),
        Spot(
            "play",
            Placed.DECISION,
            AgainstDealer(
                lower="NY-5324.36(e)(8)(i)",
                higher="NY-5324.36(e)(8)(ii)",  # pays 1:1: NY-5324.36(f)(1)
                equal="NY-5324.36(e)(8)(iii)",
            ),
            area="NY-5324.36(a)(2)(i)",
            most_antes=4,
        ),
        Spot(
            "trips",
            Placed.OPTIONAL,
            OnCards("trips_table", best_five_with_board, wins="NY-5324.36(f)(3)", loses="NY-5324.36(f)(3)"),
            area="NY-5324.36(a)(2)(i)",
            beside=("ante", "blind"),
            beside_cites="NY-5324.36(c)(3)",
        ),
    ),
    at_least_one_of=("ante",),
    scripts={
        Method.AUTOMATED_SHOE: (
            CallNoMoreBets("NY-5324.36(c)(2)"),
            DealStacks(2, to_dealer=True, cites="NY-5324.36(d)(2)", cover_card_cites="NY-5324.36(d)(2)"),
            TakeStub("always", "NY-5324.36(d)(3)"),
            *_ROUND,
        ),
        Method.MANUAL_SHOE: _BY_HAND,
        Method.HAND: _BY_HAND,
    },
    options=(
        TableOption("blind_table", BLIND, "A", "NY-5324.36(f)(2)"),
        TableOption("trips_table", TRIPS, "A", "NY-5324.36(f)(3)", custom_rows=tuple(TRIPS["A"].rows), no_less=True),
    ),
    board_from=(None, "hand"),
    rank=best_five_with_board,
    qualifies=_pair_or_better,
    verdicts={
        **EQUIPMENT,
        Case.DEALER_CARD_SEEN_EARLY: Verdict(
            Outcome.VOID_ALL, "NY-5324.36(h)(1)", saves=("trips",), saves_cites="NY-5324.36(h)(2)(i)"
        ),
        Case.DEALER_CARD_SEEN_LATE: Verdict(Outcome.NOTHING, "NY-5324.36(h)(1)"),
        Case.CARD_FACE_UP_AFTER_DEAL: Verdict(
            Outcome.VOID_ALL, "NY-5324.36(h)(2)(ii)", saves=("trips",), saves_cites="NY-5324.36(h)(2)(ii)"
        ),
        Case.CARD_FACE_UP_DURING_DEAL: SILENT,
        # Ruling: a void hand takes its trips with it; the saving words of (h)(2) speak of (h)(1) only.
        Case.PLAYER_WRONG_COUNT: Verdict(Outcome.VOID_HAND, "NY-5324.36(h)(3)"),
        Case.DEALER_WRONG_COUNT: Verdict(Outcome.VOID_ALL, "NY-5324.36(h)(3)"),
        Case.DEALER_SHORT_REPAIRABLE: Verdict(Outcome.REPAIR, "NY-5324.36(h)(3)"),
    },
    clauses=Clauses(
        kinds="NY-5324.36(c)(1)",
        betting="NY-5324.36(c)(2)",
        beside="NY-5324.36(c)(3)",
        at_their_points="NY-5324.36(c)(4)",
        seated="NY-5324.36(c)(5)",
        one_position="NY-5324.36(g)",
        amounts="NY-5324.36(a)(2)(v)(c)",
        folded_waits="NY-5324.36(e)(5)(ii)(a)",
        folded_goes="NY-5324.36(e)(5)(ii)(b)",
        collect="NY-5324.36(e)(9)",
        limit="NY-5324.36(f)(4)",
    ),
    limit_cents=5_000_000,
)
