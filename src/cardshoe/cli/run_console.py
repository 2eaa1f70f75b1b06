"""The console of `cardshoe run`: whether there is one, and where.

Owns the reading of `[console]` and `--console`, and that the web server is loaded only where it is wanted. Where it
listens is said on standard error, because standard output is the answers'.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cardshoe.table.app import Table
from cardshoe.table.config import TableConfig

if TYPE_CHECKING:
    from cardshoe.console.address import Address


@dataclass(frozen=True, slots=True)
class RunConsole:
    """The console of one table; `address` None: there is none."""

    address: Address | None

    @asynccontextmanager
    async def beside(self, table: Table) -> AsyncIterator[None]:
        """Serve the console of `table` while the block runs. Raises `ConfigError`."""
        if self.address is None:
            yield
            return
        from cardshoe.cli.console_seat import Seat  # noqa: PLC0415 — a web server, only where it is wanted
        from cardshoe.console.server import open_console  # noqa: PLC0415

        async with open_console(Seat(table), self.address) as running:
            print(f"cardshoe: the console is at {running.url}", file=sys.stderr, flush=True)
            yield


def console_of(config: TableConfig, asked: str | None, folder: Path) -> RunConsole:
    """Return the console that `config` and the option `asked` want; files lie in `folder`. Raises `ConfigError`."""
    part = config.console
    listen = asked if asked is not None else part.listen
    if listen is None:
        return RunConsole(None)
    from cardshoe.console.address import read_address  # noqa: PLC0415

    certificate = folder / part.certificate if part.certificate is not None else None
    key = folder / part.key if part.key is not None else None
    return RunConsole(read_address(listen, certificate=certificate, key=key, names=part.names))
