"""The line between a device and the other side, and what can happen to bytes on it.

Owns drop, flip, burst, duplicate, delay, split, trickle, babble, stall and the plug. Must not know what a frame means:
a unit is what ends with 00. Order is kept: nothing overtakes what is held back.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cardshoe.sim.agenda import Agenda
from cardshoe.sim.requests import Key, Kind, optional

TO_HOST, TO_DEVICE = "to_host", "to_device"
_COMMON: Final = {
    "direction": optional(choices=(TO_HOST, TO_DEVICE, "both"), default=TO_HOST),
    "frames": optional(Kind.COUNT),
    "chance": optional(Kind.CHANCE),
}
LINE_KINDS: Final[dict[str, dict[str, Key]]] = {
    "drop": _COMMON,
    "flip": _COMMON,
    "burst": _COMMON,
    "duplicate": _COMMON,
    "delay": _COMMON | {"ms": optional(Kind.NUMBER, default=120)},
    "split": _COMMON | {"ms": optional(Kind.NUMBER, default=1)},
    "trickle": _COMMON | {"ms": optional(Kind.NUMBER, default=30)},
    "babble": _COMMON | {"bytes": optional(Kind.COUNT, default=64)},
    "stall": {"direction": _COMMON["direction"], "ms": Key(Kind.NUMBER)},
    "unplug": {"for_s": optional(Kind.NUMBER)},
    "replug": {},
    "clear": {},
}


@dataclass(slots=True)
class Trouble:
    """One thing that happens to units: to the next `left` of them, or by `chance` to each."""

    kind: str
    direction: str
    left: int
    chance: float | None
    ms: float
    noise: int

    def hits(self, direction: str, rng: random.Random) -> bool:
        """Tell whether the next unit in this direction is hit."""
        if self.direction not in {direction, "both"}:
            return False
        if self.chance is not None:
            return rng.random() < self.chance
        if self.left <= 0:
            return False
        self.left -= 1
        return True

    @property
    def over(self) -> bool:
        """Tell whether it will hit nothing any more."""
        return self.chance is None and self.left <= 0


class Line:
    """One port's line. `to_device` takes what arrives at the device; what goes to the host waits in `take`."""

    def __init__(self, *, agenda: Agenda, rng: random.Random, to_device: Callable[[bytes], None]) -> None:
        self._agenda = agenda
        self._rng = rng
        self._to_device = to_device
        self._output = bytearray()
        self._half = bytearray()
        self._troubles: list[Trouble] = []
        self._free = {TO_HOST: 0.0, TO_DEVICE: 0.0}
        self._plug = 0  # counts pluggings, so that bytes on their way are lost with the plug
        self.plugged = True

    def take(self) -> bytes:
        """Return what has come out at the host's end since the last call."""
        if not self._output:
            return b""
        taken = bytes(self._output)
        self._output.clear()
        return taken

    @property
    def speaks(self) -> bool:
        """Whether something waits in `take`."""
        return bool(self._output)

    def from_device(self, unit: bytes) -> None:
        """The device sends one frame."""
        if self.plugged:
            self._carry(TO_HOST, unit)

    def from_host(self, data: bytes) -> None:
        """The host sends bytes, cut anywhere."""
        if not self.plugged:
            return
        if not self._half and not self._troubled(TO_DEVICE):
            self._carry(TO_DEVICE, data)
            return
        self._half += data
        while b"\x00" in self._half:
            end = self._half.index(0) + 1
            unit = bytes(self._half[:end])
            del self._half[:end]
            self._carry(TO_DEVICE, unit)
        if self._half and not self._troubled(TO_DEVICE):
            self._carry(TO_DEVICE, bytes(self._half))
            self._half.clear()

    def trouble(self, kind: str, values: dict[str, object]) -> None:
        """Begin something of LINE_KINDS, its values checked."""
        match kind:
            case "unplug":
                self.unplug(_number(values["for_s"], None))
            case "replug":
                self.plugged = True
            case "clear":
                self._troubles.clear()
                self.plugged = True
            case "stall":
                self._stall(str(values["direction"]), _number(values["ms"], 0.0) or 0.0)
            case _:
                chance = _number(values["chance"], None)
                left = int(_number(values["frames"], 1) or 1)
                ms = _number(values.get("ms"), 0.0) or 0.0
                noise = int(_number(values.get("bytes"), 0) or 0)
                self._troubles.append(Trouble(kind, str(values["direction"]), left, chance, ms, noise))

    def unplug(self, for_s: float | None) -> None:
        """Pull the plug; with `for_s` it goes back in by itself."""
        self.plugged = False
        self._plug += 1
        self._output.clear()
        self._half.clear()
        self._free = {TO_HOST: 0.0, TO_DEVICE: 0.0}
        if for_s is not None:
            plug = self._plug
            self._agenda.call_at(self._agenda.now + for_s, lambda _: self._replug(plug))

    def _replug(self, plug: int) -> None:
        if plug == self._plug:
            self.plugged = True

    def _stall(self, direction: str, ms: float) -> None:
        until = self._agenda.now + ms / 1000.0
        for one in (TO_HOST, TO_DEVICE):
            if direction in {one, "both"}:
                self._free[one] = max(self._free[one], until)

    def _troubled(self, direction: str) -> bool:
        return bool(self._troubles) and any(trouble.direction in {direction, "both"} for trouble in self._troubles)

    def _carry(self, direction: str, unit: bytes) -> None:
        if not self._troubles and self._free[direction] <= self._agenda.now:  # a line that is well
            self._deliver(direction, unit)
            return
        pieces = [(0.0, unit)]
        for trouble in self._troubles:
            if trouble.hits(direction, self._rng):
                pieces = [part for piece in pieces for part in self._struck(trouble, piece)]
        self._troubles = [trouble for trouble in self._troubles if not trouble.over]
        for wait_ms, data in pieces:
            at = max(self._agenda.now + wait_ms / 1000.0, self._free[direction])
            self._free[direction] = at
            self._deliver_at(at, direction, data)

    def _struck(self, trouble: Trouble, piece: tuple[float, bytes]) -> list[tuple[float, bytes]]:
        wait, data = piece
        rng = self._rng
        match trouble.kind:
            case "drop":
                return []
            case "duplicate":
                return [piece, piece]
            case "delay":
                return [(wait + trouble.ms, data)]
            case "split" | "trickle":
                return [(wait + trouble.ms * n, data[n : n + 1]) for n in range(len(data))]
            case "babble":
                noise = bytes(rng.randrange(256) for _ in range(trouble.noise))
                return [(wait, noise + b"\x00"), piece]
            case "flip":
                return [(wait, _changed(data, rng, places=1, bits=1))]
            case _:
                return [(wait, _changed(data, rng, places=rng.randint(2, 4), bits=8))]

    def _deliver_at(self, at: float, direction: str, data: bytes) -> None:
        if at <= self._agenda.now:
            self._deliver(direction, data)
            return
        plug = self._plug
        self._agenda.call_at(at, lambda _: self._deliver(direction, data) if plug == self._plug else None)

    def _deliver(self, direction: str, data: bytes) -> None:
        if direction == TO_HOST:
            self._output += data
        else:
            self._to_device(data)


def _changed(data: bytes, rng: random.Random, *, places: int, bits: int) -> bytes:
    """Return `data` with bits changed at neighbouring places; what ends a frame may be hit as well."""
    changed = bytearray(data)
    if not changed:
        return data
    start = rng.randrange(len(changed))
    for place in range(start, min(start + places, len(changed))):
        changed[place] ^= 1 << rng.randrange(8) if bits == 1 else rng.randrange(1, 256)
    return bytes(changed)


def _number(value: object, default: float | None) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default
