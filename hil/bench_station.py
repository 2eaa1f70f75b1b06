"""The bench: its devices, who acts at them, what may be done, and whether it can still be trusted.

Owns the ports, the sessions, the budget of cards, the safe state, and the broken bench: once something is not as it
was left, nothing more is run on it. The simulated devices are a process of their own behind ptys, as real ones are
behind their ports; nothing after `Station.open` asks which it is.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from bench_attestation import BenchKeys, Measured, unmeasured
from bench_session import BEAT_S, Session, Surprise
from cardshoe.devices.shoe_events import (
    ClearFaultAnswered,
    CommandAccepted,
    CommandRefused,
    DeckRejected,
    DeckVerified,
    InhibitAnswered,
    StackReady,
    StackTaken,
)
from cardshoe.devices.shoe_terms import DeckState, Mode, ShoeFlag, ShoeState
from cardshoe.lab.conform.asking import Device, who_answers
from cardshoe.lab.conform.hands import AskedHands, ControlHands, Hands, NoHands, ProgramHands
from cardshoe.lab.conform.line import PortLine
from cardshoe.lab.conform.rig import BenchFile, hands_of
from cardshoe.lab.conform.watching import Watched
from cardshoe.lab.world_process import WorldOrder, WorldProcess
from cardshoe.table.keystore import KeyStore

PREPARE_S = 95.0
CARD_S = 3.0
SETTLES_S = 5.0
UNSAFE = ShoeFlag.DOOR_OPEN | ShoeFlag.GATE_OCCUPIED | ShoeFlag.INHIBITED


@dataclass
class Plan:
    """What the command line allows."""

    urls: dict[str, str | None]
    file: BenchFile
    motion: bool
    destructive: bool
    sim_speed: float
    sim_seed: int
    ask: Callable[[str], str] = input

    @property
    def simulated(self) -> bool:
        """Whether the devices are simulated ones: neither URL is given."""
        return not any(self.urls.values())


@dataclass
class Unit:
    """One device of the bench."""

    device: Device
    line: PortLine
    watched: Watched
    serial: str | None
    measured: Measured
    keys: BenchKeys | None = None
    session: Session | None = None
    consumed: int | None = None


@dataclass
class Station:
    """The bench while it is open."""

    plan: Plan
    hands: Hands
    units: dict[str, Unit] = field(default_factory=dict)
    world: WorldProcess | None = None
    broken: str | None = None
    cards_fed: int = 0

    @classmethod
    def open(cls, plan: Plan) -> Station:
        """Start the simulated devices or open the real ones, and ask each who it is."""
        world, urls, hands = None, dict(plan.urls), hands_of(plan.file.hands, plan.ask)
        if plan.simulated:
            world = WorldProcess(WorldOrder(line="pty", seed=plan.sim_seed, speed=plan.sim_speed))
            told = asyncio.run(world.ready())
            urls = {"shoe": told.shoe_url, "reader": told.reader_url}
            hands = ControlHands(told.control)
        station = cls(plan, hands, world=world)
        try:
            for kind, url in urls.items():
                if url is not None:
                    station.units[kind] = _unit(kind, url, hands, plan.file)
                    if station.units[kind].keys is not None:
                        station.session(kind)  # so that the report has its measurement whatever is run
        except BaseException:
            station.close()
            raise
        return station

    def close(self) -> None:
        """Give everything back."""
        for unit in self.units.values():
            unit.line.close()
        if self.world is not None:
            self.world.close()

    # --- what is there

    def has_hands(self, act: str) -> bool:
        """Whether an act, such as `take_stack` or `fault jam`, can be done here."""
        do, _, kind = act.partition(" ")
        return self.hands.can({"do": do} | ({"kind": kind} if kind else {}))

    @property
    def who_acts(self) -> str:
        """Who acts at the device, for people."""
        names = {ControlHands: "control socket", AskedHands: "a person", NoHands: "nobody"}
        return "programs" if isinstance(self.hands, ProgramHands) else names.get(type(self.hands), "somebody")

    def act(self, do: str, **keys: Any) -> dict[str, Any]:
        """Act at the device; fails when it cannot be done there now."""
        answer = self.tried({"do": do} | keys)
        assert answer.get("ok"), f"{do} could not be done: {answer.get('text')}"
        return answer

    def tried(self, request: dict[str, Any]) -> dict[str, Any]:
        """Act, or hear why not. A person takes minutes: meanwhile the sessions are kept up."""
        with ThreadPoolExecutor(max_workers=1) as aside:
            acting = aside.submit(self.hands.act, request)
            while not acting.done():
                live = self._live()
                for session in live:
                    session.pump(time.monotonic() + BEAT_S / 10)
                if not live:
                    wait([acting], timeout=BEAT_S)
            return acting.result()

    # --- sessions

    def session(self, kind: str) -> Session:
        """Return the open session with a device, begun anew where none lasts."""
        unit = self.units[kind]
        if unit.session is None or not unit.session.live:
            self.drop(kind)
            unit.session = Session(
                kind, unit.line, unit.watched, serial=unit.serial, consumed=unit.consumed, keys=unit.keys
            )
            unit.session.others = lambda: self._live(kind)
            unit.session.open()
            _same_firmware(kind, unit, unit.session.measured)
        return unit.session

    def _live(self, without: str = "") -> list[Session]:
        units = [unit for kind, unit in self.units.items() if kind != without]
        return [unit.session for unit in units if unit.session is not None and unit.session.live]

    def drop(self, kind: str) -> None:
        """End the session, so that another host may use the port."""
        unit = self.units[kind]
        if unit.session is not None:
            unit.consumed = unit.session.consumed
            if unit.session.live:
                unit.session.close()
            unit.session = None

    def drop_all(self) -> None:
        """End all sessions, because another host comes: what it consumes is not missed afterwards."""
        for kind, unit in self.units.items():
            self.drop(kind)
            unit.consumed = None

    # --- the shoe

    def command_id(self) -> int:
        """Return an id above every one that the shoe has accepted."""
        return int(self.session("shoe").state().last_command) + 1

    def dispense(self, cards: int, *, to: int = 1) -> tuple[StackReady, float]:
        """Feed a stack; return its event and the seconds from the order to it."""
        shoe, id_ = self.session("shoe"), self.command_id()
        deck = shoe.status.deck_id
        shoe.mark()
        begun = self.units["shoe"].line.now()
        self.cards_fed += cards
        shoe.do(shoe.driver.dispense, command_id=id_, deck_id=deck, cards=cards, destination=to)
        answer = shoe.wait(CommandAccepted, CommandRefused, within_s=3)
        assert isinstance(answer, CommandAccepted), answer
        ready = shoe.wait(StackReady, within_s=cards * CARD_S + 1, that=lambda e: e.command_id == id_)
        return ready, self.units["shoe"].line.now() - begun

    def take(self, to: str = "1") -> tuple[int, StackTaken]:
        """Take the stack out of the gate; return how many cards it was and what the shoe says."""
        shoe = self.session("shoe")
        cards = self.act("take_stack", to=to)["cards"]
        return cards, shoe.wait(StackTaken, within_s=3)

    def prepare(self) -> DeckVerified | DeckRejected:
        """Have the deck in the magazine shuffled and verified."""
        shoe, id_ = self.session("shoe"), self.command_id()
        shoe.mark()
        shoe.do(shoe.driver.prepare_deck, command_id=id_)
        answer = shoe.wait(CommandAccepted, CommandRefused, within_s=3)
        assert isinstance(answer, CommandAccepted), answer
        came: DeckVerified | DeckRejected = shoe.wait(DeckVerified, DeckRejected, within_s=PREPARE_S)
        return came

    def fresh_deck(self, *, at_least: int = 1) -> int:
        """See that a verified deck with cards enough lies in the shoe; return its id."""
        status = self.session("shoe").state()
        if status.deck_state is not DeckState.VERIFIED or (status.cards_left or 0) < at_least:
            self.act("new_deck")
            self.act("load_deck")
            self.session("shoe").run(0.3)
            assert isinstance(self.prepare(), DeckVerified)
            status = self.session("shoe").state()
        return int(status.deck_id)

    # --- safety

    def unsafe(self, within_s: float = SETTLES_S) -> str:
        """Return what is not as it must be between two tests, empty when nothing; wait so long for what passes."""
        if "shoe" not in self.units:
            return ""
        status = self.session("shoe").settle(_safe, within_s)
        wrong = {
            f"state {status.state.name.lower()}": status.state is not ShoeState.IDLE,
            f"flags {status.flags!r}": bool(status.flags & UNSAFE),
            f"mode {status.mode.name.lower()}": status.mode is not Mode.DEAL,
            f"fault {status.fault.name if status.fault else ''}": status.fault is not None,
        }
        return ", ".join(text for text, applies in wrong.items() if applies)

    def made_safe(self, passes_s: float) -> str:
        """See the safe state, or bring it about; return what is still wrong."""
        if not self.unsafe(passes_s):
            return ""
        self.tidy()
        return self.unsafe()

    def tidy(self) -> None:
        """Bring the shoe to its safe state by hand; what cannot be done is left."""
        if "shoe" not in self.units:
            return
        shoe = self.session("shoe")
        status = shoe.state()
        if status.flags & ShoeFlag.GATE_OCCUPIED and self.has_hands("take_stack"):
            self.tried({"do": "take_stack", "to": "1"})
        if status.flags & ShoeFlag.DOOR_OPEN and self.has_hands("close_door"):
            self.tried({"do": "close_door"})
        if status.mode is not Mode.DEAL and self.has_hands("switch_mode"):
            self.tried({"do": "switch_mode", "mode": "deal"})
        if status.flags & ShoeFlag.INHIBITED:
            shoe.ask(shoe.driver.set_inhibit, InhibitAnswered, inhibited=False)
        for button in ("clear_jam", "service"):
            fault = shoe.state().fault
            if fault is not None and self.has_hands("press"):
                self.tried({"do": "press", "button": button})
                shoe.run(0.3)
                shoe.ask(shoe.driver.clear_fault, ClearFaultAnswered, fault=fault)
        shoe.run(0.2)

    def break_(self, why: str) -> None:
        """Trust this bench no more: whatever still moves is inhibited, the rest of the run is skipped."""
        self.broken = self.broken or why
        shoe = self.units.get("shoe")
        if shoe is not None and shoe.session is not None and shoe.session.live:
            try:
                shoe.session.do(shoe.session.driver.set_inhibit, inhibited=True)
                shoe.session.run(0.3)
            except (Surprise, AssertionError) as also:
                self.broken += f"; and the shoe could not be inhibited: {also}"


def _safe(status: Any) -> bool:
    idle = status.state is ShoeState.IDLE and status.mode is Mode.DEAL and status.fault is None
    return bool(idle and not status.flags & UNSAFE)


def _unit(kind: str, url: str, hands: Hands, file: BenchFile) -> Unit:
    named = file.shoe if kind == "shoe" else file.reader
    serial = named.serial if named else None
    keys = BenchKeys(kind, KeyStore(named.keys), serial) if named and named.keys else None
    line = PortLine(url)
    try:
        device = who_answers(line, lambda: secrets.token_bytes(16))
        watched = Watched(kind, line, hands)
        measured = Measured(None, "it was not asked yet") if keys else unmeasured(kind, watched)
    except BaseException:
        line.close()
        raise
    return Unit(device, line, watched, serial, measured, keys)


def _same_firmware(kind: str, unit: Unit, now: Measured | None) -> None:
    """Keep what the first session showed; another firmware later breaks the bench."""
    if now is None:
        return
    if unit.measured.measurement not in (None, now.measurement):
        raise Surprise(f"the {kind} ran another firmware before: {unit.measured.text}; now: {now.text}")
    unit.measured = now
