"""The account of a round, added up again: nothing staked is lost from sight, nothing is won that the cards do not say.

Owns the conservation of money and the recomputation from the cards that physically lay there, by the code of `cardshoe
settle`, which has oracles of its own in the tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cardshoe.cards import Card, parse_card
from cardshoe.errors import CardshoeError
from cardshoe.games.house import parse_house
from cardshoe.lab.simulation.book import BOARD, DEALER, RoundBook
from cardshoe.round.machine import find_game
from cardshoe.round.payouts import payouts
from cardshoe.round.recompute import HandRecord, RoundRecord, recompute

_BACK: Final = ("win", "push", "void")


def check_account(
    body: Mapping[str, Any], round_: RoundBook, *, laid: Mapping[str, Sequence[str]], trusted: bool
) -> str:
    """Return what is wrong with the account of a round, empty when nothing is.

    `laid`: the cards that lay at each place when hands were settled; `trusted`: every reader told the truth.
    """
    if set(body["positions"]) != set(round_.wagering):
        return f"wagers lay at {round_.wagering}, the account has {sorted(body['positions'])}"
    for position, hand in body["positions"].items():
        wrong = _wagers_wrong(round_, position, hand) or _sums_wrong(hand, voided=body["voided"])
        if wrong:
            return f"position {position}: {wrong}"
    if body["voided"] or not trusted:
        return ""
    return _cards_wrong(body, laid) or ("" if round_.touched or round_.asked else _payouts_wrong(body, round_, laid))


def _wagers_wrong(round_: RoundBook, position: str, hand: Mapping[str, Any]) -> str:
    placed = round_.wagers[position]
    for spot, cents in placed.items():
        if hand["wagers"].get(spot) != cents:
            return f"{cents} cents were laid on {spot}, the account has {hand['wagers'].get(spot)}"
    return "" if hand["decided"] == round_.decisions.get(position, []) else "other answers than were given"


def _sums_wrong(hand: Mapping[str, Any], *, voided: bool) -> str:
    result = hand.get("result")
    if voided or result is None:
        return ""
    for each in result["wagers"]:
        staked, returned, won = each["staked_cents"], each["returned_cents"], each["won_cents"]
        if returned != (staked if each["outcome"] in _BACK else 0):
            return f"{each['spot']} ({each['outcome']}): {staked} staked, {returned} returned"
        if won < 0 or (won and each["outcome"] in ("push", "void")):
            return f"{each['spot']} ({each['outcome']}): {won} won"
    for total, part in (("won_cents", "won_cents"), ("returned_cents", "returned_cents")):
        if result[total] != sum(each[part] for each in result["wagers"]):
            return f"{total} is {result[total]}, the wagers add up to another sum"
    staked = sum(each["staked_cents"] for each in result["wagers"])
    return "" if staked == sum(hand["wagers"].values()) else "not every wager is accounted for"


def _cards_wrong(body: Mapping[str, Any], laid: Mapping[str, Sequence[str]]) -> str:
    told = {DEALER: body["dealer"], BOARD: body["board"]}
    told |= {position: hand["faces"] for position, hand in body["positions"].items()}
    for place, faces in told.items():
        if place in laid and not set(faces) <= set(laid[place]):
            return f"{', '.join(faces)} is counted at {place}; there lay {', '.join(laid[place])}"
    return ""


def _payouts_wrong(body: Mapping[str, Any], round_: RoundBook, laid: Mapping[str, Sequence[str]]) -> str:
    """Recompute an undisturbed round from the cards that lay there, those of folded hands too."""
    game = find_game(round_.game)
    hands = {
        position: HandRecord(
            round_.wagers[position],
            _cards(laid.get(position, hand["faces"])),
            tuple(round_.decisions.get(position, ())),
        )
        for position, hand in body["positions"].items()
    }
    if any(len(hand.cards) != game.cards_each for hand in hands.values()):
        return ""  # a stack that the shoe miscounted went back unseen, folded
    record = RoundRecord(game, parse_house(game, {}), hands, _cards(body["dealer"]), _cards(body["board"]))
    try:
        again = payouts(recompute(record))["positions"]
    except CardshoeError as error:
        return f"the round cannot be recomputed: {error.text}"
    if not isinstance(again, dict):
        return "the recomputed round has no positions"
    for position, hand in body["positions"].items():
        if again[position].get("result") != hand.get("result"):
            return f"position {position} gets {hand.get('result')}, the cards say {again[position].get('result')}"
    return ""


def _cards(faces: Sequence[str]) -> tuple[Card, ...]:
    return tuple(parse_card(face) for face in faces)
