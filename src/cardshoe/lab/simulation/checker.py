"""The checker: what was promised, held against what physically happened, what was durable, and what was shown.

Owns the parts that watch one run, each at its moments: `motor`, `lines`, `entries`, `commitments`, `views`; they share
`facts`. It has an account of its own and asks the world for the truth. Must not import what it judges.
"""

from __future__ import annotations

from collections.abc import Mapping

from cardshoe.journal import Entry
from cardshoe.lab.simulation.commitments import Commitments
from cardshoe.lab.simulation.entries import Entries
from cardshoe.lab.simulation.facts import Facts
from cardshoe.lab.simulation.lines import Lines
from cardshoe.lab.simulation.motor import Motor
from cardshoe.lab.simulation.troubles import Trouble
from cardshoe.lab.simulation.views import Views
from cardshoe.lab.simulation.watched import FACED, WatchedWorld
from cardshoe.table.acts import Act
from cardshoe.table.state import TableState
from cardshoe.table.view import TableView


class Checker:
    """Watches one run. Every method that finds a promise broken raises `Broken`."""

    def __init__(self, world: WatchedWorld, *, reader: bool = True) -> None:
        self.happened: list[str] = []
        self._facts = Facts(world, has_reader=reader)
        self._commitments = Commitments(self._facts)
        self._lines = Lines(self._facts, self._commitments)
        self._entries = Entries(self._facts)
        self._views = Views(self._facts)
        world.on_feed = Motor(self._facts).fed
        world.on_hands = self._hands

    def sent(self, port: str, data: bytes) -> None:
        """The table put bytes on a device's line."""
        self._lines.sent(port, data)

    def heard(self, port: str, data: bytes) -> None:
        """Bytes of a device reached the table."""
        self._lines.heard(port, data)

    def durable(self, entry: Entry, text: str) -> None:
        """An entry is on disk."""
        self._entries.durable(entry, text)
        self._commitments.durable(entry.kind, entry.body)

    def shown(self, view: TableView) -> None:
        """The table shows another view than before."""
        self._views.shown(view)

    def restarted(self) -> None:
        """The controller runs again, with what is durable."""
        self._lines.restarted()

    def stood(self, live: TableState, rebuilt: TableState) -> None:
        """What is durable leads to what stands."""
        if live != rebuilt:
            raise self._facts.broken(
                "P6", "the entries, told again from the last note, lead to another state than stands"
            )

    def refused(self, act: Act, *, changed: bool) -> None:
        """A refused act changes nothing."""
        if changed:
            raise self._facts.broken("P6", f"{type(act).__name__} was refused, and something changed all the same")

    def struck(self, trouble: Trouble, answer: Mapping[str, object]) -> None:
        """Note which troubles were carried out; they are nothing to judge."""
        if answer["ok"]:
            self.happened.append(trouble.key)

    def _hands(self, do: str) -> None:
        """Note which faces lie up."""
        if do in FACED:
            for place, face in self._facts.world.faces_up():
                self._facts.up.add((place, face))
                self._facts.known.add(face)
