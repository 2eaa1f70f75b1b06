"""The journal's workload for the tests that kill it or make its disk fail; runs as a process of its own.

Reads one job a line, forks a child for it (so that Python starts once for hundreds of deaths), and answers twice: with
the thread to attach strace to, while that thread waits for SIGUSR1, and with what became of the child. A job:

    {"path": …, "appends": n, "pause": "main" | "writer", "mode": "right" | "ack-first" | "not-synced"}

`ack-first` and `not-synced` are wrong writers: one acknowledges a record before its commit, the other, with
synchronous=NORMAL, before it is on disk. The harness must find them.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable

from cardshoe.errors import JournalError
from cardshoe.journal import Entry, Journal
from cardshoe.journal.committer import Committer
from cardshoe.journal.writer import Writer


def _wait_for_strace(tell: Callable[[str], None]) -> None:
    tell(f"thread {threading.get_native_id()}\n")
    signal.sigwait([signal.SIGUSR1])


def _pause_the_writer(tell: Callable[[str], None]) -> None:
    run = Writer._run

    def paused(self: Writer) -> None:
        _wait_for_strace(tell)
        run(self)

    Writer._run = paused  # type: ignore[method-assign]


def _sync_less() -> None:
    settle = Committer._settle

    def settled(self: Committer) -> None:
        settle(self)
        self._connection.execute("PRAGMA synchronous = NORMAL")

    Committer._settle = settled  # type: ignore[method-assign]


def _work(job: dict, tell: Callable[[str], None]) -> None:
    if job["pause"] == "main":
        _wait_for_strace(tell)
    else:
        _pause_the_writer(tell)
    if job["mode"] == "not-synced":
        _sync_less()
    with Journal.open(job["path"]) as journal:
        last = journal.head.seq
        for number in range(1, job["appends"] + 1):
            entries = [Entry("wager_placed", {"note": "x" * 200}, number)] * (1 + number % 2)
            last += len(entries)
            if job["mode"] == "ack-first":
                tell(f"ack {last}\n")
            committed = journal.append_now(entries)
            if job["mode"] != "ack-first":
                tell(f"ack {committed.last_seq}\n")
            if number % 3 == 2:
                last = journal.sign_head("round ended", round_number=number).result().last_seq
                tell(f"ack {last}\n")


def _child(job: dict, out: socket.socket) -> int:
    def tell(line: str) -> None:
        out.sendall(line.encode())  # sent, not written: the faults are for files

    try:
        _work(job, tell)
    except JournalError as error:
        tell(f"error {error.code}\n")
        return error.exit_status
    return 0


def _serve(job: dict) -> None:
    reading, writing = socket.socketpair()
    child = os.fork()
    if child == 0:
        reading.close()
        status = 70
        try:
            status = _child(job, writing)
        finally:
            os._exit(status)
    writing.close()
    acknowledged, error = 0, None
    with reading, reading.makefile() as lines:
        for line in lines:
            word, value = line.split()
            if word == "thread":
                print(json.dumps({"pid": child, "thread": int(value)}), flush=True)
            elif word == "ack":
                acknowledged = int(value)
            else:
                error = value
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    print(json.dumps({"ended": ended, "acknowledged": acknowledged, "error": error}), flush=True)


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    for request in sys.stdin:
        _serve(json.loads(request))
