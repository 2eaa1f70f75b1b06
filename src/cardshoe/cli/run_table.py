"""`cardshoe run --config table.toml`: a table on real ports, its operations as JSON Lines on standard input.

Owns the reading of the configuration file, the lines in and out, and the end: at the end of input or at SIGTERM the
table is closed in good order, whatever its ports do. A service manager is told how the table stands. Each line is
answered by `{"accepted": true}` or by `{"accepted": false, "refusal": {"code", "text", "cites"}}`; one that needs a
second person is refused with `second-person-due` and done by the `second` that follows; each change of what is due is
told by `{"due": {"step", …}, "words"}`.
Exit status 0 done, 1 a line was refused, 2 a configuration that cannot be used, 3 a device that could not be had, 4 a
journal that cannot be trusted or written, 130 interrupted.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from cardshoe.cli.config import read_config
from cardshoe.cli.fields import Fields
from cardshoe.cli.incoming import Line, Lines
from cardshoe.cli.json_lines import answer_line
from cardshoe.cli.operations import Operations
from cardshoe.cli.outgoing import Outgoing
from cardshoe.cli.private_process import keep_memory_private
from cardshoe.cli.run_console import RunConsole, console_of
from cardshoe.cli.run_log import RunLog, run_log
from cardshoe.cli.signing_in import Front, Opener, opener_of
from cardshoe.errors import CardshoeError, JournalError
from cardshoe.lab.before_opening import require_own, require_usable_urls
from cardshoe.round.machine import find_game
from cardshoe.table.app import Table, open_table
from cardshoe.table.config import TableConfig
from cardshoe.table.journal_memory import JournalMemory, memory_of
from cardshoe.table.notify_socket import NotifySocket, NotifyTerms, notify_terms
from cardshoe.table.people_file import PeopleFile, people_of
from cardshoe.table.sealed_devices import SealedDevices
from cardshoe.table.view import AnswerAlarm, Due, TableView

INTERRUPTED: Final = 130
_STANDARD_INPUT: Final = 0
_STANDARD_OUTPUT: Final = 1


def command(
    config: Annotated[Path, typer.Option(help="The table's configuration, TOML.")],
    *,
    console: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where the console listens, in place of [console] listen.")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Who opens the table, asked for a PIN or --key.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", metavar="FILE", help="The key file of --as.")] = None,
    pin_fd: Annotated[
        int | None, typer.Option("--pin-fd", min=0, metavar="N", help="Read the PIN of --as from this descriptor.")
    ] = None,
    log_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the log goes, in place of [service] log_file.")
    ] = None,
    _as_json: Annotated[bool, typer.Option("--json", help="Speak JSON Lines, which it always does.")] = False,
) -> None:
    """Run a table against the devices of a configuration file.

    Each line of standard input is one operation, such as {"op": "no_more_bets"}; each is answered by a line, and so is
    each change of what is due. {"op": "?"} is refused with the names of all operations; README.md shows a round. The
    end of input ends the table, unless it has a console or is a service; then SIGTERM does.
    """
    logging.getLogger("cardshoe").addHandler(logging.NullHandler())
    read = read_config(config)
    require_usable_urls(read)
    if read.table.mode == "live":
        for what in keep_memory_private():
            print(f"cardshoe: {what}", file=sys.stderr)
    journal = config.absolute().parent / read.table.journal
    require_own(journal, read.table.name)
    memory = memory_of(read, config.absolute().parent)
    memory.require()
    wanted = console_of(read, console, config.absolute().parent)
    opener, people = opener_of(by, key, pin_fd), people_of(read, config.absolute().parent)
    sealing = SealedDevices(read, config.absolute().parent)
    terms, live = notify_terms(os.environ, os.getpid()), read.table.mode == "live"
    log = run_log(read.service, log_file, config.absolute().parent, private=live, served=terms is not None)
    running = _Run(read, journal, wanted, people, sealing, _Beside(terms, log, memory))
    try:
        status = asyncio.run(running.until_ended(opener))
    finally:
        with suppress(CardshoeError):  # what ended the table is told; the journal was remembered as it began
            memory.keep()
    if status:
        raise typer.Exit(status)


@dataclass(frozen=True, slots=True)
class _Beside:
    """Who is told of a table beside its people: the service manager, the log, what remembers its journal."""

    terms: NotifyTerms | None
    log: RunLog
    memory: JournalMemory


class _Run:
    """One table between standard input and standard output."""

    def __init__(
        self,
        config: TableConfig,
        journal: Path,
        console: RunConsole,
        people: PeopleFile | None,
        sealing: SealedDevices,
        beside: _Beside,
    ) -> None:
        self._config = config
        self._beside = beside
        self._notices = NotifySocket(None)
        self._sealing = sealing
        self._people = people
        self._journal = journal
        self._console = console
        self._refused = False
        self._unconfirmed = False  # an order waits for its second person
        self._out: Outgoing | None = None
        self._speaking = asyncio.Lock()  # an answer comes before what its act made due

    async def until_ended(self, opener: Opener | None) -> int:
        """Serve until the end of input or a signal; return the exit status. Raises what ends the table."""
        self._notices = NotifySocket(self._beside.terms)
        try:
            return await self._from_open_to_closed(opener)
        except CardshoeError as error:
            self._notices.stopping(error.text)
            raise
        finally:
            self._notices.close()

    async def _from_open_to_closed(self, opener: Opener | None) -> int:
        with _signals() as stopped, ExitStack() as log:
            if self._told_from_the_start():
                log.enter_context(self._beside.log.kept_open())
            self._notices.status("The table is being opened.")
            table_open = open_table(self._config, self._journal, people=self._people, sealing=self._sealing)
            async with table_open as table, self._console.beside(table):
                if not self._told_from_the_start():
                    log.enter_context(self._beside.log.kept_open())
                self._beside.memory.keep()
                await self._until_one_ends(table, opener, stopped)
                self._notices.stopping("The table is being closed.")
                await table.stop_motion()  # before the console lets its browsers go, which may take a second
            if stopped.done():
                return stopped.result()
        return 1 if self._refused or self._unconfirmed else 0

    def _told_from_the_start(self) -> bool:
        """Whether the log is written while the devices are opened: else what ends the start is told by the error."""
        return self._beside.log.all_told or self._config.service.wait_for_devices

    async def _until_one_ends(self, table: Table, opener: Opener | None, stopped: asyncio.Future[int]) -> None:
        """Serve an open table until its input ends, it fails or it is `stopped`. Raises what it failed by."""
        front = Front(table.people)
        await front.open(opener)
        self._out = Outgoing(_STANDARD_OUTPUT)
        first = table.shown
        await self._say_due(first)  # what is due is told before the first line is read
        self._notices.ready(first.words)
        serving = [
            asyncio.ensure_future(self._serve(table, front)),
            asyncio.ensure_future(self._tell_due(table, first)),
        ]
        if self._beside.terms is not None and self._beside.terms.watchdog_s is not None:
            serving.append(asyncio.ensure_future(self._notices.watch(table.turn)))
        awaited: list[asyncio.Future[Any]] = [*serving, stopped]
        try:
            done, _ = await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            for task in serving:
                if task in done:
                    task.result()
        finally:
            for task in serving:
                task.cancel()
            await asyncio.gather(*serving, return_exceptions=True)

    async def _serve(self, table: Table, front: Front) -> None:
        game, people = find_game(self._config.table.game), table.people is not None
        operations = Operations(game, lambda: _held(table), people=people)
        lines = Lines(_STANDARD_INPUT)
        while (line := await lines.get()) is not None:
            async with self._speaking:
                await self._say(await self._answered(table, front, operations, line))
        if self._console.address is not None or self._notices.listened_to:
            await asyncio.get_running_loop().create_future()  # people go on at the console; a signal ends the table

    async def _answered(self, table: Table, front: Front, operations: Operations, line: Line) -> dict[str, object]:
        read = answer_line(*line, lambda case: {"case": case})
        case, problem = read.get("case"), read.get("error")
        if not isinstance(case, dict):
            operations.pass_over()
        else:
            try:
                return {"accepted": True, **await self._done(table, front, operations, case)}
            except JournalError:
                raise
            except CardshoeError as error:
                problem = {"code": error.code, "text": error.text, "cites": error.cites}
                if error.code == "second-person-due":  # asked for, not refused; a newer order takes its place
                    self._refused, self._unconfirmed = self._refused or self._unconfirmed, True
                    return {"accepted": False, "refusal": problem}
        self._refused = True
        return {"accepted": False, "refusal": problem}

    async def _done(self, table: Table, front: Front, operations: Operations, case: Fields) -> dict[str, object]:
        """Do one operation; return what is told beside that it is accepted. Raises what refuses it."""
        if front.takes(case):
            operations.pass_over()
            told = await front.take(case)
            self._unconfirmed = self._unconfirmed and case["op"] != "second"
            return told
        await table.act(operations.act(case), token=front.token)
        operations.accepted(case)
        return {}

    async def _say(self, answer: dict[str, object]) -> None:
        if self._out is not None:
            await self._out.say(json.dumps(answer, ensure_ascii=False))

    async def _say_due(self, seen: TableView) -> None:
        await self._say({"due": _step(seen.due), "words": seen.words})

    async def _tell_due(self, table: Table, told: TableView) -> None:
        seen = told
        while True:
            seen = await table.changed(seen)
            if seen.words != told.words:
                self._notices.status(seen.words)
            if seen.due != told.due:
                async with self._speaking:
                    await self._say_due(seen)
                told = seen


def _held(table: Table) -> tuple[str, ...]:
    round_ = table.controller.desk.open_round
    return tuple(hold.code for hold in round_.holds) if round_ is not None else ()


def _step(due: Due) -> dict[str, object]:
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(due).__name__)
    told = {each.name: _plain(getattr(due, each.name)) for each in fields(due)}
    if isinstance(due, AnswerAlarm):
        told["alarm"] = {"code": due.alarm.code, "text": due.alarm.text, "clears": due.alarm.clears.value}
    return {"step": name.removeprefix("_").removesuffix("_due"), **told}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value


@contextmanager
def _signals() -> Iterator[asyncio.Future[int]]:
    """Give a future that SIGTERM ends with 0 and SIGINT with 130."""
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()

    def stop(status: int) -> None:
        if not stopped.done():
            stopped.set_result(status)

    for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, INTERRUPTED)):
        loop.add_signal_handler(number, stop, status)
    try:
        yield stopped
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
