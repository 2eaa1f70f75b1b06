"""Many seeds over several processes.

Owns the processes and the order of the results: as they come, each run whole. A run that breaks a promise is made
smaller in the process that found it. Must not print.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence

from cardshoe.lab.simulation.runs import Order, Result, run
from cardshoe.lab.simulation.shrink import shrunk

Outcome = tuple[Result, Result | None]
"""A run, and the smaller one that breaks the same promise if it broke one."""


def outcomes(orders: Sequence[Order], *, jobs: int) -> Iterator[Outcome]:
    """Run every order, `jobs` at a time; results come as they are done, in the order of `orders` with one job."""
    if jobs == 1:
        yield from map(_outcome, orders)
        return
    # A fresh interpreter for each worker: nothing of this process can differ from a run by itself.
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, initializer=_leave_interrupts_to_the_parent) as pool:
        yield from pool.imap_unordered(_outcome, orders)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _outcome(order: Order) -> Outcome:
    result = run(order)
    return result, shrunk(result) if result.finding is not None else None
