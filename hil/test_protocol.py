"""Who the devices are, and whether they keep their protocol."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest

from bench_book import Book
from bench_session import Session
from bench_station import Station
from cardshoe.devices.reader_events import ReaderCountersRead
from cardshoe.devices.shoe_events import DoorClosed, DoorOpened, ShoeCountersRead
from cardshoe.lab.conform import makers
from cardshoe.lab.conform.asking import Asking, choose
from cardshoe.lab.conform.items import Begins, Item
from cardshoe.lab.conform.verdicts import Verdict, judge, limits

QUICK_S = 0.5
KINDS = [pytest.param(kind, marks=pytest.mark.needs(kind)) for kind in ("shoe", "reader")]


@pytest.mark.proves("LINK-5.2", "LINK-5.3", "LINK-5.10", "LINK-7.2")
@pytest.mark.parametrize("kind", KINDS)
def test_who_it_is(station: Station, kind: str) -> None:
    """It says who it is, speaks this suite's protocol, and is the device of the bench file."""
    unit = station.units[kind]
    assert unit.device.kind == kind
    assert unit.device.spec_hash == makers.spec_hash(kind)
    assert unit.serial in (None, unit.device.serial), f"the bench file names {unit.serial}"
    assert unit.device.model
    assert unit.device.ring_size >= 16
    assert station.session(kind).identity.boot_counter >= 1


@pytest.mark.proves("LINK-12.1", "LINK-12.2")
@pytest.mark.parametrize("kind", KINDS)
def test_its_firmware_is_measured(station: Station, kind: str) -> None:
    """In a sealed session it signs a measurement of its firmware under the key that was stored at pairing."""
    station.session(kind)
    told = station.units[kind].measured
    if told.measurement is None and station.units[kind].keys is None:
        pytest.skip(told.text)
    assert told.measurement is not None, told.text


@pytest.mark.proves("LINK-4.2")
@pytest.mark.parametrize("kind", KINDS)
def test_times_of_answers(station: Station, kind: str, measure: Callable[..., None]) -> None:
    """Commands and heartbeats are answered in time, as the product's driver sees it."""
    session, slack = station.session(kind), station.plan.file.limits.slack_ms
    answers = []
    for _ in range(40):
        begun = station.units[kind].line.now()
        session.ask(session.driver.read_counters, ShoeCountersRead, ReaderCountersRead)
        answers.append(1000 * (station.units[kind].line.now() - begun))
    session.run(1.2)
    measure("reply to READ_COUNTERS", answers, "ms", most=100.0 + slack, clause="LINK-4.2", device=kind)
    beats = session.round_trips_ms[-5:]
    measure("STATUS to a heartbeat", beats, "ms", most=100.0 + slack, clause="LINK-6.1", device=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_the_protocol_is_kept(
    station: Station, kind: str, pytestconfig: pytest.Config, book: Book, measure: Callable[..., None]
) -> None:
    """Frames, streams and dialogues of the vectors: no clause is broken."""
    size = pytestconfig.getoption("--conform")
    if size == "none":
        pytest.skip("left out with --conform none")
    if station.units[kind].keys is not None:
        pytest.skip("paired, it serves sealed sessions only; the dialogues are of clear ones: ask before it is paired")
    station.drop_all()
    unit, rig = station.units[kind], station.plan.file.limits
    asking = Asking(
        kind,
        unit.line,
        station.hands,
        lambda: secrets.token_bytes(16),
        slack_ms=rig.slack_ms,
        starts_s=rig.starts_s,
        able=unit.device.capabilities,
    )
    chosen = [item for item in choose(kind, ()) if size == "all" or _quick(item)]
    if not station.plan.motion:
        chosen = [item for item in chosen if not item.moves]
    answers = list(asking.ask(chosen))
    book.told[kind] = judge(kind, answers)
    for limit in limits(asking.times, slack_ms=rig.slack_ms):
        if limit.values_ms:
            values = list(limit.values_ms)
            measure(f"{limit.name}, in dialogues", values, "ms", clause=limit.clause, device=kind)
    broken = [f"{told.clause}: {told.came}" for told in book.told[kind] if told.verdict is Verdict.BROKEN]
    assert broken == []


def _quick(item: Item) -> bool:
    return not item.moves and item.begins in (Begins.ANYWHERE, Begins.READY) and item.seconds <= QUICK_S


@pytest.mark.needs("shoe", hands=("open_door", "close_door"))
@pytest.mark.proves("LINK-7.3", "SHOE-7.1")
def test_an_event_is_told_at_once(shoe: Session, station: Station, measure: Callable[..., None]) -> None:
    """The door's opening is told at once, with the next id."""
    delays, ids = [], []
    for _ in range(3):
        for act, kind in (("open_door", DoorOpened), ("close_door", DoorClosed)):
            shoe.mark()
            acted = station.units["shoe"].line.now()
            station.act(act)
            ids.append(shoe.wait(kind, within_s=1.0).event_id)
            delays.append(1000 * (station.units["shoe"].line.now() - acted))
    assert ids == list(range(ids[0], ids[0] + 6))
    measure("door to its event, the act included", delays, "ms", clause="LINK-7.3")
