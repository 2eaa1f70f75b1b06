"""Seats and wagers, until "no more bets".

Owns who may wager what: NY-5324.35(c)(1)–(5), NY-5324.35(g), NY-5324.36(c)(1)–(5), NY-5324.36(g), NJ-69F-20.12A(a)–(b).
Must not know cards. A wager event gives totals: it may add a spot or raise one, never lower it; that is a withdrawal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cardshoe.errors import Refused
from cardshoe.games.house import House, least_cents
from cardshoe.games.quoting import quoted
from cardshoe.games.script import (
    AgainstDealer,
    CallNoMoreBets,
    Game,
    OnCards,
    Placed,
    Spot,
)
from cardshoe.money import MAX_CENTS, Odds
from cardshoe.round.effects import Effects, WagersReturned
from cardshoe.round.events import NoMoreBetsCalled, PlayerLeft, PlayerSeated, WagerPlaced, WagerWithdrawn
from cardshoe.round.progress import advanced, passed
from cardshoe.round.state import LIVE, Hand, State, Status, changed, is_position, with_hand

KINDS: Final = ("chips", "plaque", "coupon")
_DECISION: Final = Placed.DECISION
_NONE: Final[Effects] = ()


def seat(state: State, event: PlayerSeated) -> tuple[State, Effects]:
    """NY-5324.35(c)(5), NY-5324.36(c)(5); one seat a player: NY-5324.35(g), NY-5324.36(g)."""
    hand = _hand_at(state, event.position)
    player = _named(event.player)
    if hand.player == player:
        raise Refused("already-seated", f"{quoted(player)} already sits at position {hand.position}; go on")
    if hand.player is not None:
        raise Refused("seat-taken", f"position {hand.position} is taken by {quoted(hand.player)}; choose another")
    elsewhere = next((other.position for other in state.hands if other.player == player), None)
    if elsewhere is not None:
        raise Refused(
            "one-position",
            f"{quoted(player)} already sits at position {elsewhere} and may not play position {hand.position} too",
            cites=state.game.clauses.one_position,
        )
    return with_hand(state, changed(hand, player=player)), _NONE


def leave(state: State, event: PlayerLeft) -> tuple[State, Effects]:
    """NY-5324.35(c)(5), NY-5324.36(c)(5): with a wager and cards a player stays until the round is complete."""
    player = _named(event.player)
    hand = next((each for each in state.hands if each.player == player), None)
    if hand is None:
        raise Refused("not-seated", f"{quoted(player)} sits nowhere; nobody left", cites=state.game.clauses.seated)
    if hand.dealt and not state.over:
        raise Refused(
            "stay-seated",
            f"{quoted(player)} has cards at position {hand.position} and stays seated until the round is complete",
            cites=state.game.clauses.seated,
        )
    if state.over:
        return with_hand(state, changed(hand, player=None)), _NONE
    if state.pending is not None and state.pending.to == hand.position:
        raise Refused(
            "stay-seated",
            f"a stack for position {hand.position} is on its way; {quoted(player)} stays until the round is complete",
            cites=state.game.clauses.seated,
        )
    effects: Effects = ()
    if hand.wagers:
        total = sum(hand.wagers.values())
        effects = (WagersReturned(hand.position, tuple(hand.wagers), total, state.game.clauses.seated),)
    return advanced(with_hand(state, Hand(hand.position)), effects)


def wager(state: State, event: WagerPlaced) -> tuple[State, Effects]:
    """NY-5324.35(c)(1)–(3), NY-5324.36(c)(1)–(3), NJ-69F-20.12A(a)–(b)."""
    hand = _seated(state, event.position, event.player)
    _open(state, "no wager is made or raised")
    if not event.wagers:
        raise Refused("no-wager", f"position {hand.position}: no wager is named; say spots and cents")
    merged = dict(hand.wagers)
    for name, cents in event.wagers.items():
        before = merged.get(name, 0)
        if type(cents) is int and 0 < cents < before:
            raise Refused(
                "wager-lowered",
                f"position {hand.position}: {name} lies at {before} cents; {cents} would lower it, withdraw it instead",
                cites=state.game.clauses.betting,
            )
        merged[name] = cents
    check_wagers(state.game, state.house, merged, f"position {hand.position}")
    kinds = {**hand.kinds, **_kinds(state.game, event)} if event.kinds else hand.kinds
    return with_hand(state, changed(hand, wagers=state.game.in_settling_order(merged), kinds=kinds, status=LIVE)), _NONE


def withdraw(state: State, event: WagerWithdrawn) -> tuple[State, Effects]:
    """NY-5324.35(c)(2), NY-5324.36(c)(2): before "no more bets" only; what is left must be lawful."""
    hand = _seated(state, event.position, event.player)
    _open(state, "no wager is withdrawn")
    if not event.spots or len(set(event.spots)) != len(event.spots):
        raise Refused("no-wager", f"position {hand.position}: name each spot to withdraw once")
    for name in event.spots:
        if name not in hand.wagers:
            raise Refused("no-wager", f"position {hand.position}: no wager lies on {quoted(name)}; nothing to withdraw")
    left = {name: cents for name, cents in hand.wagers.items() if name not in event.spots}
    if left:
        check_wagers(state.game, state.house, left, f"position {hand.position}")
    total = sum(hand.wagers[name] for name in event.spots)
    status = LIVE if left else Status.EMPTY
    kinds = {name: kind for name, kind in hand.kinds.items() if name in left}
    returned = WagersReturned(hand.position, event.spots, total, state.game.clauses.betting)
    return with_hand(state, changed(hand, wagers=left, kinds=kinds, status=status)), (returned,)


def no_more_bets(state: State, _event: NoMoreBetsCalled) -> tuple[State, Effects]:
    """NY-5324.35(c)(2), NY-5324.36(c)(2), NJ-69F-20.12A(b); accepted with no wager, then the round is over."""
    if not state.betting:
        raise Refused(
            "bets-closed", '"no more bets" was already said in this round; go on', cites=state.game.clauses.betting
        )
    step = state.script[0]
    if not isinstance(step, CallNoMoreBets):
        raise Refused("out-of-order", f"the script of {state.game.name} has no bets to close", cites=step.cites)
    return advanced(passed(state, betting=False), _NONE)


def check_wagers(game: Game, house: House, wagers: Mapping[str, int], where: str) -> None:
    """Refuse `wagers` (spot to cents, all that lie at one position before the deal) that the game or the house forbids.

    Codes: `wager-spot`, `wager-amount`, `wager-alone`, `wager-required`, `wager-unequal`, `wager-minimum`,
    `wager-maximum`, `wager-inexact`.
    """
    for name, cents in wagers.items():
        spot = game.spots_by_name.get(name)
        if spot is None or spot.placed is _DECISION:
            raise _wrong_spot(game, name, spot, where)
        if type(cents) is not int or not 1 <= cents <= MAX_CENTS:
            raise Refused(
                "wager-amount",
                f"{where}: {name} {quoted(cents)} is not a whole number of cents between 1 and {MAX_CENTS}",
                cites=game.clauses.kinds,
            )
        if spot.beside or spot.beside_option:
            _check_beside(game, house, spot, wagers, where)
        _check_amount(game, house, spot, cents, where)
    _check_required(game, wagers, where)
    for spot in game.equal_spots:
        if spot.name in wagers and wagers[spot.name] != wagers.get(spot.equals):
            raise Refused(
                "wager-unequal",
                f"{where}: {spot.name} {wagers[spot.name]} cents must equal {spot.equals} {wagers.get(spot.equals)}; "
                "make them equal",
                cites=spot.equals_cites,
            )


def _wrong_spot(game: Game, name: str, spot: Spot | None, where: str) -> Refused:
    names = ", ".join(each.name for each in game.stakes)
    if spot is None:
        return Refused("wager-spot", f"{where}: {quoted(name)} is no spot of {game.name}; it has {names}")
    return Refused(
        "wager-spot",
        f"{where}: a {name} wager is made only when the position is asked; before the deal there are {names}",
        cites=game.clauses.at_their_points,
    )


def _check_beside(game: Game, house: House, spot: Spot, wagers: Mapping[str, int], where: str) -> None:
    needed = (house.words[spot.beside_option],) if spot.beside_option else spot.beside
    missing = [name for name in needed if name not in wagers]
    if missing:
        raise Refused(
            "wager-alone",
            f"{where}: {spot.name} is only taken beside {' and '.join(needed)}; {missing[0]} is missing",
            cites=spot.beside_cites or game.clauses.beside,
        )


def _check_required(game: Game, wagers: Mapping[str, int], where: str) -> None:
    for spot in game.required_spots:
        if spot.name not in wagers:
            raise Refused(
                "wager-required",
                f"{where}: {spot.name} is missing; the required wagers come in one operation",
                cites=game.clauses.beside,
            )
    for name in game.at_least_one_of:
        if name in wagers:
            return
    raise Refused(
        "wager-required",
        f"{where}: at least one of {' and '.join(game.at_least_one_of)} is required",
        cites=game.clauses.beside,
    )


def _check_amount(game: Game, house: House, spot: Spot, cents: int, where: str) -> None:
    least = least_cents(game, house, spot)
    if cents < least:
        own = spot.minimum_cents >= least
        raise Refused(
            "wager-minimum",
            f"{where}: {spot.name} {cents} cents is below the minimum of {least}",
            cites=spot.beside_cites if own else None,
        )
    most = house.maximum_cents.get(spot.name)
    if most is not None and cents > most:
        raise Refused("wager-maximum", f"{where}: {spot.name} {cents} cents is above the house's maximum of {most}")
    if not house.round_up:
        inexact = _inexact(house, spot, cents)
        if inexact is not None:
            raise Refused(
                "wager-inexact",
                f"{where}: {spot.name} {cents} cents cannot be paid exactly at {inexact}; change the amount",
                cites=game.clauses.kinds,
            )


def _inexact(house: House, spot: Spot, cents: int) -> Odds | None:
    settles = spot.settles
    names = (settles.table,) if isinstance(settles, OnCards) else (settles.table, settles.extra)
    odds = [each for name in names if name for each in house.tables[name].rows.values() if each is not None]
    if isinstance(settles, AgainstDealer):
        odds.append(settles.pays)
    return next((each for each in odds if not each.exact(cents)), None)


def _kinds(game: Game, event: WagerPlaced) -> Mapping[str, str]:
    for name, kind in event.kinds.items():
        if kind not in KINDS or name not in event.wagers:
            raise Refused(
                "wager-kind",
                f"position {event.position}: {quoted(kind)} on {quoted(name)} is no kind of wager; "
                f"use {', '.join(KINDS)} on a spot of this wager",
                cites=game.clauses.kinds,
            )
    return event.kinds


def _hand_at(state: State, position: str) -> Hand:
    if not is_position(position):
        raise Refused("position", f"{quoted(position)} is no position; positions are 1 to 6")
    return state.hand(position)


def _named(player: object) -> str:
    if not isinstance(player, str) or not player.strip() or len(player) > 64:
        raise Refused("player", f"{quoted(player)} names no player; use 1 to 64 characters")
    return player


def _seated(state: State, position: str, player: str) -> Hand:
    hand = _hand_at(state, position)
    name = _named(player)
    if hand.player != name:
        elsewhere = next((other.position for other in state.hands if other.player == name), None)
        if elsewhere is not None:
            raise Refused(
                "one-position",
                f"{quoted(name)} sits at position {elsewhere} and may not wager at position {position} too",
                cites=state.game.clauses.one_position,
            )
        raise Refused(
            "not-seated",
            f"{quoted(name)} does not sit at position {position}; only seated players wager",
            cites=state.game.clauses.seated,
        )
    return hand


def _open(state: State, what: str) -> None:
    if not state.betting:
        raise Refused(
            "bets-closed",
            f'"no more bets" was said; {what} any more, the wagers of later decisions excepted',
            cites=state.game.clauses.betting,
        )
