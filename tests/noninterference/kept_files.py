"""The files of a table, as a channel: a real journal and a real trace of both lines, in a folder of their own.

Owns their writing beside a round in virtual time, and what is compared of them when the round is over: the names, modes
and sizes of all files, and the trace's content with the same placeholders as the line itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from channels import Recorder

from cardshoe.journal import Entry
from cardshoe.journal.store import Journal
from cardshoe.transport.tap import Passed, TraceFile
from cardshoe.wire.transcript import Way


@contextmanager
def kept(recorder: Recorder, folder: Path) -> Iterator[None]:
    """Keep journal and traces of a round in `folder`; at its end they are written down as observations."""
    traces = {port: TraceFile(str(folder / f"{port}.trace")) for port in ("shoe", "reader")}
    durable, passed = recorder.durable, recorder._passed
    with Journal.open(folder / "journal.db") as journal:

        def keeping(entry: Entry, text: str) -> None:
            durable(entry, text)
            journal.append_now([entry])

        def passing(port: str, way: Way, data: bytes) -> None:
            traces[port].append(Passed(recorder.world.present, way, data.hex()).line())
            passed(port, way, data)

        recorder.durable, recorder._passed = keeping, passing  # type: ignore[method-assign]
        try:
            yield
        finally:
            for trace in traces.values():
                trace.close()
    _compared(recorder, folder)


def _compared(recorder: Recorder, folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        told = path.stat()
        recorder.note("file", f"{path.relative_to(folder)} {told.st_mode:o} {told.st_size}")
    for port in ("shoe", "reader"):
        transcript = recorder.new_line(port)
        for line in (folder / f"{port}.trace").read_text("utf-8").splitlines():
            read = json.loads(line)
            for said in transcript.feed(read["t"], read["way"], bytes.fromhex(read["hex"])):
                recorder.note(f"trace {port}", f"{read['t']} {recorder.told(said)}")
