"""Faults as data: which kinds there are, when one is due, and which happen next.

Owns the list of kinds with their keys, the triggers and the seeded chances. Must not carry out anything: the world does
that through the call-backs it gives.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from cardshoe.sim.codes import MODES
from cardshoe.sim.deck import DECK_CARDS, face_of
from cardshoe.sim.errors import Impossible
from cardshoe.sim.exit_reader import KINDS as EXIT_READINGS
from cardshoe.sim.journey import Effect
from cardshoe.sim.power import CutPlan
from cardshoe.sim.reader import FOREIGN, UNREADABLE, Misreading
from cardshoe.sim.requests import Key, Kind, checked, optional
from cardshoe.sim.table import PLACES


class Occasion(Enum):
    """When a fault that is armed happens."""

    DISPENSE = "the next dispense"
    READ = "the next card read"
    EXIT = "the next card that passes the exit reader"
    CUT = "the next time the shoe comes to that point"
    NOW = "at once"


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind of fault: its occasion and its own keys."""

    occasion: Occasion
    keys: Mapping[str, Key] = field(default_factory=dict)


_CARD: Final = {"card": optional(Kind.COUNT)}
_WHERE: Final = {"where": optional(choices=("path", "exit"), default="path")}
_PLACE: Final = {"place": optional(choices=PLACES)}
_DECK: Final = {"cards": optional(Kind.COUNT, default=1)}
_FOR: Final = {"for_s": optional(Kind.NUMBER)}
CUT_POINTS: Final = (
    "recorded", "accepted", "entry", "exit_covered", "exit_cleared", "before_ready", "ready", "shuffling",
)  # fmt: skip
_CARD_POINTS: Final = frozenset({"entry", "exit_covered", "exit_cleared"})
_AT: Final = {"at": Key(choices=CUT_POINTS), "card": optional(Kind.COUNT, default=1)}
ENVIRONMENT: Final = (
    "over_temperature", "low_battery", "motor_stalled", "homing_failed", "platform_out_of_position", "memory_corrupt",
    "feed_slow", "sensor_stuck",
)  # fmt: skip
READER_CAUSES: Final = ("lens_dirty", "glare", "reader_unsteady")
DECK_KINDS: Final = (
    "missing_card", "duplicate_card", "foreign_card", "extra_card", "joker", "unreadable_card", "face_up_in_deck",
)  # fmt: skip

KINDS: Final[dict[str, FaultKind]] = {
    "jam": FaultKind(Occasion.DISPENSE, _CARD | _WHERE),
    "stuck": FaultKind(Occasion.DISPENSE, _CARD | _WHERE),
    "double_feed": FaultKind(Occasion.DISPENSE, _CARD | {"hidden": optional(Kind.FLAG, default=False)}),
    "short_feed": FaultKind(Occasion.DISPENSE, _CARD),
    "slip": FaultKind(Occasion.DISPENSE, _CARD),
    "sensor_chatter": FaultKind(Occasion.DISPENSE, _CARD | {"miscount": optional(Kind.FLAG, default=False)}),
    "missed_passage": FaultKind(Occasion.DISPENSE, _CARD),
    "face_up": FaultKind(Occasion.DISPENSE, _CARD | {"detected": optional(Kind.FLAG, default=True)}),
    "usb_drop": FaultKind(Occasion.DISPENSE, {"for_s": optional(Kind.NUMBER, default=1.0)}),
    "misread": FaultKind(Occasion.READ, _PLACE | {"as": optional()}),
    "unreadable": FaultKind(Occasion.READ, _PLACE | {"recovers_after_s": optional(Kind.NUMBER)}),
    "foreign_read": FaultKind(Occasion.READ, _PLACE),
    "duplicate_read": FaultKind(Occasion.READ, _PLACE),
    "previous_read": FaultKind(Occasion.READ, _PLACE),
    "exit_unreadable": FaultKind(Occasion.EXIT),
    "exit_misread": FaultKind(Occasion.EXIT, {"as": optional()}),
    "commitment_wrong": FaultKind(Occasion.EXIT),
    "power_cut": FaultKind(Occasion.CUT, _AT | {"on_after_s": optional(Kind.NUMBER)}),
    "device_reset": FaultKind(Occasion.CUT, _AT),
    "unexpected_card": FaultKind(Occasion.NOW, {"source": optional(choices=("magazine", "hand"), default="magazine")}),
    "door": FaultKind(Occasion.NOW),
    "mode": FaultKind(Occasion.NOW, {"mode": Key(choices=tuple(MODES))}),
    "watchdog_reset": FaultKind(Occasion.NOW),
    "firmware_changed": FaultKind(Occasion.NOW, {"device": optional(choices=("shoe", "reader"), default="shoe")}),
    **{name: FaultKind(Occasion.NOW) for name in ENVIRONMENT},
    **{name: FaultKind(Occasion.NOW, _FOR) for name in READER_CAUSES},
    **{name: FaultKind(Occasion.NOW, _DECK) for name in DECK_KINDS},
}
TRIGGERS: Final = {
    "stack": optional(Kind.COUNT),
    "after_s": optional(Kind.NUMBER),
    "chance": optional(Kind.CHANCE),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault with its values; `stack`, `after_s` and `chance` say when, all None: on the next occasion."""

    kind: str
    values: Mapping[str, object]
    stack: int | None
    after_s: float | None
    chance: float | None

    @property
    def occasion(self) -> Occasion:
        """When it happens once it is armed."""
        return KINDS[self.kind].occasion

    def number(self, key: str) -> float | None:
        """Return a numeric value, None when it was left out."""
        return _numeric(self.values.get(key))

    def text(self, key: str) -> str:
        """Return a text value, empty when it was left out."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    def flag(self, key: str) -> bool:
        """Return a truth value, false when it was left out."""
        return self.values.get(key) is True


def parse(request: Mapping[str, object]) -> Fault:
    """Return the fault that a request or a line of fault data describes. Raises Impossible that names what is wrong."""
    kind = request.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Impossible(f"fault: kind is {kind!r}, wanted is one of {', '.join(KINDS)}")
    rest = {key: value for key, value in request.items() if key != "kind"}
    values = checked(f"fault {kind}", rest, {**KINDS[kind].keys, **TRIGGERS})
    stack, after_s, chance = (_numeric(values.pop(name)) for name in TRIGGERS)
    if sum(value is not None for value in (stack, after_s, chance)) > 1:
        raise Impossible(f"fault {kind}: give one of stack, after_s and chance, not several")
    named = values.get("as")
    if isinstance(named, str) and face_of(named) is None:
        raise Impossible(f"fault {kind}: as is {named!r}, wanted is a card such as As or Td")
    return Fault(kind, values, None if stack is None else int(stack), after_s, chance)


def _numeric(value: object) -> float | None:
    return value if isinstance(value, int | float) else None


class FaultBook:
    """The faults of a world. `happen` carries out those that happen at once; `later` plans something in seconds.

    A fault that happens at once and waits for a stack happens `mid_feed_s` seconds after the stack was accepted.
    """

    def __init__(
        self,
        *,
        rng: random.Random,
        happen: Callable[[Fault], None],
        later: Callable[[float, Callable[[], None]], None],
        mid_feed_s: float,
    ) -> None:
        self._mid_feed_s = mid_feed_s
        self._rng = rng
        self._happen = happen
        self._later = later
        self._waiting: list[Fault] = []
        self._armed: list[Fault] = []
        self._lasting: list[Fault] = []
        self._missed: list[dict[str, object]] = []
        self._stacks = 0
        self._faces_read: list[int] = []

    def add(self, fault: Fault) -> None:
        """Take a fault. Raises Impossible when it should happen at once and cannot."""
        if fault.chance is not None:
            self._lasting.append(fault)
        elif fault.stack is not None:
            if fault.stack <= self._stacks:
                raise Impossible(
                    f"fault {fault.kind}: stack {fault.stack} has been dealt already ({self._stacks} so far)"
                )
            self._waiting.append(fault)
        elif fault.after_s is not None:
            self._waiting.append(fault)
            self._later(fault.after_s, lambda: self._due(fault))
        else:
            self._arm(fault)

    def left(self) -> list[dict[str, object]]:
        """Return what has been given and has not happened yet."""
        every = self._armed + self._waiting + self._lasting
        return [{"kind": f.kind, "stack": f.stack, "after_s": f.after_s, "chance": f.chance} for f in every]

    def missed(self) -> list[dict[str, object]]:
        """Return the faults that could not happen when they were due, and why."""
        return list(self._missed)

    def _due(self, fault: Fault) -> None:
        self._waiting.remove(fault)
        self._try_to_arm(fault)

    def _arm(self, fault: Fault) -> None:
        if fault.occasion is Occasion.NOW:
            self._happen(fault)
        else:
            self._armed.append(fault)

    def _arming(self, fault: Fault) -> Callable[[], None]:
        return lambda: self._try_to_arm(fault)

    def _try_to_arm(self, fault: Fault) -> None:
        """Arm a fault that is due; what is impossible by then does not happen, and is told by `missed`."""
        try:
            self._arm(fault)
        except Impossible as refusal:
            self._missed.append({"kind": fault.kind, "text": str(refusal)})

    def _take(self, occasion: Occasion) -> list[Fault]:
        taken = [fault for fault in self._armed if fault.occasion is occasion]
        self._armed = [fault for fault in self._armed if fault.occasion is not occasion]
        return taken + self._rolled(occasion)

    def _rolled(self, occasion: Occasion) -> list[Fault]:
        fitting = [f for f in self._lasting if f.occasion is occasion and f not in self._armed]
        return [f for f in fitting if self._rng.random() < (f.chance or 0.0)]

    # --- occasions

    def stack_accepted(self) -> None:
        """A stack begins: faults that wait for it are due."""
        self._stacks += 1
        due = [fault for fault in self._waiting if fault.stack == self._stacks]
        self._waiting = [fault for fault in self._waiting if fault.stack != self._stacks]
        self._armed += [fault for fault in due if fault.occasion is not Occasion.NOW]
        self._armed += self._rolled(Occasion.CUT)
        for fault in [f for f in due if f.occasion is Occasion.NOW] + self._rolled(Occasion.NOW):
            self._later(self._mid_feed_s, self._arming(fault))

    def effects(self, cards: int) -> dict[int, Effect]:
        """Return what goes wrong with which card of a stack of `cards`; other faults of a dispense happen now."""
        effects: dict[int, Effect] = {}
        for fault in self._take(Occasion.DISPENSE):
            if fault.kind == "usb_drop":
                self._happen(fault)
                continue
            card = fault.number("card")
            flagged = fault.flag("hidden") or fault.flag("miscount") or fault.values.get("detected") is False
            effects[cards if card is None else int(card)] = Effect(fault.kind, fault.text("where") or "path", flagged)
        return effects

    def cut(self, point: str, card: int) -> CutPlan | None:
        """Tell whether the power goes at this point of the shoe's work."""
        for fault in self._armed:
            if fault.occasion is not Occasion.CUT or fault.text("at") != point:
                continue
            if point in _CARD_POINTS and fault.number("card") != card:
                continue
            self._armed.remove(fault)
            return CutPlan(reset=fault.kind == "device_reset", on_after_s=fault.number("on_after_s"))
        return None

    def exit_reading(self, face: int) -> int:
        """Return the face that the exit reader makes of `face`."""
        fault = self._at_exit(EXIT_READINGS)
        if fault is None:
            return face
        return UNREADABLE if fault.kind == "exit_unreadable" else self._wrong(fault, face).face

    def commits_wrongly(self) -> bool:
        """Tell whether the next commitment is to be a wrong one."""
        return self._at_exit(("commitment_wrong",)) is not None

    def _at_exit(self, kinds: tuple[str, ...]) -> Fault | None:
        """Take the fault of one of these kinds that is due for the card that passes, or None."""
        fault = next((one for one in self._armed if one.kind in kinds), None)
        if fault is not None:
            self._armed.remove(fault)
            return fault
        lasting = [one for one in self._lasting if one.kind in kinds]
        return next((one for one in lasting if self._rng.random() < (one.chance or 0.0)), None)

    def misreading(self, place: str, face: int) -> Misreading | None:
        """Return what goes wrong with the reading of a card at `place`, or None."""
        fitting = [f for f in self._armed if f.occasion is Occasion.READ and f.text("place") in {"", place}]
        fault = fitting[0] if fitting else None
        if fault is not None:
            self._armed.remove(fault)
        else:
            rolled = [f for f in self._rolled(Occasion.READ) if f.text("place") in {"", place}]
            fault = rolled[0] if rolled else None
        wrong = None if fault is None else self._wrong(fault, face)
        self._faces_read = [*self._faces_read[-13:], face]
        return wrong

    def _wrong(self, fault: Fault, face: int) -> Misreading:
        match fault.kind:
            case "unreadable":
                return Misreading(UNREADABLE, fault.number("recovers_after_s"))
            case "foreign_read":
                return Misreading(FOREIGN)
            case "previous_read" if self._faces_read:
                return Misreading(self._faces_read[-1])
            case "duplicate_read" if self._faces_read:
                return Misreading(self._rng.choice(self._faces_read))
            case _:
                named = face_of(fault.text("as"))
                other = (face + self._rng.randrange(1, DECK_CARDS)) % DECK_CARDS
                return Misreading(other if named is None else named)
