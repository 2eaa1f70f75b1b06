"""What each wager of a hand wins, with its clause, to the cent.

Owns the interpretation of a game's settlement rules: against the dealer (NY-5324.35(e)(8)(i)–(iii), NY-5324.36(e)(7),
NY-5324.36(e)(8)(i)–(iii)), on cards alone (NY-5324.35(e)(8)(iv), NY-5324.36(e)(8)(iv), NJ-69F-20.12A(c), (d)), the
aggregate limit (NY-5324.35(f)(3), NY-5324.36(f)(4)) and the order (NY-5324.35(e)(8), NY-5324.36(e)(8)). Must not know
how the round came here: it looks at a state in which the faces that it needs lie face up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cardshoe.cards import Card
from cardshoe.errors import Refused
from cardshoe.games.hands import FIVE_CARD_CATEGORIES, Ranked
from cardshoe.games.house import House
from cardshoe.games.script import Against, AgainstDealer, OnCards, Ranking, Spot
from cardshoe.games.verdicts import Cite
from cardshoe.round.state import FOLDED, LIVE, VOID, Hand, State

_AS_USUAL: Final = Against.AS_USUAL

WIN: Final = "win"
PUSH: Final = "push"
LOSE: Final = "lose"
VOIDED: Final = "void"


@dataclass(frozen=True, slots=True)
class WagerResult:
    """One wager settled: `won_cents` comes from the house, `returned_cents` is the stake that goes back."""

    spot: str
    staked_cents: int
    outcome: str
    won_cents: int
    returned_cents: int
    cites: Cite


@dataclass(frozen=True, slots=True)
class HandResult:
    """One position settled. `ranked` is None where no hand was ranked; `limited`: the aggregate limit cut the payout.

    `also` holds further categories by the key under which an answer shows them ("six_card_category").
    """

    ranked: Ranked | None
    wagers: tuple[WagerResult, ...]
    won_cents: int
    returned_cents: int
    limited: bool
    also: tuple[tuple[str, str], ...] = ()


UNRECKONED: Final = HandResult(None, (), 0, 0, limited=False)
"""Stands for a settlement whose faces nobody asked for (`rehearse`)."""


def settle_hand(state: State, hand: Hand) -> HandResult:
    """Return what the wagers of `hand` win.

    Raises `Refused` (`faces-missing`) naming the place where a face that is needed has not been turned up.
    """
    ranks = _Ranks(state, hand)
    results: list[WagerResult] = []
    also: tuple[tuple[str, str], ...] = ()
    won = returned = 0
    by_name = state.game.spots_by_name
    for name, staked in hand.wagers.items():
        spot = by_name[name]
        result = _settle_wager(state, hand, spot, staked, ranks)
        results.append(result)
        won += result.won_cents
        returned += result.returned_cents
        settles = spot.settles
        if type(settles) is OnCards:
            if settles.reports_as and settles.rank in ranks.known:
                also = (*also, (settles.reports_as, ranks.known[settles.rank].category))
        elif type(settles) is AgainstDealer and settles.extra and hand.status is LIVE:
            bonus = _extra(state, settles, staked, ranks)
            results += bonus
            won += sum([each.won_cents for each in bonus])
    limit = state.house.limit_cents
    limited = limit is not None and won > limit
    if limit is not None and limited:
        results = _cut(results, limit)
        won = limit
    return HandResult(ranks.known.get(state.game.rank), tuple(results), won, returned, limited, also)


def survives_fold(spot: Spot, house: House) -> bool:
    """Tell whether a wager on `spot` is settled after a fold: NY-5324.35(e)(1)(ii)(a), NY-5324.36(e)(5)(ii)(a)."""
    settles = spot.settles
    if not isinstance(settles, OnCards):
        return False
    survives = settles.survives_fold
    return survives if isinstance(survives, bool) else house.words[survives[0]] == survives[1]


_PASSES: Final = (LIVE, FOLDED, VOID)
"""Live hands first; folded ones that wait come after that pass (ruling), then void ones that do."""


def settling_order(state: State) -> tuple[Hand, ...]:
    """Return the hands still to be settled, in order: in each pass from the far right, counter-clockwise.

    NY-5324.35(e)(8), NY-5324.36(e)(7), NY-5324.36(e)(8).
    """
    return tuple(
        [
            hand
            for status in _PASSES
            for hand in reversed(state.hands)
            if hand.status is status and hand.result is None and (hand.waits or status is LIVE)
        ]
    )


def next_to_settle(state: State) -> Hand | None:
    """Return the first of `settling_order`, or None."""
    waiting: Hand | None = None
    for hand in reversed(state.hands):
        if hand.result is not None:
            continue
        if hand.status is LIVE:
            return hand
        if hand.waits and (waiting is None or (waiting.status is VOID and hand.status is FOLDED)):
            waiting = hand
    return waiting


def dealer_ranked(state: State) -> Ranked | None:
    """Return the dealer's hand, or None where it is not ranked: not turned up, ignored, or no such hand in the game."""
    if state.dealer_rank is not None:
        return state.dealer_rank
    game = state.game
    if not state.dealer_revealed or state.void_all or len(state.dealer_faces) != game.cards_each:
        return None
    if len(state.board_faces) != game.board_cards:
        return None
    return game.rank(state.dealer_faces, (), state.board_faces)


class _Ranks:
    """The hands that one position's wagers look at, each ranked once."""

    __slots__ = ("_hand", "_state", "known")

    def __init__(self, state: State, hand: Hand) -> None:
        self._state = state
        self._hand = hand
        self.known: dict[Ranking, Ranked] = {}

    def of(self, ranking: Ranking) -> Ranked:
        ranked = self.known.get(ranking)
        if ranked is None:
            state = self._state
            _need(self._hand.faces, state.game.cards_each, f"position {self._hand.position}")
            _need(state.board_faces, state.game.board_cards, "the board")
            if ranking is not state.game.rank and state.game.has_dealer_hand:
                _need(state.dealer_faces, state.game.cards_each, "the dealer")
            ranked = ranking(self._hand.faces, state.dealer_faces, state.board_faces)
            self.known[ranking] = ranked
        return ranked

    def dealer(self) -> Ranked:
        ranked = dealer_ranked(self._state)
        if ranked is None:
            _need(self._state.dealer_faces, self._state.game.cards_each, "the dealer")
            raise Refused("faces-missing", "the dealer's cards are not turned up; turn them before settling")
        return ranked


def _need(faces: Sequence[Card], count: int, where: str) -> None:
    if len(faces) != count:
        raise Refused(
            "faces-missing",
            f"{where}: {len(faces)} of {count} faces are known; read or enter the rest, an unknown card never pays",
        )


def _settle_wager(state: State, hand: Hand, spot: Spot, staked: int, ranks: _Ranks) -> WagerResult:
    void = hand.void
    if void is not None and spot.name not in void.saves:
        return WagerResult(spot.name, staked, VOIDED, 0, staked, void.cites)
    if hand.status is FOLDED and spot.name not in hand.waits:
        return WagerResult(spot.name, staked, LOSE, 0, 0, spot.folds)
    settles = spot.settles
    if isinstance(settles, OnCards):
        return _on_cards(state, hand, spot.name, staked, settles, ranks)
    outcome, won, cites = _contest(state, staked, settles, ranks.of(state.game.rank), ranks.dealer())
    return WagerResult(spot.name, staked, outcome, won, 0 if outcome == LOSE else staked, cites)


def _extra(state: State, settles: AgainstDealer, staked: int, ranks: _Ranks) -> list[WagerResult]:
    """Return what the wager earns on the own hand alone: an entry of its own without a stake, or none."""
    odds = state.house.tables[settles.extra].rows.get(ranks.of(state.game.rank).category)
    if odds is None:
        return []
    return [WagerResult(settles.extra_name, 0, WIN, odds.won_cents(staked), 0, None)]


def _on_cards(state: State, hand: Hand, spot: str, staked: int, settles: OnCards, ranks: _Ranks) -> WagerResult:
    table = state.house.tables[settles.table]
    category = ranks.of(settles.rank).category
    cites = hand.void.saves_cites if hand.void is not None else None
    odds = table.rows.get(category)
    if odds is not None:
        return WagerResult(spot, staked, WIN, odds.won_cents(staked), staked, cites or settles.wins)
    if category in table.rows or table.others_push:
        return WagerResult(spot, staked, PUSH, 0, staked, cites or settles.wins)
    return WagerResult(spot, staked, LOSE, 0, 0, cites or settles.loses)


def _contest(state: State, staked: int, settles: AgainstDealer, own: Ranked, dealer: Ranked) -> tuple[str, int, Cite]:
    """Return (outcome, won cents, clause) of a wager against the dealer, without any extra."""
    if settles.unqualified is not _AS_USUAL:
        qualifies = state.game.qualifies
        if qualifies is not None and not qualifies(dealer):
            if settles.unqualified is Against.RETURNED:
                return PUSH, 0, settles.unqualified_cites
            return WIN, settles.pays.won_cents(staked), settles.unqualified_cites
    if own.order < dealer.order:
        return LOSE, 0, settles.lower
    if own.order == dealer.order:
        return PUSH, 0, settles.equal
    if settles.table:
        return _higher_by_table(state, staked, settles, own)
    if settles.floor_option and not _reaches(own.category, state.house.words[settles.floor_option]):
        return PUSH, 0, settles.higher
    return WIN, settles.pays.won_cents(staked), settles.higher


def _higher_by_table(state: State, staked: int, settles: AgainstDealer, own: Ranked) -> tuple[str, int, Cite]:
    table = state.house.tables[settles.table]
    odds = table.rows.get(own.category)
    if odds is not None:
        return WIN, odds.won_cents(staked), settles.table_cites
    if own.category in table.rows:
        return PUSH, 0, settles.table_cites
    return (PUSH, 0, settles.higher) if table.others_push else (LOSE, 0, settles.higher)


def _reaches(category: str, floor: str) -> bool:
    return FIVE_CARD_CATEGORIES.index(category) <= FIVE_CARD_CATEGORIES.index(floor)


def _cut(results: list[WagerResult], limit: int) -> list[WagerResult]:
    """Cut winnings to `limit`, from the last-settled wager on (NY-5324.35(f)(3), NY-5324.36(f)(4))."""
    left = limit
    kept: list[WagerResult] = []
    for result in results:
        won = min(result.won_cents, left)
        left -= won
        kept.append(result if won == result.won_cents else replace(result, won_cents=won))
    return kept
