"""The fields of a line, read with the place of each in the refusal.

Owns what `settle`, `plan` and `rehearse` share: known and missing keys, lists, cards, the house, irregularities. Must
not know what the commands do with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cardshoe.cards import Card, parse_card
from cardshoe.errors import InputError, Refused
from cardshoe.games.house import House, parse_house
from cardshoe.games.quoting import quoted
from cardshoe.games.script import DEALER, Game
from cardshoe.games.verdicts import Case
from cardshoe.round.events import FloorRuled, IrregularityFound
from cardshoe.round.machine import find_game
from cardshoe.round.state import is_position

Fields = Mapping[str, object]

_IRREGULAR_KEYS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "dealer_card_exposed": (("before_decisions_done",), ()),
    "card_found_face_up": (("after_initial_deal",), ()),
    "wrong_card_count": (("who", "cards"), ("repairable_in_sequence",)),
    "device_fault": (("affects_outcome",), ()),
    "floor_ruling": (("who", "outcome"), ()),
}
"""Kind to (required keys, optional keys) beside `kind`."""

_houses: dict[tuple[str, str], House] = {}
_MOST_HOUSES: Final = 64
_LONGEST_HOUSE: Final = 2000


def check_keys(fields: Fields, required: Sequence[str], optional: Sequence[str], where: str) -> None:
    """Raise `InputError` (`unknown-key`, `missing-key`) naming the first key that should not, or should, be there."""
    for key in fields:
        if key not in required and key not in optional:
            known = ", ".join((*required, *optional)) or "no key"
            raise InputError("unknown-key", f"{where}unknown key {quoted(key)}; known here: {known}")
    for key in required:
        if key not in fields:
            raise InputError("missing-key", f"{where}the key {key!r} is missing; add it")


def the_game(fields: Fields) -> Game:
    """Return the game that a line names."""
    if "game" not in fields:
        raise InputError("missing-key", "the key 'game' is missing; add it")
    return find_game(fields["game"])


def the_house(game: Game, fields: Fields) -> House:
    """Return the house that a line describes; every key of it is optional, and so is the whole."""
    given = as_object(fields.get("house", {}), "house")
    spelt = repr(given)
    key = (game.name, spelt)
    known = _houses.get(key)
    if known is None:
        known = parse_house(game, given)
        if len(spelt) <= _LONGEST_HOUSE:
            if len(_houses) >= _MOST_HOUSES:
                _houses.clear()
            _houses[key] = known
    return known


def as_object(value: object, where: str) -> Fields:
    """Return `value` as an object; raises `InputError` (`field-type`)."""
    if not isinstance(value, dict):
        raise InputError("field-type", f"{where}: {quoted(value)} is not an object")
    return value


def as_list(value: object, where: str) -> Sequence[object]:
    """Return `value` as a list; raises `InputError` (`field-type`)."""
    if not isinstance(value, list):
        raise InputError("field-type", f"{where}: {quoted(value)} is not a list")
    return value


def as_cards(value: object, where: str) -> tuple[Card, ...]:
    """Return the cards of a list; raises `InputError` (`card-spelling`) quoting the value and its place."""
    return tuple([_card(text, where, number) for number, text in enumerate(as_list(value, where))])


def as_flag(value: object, where: str) -> bool:
    """Return true or false; raises `InputError` (`field-type`)."""
    if not isinstance(value, bool):
        raise InputError("field-type", f"{where}: {quoted(value)} is neither true nor false")
    return value


def parse_irregularity(game: Game, fields: Fields, where: str) -> IrregularityFound | FloorRuled:
    """Return what an irregularity says (without `op`).

    Raises `InputError` for its form, `Refused` (`position`, `ruling`, `irregularity`) for a position or a number that
    cannot be.
    """
    kind = fields.get("kind")
    keys = _IRREGULAR_KEYS.get(kind) if isinstance(kind, str) else None
    if keys is None:
        kinds = ", ".join(_IRREGULAR_KEYS)
        raise InputError("irregularity-kind", f"{where}: {quoted(kind)} is no kind of irregularity; there are {kinds}")
    check_keys(fields, ("kind", *keys[0]), keys[1], f"{where}: ")
    match kind:
        case "dealer_card_exposed":
            early = as_flag(fields["before_decisions_done"], f"{where}.before_decisions_done")
            return IrregularityFound(Case.DEALER_CARD_SEEN_EARLY if early else Case.DEALER_CARD_SEEN_LATE, DEALER)
        case "card_found_face_up":
            after = as_flag(fields["after_initial_deal"], f"{where}.after_initial_deal")
            return IrregularityFound(Case.CARD_FACE_UP_AFTER_DEAL if after else Case.CARD_FACE_UP_DURING_DEAL)
        case "device_fault":
            affects = as_flag(fields["affects_outcome"], f"{where}.affects_outcome")
            return IrregularityFound(Case.DEVICE_FAULT if affects else Case.DEVICE_FAULT_HARMLESS)
        case "floor_ruling":
            return _ruling(fields, where)
        case _:
            return _wrong_count(game, fields, where)


def _ruling(fields: Fields, where: str) -> FloorRuled:
    who, outcome = fields["who"], fields["outcome"]
    if not isinstance(who, str) or (who != "all" and not is_position(who)):
        raise Refused("position", f"{where}.who: {quoted(who)} is neither 'all' nor a position 1 to 6")
    if not isinstance(outcome, str) or outcome not in ("void", "stands"):
        raise Refused("ruling", f"{where}.outcome: {quoted(outcome)} is neither 'void' nor 'stands'")
    return FloorRuled(who, outcome)


def _wrong_count(game: Game, fields: Fields, where: str) -> IrregularityFound:
    who, cards = fields["who"], fields["cards"]
    if not isinstance(who, str) or (who != DEALER and not is_position(who)):
        raise Refused("position", f"{where}.who: {quoted(who)} is neither 'dealer' nor a position 1 to 6")
    if type(cards) is not int or not 0 <= cards <= 52 or cards == game.cards_each:
        raise Refused(
            "irregularity",
            f"{where}.cards: {quoted(cards)} is no wrong number of cards; a hand of {game.name} has {game.cards_each}",
        )
    if who != DEALER:
        if "repairable_in_sequence" in fields:
            as_flag(fields["repairable_in_sequence"], f"{where}.repairable_in_sequence")
        return IrregularityFound(Case.PLAYER_WRONG_COUNT, who, cards)
    if "repairable_in_sequence" not in fields:
        raise InputError("missing-key", f"{where}: the key 'repairable_in_sequence' is missing; add it")
    repairable = as_flag(fields["repairable_in_sequence"], f"{where}.repairable_in_sequence")
    # Ruling: too many cards cannot be repaired by dealing.
    can = repairable and cards < game.cards_each
    return IrregularityFound(Case.DEALER_SHORT_REPAIRABLE if can else Case.DEALER_WRONG_COUNT, DEALER, cards)


def _card(text: object, where: str, number: int) -> Card:
    if isinstance(text, str) and len(text) == 2:
        return parse_card(text, f"{where}[{number}]")
    raise InputError(
        "card-spelling",
        f"{where}[{number}]: {quoted(text)} is not a card; write a rank AKQJT98765432 and a suit shdc, such as 'Td'",
    )
