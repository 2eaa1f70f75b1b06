"""The state of one round: one frozen value.

Owns `State`, `Hand`, `Hold` and the questions that can be asked of them. Must not know how events change them
(`machine`) nor how wagers are settled (`settlement`). No hidden face is ever in it: a face enters when its card lies
face up (promise P4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from cardshoe.cards import Card
from cardshoe.error_table import Clears
from cardshoe.games.hands import Ranked
from cardshoe.games.house import House
from cardshoe.games.script import POSITIONS, Game, Method, Step
from cardshoe.games.verdicts import Case, Cite

if TYPE_CHECKING:
    from cardshoe.round.events import Event
    from cardshoe.round.settlement import HandResult


class Status(Enum):
    """What a position is in this round."""

    EMPTY = "empty"
    LIVE = "live"
    FOLDED = "folded"
    VOID = "void"


# Reading a member through its class costs ten times as much as reading a name, and these are read for every hand at
# every event.
LIVE: Final = Status.LIVE
FOLDED: Final = Status.FOLDED
VOID: Final = Status.VOID


@dataclass(frozen=True, slots=True)
class Void:
    """Why a hand is void, and which of its wagers are settled all the same."""

    cites: Cite
    saves: tuple[str, ...] = ()
    saves_cites: Cite = None


# `Hand` and `State` have a `__dict__` on purpose: `changed` copies it in one step, which keeps an event at a few
# microseconds however many fields there are. They are frozen like every other value.


@dataclass(frozen=True)
class Hand:
    """One position. `wagers`: spot to cents; `waits`: wagers still to be settled after a fold or void.

    `dealt`: cards that lie there; `faces` and `sources`: those that were turned up. `decided`: answers so far, in the
    interface's words; `done`: is asked no more.
    """

    position: str
    player: str | None = None
    wagers: Mapping[str, int] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    status: Status = Status.EMPTY
    dealt: int = 0
    faces: tuple[Card, ...] = ()
    sources: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    done: bool = False
    waits: tuple[str, ...] = ()
    void: Void | None = None
    result: HandResult | None = None
    collected: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """A stack that was requested and not yet accounted for."""

    command_id: int
    to: str
    cards: int


@dataclass(frozen=True, slots=True)
class Hold:
    """The round stands until a person answers.

    `code` is a code of the error table; `clears` says who may; `choices` are the lawful answers; `who` is the position
    or "dealer" that it concerns, "" for the table.
    """

    code: str
    question: str
    clears: Clears
    choices: tuple[str, ...]
    cites: Cite = None
    who: str = ""
    case: Case | None = None
    cards: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """The last thing that was entered by hand and can be corrected: the state before it, and what came after."""

    event: Event
    before: State
    later: tuple[Event, ...] = ()


@dataclass(frozen=True)
class State:
    """One round.

    `step` is the index in `script` of the step that is due, `stage` the number of questions before it; `holds` the open
    questions, oldest first, `moot` the codes of those that a void made needless; `over`: nothing is left to be dealt,
    settled or collected; `closed`: the round is complete and takes no further event.
    """

    game: Game
    house: House
    method: Method
    round_id: int
    live: bool
    script: tuple[Step, ...]
    hands: tuple[Hand, ...]
    step: int = 0
    stage: int = 0
    betting: bool = True
    over: bool = False
    pending: Pending | None = None
    used_commands: frozenset[int] = frozenset()
    dealer_requested: bool = False
    dealer_dealt: int = 0
    dealer_faces: tuple[Card, ...] = ()
    dealer_revealed: bool = False
    cover_card_in: bool = False
    stub_removed: bool = False
    burned: int = 0
    board_dealt: int = 0
    board_up: int = 0
    board_faces: tuple[Card, ...] = ()
    seen: frozenset[Card] = frozenset()
    declared: tuple[str, ...] = ()
    settled_in_order: tuple[str, ...] = ()
    holds: tuple[Hold, ...] = ()
    moot: tuple[str, ...] = ()
    void_all: bool = False
    dealer_rank: Ranked | None = None
    closed: bool = False
    entry: Entry | None = None

    def hand(self, position: str) -> Hand:
        """Return the hand at `position`, "1" to "6"."""
        return self.hands[ord(position) - 49]

    @property
    def hold(self) -> Hold | None:
        """The oldest open question."""
        return self.holds[0] if self.holds else None


Value = TypeVar("Value")

_new: Final = object.__new__
_set: Final = object.__setattr__


def changed(value: Value, /, **changes: Any) -> Value:
    """Return a copy of `value` with `changes`; a fast `dataclasses.replace` for values without slots."""
    copy = _new(type(value))
    _set(copy, "__dict__", value.__dict__ | changes)
    return copy


class Same(Generic[Value]):
    """A frozen value as a key: this very object. What is asked of one several times in a step is looked up once."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value


def with_hand(state: State, hand: Hand, /, **changes: Any) -> State:
    """Return `state` with `hand` in its place, and with `changes`."""
    hands = list(state.hands)
    hands[ord(hand.position) - 49] = hand
    changes["hands"] = tuple(hands)
    copy = _new(State)
    _set(copy, "__dict__", state.__dict__ | changes)
    return copy


def is_position(text: object) -> bool:
    """Tell whether `text` names a position, "1" to "6"."""
    return isinstance(text, str) and text in POSITIONS
