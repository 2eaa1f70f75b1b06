"""Leaks, planted on purpose: each is a way in which a hidden card could come out, and each must be found.

A plant knows hidden cards as only a defect could: it reads the world. None of it is a defect of the product.
"""

from __future__ import annotations

import json
import logging
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from channels import Recorder
from pairs import Planted

from cardshoe.errors import Refused
from cardshoe.journal import Entry
from cardshoe.table.view import TableView
from cardshoe.transport.tap import Passed

_RANKS, _SUITS = "23456789TJQKA", "cdhs"
_log = logging.getLogger("cardshoe.planted")


def spelled(card: int) -> str:
    """Return a card as a person names it."""
    return _RANKS[card // 4] + _SUITS[card % 4]


def dealers(recorder: Recorder) -> list[int]:
    """The dealer's cards, in their order."""
    return [placed.card.uid for placed in recorder.world._table.cards("dealer")]


def undealt(recorder: Recorder) -> int:
    """A number that depends on the order of the cards that nobody will ever see."""
    machine, places = recorder.world._mechanism.state, recorder.world._table.state.places
    never = [*machine.magazine, *places["hand"], *places["rack"]]
    return zlib.crc32(bytes(placed.card.uid for placed in never if placed.card.uid < 52)) % 251


def _each_view(recorder: Recorder, then: Callable[[TableView], TableView | None]) -> None:
    shown = recorder.shown

    def leaking(view: TableView) -> None:
        shown(then(view) or view)

    recorder.shown = leaking  # type: ignore[method-assign]


def log_line(at: Planted) -> None:
    """A face in a log line, at the lowest level."""
    recorder = at.recorder

    def say(_view: TableView) -> None:
        for card in dealers(recorder)[:1]:
            _log.debug("first card of the dealer: %s", spelled(card))

    _each_view(recorder, say)


def exception_text(at: Planted) -> None:
    """A face in the text of a refusal."""
    recorder = at.recorder
    act = at.table.act

    def acting(what: Any) -> None:
        for card in dealers(recorder)[:1]:
            try:
                raise Refused("not-due", f"not while {spelled(card)} lies there")
            except Refused as error:
                recorder.said_no(error)
        act(what)

    at.table.act = acting  # type: ignore[method-assign, assignment]


def file_name(at: Planted) -> None:
    """A file that is named after the order of the stub."""
    recorder = at.recorder

    def name(_view: TableView) -> None:
        (_folder(at) / f"deck-{undealt(recorder)}.json").touch()

    _each_view(recorder, name)


def message_length(at: Planted) -> None:
    """A frame that is one byte longer for a court card."""
    recorder = at.recorder
    heard = recorder.heard

    def hearing(port: str, data: bytes) -> None:
        court = any(card >= 36 for card in dealers(recorder)[:1])
        heard(port, data + b"\0" if court else data)

    recorder.heard = hearing  # type: ignore[method-assign]


def ordering(at: Planted) -> None:
    """Two records that change places with the colour of a card; nothing else in them."""
    recorder = at.recorder
    durable = recorder.durable

    def keeping(entry: Entry, text: str) -> None:
        both = ["dealer-dealt", "dealer-covered"]
        cards = dealers(recorder)
        if entry.kind == "shoe_reported" and cards:
            for kind in reversed(both) if spelled(cards[0])[1] in "hd" else both:
                durable(Entry(kind, {}, entry.round), "{}")
        durable(entry, text)

    recorder.durable = keeping  # type: ignore[method-assign]


def retained_tap(at: Planted) -> None:
    """What the simulated device sees is kept in a trace of the line."""
    recorder = at.recorder

    def keep(_view: TableView) -> None:
        with (_folder(at) / "shoe.trace").open("a", encoding="utf-8") as trace:
            trace.write(Passed(0.0, "in", bytes((0, undealt(recorder) or 1, 0)).hex()).line() + "\n")

    _each_view(recorder, keep)


def timing(at: Planted) -> None:
    """The shoe reports a millisecond later for a high card."""
    recorder = at.recorder
    passed = recorder._passed
    late_us = {"out": 0, "in": 1000}

    def passing(port: str, way: Any, data: bytes) -> None:
        before = len(recorder.seen)
        passed(port, way, data)
        if any(card >= 24 for card in dealers(recorder)[:1]):
            recorder.seen[before:] = [each._replace(at_us=each.at_us + late_us[way]) for each in recorder.seen[before:]]

    recorder._passed = passing  # type: ignore[method-assign]


def early_view(at: Planted) -> None:
    """The view has the dealer's cards before they are turned."""
    recorder = at.recorder

    def show(view: TableView) -> TableView:
        return replace(view, dealer_faces=tuple(spelled(card) for card in dealers(recorder)))

    _each_view(recorder, show)


def metrics(at: Planted) -> None:
    """A counter that counts aces at the dealer."""
    recorder = at.recorder

    def count(_view: TableView) -> None:
        recorder.note("counters", f"aces {sum(card >= 48 for card in dealers(recorder))}")

    _each_view(recorder, count)


def exit_code(at: Planted) -> None:
    """The process ends with a status that depends on the order of the stub."""
    recorder = at.recorder

    def leaving(view: TableView) -> None:
        if view.tally.completed + view.tally.voided:
            raise SystemExit(undealt(recorder))

    _each_view(recorder, leaving)


def _folder(at: Planted) -> Path:
    assert at.folder is not None
    return at.folder


def journal_record(at: Planted) -> None:
    """A number in a record that depends on the order of the deck."""
    recorder = at.recorder
    durable = recorder.durable

    def keeping(entry: Entry, text: str) -> None:
        if entry.kind == "stack-requested":
            text = json.dumps({**entry.body, "check": undealt(recorder)})
        durable(entry, text)

    recorder.durable = keeping  # type: ignore[method-assign]


def console_feed(at: Planted) -> None:
    """A number in the console's feed that depends on the sum of a hidden hand."""
    recorder = at.recorder

    def feed(_view: TableView) -> None:
        recorder.note("console", json.dumps({"sequence": sum(dealers(recorder)) % 7}))

    _each_view(recorder, feed)


def commitment_without_salt(at: Planted) -> None:
    """A short hash of the card beside its commitment: not one of the declared random fields."""
    recorder = at.recorder
    durable = recorder.durable

    def keeping(entry: Entry, text: str) -> None:
        cards = dealers(recorder)
        if cards:
            text = text[:-1] + f',"digest":"{hash((cards[0], 7)) & 0xFFFF:04x}"}}'
        durable(entry, text)

    recorder.durable = keeping  # type: ignore[method-assign]


def terminal(at: Planted) -> None:
    """A face on standard error."""
    recorder = at.recorder

    def say(_view: TableView) -> None:
        for card in dealers(recorder)[:1]:
            print(spelled(card), file=sys.stderr)

    _each_view(recorder, say)


LEAKS = (
    log_line, exception_text, file_name, message_length, ordering, retained_tap, timing, early_view, metrics, exit_code,
    journal_record, console_feed, commitment_without_salt, terminal,
)  # fmt: skip
