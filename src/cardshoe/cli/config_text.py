"""A table's configuration as text with comments: the form that `config init` writes and `config show` prints.

Owns the comments (what a key is for, its unit, its bounds, its default) and the spelling of values in TOML. All of it
comes from the model of the configuration and from the game's own options; nothing is told here a second time, and no
file is opened: a key file is told by its path only.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Final, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from cardshoe.games import games
from cardshoe.games.script import FlagOption, Game, Method, MultipleOption, Option, TableOption, WordOption
from cardshoe.round.machine import find_game
from cardshoe.table.config import TableConfig, Unit, part_of

_WIDTH: Final = 110
_EVERY_GAME: Final = {
    "minimum_wager": "The least wager: cents, or a table such as {ante = 1000, bonus = 100}. Default: none beyond the"
    " regulation's own.",
    "payout_limit": "The most that one hand wins in a round: cents, never below the regulation's. Default: the"
    " regulation's own.",
    "rounding": 'A payout of a fraction of a cent: "up" pays a whole cent, "refuse" refuses the wager. Default: "up".',
}
"""What each game's `[house]` knows beside the game's own options."""
_SHOWN_BY: Final[dict[str, object]] = {"minimum_wager": 1000, "payout_limit": 10_000_000, "rounding": "up"}


def fresh_text(game: Game, *, mode: str = "bench", given: Mapping[str, object] | None = None) -> str:
    """Return a configuration of `game` to be filled in: required keys and those that are `given` a value, by their
    dotted names, stand; all others are comments.
    """
    stand: dict[str, object] = {
        "table.name": "Table 1",
        "table.mode": mode,
        "table.game": game.name,
        "table.journal": "journal.sqlite",
        "devices.shoe.url": "serial:///dev/serial/by-id/NAME-OF-THE-SHOE",
        **(given or {}),
    }
    lines = [
        "# The configuration of one table. Lines that begin with # are comments; a key behind # has the value shown.",
        "# `cardshoe config check FILE` looks at it, `cardshoe config show FILE` prints what applies.",
        *_section(TableConfig, "", stand),
    ]
    return "\n".join(_with_house(lines, game)) + "\n"


def shown_text(config: TableConfig) -> str:
    """Return everything that applies, defaults included, as TOML; what is a default says so."""
    lines = [f"# What applies; its hash, which stands in every round's header, is {config.digest()}."]
    lines += _shown(config, "")
    return "\n".join(lines) + "\n"


def toml_value(value: object) -> str:
    """Return `value` (text, whole number, truth value, list or table of them) as TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple():
            return f"[{', '.join(toml_value(each) for each in value)}]"
        case Mapping():
            inner = ", ".join(f"{toml_key(str(key))} = {toml_value(each)}" for key, each in value.items())
            return f"{{{inner}}}"
        case _:
            return toml_value(str(value))


def toml_key(key: str) -> str:
    """Return `key` bare where TOML allows it, else quoted."""
    bare = key.isascii() and key.replace("-", "").replace("_", "").isalnum()
    return key if bare else toml_value(key)


def told_of(name: str, field: FieldInfo) -> str:
    """Return what is to be known of the key `name`: its purpose, choices, unit, bounds and default."""
    told = [str(field.description)]
    if name == "game":
        told.append(f"One of: {', '.join(games())}.")
    if name == "method":
        told.append(f"One of: {', '.join(method.value for method in Method)}.")
    if get_origin(field.annotation) is Literal:
        told.append(f"One of: {', '.join(get_args(field.annotation))}.")
    if unit := unit_of(field):
        told.append(f"Unit: {unit}{_bounds(field)}.")
    told.append("Required." if field.is_required() else f"Default: {_default(field)}.")
    return " ".join(told)


def unit_of(field: FieldInfo) -> str | None:
    """Return in what the key's value is counted, None where it is no quantity."""
    return next((each.word for each in field.metadata if isinstance(each, Unit)), None)


def _bounds(field: FieldInfo) -> str:
    least = next((each.ge for each in field.metadata if hasattr(each, "ge")), None)
    most = next((each.le for each in field.metadata if hasattr(each, "le")), None)
    return (f", from {least}" if least is not None else "") + (f" to {most}" if most is not None else "")


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    return "none" if value is None else toml_value(value)


# --- a configuration to be filled in ---------------------------------------------------------------------------------


def _section(model: type[BaseModel], path: str, given: Mapping[str, object]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        key = f"{path}.{name}".lstrip(".")
        if (inner := part_of(field.annotation)) is not None:
            yield from _heading(inner, field, key, given)
        elif name == "house":
            yield from ("", *_comment(str(field.description)), "[house]")
        else:
            yield from ("", *_comment(told_of(name, field)))
            yield f"{name} = {toml_value(given[key])}" if key in given else f"# {name} = {_example(field)}"


def _heading(model: type[BaseModel], field: FieldInfo, key: str, given: Mapping[str, object]) -> Iterator[str]:
    """Yield a section; one that may be left out, and for which nothing is given, as a comment."""
    wanted = field.default is not None or any(name.startswith(f"{key}.") for name in given)
    only_sections = all(part_of(each.annotation) is not None for each in model.model_fields.values())
    told = field.description or model.__doc__ or ""
    if not only_sections:
        yield from ("", *_comment(told), f"[{key}]" if wanted else f"# [{key}]")
    yield from _section(model, key, given)


def _example(field: FieldInfo) -> str:
    if field.is_required():
        return '"…"'
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is not None:
        return toml_value(value)
    return "200" if unit_of(field) else '"…"'


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(" ".join(text.split()), _WIDTH)]


# --- the house's choices ---------------------------------------------------------------------------------------------


def _with_house(lines: list[str], game: Game) -> Iterator[str]:
    for line in lines:
        yield line
        if line == "[house]":
            yield from house_lines(game)


def house_lines(game: Game) -> Iterator[str]:
    """Yield the keys of `[house]` for `game`, each as a comment with its choices, clause and default."""
    for option in game.options:
        yield from ("", *_comment(_option_told(option)), f"# {option.name} = {_option_value(option)}")
        if isinstance(option, TableOption):
            for table in option.tables.values():
                rows = (f"{row}: {_odds(odds)}" for row, odds in table.rows.items())
                yield from _comment(f"  {table.name if table.name else 'table'}: {', '.join(rows)}")
    for name, told in _EVERY_GAME.items():
        yield from ("", *_comment(told), f"# {name} = {toml_value(_SHOWN_BY[name])}")
    if len(game.board_from) > 1:
        words = [each for each in game.board_from if each is not None]
        told = f"Where the board comes from with an automated shoe: {', '.join(map(toml_value, words))}."
        behind = "" if len(words) > 1 else "# "  # a live table must choose
        yield from ("", *_comment(told), f"{behind}board_from = {toml_value(words[0])}")


def _odds(odds: object) -> str:
    return "push" if odds is None else str(odds)


def _option_told(option: Option) -> str:
    cites = f" Clause {option.cites}." if option.cites else ""
    match option:
        case TableOption():
            own = " Or odds to one of your own, {row = odds}." if option.custom_rows else ""
            names = ", ".join(toml_value(name) for name in option.tables)
            return f"The pay table: {names}.{own}{cites} Default: {toml_value(option.default)}."
        case WordOption():
            words = ", ".join(toml_value(word) for word in option.words)
            return f"One of: {words}.{cites} Default: {toml_value(option.default)}."
        case FlagOption():
            return f"true or false.{cites} Default: {toml_value(option.default)}."
        case MultipleOption():
            return f"This wager as a multiple of the ante. Unit: antes.{cites} Default: any amount."


def _option_value(option: Option) -> str:
    return "1" if isinstance(option, MultipleOption) else toml_value(option.default)


# --- what applies -----------------------------------------------------------------------------------------------------


def _house_shown(game: Game, given: Mapping[str, object]) -> Iterator[str]:
    """Yield what the house has chosen, then what applies to an option of the game that it left open."""
    yield from (f"{toml_key(key)} = {toml_value(value)}" for key, value in given.items())
    for option in game.options:
        if option.name not in given:
            several = isinstance(option, MultipleOption)
            yield f"# {option.name}: any amount" if several else f"{option.name} = {_option_value(option)}  # default"


def _shown(part: BaseModel, path: str) -> Iterator[str]:
    for name, field in type(part).model_fields.items():
        value, key = getattr(part, name), f"{path}.{name}".lstrip(".")
        if isinstance(value, BaseModel):
            only_sections = all(part_of(each.annotation) is not None for each in type(value).model_fields.values())
            if not only_sections:
                yield from ("", f"[{key}]")
            yield from _shown(value, key)
        elif isinstance(part, TableConfig):
            yield from ("", "[house]", *_house_shown(find_game(part.table.game), value))
        elif value is None:
            yield f"# {'no ' if part_of(field.annotation) else ''}{name}{'' if part_of(field.annotation) else ': none'}"
        else:
            yield f"{name} = {toml_value(value)}" + ("" if name in part.model_fields_set else "  # default")
