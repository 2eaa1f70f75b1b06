"""One world: the shoe, the table reader, the table that they share, and the dealer's hands. Sans-IO.

Owns how the rooms are joined, the beginning of a world, and its state over restarts. Bytes and `now` come in, bytes and
deadlines come out; `now` is monotonic, in seconds. Mechanical times are divided by `speed`, link times never.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from cardshoe.sim import control
from cardshoe.sim import mutations as mutation_list
from cardshoe.sim.agenda import Agenda, Timers
from cardshoe.sim.boxes import device_box
from cardshoe.sim.codes import Capability
from cardshoe.sim.deck import stream
from cardshoe.sim.errors import Impossible, SimError
from cardshoe.sim.faults import FaultBook, parse
from cardshoe.sim.hands import Hands
from cardshoe.sim.line import Line
from cardshoe.sim.link import DeviceLink
from cardshoe.sim.mechanism import Mechanism
from cardshoe.sim.mishaps import Mishaps
from cardshoe.sim.nvram import Store
from cardshoe.sim.power import BootCause, Box
from cardshoe.sim.reader import Reader
from cardshoe.sim.remains import load
from cardshoe.sim.shoe import Shoe, Surroundings
from cardshoe.sim.sleights import Sleights
from cardshoe.sim.table import Table
from cardshoe.sim.truth import Truth

PLAIN_SHOE: Final = 31  # shuffles, reads identities, counts the deck, senses cover card and stub (SHOE-1.1)
SHOE_CAN: Final = {one.name.lower(): int(one) for one in Capability}
COMMITTING: Final = frozenset({"commits", "reveals", "envelopes"})
READER_CAPABILITIES: Final = 7
MID_FEED_S: Final = 0.3


def checked_capabilities(names: Iterable[str]) -> frozenset[str]:
    """Return the names as a set. Raises SimError when one is unknown, or one needs `commits` and it is not there."""
    chosen = frozenset(names)
    unknown = sorted(chosen - set(SHOE_CAN))
    if unknown:
        raise SimError(f"a shoe cannot be made to {', '.join(unknown)}; it may: {', '.join(SHOE_CAN)}")
    if chosen & {"reveals", "envelopes"} and "commits" not in chosen:
        raise SimError("a shoe reveals and seals envelopes only when it commits: add commits")
    return chosen


def _add_first_faults(book: FaultBook, faults: Iterable[Mapping[str, object]]) -> None:
    for number, fault in enumerate(faults, start=1):
        try:
            book.add(parse(fault))
        except Impossible as refusal:
            raise SimError(f"fault {number}: {refusal}") from refusal


class World:
    """See the module. Raises SimError when the arguments cannot be used."""

    hands: Hands
    mishaps: Mishaps
    faults: FaultBook
    sleights: Sleights

    def __init__(
        self,
        *,
        seed: int | None,
        speed: float = 1.0,
        faults: Iterable[Mapping[str, object]] = (),
        state_dir: Path | None = None,
        mutations: frozenset[str] = frozenset(),
        shoe_can: frozenset[str] = COMMITTING,
        auditor: bytes | None = None,
        now: float = 0.0,
    ) -> None:
        """`auditor`: the public key that the shoe's last pairing left in it (SHOE-9.10)."""
        self._shoe_capabilities = PLAIN_SHOE + sum(SHOE_CAN[name] for name in checked_capabilities(shoe_can))
        if not (math.isfinite(speed) and speed > 0):
            raise SimError(f"speed is {speed}, wanted is a number above 0")
        self._mutations = mutation_list.checked(mutations)
        self._seed = seed
        self._speed = speed
        self._agenda = Agenda(now)
        self._store = Store(state_dir)
        with ExitStack() as undo:
            undo.callback(self._store.close)
            self._remains = load(self._store, seed)
            if auditor is not None:
                self._remains.keys["shoe"].auditor = auditor
            self._starts = self._remains.shoe.link.boot_counter
            self._join()
            _add_first_faults(self.faults, faults)
            self._begin()
            undo.pop_all()

    def _source(self, name: str) -> random.Random:
        return stream(self._seed, name, self._starts)

    def _join(self) -> None:
        remains = self._remains
        self._truth = remains.truth
        self._commands_before = self._truth.commands_seen
        wall = Timers(self._agenda, speed=self._speed)
        self._shuffles, self._rounds = self._source("shuffle"), self._source("rounds")
        self._mechanism = Mechanism(
            timers=wall, rng=self._source("mechanism"), truth=self._truth, store=self._store, state=remains.machine
        )
        self._table = Table(remains.table, self._store)
        self._shoe_box = self._make_box("shoe", self._shoe_capabilities, self._make_shoe, self._halt_shoe)
        self._reader_box = self._make_box("reader", READER_CAPABILITIES, self._make_reader, self._halt_reader)
        self._boxes = {"shoe": self._shoe_box, "reader": self._reader_box}
        self._lines = {
            port: Line(agenda=self._agenda, rng=self._source(f"line {port}"), to_device=box.receive)
            for port, box in self._boxes.items()
        }
        self._shoe: Shoe | None = None
        self._reader: Reader | None = None
        self.hands = Hands(
            table=self._table, mechanism=self._mechanism, truth=self._truth, shuffle_source=lambda: self._shuffles
        )
        self.mishaps = self._make_mishaps()
        self.faults = FaultBook(
            rng=self._source("faults"),
            happen=self.mishaps.happen,
            later=self._later,
            mid_feed_s=MID_FEED_S / self._speed,
        )
        self._mechanism.effects_of = self.faults.effects
        self.sleights = Sleights(table=self._table, rng=self._source("sleights"), new_uid=self._new_uid)

    def _make_box(self, device: str, capabilities: int, make: Callable[..., Any], halt: Callable[[], None]) -> Box:
        return device_box(
            device,
            capabilities=capabilities,
            remains=self._remains,
            agenda=self._agenda,
            speed=self._speed,
            store=self._store,
            source=self._source,
            send=lambda unit: self.line(device).from_device(unit),
            mutations=self._mutations,
            make=make,
            halt=halt,
        )

    def _make_mishaps(self) -> Mishaps:
        return Mishaps(
            mechanism=self._mechanism,
            table=self._table,
            hands=self.hands,
            shoe_box=self._shoe_box,
            reader_box=self._reader_box,
            shoe=lambda: self._shoe,
            reader=lambda: self._reader,
            reader_causes=self._remains.reader_causes,
            changed_firmware=self._remains.changed_firmware,
            shoe_line=self._lines["shoe"],
            rng=self._source("tamper"),
            store=self._store,
            later=self._later,
            new_uid=self._new_uid,
        )

    def _make_shoe(self, link: DeviceLink, timers: Timers) -> Shoe:
        self._truth.boots += 1
        surroundings = Surroundings(
            speed=self._speed,
            mutations=self._mutations,
            shuffle_source=lambda: self._shuffles,
            cut_at=self.faults.cut,
            exit_fault=self.faults.exit_reading,
            commits_wrongly=self.faults.commits_wrongly,
            secret=lambda: self._rounds.randbytes(32),
            capabilities=self._shoe_capabilities,
            serial=self._remains.serials["shoe"],
            stack_accepted=self.faults.stack_accepted,
        )
        self._shoe = Shoe(
            link=link,
            memory=self._remains.shoe,
            mechanism=self._mechanism,
            timers=timers,
            store=self._store,
            surroundings=surroundings,
            started=self._remains.fresh,
        )
        return self._shoe

    def _make_reader(self, link: DeviceLink, timers: Timers) -> Reader:
        self._truth.reader_boots += 1
        self._reader = Reader(
            link=link,
            memory=self._remains.reader,
            table=self._table,
            timers=timers,
            store=self._store,
            mutations=self._mutations,
            misread=self.faults.misreading,
            causes=self._remains.reader_causes,
            started=self._remains.fresh,
        )
        return self._reader

    def _halt_shoe(self) -> None:
        self._mechanism.signals.listener = None
        self._mechanism.stop()
        self._mechanism.end_run()
        self._shoe = None

    def _halt_reader(self) -> None:
        self._table.listener = lambda _: None
        self._reader = None

    def _begin(self) -> None:
        for box in self._boxes.values():
            box.power_on(BootCause.POWER_ON)
        self._remains.fresh = False
        self._flush()

    def _new_uid(self) -> int:
        self._remains.next_uid += 1
        return self._remains.next_uid - 1

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        self._agenda.call_at(self._agenda.now + seconds, lambda _: act())

    # --- bytes and time

    def receive(self, port: str, data: bytes, now: float) -> None:
        """Take bytes that the other side put on a port's line."""
        self._agenda.run_until(now)
        self._lines[port].from_host(data)
        self._agenda.run_until(now)
        self._flush()

    def advance(self, now: float) -> None:
        """Let happen what is due by `now`."""
        self._agenda.run_until(now)
        self._flush()

    def next_deadline(self) -> float | None:
        """Return when something will happen by itself, None when nothing will."""
        return self._agenda.next_deadline()

    def take_output(self, port: str) -> bytes:
        """Return the bytes that have come out of a port since the last call."""
        return self._lines[port].take()

    def line_opened(self, port: str, now: float) -> None:
        """The other side opened the port: it means nothing to the device (LINK-1.4), and is counted."""
        self._agenda.run_until(now)
        if port == "shoe":
            self._truth.opens += 1
        else:
            self._truth.reader_opens += 1
        self._store.touch()
        self._flush()

    def plugged(self, port: str) -> bool:
        """Tell whether the port's plug is in."""
        return self._lines[port].plugged

    def control(self, request: object, now: float) -> dict[str, object]:
        """Answer one request of the control socket."""
        self._agenda.run_until(now)
        answer = control.answer(self, request)
        self._agenda.run_until(now)
        self._store.touch()
        self._flush()
        return answer

    def close(self) -> None:
        """Write what must be remembered and give the state directory back."""
        self._store.touch()
        self._flush()
        self._store.close()

    def _flush(self) -> None:
        self._store.flush(self._snapshot)

    def _snapshot(self) -> dict[str, Any]:
        self.counted()
        return self._remains.snapshot()

    def counted(self) -> Truth:
        """Return the counters of what physically happened."""
        self._truth.commands_seen = self._commands_before + self._shoe_box.commands_seen
        return self._truth

    def box(self, device: str) -> Box:
        """Return the box of "shoe" or "reader"."""
        return self._boxes[device]

    def line(self, port: str) -> Line:
        """Return the line of "shoe" or "reader"."""
        return self._lines[port]

    def busy(self, device: str) -> bool:
        """Tell whether a device carries out a command that moves cards."""
        return device == "shoe" and self._shoe is not None and self._shoe.run is not None

    def every_card(self) -> dict[str, list[str]]:
        """Return each card by place, faces included: for checkers only."""
        return {place: [one.card.spelled for one in cards] for place, cards in self._remains.every_card().items()}
