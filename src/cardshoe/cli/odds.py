"""`cardshoe odds GAME`: what the configured pay tables really pay, and what the main game costs.

Owns the command's options and its two forms of output. Every pay table is counted exactly (`games.odds`), row by row;
the main game is exact for three-card poker and simulated on the round machine for the others, with a confidence
interval. NY-5324.35(f)(2), NY-5324.36(f)(2), NY-5324.36(f)(3), NJ-69F-20.12A(a).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from cardshoe.cards import Card
from cardshoe.errors import ConfigError, InputError
from cardshoe.games.house import House, option_named, parse_house
from cardshoe.games.odds import PlayOrFold, Return, counts_by_ranking, play_or_fold, table_return
from cardshoe.games.paytables import PayTable
from cardshoe.games.ranking import three_own
from cardshoe.games.script import AgainstDealer, FlagOption, Game, OnCards, Ranking, Spot, TableOption
from cardshoe.lab.main_game import Simulated, simulate
from cardshoe.round.machine import find_game

FEWEST_ROUNDS = 100


class Basis(Enum):
    """What a figure of a pay table stands for."""

    ALONE = "alone"
    """The wager is settled by its table alone: the figure is its house edge."""
    HIGHER = "if the hand beats the dealer's"
    """The table pays only a hand that beats the dealer's: the figure is what it would win if every hand did."""
    ON_TOP = "on top of another wager"
    """The table pays beside another wager and costs nothing: the figure is what it is worth."""


@dataclass(frozen=True, slots=True)
class Priced:
    """One pay table of one wager, counted."""

    spot: str
    table: PayTable
    configured: bool
    basis: Basis
    result: Return


def command(
    game: Annotated[
        str, typer.Argument(help="texas-holdem-bonus, ultimate-texas-holdem, three-card-poker or mississippi-stud")
    ],
    house: Annotated[str, typer.Option(help="the house's choices, a JSON object as in `settle`")] = "{}",
    rounds: Annotated[int, typer.Option(min=0, help="rounds of the main game to simulate, 100 or more")] = 0,
    seed: Annotated[int, typer.Option(help="seed of the simulated deals: the same seed, the same figure")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on standard output")] = False,
) -> None:
    """Compute what the configured pay tables really pay, and simulate the main game."""
    chosen = _game(game)
    choices = _house(chosen, house)
    tables, uncounted = price_tables(chosen, choices)
    exact = exact_main(chosen, choices)
    simulated = _simulated(chosen, choices, rounds, seed) if rounds else None
    if as_json:
        print(json.dumps(_answer(chosen, tables, uncounted, exact, simulated)))
    else:
        _show(Console(), chosen, tables, exact, simulated)
        for name in uncounted:
            print(f"{name}: no exact count of its hands is known here")


def price_tables(game: Game, house: House) -> tuple[list[Priced], list[str]]:
    """Count every pay table of `game` that a house may name, and the one that `house` made itself.

    Returns the tables and the spots whose cards cannot be counted exactly.
    """
    priced: list[Priced] = []
    uncounted: list[str] = []
    for spot in game.spots:
        for option_name, basis, rank in _tables_of(game, spot):
            counts = counts_by_ranking(rank, game)
            if counts is None:
                uncounted.append(spot.name)
                continue
            configured = house.tables[option_name]
            priced += [
                Priced(spot.name, table, table == configured, basis, table_return(table, counts))
                for table in _offered(game, option_name, configured)
            ]
    return priced, uncounted


def exact_main(game: Game, house: House) -> PlayOrFold | None:
    """Weigh the main game where it can be counted: ante and play on three own cards, with an ante bonus."""
    ante = game.spot("ante")
    if ante is None or game.qualifies is None or game.rank is not three_own:
        return None
    if not isinstance(ante.settles, AgainstDealer) or not ante.settles.extra:
        return None
    return play_or_fold(game.qualifies, house.tables[ante.settles.extra])


def _tables_of(game: Game, spot: Spot) -> Iterator[tuple[str, Basis, Ranking]]:
    """(house option that names the table, what its figure stands for, the hand it looks at)."""
    settles = spot.settles
    match settles:
        case OnCards():
            yield settles.table, Basis.ALONE, settles.rank
        case AgainstDealer():
            if settles.table:
                yield settles.table, Basis.HIGHER, game.rank
            if settles.extra:
                yield settles.extra, Basis.ON_TOP, game.rank


def _offered(game: Game, option_name: str, configured: PayTable) -> list[PayTable]:
    option = option_named(game, option_name)
    named: list[PayTable] = []
    if isinstance(option, TableOption):
        named = list(option.tables.values())
    elif isinstance(option, FlagOption) and option.tables is not None:
        named = list(option.tables)
    return named if configured in named else [*named, configured]


def _game(name: str) -> Game:
    try:
        return find_game(name)
    except InputError as error:
        raise ConfigError(error.code, error.text) from error


def _simulated(game: Game, house: House, rounds: int, seed: int) -> Simulated:
    if rounds < FEWEST_ROUNDS:
        raise ConfigError("too-few-rounds", f"--rounds: {rounds} rounds tell nothing; simulate {FEWEST_ROUNDS} or more")
    watched = Console(stderr=True)
    with Progress(console=watched, transient=True, disable=not watched.is_terminal) as progress:
        task = progress.add_task(f"{game.title}: {rounds:,} rounds", total=rounds)
        return simulate(game, house, rounds=rounds, seed=seed, tell=lambda done: progress.update(task, completed=done))


def _house(game: Game, text: str) -> House:
    try:
        given: object = json.loads(text)
    except ValueError as error:
        raise ConfigError(
            "house-json", f"--house: {text[:60]!r} is not JSON ({error}); give an object such as {{}}"
        ) from error
    if not isinstance(given, dict):
        raise ConfigError("house-json", f"--house: {text[:60]!r} is not a JSON object; give one such as {{}}")
    try:
        return parse_house(game, given)
    except InputError as error:
        raise ConfigError(error.code, f"--house: {error.text}", cites=error.cites) from error


def _answer(
    game: Game, tables: list[Priced], uncounted: list[str], exact: PlayOrFold | None, simulated: Simulated | None
) -> Mapping[str, Any]:
    return {
        "game": game.name,
        "text": game.text,
        "tables": [_priced(priced) for priced in tables],
        "not_counted": uncounted,
        "main_exact": None if exact is None else _exact(exact),
        "main_simulated": None if simulated is None else _estimate(simulated),
    }


def _priced(priced: Priced) -> Mapping[str, Any]:
    result = priced.result
    alone = priced.basis is Basis.ALONE
    return {
        "wager": priced.spot,
        "table": priced.table.name,
        "configured": priced.configured,
        "cites": priced.table.cites,
        "paid": priced.basis.value,
        "deals": result.deals,
        "house_edge": float(result.house_edge) if alone else None,
        "house_edge_exact": str(result.house_edge) if alone else None,
        "won": float(result.won),
        "hit_rate": float(result.hit_rate),
        "rows": [
            {
                "hand": row.hand,
                "deals": row.deals,
                "odds": None if row.odds is None else str(row.odds),
                "outcome": "win" if row.odds is not None else "push" if row.pushes else "lose",
                "contribution": float(row.multiple * Fraction(row.deals, result.deals)),
            }
            for row in result.rows
        ],
    }


def _exact(exact: PlayOrFold) -> Mapping[str, Any]:
    return {
        "house_edge_per_ante": float(exact.house_edge),
        "house_edge_exact": str(exact.house_edge),
        "play_rate": float(exact.play_rate),
        "worst_hand_played": [card.text for card in exact.worst_played.best],
    }


def _estimate(simulated: Simulated) -> Mapping[str, Any]:
    low, high = simulated.interval
    return {
        "rounds": simulated.rounds,
        "seed": simulated.seed,
        "house_edge_per_ante": simulated.house_edge,
        "interval_95": [low, high],
        "deviation_per_round": simulated.deviation,
        "staked_per_round": simulated.staked,
        "strategy": simulated.strategy,
    }


def _percent(value: Fraction | float) -> str:
    return f"{float(value) * 100:.4f} %"


def _spelt(cards: tuple[Card, ...]) -> str:
    return " ".join(card.text for card in cards)


def _show(
    console: Console, game: Game, tables: list[Priced], exact: PlayOrFold | None, simulated: Simulated | None
) -> None:
    for priced in tables:
        result = priced.result
        mark = ", configured" if priced.configured else ""
        cites = f" ({priced.table.cites})" if priced.table.cites else ""
        shown = Table(title=f"{priced.spot}, table {priced.table.name}{mark}{cites}", title_justify="left")
        for heading in ("hand", "deals", "pays", "share of the return"):
            shown.add_column(heading, justify="left" if heading == "hand" else "right")
        for row in result.rows:
            pays = str(row.odds) if row.odds is not None else "push" if row.pushes else "lost"
            shown.add_row(row.hand, f"{row.deals:,}", pays, _percent(row.multiple * Fraction(row.deals, result.deals)))
        console.print(shown)
        figure = "house edge " + _percent(result.house_edge)
        if priced.basis is not Basis.ALONE:
            figure = f"wins {_percent(result.won)} of the stake, {priced.basis.value}"
        console.print(f"{figure}; one deal in {float(1 / result.hit_rate):.2f} wins\n", soft_wrap=True)
    if exact is not None:
        console.print(
            f"{game.title}, ante and play, exact: house edge {_percent(exact.house_edge)} of the ante; "
            f"{_spelt(exact.worst_played.best)} or better plays ({_percent(exact.play_rate)} of the hands)",
            soft_wrap=True,
        )
    if simulated is not None:
        low, high = simulated.interval
        console.print(
            f"{game.title}, main game, {simulated.rounds:,} rounds simulated (seed {simulated.seed}): house edge "
            f"{_percent(simulated.house_edge)} of the ante, with 95 % confidence between {_percent(low)} and "
            f"{_percent(high)}; {simulated.staked:.2f} antes staked a round. The player: {simulated.strategy}",
            soft_wrap=True,
        )
