"""The control socket's requests: which there are, what they take, what they answer.

Owns the requests of `interfaces.md` and the further ones that a whole table needs. Must not do anything itself that is
not the world's, the hands' or the faults' to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from cardshoe.sim import inside_the_door
from cardshoe.sim.codes import MODES
from cardshoe.sim.errors import Impossible
from cardshoe.sim.faults import KINDS, TRIGGERS, parse
from cardshoe.sim.line import LINE_KINDS
from cardshoe.sim.power import BootCause
from cardshoe.sim.requests import Key, Kind, checked, described, optional
from cardshoe.sim.table import PLACES, POSITIONS

if TYPE_CHECKING:
    from cardshoe.sim.hands import Answer
    from cardshoe.sim.world import World

DEVICES: Final = ("shoe", "reader")
_TO: Final = {"to": Key(choices=PLACES)}
_WHAT: Final = {"what": Key(choices=PLACES), "cards": optional(Kind.COUNT)}
_DEVICE: Final = {"device": Key(choices=DEVICES)}
_HELD: Final = ("dealer", *POSITIONS)
_CAUSES: Final = {"reset": BootCause.RESET, "watchdog": BootCause.WATCHDOG}

Act = Callable[["World", dict[str, Any]], "Answer"]


@dataclass(frozen=True, slots=True)
class Request:
    """One request: its keys and what it does. `keys` None: it checks its own."""

    act: Act
    keys: Mapping[str, Key] | None


def _counters(world: World, _: dict[str, Any]) -> Answer:
    return {**asdict(world.counted())}


def _power(world: World, values: dict[str, Any]) -> Answer:
    box = world.box(values["device"])
    if values["state"] == "on":
        box.power_on(BootCause.POWER_ON)
    else:
        box.power_off()
    return {}


def _reset(world: World, values: dict[str, Any]) -> Answer:
    box = world.box(values["device"])
    if not box.powered:
        raise Impossible(f"the {values['device']} has no power: it cannot be reset")
    box.reset(_CAUSES[values["cause"]])
    return {}


def _press(world: World, values: dict[str, Any]) -> Answer:
    if values["button"] == "clear_jam":
        return world.hands.clear_jam()
    world.mishaps.service()
    return {}


def _fault(world: World, values: dict[str, Any]) -> Answer:
    world.faults.add(parse(values))
    return {}


def _faults_left(world: World, _: dict[str, Any]) -> Answer:
    return {"armed": world.faults.left(), "missed": world.faults.missed()}


def _line(world: World, values: dict[str, Any]) -> Answer:
    port, kind = values.pop("port", None), values.pop("kind", None)
    if port not in DEVICES:
        raise Impossible(f"line: port is {port!r}, wanted is one of {', '.join(DEVICES)}")
    if not isinstance(kind, str) or kind not in LINE_KINDS:
        raise Impossible(f"line: kind is {kind!r}, wanted is one of {', '.join(LINE_KINDS)}")
    world.line(port).trouble(kind, checked(f"line {kind}", values, LINE_KINDS[kind]))
    return {}


REQUESTS: Final[dict[str, Request]] = {
    "counters": Request(_counters, {}),
    "take_stack": Request(lambda world, v: world.hands.take_stack(v["to"]), _TO),
    "insert_cover_card": Request(lambda world, _: world.hands.insert_cover_card(), {}),
    "remove_stub": Request(lambda world, _: world.hands.remove_stub(), {}),
    "burn": Request(lambda world, v: world.hands.burn(v["cards"]), {"cards": optional(Kind.COUNT, default=1)}),
    "turn": Request(lambda world, v: world.hands.turn(v["what"], v["cards"]), _WHAT),
    "turn_down": Request(lambda world, v: world.hands.turn_down(v["what"], v["cards"]), _WHAT),
    "deal_card": Request(
        lambda world, v: world.hands.deal_card(v["to"], face_up=v["face_up"]),
        _TO | {"face_up": optional(Kind.FLAG, default=False)},
    ),
    "take_deck": Request(
        lambda world, v: world.hands.take_deck(v["source"]), {"source": optional(choices=("shoe", "rack"))}
    ),
    "collect": Request(
        lambda world, v: world.hands.collect(v["what"]), {"what": optional(choices=(*PLACES, "burns", "hand"))}
    ),
    "muck": Request(lambda world, v: world.hands.muck(v["what"]), {"what": Key(choices=_HELD)}),
    "load_deck": Request(lambda world, _: world.hands.load_deck(), {}),
    "new_deck": Request(lambda world, _: world.hands.new_deck(), {}),
    "open_door": Request(lambda world, _: world.hands.open_door(), {}),
    "close_door": Request(lambda world, _: world.hands.close_door(), {}),
    "look": Request(lambda world, _: world.hands.look(), {}),
    "peek": Request(lambda world, v: world.hands.peek(v["who"]), {"who": Key(choices=_HELD)}),
    "switch_mode": Request(lambda world, v: world.hands.switch_mode(v["mode"]), {"mode": Key(choices=tuple(MODES))}),
    "press": Request(_press, {"button": Key(choices=("clear_jam", "service"))}),
    "power": Request(_power, {"device": Key(choices=DEVICES), "state": Key(choices=("on", "off"))}),
    "reset": Request(
        _reset, {"device": Key(choices=DEVICES), "cause": optional(choices=tuple(_CAUSES), default="reset")}
    ),
    "switch_cards": Request(
        lambda world, v: world.sleights.switch(v["from"], v["to"], v["card"], v["with"]),
        {
            "from": Key(choices=PLACES),
            "to": Key(choices=PLACES),
            "card": optional(Kind.COUNT, default=1),
            "with": optional(Kind.COUNT, default=1),
        },
    ),
    "replace_card": Request(
        lambda world, v: world.sleights.replace(v["at"], v["card"], v["as"], foreign=v["foreign"]),
        {
            "at": Key(choices=PLACES),
            "card": optional(Kind.COUNT, default=1),
            "as": optional(),
            "foreign": optional(Kind.FLAG, default=False),
        },
    ),
    "pairing": Request(lambda world, v: inside_the_door.press(world, v["device"]), _DEVICE),
    "unpair": Request(lambda world, v: inside_the_door.hold(world, v["device"]), _DEVICE),
    "label": Request(lambda world, v: inside_the_door.label(world, v["device"]), _DEVICE),
    "identity": Request(lambda world, v: inside_the_door.identity(world, v["device"]), _DEVICE),
    "security": Request(lambda world, v: inside_the_door.security(world, v["device"]), _DEVICE),
    "fault": Request(_fault, None),
    "faults_left": Request(_faults_left, {}),
    "line": Request(_line, None),
}


def _help(_: World, __: dict[str, Any]) -> Answer:
    faults = {
        kind: {"happens": entry.occasion.value, "keys": described({**entry.keys, **TRIGGERS})}
        for kind, entry in KINDS.items()
    }
    return {
        "requests": {do: described(entry.keys or {}) for do, entry in REQUESTS.items()},
        "faults": faults,
        "line": {kind: described(keys) for kind, keys in LINE_KINDS.items()},
    }


REQUESTS["help"] = Request(_help, {})


def answer(world: World, request: object) -> Answer:
    """Carry out one request and return its answer; whatever is wrong with it is said in the answer's text."""
    try:
        return {"ok": True, **_carried_out(world, request)}
    except Impossible as refusal:
        return {"ok": False, "text": str(refusal)}


def _carried_out(world: World, request: object) -> Answer:
    if not isinstance(request, dict):
        raise Impossible(f'a request is an object such as {{"do": "counters"}}, not {type(request).__name__}')
    do = request.get("do")
    if not isinstance(do, str) or do not in REQUESTS:
        raise Impossible(f"do is {do!r}, wanted is one of {', '.join(REQUESTS)}")
    entry = REQUESTS[do]
    rest = {key: value for key, value in request.items() if key != "do"}
    return entry.act(world, rest if entry.keys is None else checked(do, rest, entry.keys))
