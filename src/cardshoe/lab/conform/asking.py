"""Asks a device everything of its kind, one item after the other, and keeps what became of each.

Owns the run: bringing the device to the beginning, the dialogue, what was expected and what came where it fails, and
whether what did not come in time came later. Must not decide which clause is broken: that is `verdicts`.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from cardshoe.errors import DeviceError
from cardshoe.lab.conform import makers
from cardshoe.lab.conform.beginning import STARTS_S, Beginning
from cardshoe.lab.conform.caller import Caller, NotReady
from cardshoe.lab.conform.hands import CannotAct, Hands, NoHands, named
from cardshoe.lab.conform.items import Item, items
from cardshoe.lab.conform.makers import Step
from cardshoe.lab.conform.needing import capabilities, needed
from cardshoe.lab.conform.watching import Port, Times, Watched, masked_text

ALL: Final = 0xFFFFFFFF
SLACK_MS: Final = 32
"""What an adapter that holds bytes back for 16 ms adds to a time limit, both ways (LINK-8.3)."""
LATE_S: Final = 1.5
_BROUGHT_ABOUT: Final = frozenset({"fault", "press", "switch_mode", "power", "reset"})
"""Acts that depend on the bench alone; whether the others succeed depends on what the device did before."""
SAME_SESSION_TRIES: Final = 3


class Result(Enum):
    """What became of an item."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True, slots=True)
class Answer:
    """One item and what became of it. `late_ms`: what was expected came, but so late. `garbled`: a clause of the frame
    itself that the device broke. `excerpt`: the last frames on the line, secrets masked."""

    item: Item
    result: Result
    seconds: float
    step: Step | None = None
    expected: str = ""
    came: str = ""
    late_ms: float | None = None
    garbled: str | None = None
    excerpt: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Device:
    """Who answered HELLO. `spec_hash` in hex."""

    kind: str
    model: str
    serial: str
    firmware: str
    boot_counter: int
    ring_size: int
    capabilities: int
    spec_hash: str


class Asking:
    """One device on one line. `nonce` gives 16 fresh random bytes, `able` are the capabilities of the device.

    Raises ConfigError `conform-vectors`.
    """

    def __init__(
        self,
        kind: str,
        port: Port,
        hands: Hands,
        nonce: Callable[[], bytes],
        *,
        slack_ms: int = SLACK_MS,
        starts_s: float = STARTS_S,
        able: int = ALL,
    ) -> None:
        self.kind, self._hands, self._nonce, self._slack_ms, self._able = kind, hands, nonce, slack_ms, able
        self._line = Watched(kind, port, hands)
        as_found = not hands.can({"do": "new_deck"})
        self._beginning = Beginning(kind, self._line, nonce, starts_s=starts_s, as_found=as_found)

    @property
    def times(self) -> Times:
        """What was measured so far."""
        return self._line.times

    def ask(self, chosen: Sequence[Item]) -> Iterator[Answer]:
        """Run items in order. Raises DeviceError when the port or the hands are lost."""
        for item in chosen:
            answer = self._once(item)
            yield answer if answer.late_ms is None else self._twice(item, answer)

    def _once(self, item: Item) -> Answer:
        begun = time.monotonic()
        bits = capabilities(self.kind)
        lacks = sorted(name for name in needed(self.kind, item.steps, item.acts) if not bits[name] & self._able)
        if lacks:
            text = f"the device does not say that it has {', '.join(lacks)}"
            return Answer(item, Result.NOT_SHOWN, 0.0, came=text)
        cannot = sorted({named(act) for act in item.acts if not self._hands.can(act)})
        if cannot:
            return Answer(item, Result.NOT_SHOWN, 0.0, came=f"needs hands at the device: {', '.join(cannot)}")
        try:
            self._beginning.reach(item)
        except CannotAct as act:
            return Answer(item, Result.NOT_SHOWN, 0.0, came=f"needs hands at the device: {act}")
        except NotReady as lacks:
            text = f"the device could not be brought to where it begins: {lacks}"
            garbled = self._line.garbled()
            return Answer(item, Result.NOT_SHOWN, time.monotonic() - begun, came=text, garbled=garbled)
        answer = self._dialogue(item, begun)
        self._beginning.used(item, passed=answer.result is Result.PASSED)
        return answer

    def _twice(self, item: Item, late: Answer) -> Answer:
        """Ask anew what came late: this computer may have been busy, and a device that is late is late again."""
        again = self._once(item)
        if again.result is not Result.PASSED:
            return again
        return replace(again, came=f"once {late.came}; not when it was asked anew")

    def _dialogue(self, item: Item, begun: float) -> Answer:
        self._line.begin()
        runner = makers.runner(self.kind, self._line, self._nonce, slack_ms=self._slack_ms)
        for step in item.steps:
            try:
                runner.run([step])
                if "connect" in step:
                    self._another_session(runner, item, step)
            except makers.failed() as failure:
                return self._failure(item, step, str(failure), runner, begun)
            except CannotAct as act:
                return Answer(
                    item, Result.NOT_SHOWN, time.monotonic() - begun, came=f"needs hands at the device: {act}"
                )
            except makers.wrong() as wrong:
                return Answer(item, Result.NOT_SHOWN, time.monotonic() - begun, came=f"cannot be run: {wrong}")
        return Answer(item, Result.PASSED, time.monotonic() - begun)

    def _another_session(self, runner: makers.Runner, item: Item, connect: Step) -> None:
        """Take the next session where the present one has the number of a frame that is to be of another."""
        for _ in range(SAME_SESSION_TRIES):
            if runner.names.get("session") not in item.others:
                return
            runner.run([connect])

    def _failure(self, item: Item, step: Step, text: str, runner: makers.Runner, begun: float) -> Answer:
        step, came = _failed_step(step, text)
        if step.get("world", {}).get("do") in _BROUGHT_ABOUT and came.startswith('answered {"ok": false'):
            text = f"{named(step['world'])} could not be brought about: {_short(came)}"
            return Answer(item, Result.NOT_SHOWN, time.monotonic() - begun, came=text)
        late = self._came_late(step) if not came.startswith(f'came {{"message": "{_wanted(step)}"') else None
        if late is not None:
            came = f"it came, but after {late:.0f} ms"
        return Answer(
            item,
            Result.FAILED,
            time.monotonic() - begun,
            step,
            masked_text(spelled(step, runner.names), hidden=self.kind == "shoe"),
            _short(masked_text(came.removeprefix("came ").removesuffix("; bound: {}"), hidden=self.kind == "shoe")),
            late,
            self._line.garbled(),
            self._line.excerpt(),
        )

    def _came_late(self, step: Step) -> float | None:
        """Listen on for what did not come; return how many milliseconds late a reply is, None when it never comes."""
        wanted = _wanted(step)
        if not wanted.endswith("_REPLY"):
            return None
        since = self._line.now()
        while self._line.now() < since + LATE_S:
            self._line.read(since + LATE_S)
            for passed in self._line.frames:
                known = None if isinstance(passed.frame, str) else makers.by_type(self.kind).get(passed.frame.type)
                if passed.t >= since and passed.way == "device" and known is not None and known.name == wanted:
                    took = self._line.times.reply_ms[-1] if self._line.times.reply_ms else 0.0
                    return took if took > step["within_ms"] else None
        return None


def _failed_step(step: Step, text: str) -> tuple[Step, str]:
    """Return the step inside `step` that failed, and what the runner says of it; its text names steps outside in."""
    steps = [step]
    while steps and (told := re.match(r"step (\d+) ", text)) is not None and int(told[1]) < len(steps):
        inner = steps[int(told[1])]
        prefix = f"step {told[1]} {json.dumps(inner)[:200]}: "
        if not text.startswith(prefix):
            break
        step, text, steps = inner, text.removeprefix(prefix), inner.get("steps", [])
    return step, text


def _wanted(step: Step) -> str:
    return str(step.get("expect", {}).get("message", ""))


def spelled(step: Step, names: dict[str, Any]) -> str:
    """Return what a step expects, for people; names stand with the values that they had."""
    if "expect" in step:
        want = step["expect"]
        rest = {key: want[key] for key in ("session", "sequence", "fields") if want.get(key) not in (None, {})}
        text = f"{want['message']} {json.dumps(rest)} within {step['within_ms']} ms"
    elif "expect_all" in step:
        text = f"{json.dumps(step['expect_all'])} in any order within {step['within_ms']} ms"
    elif "expect_nothing_ms" in step:
        text = f"nothing for {step['expect_nothing_ms']} ms"
    elif "connect" in step:
        text = f"HELLO_REPLY {json.dumps(step.get('reply', {}))} within {step['within_ms']} ms"
    else:
        text = json.dumps(step)
    bound = {name: value for name, value in names.items() if f'"${name}' in text and name != "spec_hash"}
    return _short(text) + (
        f" where {', '.join(f'${name} is {value}' for name, value in bound.items())}" if bound else ""
    )


def _short(text: str, most: int = 420) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def who_answers(port: Port, nonce: Callable[[], bytes]) -> Device:
    """Ask the device at `port` who it is, whatever its protocol. Raises DeviceError `device-silent`."""
    kind = next(iter(makers.KINDS.values()))
    reply = Caller(kind, Watched(kind, port, NoHands()), nonce).hello()
    if reply is None:
        raise DeviceError(
            "device-silent", "nothing answered HELLO; look at the address, cable and power, then try again"
        )
    return Device(
        makers.KINDS.get(int(reply["device_kind"]), ""), str(reply["model"]), str(reply["serial"]),
        str(reply["firmware"]), int(reply["boot_counter"]), int(reply["ring_size"]), int(reply["capabilities"]),
        str(reply["spec_hash"]),
    )  # fmt: skip


def choose(kind: str, clauses: Sequence[str]) -> tuple[Item, ...]:
    """Return the items of `kind` that cite one of `clauses`; all of them where none is named."""
    return tuple(item for item in items(kind) if not clauses or set(clauses) & set(item.clauses))
