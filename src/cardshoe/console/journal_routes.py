"""The journal over HTTP: search, the last rounds, the shift report, verify, replay, export.

Owns what of the journal a page gets, and that one long look is taken at a time. It reads only, in a thread, while the
table writes. Regulation E7: the last four rounds can be seen whatever state the table is in.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from cardshoe.console.answers import known_query, number_of, said
from cardshoe.errors import InputError, Refused
from cardshoe.journal.canonical import Record
from cardshoe.journal.period import period_plain, shifts
from cardshoe.journal.plain_record import record_plain, row_plain
from cardshoe.journal.reader import JournalReader, verify
from cardshoe.journal.replay import SETTLED, MachineDriver, replay

MOST_ANSWERED: Final = 200
MOST_WALKED: Final = 20_000
MOST_ROUNDS: Final = 20
_CHUNK_ROWS: Final = 500
_LARGEST: Final = 10**11
_OF_DEVICES: Final = frozenset(
    {
        "device_identified",
        "device_refused",
        "device_lost",
        "device_closed",
        "link_tampered",
        "shoe_reported",
        "reader_reported",
        "shoe_given_up",
        "stack-requested",
        "stack-delivered",
        "stack-not-moved",
        "stack-unknown",
        "command_answered",
        "command_withdrawn",
        "command_ended",
        "deck_preparation_requested",
        "deck_armed",
        "calibration_changed",
    }
)
"""Records that tell what a device was asked, did and said."""
_UNTOLD: Final = frozenset({"face", "faces", "kind"})
"""What of them a technician needs not: no face, although it lay up, and not the kind a second time."""


class JournalRoutes:
    """The journal at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._long = asyncio.Lock()

    async def search(self, request: Request) -> Response:
        """Answer the newest records that fit, and where to go on."""
        query = request.query_params
        known_query(query, "kind", "round", "text", "before", "last")
        kind, text = _word(query.get("kind")), _word(query.get("text"))
        number = number_of(query, "round", -1, least=0, most=_LARGEST)
        before = number_of(query, "before", _LARGEST, least=0, most=_LARGEST)
        last = number_of(query, "last", 50, least=1, most=MOST_ANSWERED)
        return said(await asyncio.to_thread(_searched, self._path, kind, number, text, before, last))

    async def rounds(self, request: Request) -> Response:
        """Answer the last rounds, newest first, each with its records and its account."""
        known_query(request.query_params, "last")
        last = number_of(request.query_params, "last", 4, least=1, most=MOST_ROUNDS)
        return said({"rounds": await asyncio.to_thread(_last_rounds, self._path, last)})

    async def trace(self, request: Request) -> Response:
        """Answer what was asked of the devices and what they reported, newest first, without a card's face."""
        known_query(request.query_params, "last")
        last = number_of(request.query_params, "last", 50, least=1, most=MOST_ANSWERED)
        return said({"records": await asyncio.to_thread(_traced, self._path, last)})

    async def report(self, request: Request) -> Response:
        """Answer what a shift came to: the last one, or the one of this number."""
        known_query(request.query_params, "shift")
        number = number_of(request.query_params, "shift", 0, least=0, most=_LARGEST)
        async with self._alone():
            return said(await asyncio.to_thread(_shift, self._path, number))

    async def verify(self, _request: Request) -> Response:
        """Answer the verdict on the whole journal."""
        async with self._alone():
            verdict = await asyncio.to_thread(verify, self._path)
        return said(dataclasses.asdict(verdict))

    async def replay(self, _request: Request) -> Response:
        """Answer whether every ruling and payout comes out again."""
        async with self._alone():
            return said(await asyncio.to_thread(_replayed, self._path))

    async def export(self, request: Request) -> Response:
        """Answer all records as JSON Lines, each with its proof."""
        known_query(request.query_params)
        return StreamingResponse(
            _lines(self._path),
            media_type="application/x-ndjson",
            headers={"content-disposition": 'attachment; filename="journal.jsonl"'},
        )

    def _alone(self) -> asyncio.Lock:
        if self._long.locked():
            raise Refused("console-busy", "the journal is being verified or replayed already; wait for that answer")
        return self._long


def _word(text: str | None) -> str:
    if text is not None and len(text) > 100:
        raise InputError("console-query", "a word to look for has at most 100 characters")
    return text or ""


def _searched(path: Path, kind: str, number: int, text: str, before: int, last: int) -> dict[str, Any]:
    found: list[dict[str, object]] = []
    walked, seq = 0, 0
    with JournalReader(path) as reader:
        for record in reader.records(newest_first=True):
            if record.seq >= before:
                continue
            walked, seq = walked + 1, record.seq
            if _fits(record, kind, number, text):
                found.append(record_plain(record))
            if len(found) == last or walked == MOST_WALKED:
                break
    return {"records": found, "next": seq if seq > 1 and (len(found) == last or walked == MOST_WALKED) else None}


def _traced(path: Path, last: int) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    with JournalReader(path) as reader:
        for walked, record in enumerate(reader.records(newest_first=True)):
            if len(found) == last or walked == MOST_WALKED:
                break
            if record.kind in _OF_DEVICES:
                body = {key: value for key, value in record.body.items() if key not in _UNTOLD}
                found.append({**record_plain(record), "body": body})
    return found


def _fits(record: Record, kind: str, number: int, text: str) -> bool:
    if kind and record.kind != kind:
        return False
    if number >= 0 and record.round != number:
        return False
    return not text or text.lower() in f"{record.kind} {json.dumps(record.body, ensure_ascii=False)}".lower()


def _last_rounds(path: Path, last: int) -> list[dict[str, Any]]:
    rounds: dict[int, list[Record]] = {}
    with JournalReader(path) as reader:
        for record in reader.records(newest_first=True):
            if record.round is None:
                continue
            if record.round not in rounds and len(rounds) == last:
                break
            rounds.setdefault(record.round, []).append(record)
    return [_told(number, records[::-1]) for number, records in rounds.items()]


def _told(number: int, records: list[Record]) -> dict[str, Any]:
    account = next((record.body for record in records if record.kind == SETTLED), None)
    return {
        "round": number,
        "opened": records[0].wall,
        "account": account,
        "records": [record_plain(record) for record in records if record.kind not in (SETTLED, "round_header")],
    }


def _shift(path: Path, number: int) -> dict[str, Any]:
    with JournalReader(path) as reader:
        found = list(shifts(reader.records()))
    if number > len(found):
        raise InputError("console-query", f"there is no shift {number} in this journal; the last one is {len(found)}")
    return {"shift": number or len(found), **period_plain(found[number - 1])}


def _replayed(path: Path) -> dict[str, Any]:
    verdict = verify(path)
    if not verdict.ok:
        return {"ok": False, "first_bad": verdict.first_bad, "why": verdict.why}
    with JournalReader(path) as reader:
        return dataclasses.asdict(replay(reader.records(), MachineDriver()))


def _lines(path: Path) -> Iterator[bytes]:
    with JournalReader(path) as reader:
        chunk: list[str] = []
        for row in reader.rows():
            chunk.append(json.dumps(row_plain(row)))
            if len(chunk) == _CHUNK_ROWS:
                yield ("\n".join(chunk) + "\n").encode()
                chunk = []
        if chunk:
            yield ("\n".join(chunk) + "\n").encode()
