"""`cardshoe demo`: a whole table on simulated devices, with a robot dealer and players.

Owns the options, their defaults, and the last line. The demo itself is in `lab.demo`, its picture in `lab.picture`.
Exit status 0 done, 2 wrong options, 3 a device or the world could not be had or was lost, 4 a journal that cannot be
trusted or written, 130 interrupted (state kept).
"""

from __future__ import annotations

import json
import logging
import secrets
import signal
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cardshoe.counted import counted
from cardshoe.errors import ConfigError

if TYPE_CHECKING:
    from cardshoe.cli.demo_console import DemoConsole
    from cardshoe.lab.demo import DemoOrder, DemoResult, Shower
    from cardshoe.lab.world_process import World, WorldProcess

INTERRUPTED: Final = 130
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)
HEADLESS_SPEED: Final = 100.0
DEFAULT_GAME: Final = "ultimate-texas-holdem"
DEFAULT_METHOD: Final = "automated-shoe"
_LINES: Final = ("pty", "tcp")
_SEED_BITS: Final = 32


def command(
    *,
    headless: Annotated[bool, typer.Option("--headless", help="No picture; 100 times faster.")] = False,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="End after so many rounds; without: Ctrl-C ends it.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same world, players and decisions again.")] = None,
    game: Annotated[str | None, typer.Option(help=f"What is played ({DEFAULT_GAME}).")] = None,
    method: Annotated[str | None, typer.Option(help="automated-shoe, manual-shoe or hand.")] = None,
    shoe: Annotated[str | None, typer.Option(help="Device URL of a shoe that runs elsewhere.")] = None,
    reader: Annotated[str | None, typer.Option(help="Device URL of a table reader that runs elsewhere.")] = None,
    hands: Annotated[Path | None, typer.Option(help="Control socket of the world that they stand in.")] = None,
    line: Annotated[str, typer.Option(help="How devices of the demo's own world are reached: pty or tcp.")] = "pty",
    speed: Annotated[float | None, typer.Option(help="How many times faster mechanism and people are.")] = None,
    journal: Annotated[Path | None, typer.Option(help="Where the journal lies; it is continued if it exists.")] = None,
    faults: Annotated[Path | None, typer.Option(help="Fault data for the demo's own world, JSON Lines.")] = None,
    console: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Where the console listens; without: 127.0.0.1:8350, or a free port."),
    ] = None,
    by_touch: Annotated[bool, typer.Option("--by-touch", help="You deal, at the console; no robot.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The last line is one JSON object.")] = False,
) -> None:
    """Run a whole table on simulated devices, with a robot dealer and players, and the console."""
    speed = speed if speed is not None else (HEADLESS_SPEED if headless else 1.0)
    elsewhere = shoe is not None or reader is not None or hands is not None
    # Devices that come and go are shown, or end the demo with their error; a line between would tear the picture.
    logging.getLogger("cardshoe").addHandler(logging.NullHandler())
    _check(speed=speed, line=line, elsewhere=elsewhere, hands=hands, faults=faults)
    _known(game, method)
    kept = journal.absolute() if journal is not None else Path(tempfile.mkdtemp(prefix="cardshoe-demo-")) / "journal"
    process = None
    ended = _EndedEarly()
    try:
        if not elsewhere:
            process = _start_world(kept, method, line=line, seed=seed, speed=speed, faults=faults)
        order = _order(game, method, kept, seed=seed, speed=speed, rounds=rounds)
        wanted = _console(console, headless=headless, by_touch=by_touch, speed=speed)
        with _shower(headless=headless, as_json=as_json, order=order, wanted=wanted) as show:
            result = _play(order, process, show, (shoe, reader, hands), wanted, ended)
    finally:
        if process is not None:
            process.close()
        ended.close()
    _tell(result, as_json=as_json)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)


def _check(*, speed: float, line: str, elsewhere: bool, hands: Path | None, faults: Path | None) -> None:
    if not 0.01 <= speed <= 1_000_000:
        raise ConfigError("demo-option", f"--speed is {speed:g}; it must lie between 0.01 and 1000000.")
    if line not in _LINES:
        raise ConfigError("demo-option", f"--line is {line!r}; it must be pty or tcp.")
    if elsewhere and hands is None:
        raise ConfigError(
            "demo-option",
            "--shoe and --reader name devices that run elsewhere; the robot dealer needs the hands of their world, too:"
            " add --hands PATH, the --control of its `cardshoe sim`.",
        )
    if elsewhere and faults is not None:
        raise ConfigError(
            "demo-option", "--faults is for the world that the demo starts; give it to the `cardshoe sim` that runs."
        )


def _known(game: str | None, method: str | None) -> None:
    """Refuse a game or a method that there is not, before anything is started."""
    from cardshoe.errors import InputError  # noqa: PLC0415
    from cardshoe.round.machine import find_game, find_method  # noqa: PLC0415

    try:
        find_method(find_game(game or DEFAULT_GAME), method or DEFAULT_METHOD)
    except InputError as error:
        raise ConfigError("demo-option", f"--game, --method: {error.text}.") from error


def _start_world(
    journal: Path, method: str | None, *, line: str, seed: int | None, speed: float, faults: Path | None
) -> WorldProcess:
    """Start the world first: it gets ready while the rest of the program is loaded.

    What its devices remember is kept beside the journal, so that a demo goes on where it stopped.
    """
    from cardshoe.lab.world_process import WorldOrder, WorldProcess  # noqa: PLC0415 — quick help, quick start

    return WorldProcess(
        WorldOrder(
            line=line,
            shoe=method in (None, DEFAULT_METHOD),
            seed=seed,
            speed=speed,
            faults=faults,
            state=journal.with_name(journal.name + ".world") if journal.parent.is_dir() else None,
        )
    )


def _order(
    game: str | None, method: str | None, journal: Path, *, seed: int | None, speed: float, rounds: int | None
) -> DemoOrder:
    """Return what is to be played; an open round of the journal says what is not said by an option."""
    from cardshoe.lab.before_opening import open_round_in  # noqa: PLC0415
    from cardshoe.lab.demo import DemoOrder  # noqa: PLC0415

    was_game, was_method = open_round_in(journal) or (DEFAULT_GAME, DEFAULT_METHOD)
    return DemoOrder(
        game=game or was_game,
        method=method or was_method,
        journal=journal,
        seed=seed if seed is not None else secrets.randbits(_SEED_BITS),
        speed=speed,
        rounds=rounds,
    )


def _console(text: str | None, *, headless: bool, by_touch: bool, speed: float) -> DemoConsole | None:
    """Return the console that is wanted: none without a picture, unless it is asked for."""
    if headless and text is None and not by_touch:
        return None
    from cardshoe.cli.demo_console import DemoConsole  # noqa: PLC0415 — it loads a web server

    return DemoConsole(text, by_touch=by_touch, speed=speed)


def _shower(
    *, headless: bool, as_json: bool, order: DemoOrder, wanted: DemoConsole | None
) -> AbstractContextManager[Shower]:
    from cardshoe.lab import picture  # noqa: PLC0415

    if as_json:
        return nullcontext(lambda _view: None)
    where = f"console {wanted.url} · " if wanted is not None else ""
    if headless or not sys.stdout.isatty():
        print(f"The journal is {order.journal}; seed {order.seed}.", flush=True)
        if wanted is not None:
            print(f"The console is at {wanted.url}", flush=True)
        return nullcontext(picture.Log(each_step=not headless))
    return picture.live(f"{where}journal {order.journal} · seed {order.seed} · Ctrl-C ends, the state is kept")


def _play(
    order: DemoOrder,
    process: WorldProcess | None,
    show: Shower,
    elsewhere: tuple[str | None, str | None, Path | None],
    wanted: DemoConsole | None,
    ended: _EndedEarly,
) -> DemoResult:
    import asyncio  # noqa: PLC0415

    from cardshoe.lab.demo import run_demo  # noqa: PLC0415

    async def play() -> DemoResult:
        loop, playing = asyncio.get_running_loop(), asyncio.current_task()
        if playing is not None:
            for number in _ENDING:  # until the demo, once it is open, takes them
                loop.add_signal_handler(number, playing.cancel)
        if ended.seen:
            raise asyncio.CancelledError
        world = await process.ready() if process is not None else _elsewhere(*elsewhere)
        if process is not None and order.method != DEFAULT_METHOD:
            world = replace(world, shoe_url=None)
        beside = wanted.beside if wanted is not None else None
        return await run_demo(order, world, process=process, show=show, beside=beside)

    try:
        return asyncio.run(play())
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(INTERRUPTED) from None


class _EndedEarly:
    """Keeps in mind that Ctrl-C or SIGTERM came while the demo was loading; the loading is not torn in the middle."""

    def __init__(self) -> None:
        self.seen = False
        self._before = {number: signal.signal(number, self._note) for number in _ENDING}

    def _note(self, _number: int, _frame: object) -> None:
        self.seen = True

    def close(self) -> None:
        """Give the signals back."""
        for number, before in self._before.items():
            signal.signal(number, before)


def _elsewhere(shoe: str | None, reader: str | None, hands: Path | None) -> World:
    from cardshoe.lab.world_process import World  # noqa: PLC0415

    if hands is None:
        raise ConfigError("demo-option", "--hands is missing.")
    return World(shoe, reader, hands)


def _tell(result: DemoResult, *, as_json: bool) -> None:
    if as_json:
        plain = asdict(result)
        del plain["interrupted"]
        print(json.dumps(plain), flush=True)
        return
    rounds, holds = counted(result.rounds, "round"), counted(result.held, "time")
    print(f"{rounds}: {result.completed} completed, {result.voided} void; held {holds} by a question to people.")
    if result.interrupted:
        print("Ended before it was over: a round that was under way stays open, and a table on this journal ends it.")
    stacks = counted(result.stacks_dispensed, "stack")
    print(f"{stacks} dispensed of {result.stacks_requested} requested, in the whole journal.")
    print(f"The journal is {result.journal}, its head {result.journal_head}.")
    print(f"Check it: cardshoe journal verify {result.journal}")
