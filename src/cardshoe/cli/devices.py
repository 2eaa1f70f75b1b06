"""`cardshoe devices`: what hangs on this computer's USB and serial ports, by names that stay, who it is and how it is.

Owns the options, the choice of whom to ask, the two forms of output and the watching. Exit status 0, also when there is
none; 2 for wrong usage; 130 after watching. Only what says that it is ours is asked (FR-03: opening has side effects,
and a stranger's device must not get bytes that it did not ask for); --ask asks all.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from cardshoe.cli.device_identity import Answer, ask_who
from cardshoe.link.messages import DeviceKind
from cardshoe.transport.discovery import Candidate, find_candidates

LOOK_EVERY_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate and, where it was asked, who answered."""

    candidate: Candidate
    answer: Answer | None

    @property
    def ok(self) -> bool:
        """Tell whether a device of ours answered and has no fault."""
        return self.answer is not None and self.answer.error is None and "fault" not in self.answer.state

    @property
    def health(self) -> str:
        """How it is, in a few words."""
        if self.answer is None:
            return self.candidate.trouble or "not asked: it does not say that it is a shoe or reader (--ask asks it)"
        if self.answer.error is not None:
            return f"{self.answer.error.code}: {self.answer.error.text}"
        return self.answer.state

    def plain(self) -> dict[str, Any]:
        """Return it for JSON."""
        one, identity = self.candidate, self.answer.identity if self.answer else None
        error = self.answer.error if self.answer else None
        return {
            "url": one.url,
            "node": one.node,
            "product": one.product,
            "maker": one.maker,
            "serial": one.serial_number,
            "ids": f"{one.ids[0]:04x}:{one.ids[1]:04x}" if one.ids else None,
            "driver": one.driver or None,
            "identity": None
            if identity is None
            else {
                "kind": _kind(identity.device_kind),
                "model": identity.model,
                "serial": identity.serial,
                "firmware": identity.firmware,
                "spec_hash": identity.spec_hash.hex(),
                "boots": identity.boot_counter,
            },
            "health": {"ok": self.ok, "code": error.code if error else None, "text": self.health},
        }


def _kind(number: int) -> str:
    return DeviceKind(number).name.lower() if number in set(DeviceKind) else f"kind {number}"


def command(
    ask: Annotated[
        bool, typer.Option("--ask", help="ask every port who is there, not only what says it is ours")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="ask nobody: only look")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="go on: show what comes and goes, until Ctrl-C")] = False,
    udev_rules: Annotated[bool, typer.Option("--udev-rules", help="print the udev rules for devices, and end")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object; with --watch JSON Lines")] = False,
) -> None:
    """List the devices on USB and serial ports, with name, identity and health."""
    if udev_rules:
        print(rules(), end="")
        return
    if ask and quiet:
        raise typer.BadParameter("--ask and --quiet exclude each other")
    wanted = _choice(ask=ask, quiet=quiet)
    if watch:
        asyncio.run(_watch(wanted, as_json=as_json))
        return
    found = asyncio.run(look(find_candidates(), wanted))
    if as_json:
        print(json.dumps({"devices": [one.plain() for one in found]}, ensure_ascii=False))
    else:
        _console().print(_table(found))


def rules() -> str:
    """Return the text of the udev rules that come with the product."""
    return (resources.files("cardshoe.cli") / "udev" / "60-cardshoe.rules").read_text(encoding="utf-8")


def _choice(*, ask: bool, quiet: bool) -> Callable[[Candidate], bool]:
    def wanted(one: Candidate) -> bool:
        return not quiet and not one.trouble and (ask or one.ours)

    return wanted


async def look(candidates: Sequence[Candidate], wanted: Callable[[Candidate], bool]) -> list[Found]:
    """Ask those that are wanted, all at once; keep the order."""

    async def one(candidate: Candidate) -> Found:
        return Found(candidate, await ask_who(candidate.url) if wanted(candidate) else None)

    return list(await asyncio.gather(*(one(candidate) for candidate in candidates)))


class Watching:
    """What is there from one look to the next. A device is asked when it comes, and again when its trouble is over."""

    def __init__(self, wanted: Callable[[Candidate], bool]) -> None:
        self._wanted = wanted
        self.found: dict[Candidate, Found] = {}

    async def turn(self, candidates: Sequence[Candidate]) -> list[tuple[str, Found]]:
        """Return what came ("here") and went ("gone") since the last turn."""
        gone = [("gone", self.found.pop(one)) for one in list(self.found) if one not in candidates]
        fresh = await look([one for one in candidates if one not in self.found], self._wanted)
        self.found |= {one.candidate: one for one in fresh}
        return [*gone, *(("here", one) for one in fresh)]


async def _watch(wanted: Callable[[Candidate], bool], *, as_json: bool) -> None:
    watching = Watching(wanted)
    live = Live(console=_console(), refresh_per_second=4) if sys.stdout.isatty() and not as_json else None
    try:
        if live is not None:
            live.start()
        while True:
            changes = await watching.turn(await asyncio.to_thread(find_candidates))
            if live is not None:
                live.update(_table(list(watching.found.values())))
            else:
                _tell(changes, as_json=as_json)
            await asyncio.sleep(LOOK_EVERY_S)
    finally:
        if live is not None:
            live.stop()


def _tell(changes: Sequence[tuple[str, Found]], *, as_json: bool) -> None:
    for what, one in changes:
        if as_json:
            print(json.dumps({"event": what, **one.plain()}, ensure_ascii=False), flush=True)
        else:
            print(f"{what}  {one.candidate.url}  {_who(one)}  {one.health}".rstrip(), flush=True)


def _who(one: Found) -> str:
    identity = one.answer.identity if one.answer else None
    if identity is None:
        return one.candidate.product
    return f"{_kind(identity.device_kind)} {identity.model} {identity.serial}, firmware {identity.firmware}"


def _console() -> Console:
    console = Console()
    if not console.is_terminal:
        console.width = 160
    return console


def _table(found: Sequence[Found]) -> Table:
    table = Table("device URL", "who", "health", "now at", title="Devices", title_justify="left")
    for one in found:
        mark = "[green]" if one.ok else "[yellow]" if one.answer is None else "[bold red]"
        place = f"{one.candidate.node}{f' ({one.candidate.driver})' if one.candidate.driver else ''}"
        table.add_row(one.candidate.url, _who(one), f"{mark}{_plain(one.health)}[/]", place)
    if not found:
        table.add_row("none", "", "Plug the device in and switch it on; `cardshoe doctor` looks at this computer.", "")
    return table


def _plain(text: str) -> str:
    return text.replace("[", r"\[")
