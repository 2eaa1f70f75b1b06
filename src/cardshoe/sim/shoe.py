"""Firmware of the shoe: what it is doing, what it tells, and who does what in it.

Owns SHOE-2, SHOE-5.1, SHOE-5.2. Commands are judged in `orders`, carried out in `feed` and `prepare`; sensors are in
`senses`, faults in `alarms`, a start in `starting`. Must not look at cards except through sensors.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from cardshoe.sim import starting
from cardshoe.sim.agenda import Timers
from cardshoe.sim.alarms import Alarms
from cardshoe.sim.codes import Cause, DeckState, Flag, State
from cardshoe.sim.exit_reader import seen_face
from cardshoe.sim.feed import FeedRun
from cardshoe.sim.link import DeviceLink, Reply
from cardshoe.sim.mechanism import Mechanism
from cardshoe.sim.messages import Value
from cardshoe.sim.nvram import UNKNOWN, CommandRecord, ShoeMemory, Store
from cardshoe.sim.orders import MOTION, ORDERS
from cardshoe.sim.power import BootCause, CutPlan, PowerCut
from cardshoe.sim.prepare import Preparation
from cardshoe.sim.rounds import Rounds
from cardshoe.sim.senses import STILL_MS, Senses

# As plain numbers: a heartbeat asks for all of them.
_DOOR_OPEN, _GATE_OCCUPIED, _INHIBITED = int(Flag.DOOR_OPEN), int(Flag.GATE_OCCUPIED), int(Flag.INHIBITED)
_DECK_PRESENT, _COVER_CARD_INSIDE = int(Flag.DECK_PRESENT), int(Flag.COVER_CARD_INSIDE)
_LEASE_VALID, _RING_FULL = int(Flag.LEASE_VALID), int(Flag.RING_FULL)
START_MS: Final = 500.0
SLOW_FEEDS: Final = 5  # so many retries since the start, and the shoe asks for service


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the world gives the firmware besides its link: where power cuts come from, randomness, who listens."""

    speed: float
    mutations: frozenset[str]
    shuffle_source: Callable[[], random.Random]
    cut_at: Callable[[str, int], CutPlan | None]
    exit_fault: Callable[[int], int]
    commits_wrongly: Callable[[], bool]
    secret: Callable[[], bytes]
    capabilities: int
    serial: str
    stack_accepted: Callable[[], None]


class Shoe:
    """One start of the shoe's firmware."""

    def __init__(
        self,
        *,
        link: DeviceLink,
        memory: ShoeMemory,
        mechanism: Mechanism,
        timers: Timers,
        store: Store,
        surroundings: Surroundings,
        started: bool = False,
    ) -> None:
        self.link = link
        self.memory = memory
        self.mechanism = mechanism
        self.timers = timers
        self.store = store
        self._around = surroundings
        self.speed = surroundings.speed
        self.run: FeedRun | Preparation | None = None
        self.inhibited = False
        self._starting = not started
        self._retries = 0
        self._resumable: FeedRun | None = None
        self._slot_before = 0
        self.alarms = Alarms(self)
        self.senses = Senses(self)
        self.rounds = Rounds(
            self, capabilities=surroundings.capabilities, serial=surroundings.serial, secret=surroundings.secret
        )

    # --- for the link

    def boot(self, cause: BootCause) -> None:
        """Look where cards lie, report, and be ready a little later (SHOE-8.5)."""
        self.mechanism.signals.listener = self.senses.on_edge
        starting.look_around(self, cause)
        self.timers.after(START_MS, lambda _: self._started())

    def _started(self) -> None:
        self._starting = False

    @property
    def starting(self) -> bool:
        """Tell whether the shoe is still starting."""
        return self._starting

    def holds_live_deck(self) -> bool:
        """A verified deck keeps service sessions out (LINK-5.8)."""
        return self.memory.deck_state == DeckState.VERIFIED

    def knows(self, name: str) -> bool:
        """The commands of rounds are those of a shoe that commits (SHOE-9)."""
        return self.rounds.knows(name)

    def allowed(self, name: str, *, service: bool) -> bool:
        """Cards are dealt and decks verified in a deal session only (LINK-4.8)."""
        return not (service and name in MOTION)

    def command(self, name: str, values: Mapping[str, Value]) -> Reply | int:
        """Carry out a command."""
        return ORDERS[name](self, values)

    def lease_lost(self) -> None:
        """The lease ran out: what moves stops at the next safe point (SHOE-5.2)."""
        if self.run is None or self.broken("LINK-6.4"):
            return
        self.report("LEASE_LOST", running_command=self.run.command_id)
        self.run.stop(Cause.LEASE)

    def lease_renewed(self) -> None:
        """A heartbeat came. Nothing goes on by itself (SHOE-4.6), unless this shoe is made to."""
        run, self._resumable = self._resumable, None
        if run is not None and self.run is None:
            self.run = FeedRun(self, run.record, deck_id=run.deck_id, first=run.count)
            self.run.begin()

    def set_inhibited(self, wanted: bool) -> None:
        """Stop motion and refuse further motion, or allow it again (SHOE-5.1)."""
        self.inhibited = wanted
        if wanted and self.run is not None and not self.broken("SHOE-5.1"):
            self.run.stop(Cause.INHIBIT)

    # --- status

    def status(self) -> dict[str, Value]:
        """Return the shoe's part of STATUS (SHOE-2)."""
        memory = self.memory
        round_id, round_state = self.rounds.status()
        return {
            "mode": self.mechanism.state.mode,
            "state": self._state(),
            "flags": self._flags(),
            "deck_state": memory.deck_state,
            "deck_id": memory.deck_id,
            "cards_left": self._cards_left(),
            "gate_cards": memory.gate_cards,
            "running_command": self.run.command_id if self.run is not None else 0,
            "last_command": memory.last_command,
            "fault": self.alarms.oldest,
            "stacks_total": memory.stacks_total,
            "cards_total": memory.cards_total,
            "round_id": round_id,
            "round_state": round_state,
        }

    def _state(self) -> State:
        if self._starting:
            return State.STARTING
        if self.alarms.faulted:
            return State.FAULTED
        if self.run is not None:
            return State.FEEDING if isinstance(self.run, FeedRun) else State.PREPARING
        return State.STACK_AT_GATE if self.senses.gate_occupied else State.IDLE

    def _flags(self) -> int:
        mechanism, link = self.mechanism, self.link
        return (
            _DOOR_OPEN * mechanism.state.door_open
            + _GATE_OCCUPIED * self.senses.gate_occupied
            + _INHIBITED * self.inhibited
            + _DECK_PRESENT * mechanism.covered("magazine")
            + _COVER_CARD_INSIDE * (mechanism.covers_inside > 0)
            + _LEASE_VALID * link.lease_valid
            + _RING_FULL * link.events.full
        )

    def _cards_left(self) -> int:
        memory = self.memory
        if memory.deck_state == DeckState.VERIFIED:
            return memory.deck_cards - memory.passed
        return UNKNOWN if self.mechanism.covered("magazine") else 0

    def known_left(self) -> int:
        """Cards that the shoe knows to be in the magazine, FF when it does not know (SHOE-7.1)."""
        if not self.mechanism.covered("magazine") and not self.mechanism.covered("entry"):
            return 0
        return self.memory.deck_cards - self.memory.passed if self.memory.left_known else UNKNOWN

    def void_deck(self) -> None:
        """A verified deck of which cards remain is void now (SHOE-6.6)."""
        if self.memory.deck_state == DeckState.VERIFIED:
            self.memory.deck_state = DeckState.VOID
            self.store.touch()

    def count_lost(self) -> None:
        """A card left that has no slot: no later slot of the deck would be right (SHOE-4.4, SHOE-6.6)."""
        self.memory.gate_cards = UNKNOWN
        self.memory.left_known = False
        if isinstance(self.run, FeedRun):
            self.run.count_lost()
        self.void_deck()
        self.store.touch()

    # --- for the parts

    def report(self, event: str, **values: Value) -> None:
        """Put an event into the ring and on the line."""
        self.link.raise_event(event, values)

    def report_before_cut(self, event: str, values: Mapping[str, Value], point: str) -> None:
        """Report, unless the power goes between memory and line. Raises PowerCut when it does."""
        plan = self._around.cut_at(point, 0)
        self.link.raise_event(event, values, unsent=plan is not None)
        if plan is not None:
            raise PowerCut(plan)

    def point(self, name: str, card: int) -> None:
        """A place where the power may go. Raises PowerCut when it does."""
        plan = self._around.cut_at(name, card)
        if plan is not None:
            raise PowerCut(plan)

    def broken(self, clause: str) -> bool:
        """Tell whether this shoe breaks a clause on purpose."""
        return clause in self._around.mutations

    def shuffle_source(self) -> random.Random:
        """Return the randomness for one shuffle."""
        return self._around.shuffle_source()

    def stack_accepted(self) -> None:
        """Tell the world that a stack begins."""
        self._around.stack_accepted()

    def read_at_exit(self) -> int:
        """Return the face that the exit reader saw pass last; it stays inside."""
        return self._around.exit_fault(seen_face(self.mechanism.passed_exit()))

    def commits_wrongly(self) -> bool:
        """Tell whether the next commitment is to be a wrong one."""
        return self._around.commits_wrongly()

    def slow_feed(self) -> None:
        """A card needed a second try (devices wear, cards stick)."""
        self._retries += 1
        if self._retries == SLOW_FEEDS:
            self.alarms.raise_fault("feed_slow")

    def run_ended(self, record: CommandRecord) -> None:
        """The running command has come to its one ending."""
        memory = self.memory
        memory.keep(record)
        memory.last_command = max(memory.last_command, record.command_id)
        memory.running = 0
        self.run = None
        if record.kind == "dispense":
            in_exit = memory.card_in_sensor
            self.senses.late_card = in_exit
            if in_exit:
                memory.gate_cards, memory.gate_command = UNKNOWN, record.command_id
            self.timers.after(STILL_MS, lambda _: self.senses.settle_accounts())
        self.store.touch()

    def interrupted(self, run: FeedRun, cause: Cause) -> None:
        """A stack was interrupted: the shoe that breaks SHOE-4.6 means to go on with it."""
        if self.broken("SHOE-4.6") and cause is Cause.LEASE:
            self._resumable = run

    def as_reported(self, record: CommandRecord) -> tuple[int, int]:
        """Return cards and first slot as STACK_READY tells them (SHOE-4.4)."""
        cards, slot = record.cards_seen, record.first_slot
        if self.broken("SHOE-4.4"):
            if self.memory.stacks_total % 2:
                cards += 1
            else:
                slot = self._slot_before
        self._slot_before = record.first_slot
        return cards, slot
