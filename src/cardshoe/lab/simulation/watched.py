"""A simulated world whose motor and cards can be watched: truth for the checker, never for the table.

Owns the hooks: each start of the feed motor with the command that it is for, what hands did, which faces lie up. It
asks the world what physically is, never the devices what they report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cardshoe.sim.deck import Placed
from cardshoe.sim.journey import Effect
from cardshoe.sim.table import PLACES
from cardshoe.sim.world import World

FACED = frozenset({"turn", "deal_card", "take_stack"})
"""What hands do that may leave a face lying up."""


SLIDES_S = 1.0
"""So long the report of a card that slid out by itself may be on its way."""
MOST_FEEDS = 16
"""So many runs of the motor are looked back at when a stack is taken."""


@dataclass(slots=True)
class Feed:
    """One run of the feed motor. `moved`: cards that it brought to the gate so far; `place`: where hands took them."""

    command_id: int
    destination: int
    asked: int
    at: float
    cards_out_before: int
    lying: tuple[Placed, ...]
    shuffles: int
    moved: int = 0
    place: str | None = None

    @property
    def undealt(self) -> tuple[str, ...]:
        """The cards that lay in the magazine, from the top."""
        return tuple(one.card.spelled for one in self.lying if not one.is_cover)


class WatchedWorld(World):
    """See the module. `on_feed` hears each start of the motor; `on_hands` each act of hands that was done."""

    def __init__(self, *, seed: int, speed: float, auditor: bytes | None = None, now: float = 0.0) -> None:
        super().__init__(seed=seed, speed=speed, auditor=auditor, now=now)
        self.on_feed: Callable[[Feed], None] = lambda _: None
        self.on_hands: Callable[[str], None] = lambda _: None
        self.feeds: list[Feed] = []
        self.tampered = False
        self.slid_at = -SLIDES_S
        self._mechanism.effects_of = self._motor_starts

    def _motor_starts(self, cards: int) -> dict[int, Effect]:
        self.count()
        running = self._remains.shoe.running
        record = self._remains.shoe.records.get(running)
        feed = Feed(
            command_id=running,
            destination=record.destination if record is not None else -1,
            asked=cards,
            at=self._agenda.now,
            cards_out_before=self._truth.cards_out,
            lying=tuple(self._mechanism.state.magazine),
            shuffles=self._truth.shuffles,
        )
        self.feeds = [*self.feeds[-MOST_FEEDS:], feed]
        self.on_feed(feed)
        return self.faults.effects(cards)

    def go_on_alone(self, until: float) -> tuple[float, bool]:
        """Do what is due before `until`, until something comes out of a port or a plug moves.

        Return the world's time then, and whether anybody can notice. Most of what a mechanism does concerns nobody
        outside it: a table need not look at every bounce of a contact.
        """
        agenda, noticed = self._agenda, False
        shoe, reader = self._lines["shoe"], self._lines["reader"]
        plugs = shoe.plugged, reader.plugged
        while (due := agenda.next_deadline()) is not None and due < until:
            agenda.run_until(due)
            if shoe.speaks or reader.speaks or (shoe.plugged, reader.plugged) != plugs:
                noticed = True
                break
        self._flush()
        return agenda.now, noticed

    @property
    def present(self) -> float:
        """The world's time, in virtual seconds."""
        return self._agenda.now

    @property
    def just_slid(self) -> bool:
        """Whether a card slid out by itself so lately that nobody can know yet."""
        return self.present - self.slid_at < SLIDES_S

    @property
    def gate_occupied(self) -> bool:
        """Whether anything lies in the gate or sticks out of the mouth."""
        return bool(self._mechanism.state.gate or self._mechanism.state.mouth)

    @property
    def inhibited(self) -> bool:
        """Whether the shoe's firmware lets the motor run; a shoe without power runs none."""
        return self._shoe is None or self._shoe.inhibited

    @property
    def shoe_serial(self) -> str:
        """The serial number on the shoe's plate."""
        return self._remains.serials["shoe"]

    def tries_spent(self, command_id: int) -> int:
        """Return how many tries of a stack of the open round are spent, whatever was told of them."""
        return self._remains.shoe.round.tries.get(command_id, 0)

    def count(self) -> None:
        """Bring up to date how many cards the last run of the motor moved."""
        if self.feeds:
            last = self.feeds[-1]
            last.moved = max(last.moved, self._truth.cards_out - last.cards_out_before)

    def control(self, request: object, now: float) -> dict[str, object]:
        """Answer one request, and tell what came of it."""
        in_gate = self.gate_occupied
        answer = super().control(request, now)
        if isinstance(request, dict) and answer["ok"]:
            do = str(request.get("do"))
            if do == "take_stack" and in_gate:
                self._taken_to(str(request["to"]))
            if do == "fault" and request["kind"] in _TAMPERING:
                self.tampered = True
            if do == "fault" and request["kind"] == "unexpected_card":
                self.slid_at = now
            if do == "new_deck":
                self.tampered = False
            self.on_hands(do)
        return answer

    def _taken_to(self, place: str) -> None:
        self.count()
        for feed in reversed(self.feeds):
            if feed.place is not None:
                return
            if feed.moved:
                feed.place = place

    def faces_up(self) -> list[tuple[str, str]]:
        """Return place and face of every card that lies face up on the table."""
        places = self._table.state.places
        return [(place, one.card.spelled) for place in PLACES for one in places[place] if one.face_up]

    def lying(self, place: str) -> list[str]:
        """Return every card at a place, face up or down, in the order in which it came there."""
        return [one.card.spelled for one in self._table.cards(place)]


_TAMPERING = frozenset(
    ("missing_card", "duplicate_card", "foreign_card", "extra_card", "joker", "unreadable_card", "face_up_in_deck")
)
