"""`cardshoe config show | check | init FILE`: the configuration of a table, for the technician.

Owns the arguments and the sentences; what a key means is said by the model (`table.config`) and laid out by
`config_text`. It opens no port and starts nothing; of a key file it tells the path, never what is in it. Exit status 0
done, 1 a file that the configuration names is not there, 2 a configuration that cannot be used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from cardshoe.bounded_files import read_at_most
from cardshoe.cli.config_text import fresh_text, shown_text
from cardshoe.cli.run_console import console_of
from cardshoe.errors import ConfigError
from cardshoe.lab.before_opening import require_usable_urls
from cardshoe.round.machine import find_game
from cardshoe.table.config import CONFIG_MOST, NO_PEOPLE, TableConfig, parse_config

app = typer.Typer(no_args_is_help=True, help=__doc__)

_CHECK_FAILED: Final = 1
_File = Annotated[Path, typer.Argument(metavar="FILE", help="The configuration, TOML.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


@app.command("show")
def show_command(file: _File, *, as_json: _Json = False) -> None:
    """Print everything that applies, defaults included, with the hash that stands in every round's header."""
    config = read_config(file)
    if as_json:
        print(json.dumps({"hash": config.digest(), "applies": config.model_dump(mode="json")}))
    else:
        print(shown_text(config), end="")


@app.command("check")
def check_command(file: _File, *, as_json: _Json = False) -> None:
    """Look at a configuration without opening anything: keys, values, the game's rules, addresses, files it names."""
    config = read_config(file)
    require_usable_urls(config)
    console_of(config, None, file.absolute().parent)
    missing = list(_missing(config, file.absolute().parent))
    if as_json:
        told = {"ok": not missing, "hash": config.digest(), "missing": missing}
        print(json.dumps(told))
    else:
        print(f"{file} can be used; its hash is {config.digest()}.")
        for each in missing:
            print(f"Not there yet: {each}")
    if missing:
        raise typer.Exit(_CHECK_FAILED)


@app.command("init")
def init_command(
    file: _File,
    *,
    game: Annotated[str, typer.Option(help="The game; its own options stand in [house].")] = "ultimate-texas-holdem",
    as_json: _Json = False,
) -> None:
    """Write a configuration in which every key stands with what it is for, its unit and its default."""
    text = fresh_text(find_game(game))
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
    except FileExistsError as error:
        raise ConfigError("config-exists", f"{file} is there already and stays as it is. Name another file.") from error
    except OSError as error:
        raise ConfigError("config-file", f"{file} cannot be written: {error.strerror}. Name another file.") from error
    if as_json:
        print(json.dumps({"file": str(file), "game": game}))
        return
    print(f"{file} is written. Fill in table.name and the address of the shoe, then `cardshoe config check {file}`.")


def read_config(path: Path) -> TableConfig:
    """Return the configuration in the file at `path`. Raises `ConfigError` naming the file, the key, what to write."""
    return parse_config(config_text(path), str(path))


def config_text(path: Path) -> str:
    """Return the text of the configuration at `path`. Raises `ConfigError` (`config-file`)."""
    try:
        return read_at_most(path, CONFIG_MOST).decode("utf-8")
    except OSError as error:
        raise ConfigError(
            "config-file", f"The configuration {path} cannot be read: {error.strerror}. Nothing was started."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            "config-file", f"The configuration {path} is not UTF-8 (byte {error.start}). Nothing was started."
        ) from error


def _missing(config: TableConfig, folder: Path) -> Iterator[str]:
    """Yield, in words, each file or folder that the configuration names and that is not there."""
    journal = folder / config.table.journal
    if not journal.parent.is_dir():
        yield f"the folder of table.journal, {journal.parent}"
    log = config.service.log_file
    if log is not None and not (folder / log).parent.is_dir():
        yield f"the folder of service.log_file, {(folder / log).parent}"
    named = {
        "table.people": None if config.table.people == NO_PEOPLE else config.table.people,
        "security.keys": config.security.keys,
        "security.manifest": config.security.manifest,
        "console.certificate": config.console.certificate,
        "console.key": config.console.key,
    }
    for key, value in named.items():
        if value is not None and not (folder / value).exists():
            yield f"{key}, {folder / value}"
