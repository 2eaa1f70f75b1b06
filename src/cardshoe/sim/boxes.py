"""The two devices of a world as their maker delivers them: model, serial, firmware version, secrets, memory.

Owns who each simulated device says it is. Must not know what its firmware does.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from cardshoe.sim.agenda import Agenda
from cardshoe.sim.attesting import measurement
from cardshoe.sim.nvram import Store
from cardshoe.sim.power import Box, MakeFirmware
from cardshoe.sim.remains import Remains
from cardshoe.sim.sessions import Identity

FIRMWARE_VERSION: Final = "1.0.0-sim"
KINDS: Final = {"shoe": 1, "reader": 2}


def device_box(
    device: str,
    *,
    capabilities: int,
    remains: Remains,
    agenda: Agenda,
    speed: float,
    store: Store,
    source: Callable[[str], random.Random],
    send: Callable[[bytes], None],
    mutations: frozenset[str],
    make: MakeFirmware,
    halt: Callable[[], None],
) -> Box:
    """Return the box of "shoe" or "reader"; `source` gives the randomness for a name."""
    nonces, secrets = source(f"nonce {device}"), source(f"secret {device}")
    changed = remains.changed_firmware
    model, serial = f"CS-SIM-{device.upper()}", remains.serials[device]
    return Box(
        identity=Identity(device, KINDS[device], model, serial, FIRMWARE_VERSION, capabilities),
        agenda=agenda,
        speed=speed,
        memory=remains.shoe.link if device == "shoe" else remains.reader.link,
        keys=remains.keys[device],
        measured=lambda: measurement(device, FIRMWARE_VERSION, changed=device in changed),
        store=store,
        nonce=lambda: nonces.randbytes(16),
        secret=lambda: secrets.randbytes(32),
        send=send,
        mutations=mutations,
        make=make,
        halt=halt,
    )
