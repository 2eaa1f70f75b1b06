"""What is looked at before a table is opened: whose journal it is, what is open in it, whether its URLs can be used.

Owns these three questions, which belong to a command line and not to a running table. It reads only; whether the
journal can be trusted is found out by opening it.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import Final

from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal import JournalReader
from cardshoe.table.config import TableConfig
from cardshoe.table.state import NOTED
from cardshoe.transport import SimUrl, parse_device_url

_FIRST_RECORDS: Final = 50


def require_usable_urls(config: TableConfig) -> None:
    """Raise `ConfigError` (`device-url`, `simulated-device-refused`) for a device URL that no port can be opened by."""
    for name, part in (("shoe", config.devices.shoe), ("reader", config.devices.reader)):
        if part is not None and isinstance(parse_device_url(part.url), SimUrl):
            raise ConfigError(
                "simulated-device-refused",
                f"devices.{name} is {part.url!r}; a name of the laboratory is no port. Give the URL that the simulated"
                " world's ready line shows, serial:///… or tcp://….",
            )


def require_own(path: Path, table_name: str) -> None:
    """Raise `JournalError` (`journal-other-table`) when the journal at `path` was begun by another table."""
    if not os.path.exists(path):
        return
    with JournalReader(path) as reader:
        for record in islice(reader.records(), _FIRST_RECORDS):
            if record.kind != "table_opened":
                continue
            name = record.body.get("name")
            if name != table_name:
                raise JournalError(
                    "journal-other-table",
                    f"The journal {path} belongs to table {name!r}, this one is {table_name!r}. Nothing is dealt. Name"
                    " the journal of this table, or a new file.",
                )
            return


def open_round_in(path: Path) -> tuple[str, str] | None:
    """Return game and method of the round that is open at the end of the journal, None where none is."""
    if not os.path.exists(path):
        return None
    with JournalReader(path) as reader:
        for record in reader.records(newest_first=True):
            if record.kind in ("settled", NOTED):
                return None
            if record.kind == "round-opened":
                return str(record.body["game"]), str(record.body["method"])
    return None
