"""A simulated world in which two named cards have changed places before anybody dealt, and which tells when either
of them has become public.

Owns what "public" means, from the handbook's security page, section 4: a card is public once it lies face up where
people see it; where no reader sees the table, from the step at which the rules turn up the place that the shoe dealt it
for (its face then comes from the shoe, which cannot know that hands took the stack elsewhere); and a card that the shoe
names in a rejected deck. Nothing here asks the product what it takes for public.
"""

from __future__ import annotations

from collections.abc import Iterable

from cardshoe.lab.simulation.watched import WatchedWorld
from cardshoe.round.next_step import ReadFaces, SettleHand, TurnDealer, next_step
from cardshoe.round.state import State
from cardshoe.sim.world import PLAIN_SHOE, SHOE_CAN

ALL = frozenset(range(52))


class PairWorld(WatchedWorld):
    """See the module. `swapped`: two cards by number, exchanged in the first deck."""

    def __init__(
        self, *, seed: int, speed: float, shoe_can: Iterable[str], swapped: tuple[int, int] | None = None
    ) -> None:
        self._wanted = PLAIN_SHOE + sum(SHOE_CAN[name] for name in shoe_can)
        self._swapped = swapped
        self._dealt_for: dict[int, int] = {}
        super().__init__(seed=seed, speed=speed)

    def _join(self) -> None:
        self._shoe_capabilities = self._wanted
        if self._swapped is not None:
            deck = self._remains.machine.magazine
            at = {placed.card.uid: n for n, placed in enumerate(deck)}
            one, two = (at[card] for card in self._swapped)
            deck[one], deck[two] = deck[two], deck[one]
        super()._join()

    def face_up(self) -> set[int]:
        """Return the cards that lie face up, wherever that is."""
        machine, table = self._remains.machine, self._remains.table
        lists = (machine.magazine, machine.path, machine.mouth, machine.gate, *table.places.values())
        up = [placed.card for each in lists for placed in each if placed.face_up]
        # A second card of the same face, which somebody put in, tells what it was copied from.
        return {card.uid for card in up} | {card.face for card in up}

    def note_gate(self) -> None:
        """Note for which place the shoe dealt what lies in its gate: hands may take it to another one."""
        machine = self._remains.machine
        if self.feeds:
            for placed in (*machine.path, *machine.mouth, *machine.gate):
                self._dealt_for.setdefault(placed.card.uid, self.feeds[-1].destination)

    def dealt_for(self, place: str) -> set[int]:
        """Return the cards that the shoe dealt for a place, wherever they lie now; none for none."""
        wanted = {"": None, "dealer": 0}.get(place, int(place) if place.isdigit() else None)
        return {card for card, destination in self._dealt_for.items() if destination == wanted}

    def places(self) -> dict[int, str]:
        """Return where every card lies: "magazine", "burns", "dealer", "3" …"""
        return {one.card.uid: place for place, cards in self._remains.every_card().items() for one in cards}


def turned_by_the_rules(round_: State | None) -> str:
    """Return the place whose cards the due step turns up, "" where there is none (NY-5324.35(e)(7), (e)(8))."""
    if round_ is None or round_.over:
        return ""
    match next_step(round_):
        case ReadFaces(place):
            return place
        case SettleHand(position):
            return position
        case TurnDealer():
            return "dealer"
        case _:
            return ""
