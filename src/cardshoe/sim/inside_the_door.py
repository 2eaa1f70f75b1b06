"""What a person finds inside a device's door: the pairing button, the label, and who the device is.

Owns the button of LINK-11.2 and LINK-11.7 and the printed secret of LINK-11.1. Knows no protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardshoe.sim.errors import Impossible
from cardshoe.sim.keys import ROLES
from cardshoe.sim.primitives import identity_of

if TYPE_CHECKING:
    from cardshoe.sim.hands import Answer
    from cardshoe.sim.world import World


def press(world: World, device: str) -> Answer:
    """Press the button: a pairing window opens."""
    link = world.box(device).link
    if link is None:
        raise Impossible(f"the {device} has no power: its button does nothing")
    if world.busy(device):
        raise Impossible(f"the {device} carries out a command: its button does nothing until that is over")
    link.sessions.desk.press()
    return {}


def hold(world: World, device: str) -> Answer:
    """Hold the button for 10 s: every key is gone."""
    box = world.box(device)
    if box.link is None:
        raise Impossible(f"the {device} has no power: its button does nothing")
    box.forget_keys()
    return {}


def label(world: World, device: str) -> Answer:
    """Read the label secret that is printed inside the door."""
    return {"label": world.box(device).keys.label_printed}


def identity(world: World, device: str) -> Answer:
    """Tell what a maker's manifest says of this device (LINK-12.3)."""
    box = world.box(device)
    told = box.identity
    return {
        "kind": told.device,
        "model": told.model,
        "serial": told.serial,
        "firmware": told.firmware,
        "identity": identity_of(box.keys.identity).hex(),
        "measurement": box.measured().hex(),
    }


def security(world: World, device: str) -> Answer:
    """Tell the kind of the present session, the keys without their secrets, and what was dropped since the start."""
    box = world.box(device)
    link = box.link
    keys = [
        {"key_id": one.key_id.hex(), "host": one.host_name, "role": ROLES[one.role], "sealed_count": one.sealed_count}
        for one in box.keys.pairings
    ]
    session = "none"
    if link is not None and link.session:
        session = "sealed" if link.sessions.sealed else "clear"
    return {
        "session": session,
        "window_open": link is not None and link.sessions.desk.window_open,
        "keys": keys,
        "replays": 0 if link is None else link.tally.replays,
        "wrong_tags": 0 if link is None else link.tally.wrong_tags,
    }
