"""What a world is made of before its devices have power: cards by place, memories, counters.

Owns the beginning of a world (a deck loaded, shuffled, verified) and its plain JSON form. Knows no time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cardshoe.sim.codes import DeckState
from cardshoe.sim.deck import DECK_CARDS, Placed, new_covers, new_deck, shuffled, stream
from cardshoe.sim.errors import SimError
from cardshoe.sim.keys import keys_from_json, keys_to_json, new_keys
from cardshoe.sim.mechanism import MachineState
from cardshoe.sim.nvram import (
    ReaderMemory,
    ShoeMemory,
    Store,
    cards_from_json,
    cards_to_json,
    memory_to_json,
    reader_from_json,
    shoe_from_json,
    values_of,
)
from cardshoe.sim.table import TableState
from cardshoe.sim.truth import Truth

FIRST_NEW_UID: Final = 2000
_MACHINE_LISTS: Final = ("magazine", "path", "mouth", "gate")


class Remains:
    """What a world consists of before its devices have power: cards by place, memories, counters."""

    def __init__(self, data: Mapping[str, Any] | None, seed: int | None) -> None:
        self.fresh = data is None
        self.truth = Truth()
        self.machine = MachineState()
        self.table = TableState()
        self.shoe = ShoeMemory()
        self.reader = ReaderMemory()
        self.reader_causes: list[str] = []
        self.changed_firmware: list[str] = []
        self.next_uid = FIRST_NEW_UID
        if data is None:
            self._begin(seed)
        else:
            self._restore(data)

    def _begin(self, seed: int | None) -> None:
        """A deck is loaded, shuffled and verified, so that dealing can begin."""
        serial = stream(seed, "serial")
        self.serials = {"shoe": f"SIM-S-{serial.getrandbits(32):08X}", "reader": f"SIM-R-{serial.getrandbits(32):08X}"}
        self.keys = {device: new_keys(stream(seed, "keys", device)) for device in ("shoe", "reader")}
        self.machine.magazine = shuffled(new_deck(), stream(seed, "first deck"))
        self.table.covers = new_covers()
        self.shoe = ShoeMemory(
            deck_state=DeckState.VERIFIED, deck_id=1, deck_cards=DECK_CARDS, left_known=True, magazine_filled=True
        )

    def _restore(self, data: Mapping[str, Any]) -> None:
        self.serials = dict(data["serials"])
        self.truth = Truth(**data["truth"])
        machine = data["machine"]
        lists = {name: cards_from_json(machine[name]) for name in _MACHINE_LISTS}
        self.machine = MachineState(**{**machine, **lists})
        places = {place: cards_from_json(cards) for place, cards in data["places"].items()}
        self.table = TableState(places=places, covers=cards_from_json(data["covers"]))
        self.shoe = shoe_from_json(data["shoe"])
        self.reader = reader_from_json(data["reader"])
        self.reader_causes = list(data["reader_causes"])
        self.next_uid = data["next_uid"]
        self.keys = {device: keys_from_json(data["keys"][device]) for device in ("shoe", "reader")}
        self.changed_firmware = list(data["changed_firmware"])

    def snapshot(self) -> dict[str, Any]:
        """Return all of it as values that `json.dumps` writes with `plain` of `nvram`."""
        machine = values_of(self.machine)
        lists = {name: cards_to_json(getattr(self.machine, name)) for name in _MACHINE_LISTS}
        return {
            "serials": self.serials,
            "truth": self.truth,
            "machine": {**machine, **lists},
            "places": {place: cards_to_json(cards) for place, cards in self.table.places.items()},
            "covers": cards_to_json(self.table.covers),
            "shoe": memory_to_json(self.shoe),
            "reader": memory_to_json(self.reader),
            "reader_causes": self.reader_causes,
            "next_uid": self.next_uid,
            "keys": {device: keys_to_json(keys) for device, keys in self.keys.items()},
            "changed_firmware": self.changed_firmware,
        }

    def every_card(self) -> dict[str, list[Placed]]:
        """Return all cards by place."""
        machine: dict[str, list[Placed]] = {name: getattr(self.machine, name) for name in _MACHINE_LISTS}
        return {**machine, **self.table.places, "covers": self.table.covers}


def load(store: Store, seed: int | None) -> Remains:
    """Return what a world goes on from: the state that `store` holds, else a new beginning.

    Raises SimError when the state is damaged.
    """
    data = store.load()
    try:
        return Remains(data, seed)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SimError(f"the state directory holds a damaged state ({error!r}); remove world.json") from error
