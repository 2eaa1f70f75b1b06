"""Every channel of a table in virtual time, written down in the order in which things happen.

Owns the list of observations and the placeholders for what is declared random (commitments and envelopes, by value,
wherever they turn up afterwards). Everything else must be the same in both rounds of a pair: time in virtual
microseconds, bytes on both lines, journal, view, picture, the console's feed, counters, log, refusals.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any, NamedTuple

from pair_world import ALL, PairWorld, turned_by_the_rules
from rich.console import Console

from cardshoe.console.showing import shown_plain
from cardshoe.journal import Entry
from cardshoe.lab.picture import drawn
from cardshoe.lab.simulation.troubles import Trouble
from cardshoe.table.acts import Act
from cardshoe.table.state import TableState, absorb
from cardshoe.table.view import TableView
from cardshoe.wire.spec import load_spec
from cardshoe.wire.transcript import Said, Transcript, Way

DECLARED_RANDOM = frozenset(
    {("CARD_COMMITTED", "commitment"), ("ROUND_SEALED", "ephemeral"), ("ROUND_SEALED", "sealed")}
)
"""The only fields that may differ: each is of fixed length, and means nothing without a key that the table has not."""
TELLS = ("CARD_FACE", "face")
"""A bench shoe of another maker tells faces on its clear line: that field, and nothing behind the driver, differs."""
SPECS = {"shoe": load_spec("shoe-v1"), "reader": load_spec("reader-v1")}


class Seen(NamedTuple):
    """One observation: `at_us` virtual microseconds. `what` is text with placeholders."""

    channel: str
    at_us: int
    what: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One message on a line, for statistics."""

    kind: str
    at_s: float
    after_s: float
    bytes_on_line: int
    fields: Mapping[str, Any]


class Ended(Exception):
    """What is compared has become public: the rest of this round may differ."""


class Recorder(logging.Handler):
    """The watcher of one round. `of`: the two cards of the pair, None in the first round, which is never cut short.

    `pictures` False leaves the drawn picture out, which is dear.
    """

    def __init__(self, world: PairWorld, *, of: tuple[int, int] | None, reads: bool, pictures: bool = True) -> None:
        super().__init__()
        self.world = world
        self.seen: list[Seen] = []
        self.measured: list[Measured] = []
        self.public_at: dict[int, int] = {}
        self.ended = False
        self._of = frozenset(of or ())
        self._reads = reads
        self._pictures = pictures
        self._random: dict[str, str] = {}
        self._random_fields = DECLARED_RANDOM | {TELLS}
        self._lines = {port: Transcript(spec) for port, spec in SPECS.items()}
        self._last_at: dict[str, float] = {}
        self._on_disk = TableState()

    # --- what is public

    def look(self) -> None:
        """Note which cards have become public; end the round when one of the pair has."""
        public = self.world.face_up()
        if not self._reads:
            self.world.note_gate()
            public |= self.world.dealt_for(turned_by_the_rules(self._on_disk.round))
        self.note_public(public)

    def note_public(self, public: frozenset[int] | set[int]) -> None:
        """These cards are public from now on."""
        for card in public - self.public_at.keys():
            self.public_at[card] = len(self.seen)
        if self._of & self.public_at.keys():
            self.ended = True
            raise Ended

    # --- observations

    def note(self, channel: str, what: str, at: float | None = None) -> None:
        """Write one observation down, with placeholders of equal length for what is declared random."""
        for value, placeholder in self._random.items():
            if value in what:
                what = what.replace(value, placeholder)
        self.seen.append(Seen(channel, round((self.world.present if at is None else at) * 1e6), what))

    def _passed(self, port: str, way: Way, data: bytes) -> None:
        self.look()
        self.note(f"wire {port} {way} length", str(len(data)))
        for said in self._lines[port].feed(self.world.present, way, data):
            self._said(port, way, said)

    def _said(self, port: str, way: Way, said: Said) -> None:
        if said.name == "DECK_REJECTED":
            self.note_public(ALL)  # the shoe names the discrepancies of a deck that is dealt no more (SHOE-6.4)
        self.note(f"wire {port} {way}", self.told(said))
        key = f"{port} {way} {said.name}"
        now = self.world.present
        after_s = now - self._last_at.get(port, 0.0)
        self.measured.append(Measured(key, now, after_s, len(said.raw), said.fields))
        self._last_at[port] = now

    def told(self, said: Said) -> str:
        """Return one message as text, what is declared random in it replaced, and remembered by value."""
        told = []
        for name, value in said.fields.items():
            if (said.name, name) not in self._random_fields:
                told.append(f"{name}={value!r}")
                continue
            if (said.name, name) != TELLS:
                self._random[value.hex()] = "·" * (2 * len(value))
            told.append(f"{name}=random")
        if said.name == "garbage":
            told = [said.raw.hex()]
        return f"{said.name} {len(said.raw)} {' '.join(told)}"

    def new_line(self, port: str) -> Transcript:
        """Return what reads this port's line from its beginning."""
        return Transcript(SPECS[port])

    def sent(self, port: str, data: bytes) -> None:
        """The table put bytes on a line."""
        self._passed(port, "out", data)

    def heard(self, port: str, data: bytes) -> None:
        """Bytes of a device reached the table."""
        self._passed(port, "in", data)

    def durable(self, entry: Entry, text: str) -> None:
        """A record is on disk."""
        self.look()
        self.note("journal", f"{entry.kind} {entry.round} {text}")
        if not self._reads:  # what the rules turn up follows from the records so far, one by one
            self._on_disk = absorb(self._on_disk, entry.kind, entry.body)

    def shown(self, view: TableView) -> None:
        """The table shows something else."""
        self.look()
        self.note("view", repr(view))
        self.note("console", json.dumps(shown_plain(view, failure=None, last=None)))
        self.note("counters", repr(view.tally))
        if self._pictures:
            page = Console(file=StringIO(), width=120, force_terminal=True)
            page.print(drawn(view, ""))
            self.note("screen", page.file.getvalue())  # type: ignore[attr-defined]

    def refused(self, act: Act, *, changed: bool) -> None:
        """An act was refused."""
        self.note("refused", f"{act!r} {changed}")

    def said_no(self, error: Exception) -> None:
        """A person was told why not."""
        self.note("exception", f"{type(error).__name__} {error} {error.args!r}")

    def stood(self, live: TableState, rebuilt: TableState) -> None:
        """Two states that the simulation compares."""

    def struck(self, trouble: Trouble, answer: Mapping[str, object]) -> None:
        """A trouble was carried out: what the world's own control socket says of it is no channel of the table."""
        self.look()

    def restarted(self) -> None:
        """The table runs again."""
        self.note("restarted", "")

    def emit(self, record: logging.LogRecord) -> None:
        """Hear the log, whatever its level."""
        shown = f"{record.name} {record.levelname} {record.getMessage()} {record.exc_text or ''}"
        self.note("log", shown)
