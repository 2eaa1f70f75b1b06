"""The console's seat at a running table: the port through which it sees and acts.

Owns the joining of the operations of `cardshoe run` with a table, for the console as for standard input. Must not know
HTTP. Operations of one console are taken one after the other, so that `correct` means what was entered last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cardshoe.cli.operations import Operations
from cardshoe.cli.people_seat import PeopleSeat
from cardshoe.console.ports import DeviceHealth, LastEntry, PeoplePort
from cardshoe.errors import CardshoeError
from cardshoe.round.events import CardTurned, DecisionMade, WagerPlaced
from cardshoe.round.machine import find_game
from cardshoe.round.next_step import AskDecision, next_step
from cardshoe.table.app import Table
from cardshoe.table.config import TableConfig
from cardshoe.table.view import TableView


class Seat:
    """Implements the console's `TablePort` for `table`."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._people = PeopleSeat(table.people) if table.people is not None else None
        game = find_game(table.config.table.game)
        self._operations = Operations(game, self._held, people=self._people is not None)
        self._one_by_one = asyncio.Lock()
        self._given = -1
        self._last: LastEntry | None = None

    @property
    def config(self) -> TableConfig:
        """What applies."""
        return self._table.config

    @property
    def journal_path(self) -> Path:
        """Where its journal lies."""
        return self._table.journal.path

    @property
    def shown(self) -> TableView:
        """What may be shown now."""
        return self._table.shown

    @property
    def round_open(self) -> bool:
        """Whether a round is open."""
        return not self._table.controller.state.round_closed

    @property
    def failure(self) -> CardshoeError | None:
        """Why it has stopped."""
        return self._table.failure

    @property
    def people(self) -> PeoplePort | None:
        """Who signs in here, None at a bench without people."""
        return self._people

    @property
    def last_entry(self) -> LastEntry | None:
        """The console's last wager, decision or card, as long as the round lets it be corrected."""
        round_ = self._table.controller.desk.open_round
        entry = round_.entry if round_ is not None else None
        if self._last is None or entry is None or round_ is None or round_.holds:
            return None
        match entry.event:
            case WagerPlaced(position=where, wagers=said) if self._last.op == "wager":
                found = replace(self._last, said=said)
            case DecisionMade(position=where, action=said) if self._last.op == "decide":
                due = next_step(entry.before)
                found = replace(self._last, said=said, choices=due.choices if isinstance(due, AskDecision) else ())
            case CardTurned(face=said, place=where) if self._last.op == "turned":
                found = replace(self._last, said=said)
            case _:
                return None
        return found if where == self._last.position else None

    async def changed(self, seen: TableView) -> TableView:
        """Wait for another view than `seen`."""
        return await self._table.changed(seen)

    async def give(self, operation: Mapping[str, object], token: bytes | None) -> int:
        """Do one operation; return its number once it is on disk."""
        line = dict(operation)
        async with self._one_by_one:
            self._given += 1
            act, before = self._operations.act(line), self._last
            self._remember(line)  # so that the view of what is done is told with it, and not anew after it
            try:
                await self._table.act(act, token=token)
            except CardshoeError:
                self._last = before
                raise
            self._operations.accepted(line)
            return self._given

    def devices(self) -> Sequence[DeviceHealth]:
        """Shoe and reader, as far as they are configured."""
        found: list[DeviceHealth] = []
        for name, port in (("shoe", self._table.shoe), ("reader", self._table.reader)):
            if port is None:
                continue
            who = port.identity
            found.append(
                DeviceHealth(
                    name=name,
                    url=port.url,
                    health=port.health.value,
                    model=str(who.model) if who is not None else "",
                    serial=who.serial if who is not None else "",
                    firmware=str(who.firmware) if who is not None else "",
                    failures=port.last.failures,
                    trouble=str(port.last.error) if port.last.error is not None else "",
                )
            )
        return found

    def rates(self) -> Mapping[str, int]:
        """Counters of this opening of the table, for service."""
        shift = self._table.controller.state.upkeep.shift
        return {"cards_read": shift.reads, "cards_unreadable": shift.unreadable, "losses": shift.losses}

    def _held(self) -> tuple[str, ...]:
        round_ = self._table.controller.desk.open_round
        return tuple(hold.code for hold in round_.holds) if round_ is not None else ()

    def _remember(self, line: Mapping[str, object]) -> None:
        op = line.get("op")
        if op in ("wager", "decide", "turned"):
            self._last = LastEntry(self._given, str(op), str(line.get("place" if op == "turned" else "position")))
        elif op == "correct" and self._last is not None:
            position = str(line.get("position", self._last.position))
            self._last = LastEntry(self._given, self._last.op, position)
