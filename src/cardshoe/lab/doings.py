"""What a robot at the table wants done next.

Owns the closed set of doings. A robot is a generator of them and does nothing itself, so that the same robot plays in
real time against a process (`playing`) and under a virtual clock (`virtual_play`). Must not know how they are carried
out. Times are seconds of a person's life at speed 1.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from cardshoe.table.acts import Act
from cardshoe.table.config import TableConfig
from cardshoe.table.controller import Controller
from cardshoe.table.view import TableView


@dataclass(frozen=True, slots=True)
class Do:
    """The hands do `act` with `keys`; answered with what the world says. Refused: `hands-refused`."""

    act: str
    keys: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Say:
    """An act is entered at the table."""

    act: Act


@dataclass(frozen=True, slots=True)
class Pause:
    """A person needs so long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Watch:
    """Wait until the table shows something else than `seen`, at most `within_s` seconds of the clock (not scaled).

    Answered with whether it did.
    """

    seen: TableView
    within_s: float


Doing = Do | Say | Pause | Watch
Steps = Generator[Doing, Any, None]


class Shows(Protocol):
    """What a robot sees of a table, a real one or one under a virtual clock."""

    @property
    def shown(self) -> TableView:
        """What is shown now."""

    @property
    def controller(self) -> Controller:
        """Whose `state` and `desk.live` say what the view leaves out."""

    @property
    def config(self) -> TableConfig:
        """What is played, and how."""
