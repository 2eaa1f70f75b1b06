"""`cardshoe simulate`: whole tables under a virtual clock, with faults drawn from a seed and a checker of the promises.

Owns the options and what is printed. Exit status 0 no promise was broken, 1 one was, 2 wrong options, 130 interrupted.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from cardshoe.counted import counted
from cardshoe.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from cardshoe.lab.simulation.batch import Outcome
    from cardshoe.lab.simulation.runs import Order, Result

INTERRUPTED: Final = 130
_SEEDS: Final = re.compile(r"(\d{1,12})(?:\.\.(\d{1,12}))?")
MOST_SEEDS: Final = 1_000_000


def command(
    *,
    seeds: Annotated[str, typer.Option(help="First and last seed, such as 1..200.")] = "1..20",
    rounds: Annotated[int, typer.Option(min=1, max=100_000, help="Rounds for each seed.")] = 20,
    faults: Annotated[str, typer.Option(help="How much goes wrong: none, light, heavy or hostile.")] = "heavy",
    game: Annotated[str | None, typer.Option(help="What is played; without, the seed decides.")] = None,
    only: Annotated[
        str | None, typer.Option(help="Only these troubles, such as k1.2,k3.1; `nothing` for none.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, max=256, help="Processes; without, one for each core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a seed, then one for all.")] = False,
) -> None:
    """Try the promises: play seeded rounds with faults under a virtual clock, and check every step."""
    from cardshoe.lab.simulation.batch import outcomes  # noqa: PLC0415 — quick help, quick start

    orders = _orders(seeds, rounds=rounds, faults=faults, game=game, only=only)
    wanted_jobs = min(jobs if jobs is not None else os.cpu_count() or 1, len(orders))
    account = _Account(as_json=as_json)
    try:
        with _progress(len(orders) * rounds, shown=not as_json and sys.stderr.isatty()) as advance:
            for outcome in outcomes(orders, jobs=wanted_jobs):
                account.take(outcome)
                advance(rounds)
    except KeyboardInterrupt:
        account.close(interrupted=True)
        raise typer.Exit(INTERRUPTED) from None
    account.close(interrupted=False)
    if account.broken:
        raise typer.Exit(1)


def _orders(seeds: str, *, rounds: int, faults: str, game: str | None, only: str | None) -> list[Order]:
    from cardshoe.lab.simulation.runs import PLAYABLE, Order  # noqa: PLC0415
    from cardshoe.lab.simulation.troubles import LEVELS  # noqa: PLC0415

    found = _SEEDS.fullmatch(seeds)
    if found is None:
        raise ConfigError("simulate-option", f"--seeds is {seeds!r}; write the first and the last, such as 1..200.")
    first, last = int(found[1]), int(found[2] or found[1])
    if not first <= last < first + MOST_SEEDS:
        raise ConfigError("simulate-option", f"--seeds is {seeds!r}; the last must not be below the first, and at most {MOST_SEEDS} are run at once.")  # fmt: skip  # noqa: E501
    if faults not in LEVELS:
        raise ConfigError("simulate-option", f"--faults is {faults!r}; it must be one of {', '.join(LEVELS)}.")
    if game is not None and game not in PLAYABLE:
        raise ConfigError("simulate-option", f"--game is {game!r}; it must be one of {', '.join(PLAYABLE)}.")
    keys = None if only is None else frozenset() if only == "nothing" else frozenset(only.split(","))
    for key in keys or ():
        if re.fullmatch(r"k\d+\.\d+", key) is None:
            raise ConfigError("simulate-option", f"--only names {key!r}; a trouble is spelled such as k3.1.")
    return [Order(seed, rounds, faults, game, keys) for seed in range(first, last + 1)]


class _Account:
    """Adds up the runs and prints those that broke a promise."""

    def __init__(self, *, as_json: bool) -> None:
        self.broken = 0
        self._as_json = as_json
        self._began = time.monotonic()
        self._sums = {"seeds": 0, "rounds": 0, "completed": 0, "voided": 0, "stacks": 0, "troubles": 0, "kills": 0}
        self._sums |= {"wrong_acts": 0, "gave_up": 0}

    def take(self, outcome: Outcome) -> None:
        """Count one run."""
        result, smaller = outcome
        self._sums["seeds"] += 1
        for name in self._sums:
            self._sums[name] += getattr(result, name, 0)
        self.broken += result.finding is not None
        if self._as_json:
            print(json.dumps(_plain(result, smaller)), flush=True)
        elif smaller is not None and smaller.finding is not None:
            print(_told(result, smaller), flush=True)

    def close(self, *, interrupted: bool) -> None:
        """Print the sums."""
        took_s = time.monotonic() - self._began
        rate = self._sums["rounds"] / took_s if took_s else 0.0
        if self._as_json:
            whole: dict[str, Any] = {**self._sums, "broken": self.broken, "interrupted": interrupted}
            print(json.dumps({**whole, "seconds": round(took_s, 2), "rounds_per_s": round(rate, 1)}), flush=True)
            return
        sums = self._sums
        rounds, seeds = counted(sums["rounds"], "round"), counted(sums["seeds"], "seed")
        happened = [("troubles", "trouble"), ("kills", "restart"), ("wrong_acts", "wrong act")]
        told = ", ".join(counted(sums[key], word) for key, word in happened)
        print(f"{rounds} of {seeds}: {sums['completed']} completed, {sums['voided']} void; {told}.")
        broken = counted(self.broken, "seed") if self.broken else "No seeds"
        print(f"{rate:.0f} rounds a second. {broken} with a broken promise.")


def _told(result: Result, smaller: Result) -> str:
    from cardshoe.lab.simulation.promises import PROMISES  # noqa: PLC0415
    from cardshoe.lab.simulation.shrink import command as repeated  # noqa: PLC0415

    finding = smaller.finding
    if finding is None:
        return ""
    about = PROMISES.get(finding.promise, "")
    return (
        f"seed {result.order.seed}: {finding.promise} ({about}) is broken at {finding.at_s:.3f} s: {finding.text}\n"
        f"    {repeated(smaller.order)}"
    )


def _plain(result: Result, smaller: Result | None) -> dict[str, Any]:
    from cardshoe.lab.simulation.shrink import command as repeated  # noqa: PLC0415

    plain: dict[str, Any] = {
        "seed": result.order.seed,
        "game": result.game,
        "rounds": result.rounds,
        "completed": result.completed,
        "voided": result.voided,
        "stacks": result.stacks,
        "troubles": result.troubles,
        "kills": result.kills,
        "gave_up": result.gave_up,
        "virtual_s": result.virtual_s,
        "digest": result.digest,
        "broken": None,
    }
    if smaller is not None and smaller.finding is not None:
        finding = smaller.finding
        plain["broken"] = {
            "promise": finding.promise,
            "text": finding.text,
            "at_s": round(finding.at_s, 3),
            "replay": repeated(smaller.order),
        }
    return plain


@contextmanager
def _progress(total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("rounds"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("rounds", total=total)
        yield lambda more: bar.advance(task, more)
