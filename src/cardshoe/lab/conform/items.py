"""What a device is asked: every dialogue of its kind, and the frames and streams of the vectors as dialogues.

Owns the turning of `frames.jsonl` and `resync.jsonl`, which say what a receiver takes, into steps that a device can be
asked over its line: a frame of another session than the present one gets REJECT `no_session` (LINK-5.6), which shows
that it was received whole and does nothing; what is no frame gets nothing, and the command behind it is answered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Any, Final

from cardshoe.lab.conform import makers
from cardshoe.lab.conform.hands import Request
from cardshoe.lab.conform.makers import Step

_ASKABLE: Final = frozenset({0x02, *range(0x10, 0x40)})
"""Types of frames that a device answers with REJECT `no_session` in any session but the present (LINK-5.6)."""
_SILENT: Final = frozenset({0x03, *range(0x60, 0x80), *range(0x81, 0xFF), 0xFF})
_NO_SESSION: Final = 1
_READ: Final = "READ_COUNTERS"
_REPLY_MS: Final = 100
_TOUCHES_THE_DECK: Final = frozenset(
    {"load_deck", "new_deck", "remove_stub", "insert_cover_card", "fault", "switch_mode", "take_stack"}
)


class Begins(Enum):
    """Where the device must be brought before an item."""

    ANYWHERE = auto()
    READY = auto()
    AS_STARTED = auto()
    """Ready and, where somebody can restart it, without a session and with the events of its start still held."""
    WITHOUT_SESSION = auto()


@dataclass(frozen=True, slots=True)
class Item:
    """One dialogue. `others` are session numbers that the present session must not have (frames of the vectors)."""

    id: str
    clauses: tuple[str, ...]
    note: str
    steps: tuple[Step, ...]
    begins: Begins
    others: frozenset[int] = frozenset()

    @property
    def acts(self) -> tuple[Request, ...]:
        """Return what must be done at the device by hand."""
        return tuple(_acts(self.steps))

    @property
    def seconds(self) -> float:
        """Return how long the steps wait at least; the motion of cards comes on top."""
        return _waits_ms(self.steps) / 1000

    @property
    def moves(self) -> bool:
        """Tell whether cards may leave the magazine, or the deck may become another one."""
        touched = any(act.get("do") in _TOUCHES_THE_DECK for act in self.acts)
        text = json.dumps(self.steps)
        return touched or '"DISPENSE"' in text or '"PREPARE_DECK"' in text


def _acts(steps: Sequence[Step]) -> Iterator[Request]:
    for step in steps:
        if "world" in step:
            yield step["world"]
        if "steps" in step:
            yield from _acts(step["steps"])


def _waits_ms(steps: Sequence[Step]) -> float:
    waits = ("wait_ms", "discard_ms", "expect_nothing_ms", "pause_ms")
    own = sum(float(step.get(name, 0)) for step in steps for name in waits)
    return own + sum(float(step["repeat"]) * _waits_ms(step["steps"]) for step in steps if "steps" in step)


@cache
def items(kind: str) -> tuple[Item, ...]:
    """Return all that a device of `kind` is asked: what moves nothing first, so that a deck lasts as long as it can."""
    every = [*_received(kind), *_streams(), *_dialogues(kind)]
    return tuple(sorted(every, key=lambda item: (item.moves, item.begins.value)))


def _dialogues(kind: str) -> Iterator[Item]:
    for vector in makers.vectors("dialogues"):
        if vector["role"] != "device" or vector["device"] != kind:
            continue
        begins = _begins([step for step in vector["steps"] if "let" not in step])
        name = vector["id"].removeprefix(f"dialogue/device/{kind}/")
        yield Item(name, tuple(vector["clauses"]), vector["note"], tuple(vector["steps"]), begins)


_STILL_UNDERSTOOD: Final[tuple[Step, ...]] = (
    {"send": {"message": _READ, "sequence": 1, "fields": {}}},
    {"expect": {"message": f"{_READ}_REPLY", "sequence": 1, "fields": {}}, "within_ms": _REPLY_MS},
)


def _begins(steps: Sequence[Step]) -> Begins:
    first, second = steps[0], steps[1] if len(steps) > 1 else {}
    if "connect" in first and second.get("send", {}).get("message") == "EVENT_ACK":
        return Begins.READY
    asks = "connect" in first or first.get("send", {}).get("message") == "HELLO"
    return (
        Begins.AS_STARTED if asks or first.get("world", {}).get("do") in ("power", "reset") else Begins.WITHOUT_SESSION
    )


_OPENED: Final[tuple[Step, ...]] = (
    {"connect": {}, "reply": {"result": 0, "session": {"bind": "$session"}, "last_event": {"bind": "$l"}},
     "within_ms": 30_000},
    {"send": {"message": "EVENT_ACK", "sequence": 0, "fields": {"consumed_event": "$l"}}},
    {"discard_ms": 30},
)  # fmt: skip


def _rejected(frame: Mapping[str, Any]) -> Step:
    told = {"message": "REJECT", "session": frame["session"], "sequence": frame["sequence"]}
    fields = {"reason": _NO_SESSION, "rejected_type": frame["type"]}
    return {"expect": told | {"fields": fields}, "within_ms": _REPLY_MS}


def _of_receiving(vector: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the clauses that the receiving of a frame shows; what its message then means is for the dialogues."""
    shown = tuple(clause for clause in vector["clauses"] if clause.startswith(("LINK-1.", "LINK-2.", "LINK-3.")))
    return shown or ("LINK-2.1",)


def _received(kind: str) -> Iterator[Item]:
    """Yield the frames: the good ones of a host are received whole, the bad ones are dropped in silence."""
    for vector in makers.vectors("frames"):
        sent: Step = {"send": {"raw": vector["wire"]}}
        clauses, name = _of_receiving(vector), vector["id"]
        if not vector["accept"]:
            yield Item(name, clauses, vector["note"], (*_OPENED, sent, *_STILL_UNDERSTOOD), Begins.ANYWHERE)
        elif vector["type"] in _ASKABLE and vector.get("device", kind) == kind and vector.get("from") != "device":
            steps = (*_OPENED, sent, _rejected(vector), *_STILL_UNDERSTOOD)
            yield Item(name, clauses, vector["note"], steps, Begins.ANYWHERE, frozenset({vector["session"]}))


def _streams() -> Iterator[Item]:
    """Yield the streams in pieces; what a device would act on or begin a session with is left out."""
    for vector in makers.vectors("resync"):
        frames = vector["frames"]
        tail = bytes.fromhex("".join(vector["chunks"])).rpartition(b"\0")[2]
        whole_tail = bool(tail) and not isinstance(makers.read_collection(tail), str)
        if whole_tail or any(frame["type"] not in _ASKABLE | _SILENT for frame in frames):
            continue
        answers = [_rejected(frame) for frame in frames if frame["type"] in _ASKABLE]
        sent: list[Step] = [{"send": {"raw": chunk}} for chunk in vector["chunks"] if chunk]
        steps = (*_OPENED, *sent, {"send": {"raw": "00"}}, *answers, *_STILL_UNDERSTOOD)
        others = frozenset(frame["session"] for frame in frames)
        yield Item(vector["id"], _of_receiving(vector), vector["note"], steps, Begins.ANYWHERE, others)
