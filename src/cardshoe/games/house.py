"""What the house has chosen within a game, read and checked once.

Owns `House` and the reading of its JSON form (`interfaces.md`, `house`). Must not know rounds. Refuses unknown keys by
name, values that the game does not offer, a pay table below the text with its row, a limit below the regulation's.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cardshoe.errors import InputError
from cardshoe.games.paytables import PayTable
from cardshoe.games.quoting import quoted
from cardshoe.games.script import (
    AgainstDealer,
    FlagOption,
    Game,
    MultipleOption,
    OnCards,
    Option,
    Placed,
    Spot,
    TableOption,
    WordOption,
)
from cardshoe.money import MAX_CENTS, Odds, parse_cents

MOST_ODDS: Final = 1_000_000
MOST_ANTES: Final = 1_000
_COMMON: Final = ("minimum_wager", "payout_limit", "rounding", "board_from")


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The house's choices for one game.

    `tables`: option name to pay table. `words`, `multiples` (antes or None): option name to value. `minimum_cents`,
    `maximum_cents`: spot to cents, only where the house sets one. `limit_cents`: the aggregate limit of one hand in
    force, None where there is none. `round_up`: a fraction of a cent is paid as a whole one; otherwise a wager that
    cannot be paid exactly is refused.
    """

    tables: Mapping[str, PayTable]
    words: Mapping[str, str]
    multiples: Mapping[str, int | None]
    minimum_cents: Mapping[str, int]
    maximum_cents: Mapping[str, int]
    limit_cents: int | None
    round_up: bool
    board_from: str | None


def parse_house(game: Game, given: Mapping[str, object], *, maximum: Mapping[str, object] | None = None) -> House:
    """Return the house that `given` (JSON form, every key optional) describes for `game`.

    `maximum` is a table's own maximum wager for each spot in cents; it is no key of the JSON form. Raises `InputError`:
    `house-key` (an unknown key, named), `house-value`, `house-table` (a table that pays less than the text, row named),
    `house-limit` (below the regulation's limit), `amount`.
    """
    known = {option.name: option for option in game.options}
    for key in given:
        if key not in known and key not in _COMMON:
            names = (*known, *_COMMON)
            near = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
            told = f"did you mean {near[0]!r}? It has" if near else "it has"
            raise InputError(
                "house-key", f"house: {quoted(key)} is no option of {game.name}; {told} {', '.join(names)}"
            )
    tables: dict[str, PayTable] = {}
    words: dict[str, str] = {}
    multiples: dict[str, int | None] = {}
    for option in game.options:
        match option:
            case TableOption():
                tables[option.name] = _table(option, given.get(option.name, option.default))
            case WordOption():
                words[option.name] = _word(option.name, option.words, given.get(option.name, option.default))
            case FlagOption():
                wanted = _flag(option, given.get(option.name, option.default))
                words[option.name] = "true" if wanted else "false"
                if option.tables is not None:
                    tables[option.name] = option.tables[wanted]
            case MultipleOption():
                multiples[option.name] = _multiple(option, given.get(option.name))
    minimum = _minimum(game, given.get("minimum_wager"))
    return House(
        tables=tables,
        words=words,
        multiples=multiples,
        minimum_cents=minimum,
        maximum_cents=_by_spot(game, maximum, "maximum_wager") if maximum is not None else {},
        limit_cents=_limit(game, given.get("payout_limit"), tables, multiples, minimum),
        round_up=_word("rounding", ("up", "refuse"), given.get("rounding", "up")) == "up",
        board_from=_board_from(game, given.get("board_from")),
    )


def least_cents(_game: Game, house: House, spot: Spot) -> int:
    """Return the smallest wager on `spot`: the house's minimum, never below the text's own."""
    return max(house.minimum_cents.get(spot.name, 0), spot.minimum_cents)


def most_won_at_minimum_cents(
    game: Game, tables: Mapping[str, PayTable], multiples: Mapping[str, int | None], minimum: Mapping[str, int]
) -> int:
    """Return the most that one player can win in a round with every wager at its own minimum, in cents.

    NY-5324.35(f)(3), NY-5324.36(f)(4); ruling: optional wagers are included, winnings only are counted.
    """
    own = dict(minimum)
    for spot in game.equal_spots:  # who sets one of two equal wagers sets the other
        own.setdefault(spot.name, own.get(spot.equals, 0))
        own.setdefault(spot.equals, own[spot.name])
    total = 0
    for spot in game.spots:
        if spot.placed is Placed.DECISION:
            antes = multiples.get(spot.most_antes_option) or spot.most_antes
            staked = max(own.get("ante", 0) * antes, own.get(spot.name, 0))
        else:
            staked = max(own.get(spot.name, 0), spot.minimum_cents if spot.minimum_cents > 1 else 0)
        total += _most_odds(spot, tables).won_cents(staked)
    return total


def _most_odds(spot: Spot, tables: Mapping[str, PayTable]) -> Odds:
    settles = spot.settles
    match settles:
        case AgainstDealer():
            return tables[settles.table].most if settles.table else settles.pays
        case OnCards():
            return tables[settles.table].most


def _limit(
    game: Game,
    given: object,
    tables: Mapping[str, PayTable],
    multiples: Mapping[str, int | None],
    minimum: Mapping[str, int],
) -> int | None:
    regulation = None
    if game.limit_cents is not None:
        regulation = max(game.limit_cents, most_won_at_minimum_cents(game, tables, multiples, minimum))
    if given is None:
        return regulation
    limit = parse_cents(given, "house: payout_limit")
    if regulation is not None and limit < regulation:
        raise InputError(
            "house-limit",
            f"house: payout_limit {limit} cents is below the regulation's {regulation}; set at least that, or null",
            cites=game.clauses.limit,
        )
    return limit


def _table(option: TableOption, given: object) -> PayTable:
    if isinstance(given, Mapping) and option.custom_rows:
        return _custom_table(option, given)
    table = option.tables.get(given) if isinstance(given, str) else None
    if table is None:
        names = ", ".join(option.tables)
        raise InputError(
            "house-value",
            f"house: {option.name} {quoted(given)} is no table of ours; choose {names}",
            cites=option.cites,
        )
    return table


def _custom_table(option: TableOption, given: Mapping[str, object]) -> PayTable:
    rows: dict[str, Odds | None] = {}
    for row, odds in given.items():
        if row not in option.custom_rows:
            names = ", ".join(option.custom_rows)
            raise InputError("house-value", f"house: {option.name} has no row {quoted(row)}; its rows are {names}")
        if type(odds) is not int or not 1 <= odds <= MOST_ODDS:
            raise InputError(
                "house-value",
                f"house: {option.name}, row {row!r}: {quoted(odds)} is not a whole number to one, 1 to {MOST_ODDS}",
            )
        rows[row] = Odds(odds)
    table = PayTable("own", rows, "", option.cites)
    if not rows:
        raise InputError("house-value", f"house: {option.name} has no row at all; give the odds of its hands")
    _check_pays_enough(option, table)
    return table


def _check_pays_enough(option: TableOption, table: PayTable) -> None:
    if option.every_row:
        missing = [row for row in option.custom_rows if row not in table.rows]
        if missing:
            raise InputError(
                "house-table",
                f"house: {option.name} pays nothing for {missing[0]!r}, which wins by the text; give its odds",
                cites=option.cites,
            )
    if option.no_less:
        shortfalls = [short_rows(table, lawful) for lawful in option.tables.values()]
        if all(shortfalls):
            row, lawful_odds = min(shortfalls, key=len)[0]
            raise InputError(
                "house-table",
                f"house: {option.name}, row {row!r}: {table.rows.get(row) or 'nothing'} is less than {lawful_odds}, "
                "the least that the text allows; pay at least one of its tables in every row",
                cites=option.cites,
            )


def short_rows(table: PayTable, lawful: PayTable) -> list[tuple[str, Odds]]:
    """Return the rows, with the lawful odds, in which `table` pays less than `lawful`."""
    short: list[tuple[str, Odds]] = []
    for row, least in lawful.rows.items():
        if least is None:
            continue
        given = table.rows.get(row)
        if given is None or given.numerator * least.denominator < least.numerator * given.denominator:
            short.append((row, least))
    return short


def _word(name: str, words: tuple[str, ...], given: object) -> str:
    if not isinstance(given, str) or given not in words:
        raise InputError("house-value", f"house: {name} {quoted(given)} is not one of {', '.join(words)}")
    return given


def _flag(option: FlagOption, given: object) -> bool:
    if not isinstance(given, bool):
        raise InputError("house-value", f"house: {option.name} {quoted(given)} is neither true nor false")
    return given


def _multiple(option: MultipleOption, given: object) -> int | None:
    if given is None:
        return None
    if type(given) is not int or not 1 <= given <= MOST_ANTES:
        raise InputError(
            "house-value",
            f"house: {option.name} {quoted(given)} is not a whole number of antes, 1 to {MOST_ANTES}, or null",
        )
    return given


def _minimum(game: Game, given: object) -> Mapping[str, int]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return _by_spot(game, given, "minimum_wager")
    cents = parse_cents(_plain(given, "minimum_wager"), "house: minimum_wager", least=0)
    return {spot.name: cents for spot in game.spots}


def _by_spot(game: Game, given: Mapping[str, object], key: str) -> Mapping[str, int]:
    amounts: dict[str, int] = {}
    for name, cents in given.items():
        if game.spot(name) is None:
            names = ", ".join(spot.name for spot in game.spots)
            raise InputError("house-value", f"house: {key} has no spot {quoted(name)}; {game.name} has {names}")
        amounts[name] = parse_cents(_plain(cents, key), f"house: {key} of {name}", least=0)
    return amounts


def _plain(given: object, key: str) -> object:
    """Return `given` unless it is too large to be quoted in full."""
    if isinstance(given, int | float | bool) and (type(given) is not int or abs(given) <= MAX_CENTS):
        return given
    raise InputError("amount", f"house: {key} {quoted(given)} is not a whole number of cents up to {MAX_CENTS}")


def _board_from(game: Game, given: object) -> str | None:
    for allowed in game.board_from:
        if given == allowed and (given is None or isinstance(given, str)):
            return allowed
    names = ", ".join("null" if each is None else each for each in game.board_from)
    raise InputError("house-value", f"house: board_from {quoted(given)} is not one of {names} at {game.name}")


def option_named(game: Game, name: str) -> Option | None:
    """Return the option called `name`, or None."""
    return next((option for option in game.options if option.name == name), None)
