"""`cardshoe backup --config FILE --to FILE.tar`: everything that a table is, in one file, also while it runs.

Owns the arguments and the sentences. Exit status 0 done, 1 a passphrase that is none, 2 wrong usage or files that
cannot be used, 4 a journal that cannot be trusted or read; then no file was made.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from cardshoe.cli.config_text import toml_key, toml_value
from cardshoe.cli.passphrase_entry import PassphraseOption, passphrase_of
from cardshoe.clock import SystemClock
from cardshoe.counted import counted
from cardshoe.errors import ConfigError
from cardshoe.staging_folder import staging_folder
from cardshoe.table.backup_form import Listing
from cardshoe.table.backup_making import Origin, make_backup, taken
from cardshoe.table.backup_sources import read_small
from cardshoe.table.config import TableConfig, parse_config


def command(
    *,
    config: Annotated[Path, typer.Option(metavar="FILE", help="The table's configuration.")],
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The backup; nothing may be there.")],
    passphrase_file: PassphraseOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Keep a table's journal, keys, people and configuration in one file; keys and people are sealed."""
    origin = _origin(config)
    to = Path(os.path.abspath(to))
    _require_free(to)
    passphrase = passphrase_of(passphrase_file, new=True)
    try:
        with staging_folder(to.parent / f".{to.name}.making") as staging:
            made = make_backup(origin, to, passphrase, staging=staging, clock=SystemClock(), rewrite=rewritten)
    except BlockingIOError as error:
        raise ConfigError("backup-to", f"--to {to}: another program makes it just now. Wait for it.") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError("backup-to", f"--to {to} cannot be written: {why}. No file was made.") from error
    _tell(made, to, as_json=as_json)


def _origin(path: Path) -> Origin:
    content = read_small(path)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(
            "backup-source", f"The configuration {path} is not UTF-8 (byte {error.start}). No file was made."
        ) from error
    return Origin(parse_config(text, str(path)), path.absolute(), content)


def _require_free(to: Path) -> None:
    if not to.name or not to.parent.is_dir():
        raise ConfigError("backup-to", f"--to {to}: there is no folder {to.parent}. Make it first.")
    if os.path.lexists(to):
        raise taken(to)


def rewritten(origin: Origin, moved: dict[tuple[str, str], str]) -> str:
    """Return the text of a configuration with other paths, section and key to value; comments stay where they can."""
    wanted = _changed(origin.config, moved).digest()
    text = origin.content.decode("utf-8")
    plain: dict[str, Any] = tomllib.loads(text)
    for (section, key), place in moved.items():
        plain.setdefault(section, {})[key] = place
        text = _line_changed(text, section, key, place)
    for each in (text, _laid_out(plain)):
        with suppress(ConfigError):
            if parse_config(each, str(origin.path)).digest() == wanted:
                return each
    raise ConfigError(
        "backup-source", f"The configuration {origin.path} cannot be written with paths inside its own folder."
    )


def _changed(config: TableConfig, moved: dict[tuple[str, str], str]) -> TableConfig:
    for (section, key), place in moved.items():
        part = getattr(config, section).model_copy(update={key: place})
        config = config.model_copy(update={section: part})
    return config


def _line_changed(text: str, section: str, key: str, value: str) -> str:
    """Return `text` with the value of one plain line `key = "…"` below `[section]` changed, if there is such a line."""
    line = re.compile(rf"^(\[{section}\][^\[]*?^{key}\s*=\s*)(\"[^\"\n]*\"|'[^'\n]*')", re.M | re.S)
    return line.sub(lambda found: found[1] + toml_value(value), text, count=1)


def _laid_out(plain: dict[str, Any]) -> str:
    """Return a configuration as text: a line for each key, below the name of its section."""
    lines: list[str] = []
    for section, keys in plain.items():
        lines.append(f"[{toml_key(section)}]")
        lines += [f"{toml_key(key)} = {toml_value(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def _tell(made: Listing, to: Path, *, as_json: bool) -> None:
    if as_json:
        plain = {key: value for key, value in asdict(made).items() if key not in ("salt", "log2_n", "check", "files")}
        print(json.dumps({**plain, "to": str(to), "files": len(made.files)}))
        return
    print(f"{to} holds {counted(len(made.files), 'file')} of table {made.table!r}; keys and people are sealed.")
    print(f"Its journal has {counted(made.records, 'record')}, head {made.head}.")
    if made.running:
        print("The table runs: what it records from now on is not in this backup.")
    if made.open_round is not None:
        print(f"Round {made.open_round} is open in it; a table that starts on it goes on there.")
    for key, place in made.moved.items():
        print(f"{key} leads out of the configuration's folder; restored, it is {place}.")
    print("Keep it away from this computer, and the passphrase away from both: nobody can open it without.")
