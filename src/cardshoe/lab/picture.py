"""What a demo shows: a live picture of the table in a terminal, or a line for each step.

Owns the layout: dealer and board above, the six positions as the dealer sees them from the left, the one next thing in
large words below, alarms in red. Shows nothing that the view does not hold, and the view holds no hidden card.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from cardshoe.counted import counted
from cardshoe.round.next_step import Held
from cardshoe.table.view import AnswerAlarm, PositionView, TableView, Wait

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType
    from rich.table import Table as Grid
    from rich.text import Text

_BACK: Final = "▒▒"
_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_RED: Final = "hd"


class Log:
    """Prints a line when something new is shown: each step, or each round's end and each question."""

    def __init__(self, *, each_step: bool) -> None:
        self._each_step = each_step
        self._said = ""
        self._over = -1
        self._last_open: TableView | None = None

    def __call__(self, view: TableView) -> None:
        """Print what is new in `view`."""
        over = view.tally.completed + view.tally.voided
        question = isinstance(view.due, Held | AnswerAlarm)
        if over > self._over >= 0 and self._last_open is not None:
            was = self._last_open
            print(f"round {was.round_id} is over: {_account(was)}", flush=True)  # noqa: T201 — this is its purpose
        self._over = over
        if view.positions:
            self._last_open = view
        if (self._each_step or question) and view.words != self._said:
            print(f"{_round(view)}: {view.words}", flush=True)  # noqa: T201
            self._said = view.words


def _round(view: TableView) -> str:
    return f"round {view.round_id}" if view.round_id else "before the first round"


def _account(view: TableView) -> str:
    wagered = [each for each in view.positions if each.wagers]
    parts = [f"{each.position} {each.status} {_signed(_change_cents(each))}" for each in wagered]
    return ", ".join(parts) if parts else "no wagers"


def _change_cents(each: PositionView) -> int:
    if each.won_cents is None or each.returned_cents is None:
        return 0 if each.status == "void" else -sum(each.wagers.values())
    return each.won_cents + each.returned_cents - sum(each.wagers.values())


def _signed(cents: int) -> str:
    return f"{'+' if cents >= 0 else '-'}${abs(cents) / 100:.2f}"


@contextmanager
def live(foot: str) -> Iterator[Callable[[TableView], None]]:
    """Give what keeps a picture of the table on the terminal; `foot` stands below it."""
    from rich.live import Live  # noqa: PLC0415 — only where there is a terminal

    with Live(auto_refresh=False, transient=False) as screen:
        yield lambda view: screen.update(drawn(view, foot), refresh=True)


def drawn(view: TableView, foot: str) -> RenderableType:
    """Return the picture of `view`."""
    from rich.console import Group  # noqa: PLC0415
    from rich.panel import Panel  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    alarm = isinstance(view.due, Held | AnswerAlarm)
    style = "bold white on red" if alarm else ("yellow" if isinstance(view.due, Wait) else "bold green")
    head = Text.assemble(("dealer  ", "dim"), _cards(view.dealer_faces, view.dealer_cards - len(view.dealer_faces)))
    board = Text.assemble(("board   ", "dim"), _cards(view.board_faces, view.board_cards - len(view.board_faces)))
    return Group(
        Panel(
            Group(head, board, _positions(view), _machines(view)),
            title=f"{view.game} · {view.method} · {_round(view)}",
        ),
        Panel(Text(view.words.upper() if not alarm else view.words, style=style, justify="center"), padding=(1, 2)),
        Text(foot, style="dim"),
    )


def _cards(faces: tuple[str, ...], backs: int) -> Text:
    from rich.text import Text  # noqa: PLC0415

    text = Text()
    for face in faces:
        red = face[-1:] in _RED
        text.append(
            f" {face[:-1]}{_SUITS.get(face[-1:], '?')} ", style="bold red on white" if red else "black on white"
        )
        text.append(" ")
    for _ in range(max(backs, 0)):
        text.append(_BACK, style="blue")
        text.append(" ")
    return text


def _positions(view: TableView) -> Grid:
    from rich.table import Table as Grid  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    grid = Grid(expand=True)
    for each in view.positions:
        grid.add_column(each.position, justify="center", ratio=1)
    if not view.positions:
        return grid
    rows = (
        [Text(each.player or "", style="bold") for each in view.positions],
        [Text(_wagers(each)) for each in view.positions],
        [_cards(each.faces, each.cards - len(each.faces)) for each in view.positions],
        [Text(" · ".join(each.decided), style="cyan") for each in view.positions],
        [_outcome(each) for each in view.positions],
    )
    for row in rows:
        grid.add_row(*row)
    return grid


def _wagers(each: PositionView) -> str:
    return "\n".join(f"{spot} ${cents / 100:g}" for spot, cents in each.wagers.items())


def _outcome(each: PositionView) -> RenderableType:
    from rich.text import Text  # noqa: PLC0415

    if each.won_cents is None:
        return Text(each.status if each.status in ("folded", "void") else "", style="dim")
    cents = _change_cents(each)
    return Text(_signed(cents), style="bold green" if cents > 0 else ("dim" if cents == 0 else "red"))


def _machines(view: TableView) -> RenderableType:
    from rich.text import Text  # noqa: PLC0415

    tally = view.tally
    shoe = f"shoe {'up' if view.shoe_up else 'not connected'}, deck {view.deck}"
    reader = f"reader {'up' if view.reader_up else 'not connected'}"
    cover = " · cover card in" if view.cover_card_in else ""
    stub = " · stub out" if view.stub_removed else ""
    rounds = f"{tally.completed} completed, {tally.voided} void, {counted(tally.held, 'question')}"
    return Text(f"{shoe} · {reader} · burned {view.burned}{cover}{stub} · {rounds}", style="dim")
