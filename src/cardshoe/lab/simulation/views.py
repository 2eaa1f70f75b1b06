"""At every view that is shown: everything in it is durable, and nothing in it is hidden.

Owns what promises P2 and P4 say of what people see.
"""

from __future__ import annotations

from cardshoe.lab.simulation.book import BOARD, DEALER, RoundBook
from cardshoe.lab.simulation.facts import Facts
from cardshoe.round.next_step import Held
from cardshoe.table.view import AnswerAlarm, TableView, TakeStack


class Views:
    """Judges each view."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def shown(self, view: TableView) -> None:
        """Another view is shown: everything in it is durable."""
        self._facts.held_shown = isinstance(view.due, Held | AnswerAlarm)
        if not self._facts.held_shown or not view.shoe_up:
            self._facts.held_since = None
        elif self._facts.held_since is None:
            self._facts.held_since = self._facts.world.present
        if self._facts.held_shown:
            self._facts.must_hold.clear()
            if self._facts.book.round is not None and isinstance(view.due, Held):
                self._facts.book.round.asked = True
        book, round_ = self._facts.book, self._facts.book.round
        if (view.tally.completed, view.tally.voided) != (book.completed, book.voided):
            raise self._facts.broken(
                "P2", f"{view.tally.completed} rounds are shown as complete, durable are {book.completed}"
            )
        if round_ is None or round_.settled:
            return
        if isinstance(view.due, TakeStack):
            self._shows_a_stack(round_, view.due)
        self._shows_faces(round_, view)

    def _shows_a_stack(self, round_: RoundBook, due: TakeStack) -> None:
        waiting = [each for each in round_.requests if each.fate == "open"]
        if not waiting or not waiting[-1].ready or waiting[-1].to != due.to:
            raise self._facts.broken("P2", f"a stack for {due.to} is shown in the gate, and no report of it is durable")

    def _shows_faces(self, round_: RoundBook, view: TableView) -> None:
        shown = {DEALER: view.dealer_faces, BOARD: view.board_faces}
        shown |= {each.position: each.faces for each in view.positions}
        for place, faces in shown.items():
            for face in faces:
                if face not in round_.faces.get(place, ()):
                    raise self._facts.broken("P4", f"{face} is shown at {place}, and that it lies there is not durable")
