"""The older part of a long journal, verified while the table is up already.

Owns the hop from the journal's own thread to the table's loop. Decides nothing: what the verdict leads to is for the
controller.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable

from cardshoe.journal import Journal, Verdict


def check_past(journal: Journal, told: Callable[[Verdict], None]) -> None:
    """Have what the opening of a long journal left out verified, now that the table is up."""
    loop = asyncio.get_running_loop()

    def checked(answer: concurrent.futures.Future[Verdict | None]) -> None:
        verdict = answer.result()
        if verdict is not None and not loop.is_closed():
            loop.call_soon_threadsafe(told, verdict)

    journal.check_rest().add_done_callback(checked)
