"""The bench suite's own rules: options, needs, gates, the safe state, the broken bench, the evidence.

`pytest hil` runs on simulated devices; `--device`, `--reader` and `--bench` name real ones. What a test needs stands in
its marker, and what the devices and the bench file offer decides what runs. See README.md beside this file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench_book import Book, Measurement, Tried
from bench_evidence import CAPABILITIES, identity, write
from bench_session import Session, Surprise
from bench_station import Plan, Station, Unit
from cardshoe.errors import CardshoeError
from cardshoe.lab.conform.rig import BenchFile, BenchLimits, read_bench

BOOK = pytest.StashKey[Book]()
STATION = pytest.StashKey[Station]()
BEGUN = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bench", "the hardware bench")
    group.addoption("--device", metavar="URL", help="the shoe: serial:///dev/…, tcp://HOST:PORT, usb://VID:PID/SERIAL")
    group.addoption("--reader", metavar="URL", help="the table reader")
    group.addoption("--bench", metavar="FILE", help="bench file: devices, who acts, relays, limits")
    group.addoption(
        "--strict-needs", action="store_true", help="a test that lacks something fails instead of being skipped"
    )
    group.addoption("--allow-motion", action="store_true", help="real devices may move cards")
    group.addoption(
        "--allow-destructive", action="store_true", help="jams, power cuts and the like may be brought about"
    )
    group.addoption(
        "--conform", choices=["none", "quick", "all"], default="quick", help="how much of the protocol is asked"
    )
    group.addoption(
        "--evidence", metavar="DIR", help="write JUnit, the report and a manifest of hashes into this folder"
    )
    group.addoption("--evidence-key", metavar="FILE", help="Ed25519 key (PEM) that signs the manifest")
    group.addoption("--sim-speed", type=float, default=50.0, help="how many times faster simulated mechanisms move")
    group.addoption("--sim-seed", type=int, default=1, help="seed of the simulated world")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*what, hands=(), cards=0): what must be there, or the test is skipped")
    config.addinivalue_line("markers", "proves(*clauses): clauses of the protocol that the test shows")
    config.stash[BOOK] = Book()
    if config.getoption("--evidence-key") and not config.getoption("--evidence"):
        raise pytest.UsageError("--evidence-key signs the folder of --evidence: name one")
    if folder := config.getoption("--evidence"):
        if Path(folder).exists() and any(Path(folder).iterdir()):
            raise pytest.UsageError(f"--evidence {folder} is not empty: evidence of two runs is never mixed")
        Path(folder).mkdir(parents=True, exist_ok=True)
        config.option.xmlpath = str(Path(folder) / "junit.xml")


PASSES_S = 0.6
ORDER = ("test_protocol", "test_stacks", "test_reader", "test_trouble", "test_laboratory")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What costs least comes first; what the bench breaks over comes late."""
    items.sort(key=lambda item: ORDER.index(item.path.stem) if item.path.stem in ORDER else len(ORDER))


def _plan(config: pytest.Config) -> Plan:
    named = config.getoption("--bench")
    file = read_bench(Path(named)) if named else BenchFile()
    urls = {
        "shoe": config.getoption("--device") or (file.shoe.url if file.shoe else None),
        "reader": config.getoption("--reader") or (file.reader.url if file.reader else None),
    }
    simulated = not any(urls.values())
    if simulated and not named:  # a busy computer is no wrong device
        file = BenchFile(limits=BenchLimits(slack_ms=1000))
    return Plan(
        urls=urls,
        file=file,
        motion=simulated or config.getoption("--allow-motion"),
        destructive=simulated or config.getoption("--allow-destructive"),
        sim_speed=config.getoption("--sim-speed"),
        sim_seed=config.getoption("--sim-seed"),
        ask=_asking(config),
    )


def _asking(config: pytest.Config) -> Callable[[str], str]:
    def ask(text: str) -> str:
        capture = config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled():
            return input(f"\n\a>>> {text} [Enter: done, cannot] ")

    return ask


@pytest.fixture(scope="session")
def station(
    request: pytest.FixtureRequest, record_testsuite_property: Callable[[str, object], None]
) -> Iterator[Station]:
    """The bench, open for the whole run."""
    if getattr(request.config.option, "numprocesses", None):
        pytest.exit("one bench serves one run: leave -n out", returncode=2)
    try:
        opened = Station.open(_plan(request.config))
    except CardshoeError as error:
        pytest.exit(str(error), returncode=error.exit_status)
    request.config.stash[STATION] = opened
    for kind, unit in opened.units.items():
        for name, value in identity(kind, unit).items():
            record_testsuite_property(f"{kind} {name}", value)
    yield opened
    opened.close()


# --- what a test needs


def _lacks(station: Station, marker: pytest.Mark | None) -> Iterator[str]:
    """Say what a test needs and does not find here."""
    if marker is None:
        return
    for what in marker.args:
        if (lack := _lack(station, what)) is not None:
            yield lack
    for act in marker.kwargs.get("hands", ()):
        if not station.has_hands(act):
            yield f"nobody at the bench can do {act}"
    cards, budget = marker.kwargs.get("cards", 0), station.plan.file.limits.dispense_budget
    if station.cards_fed + cards > budget:
        yield f"the dispense budget of {budget} cards is spent ({station.cards_fed} fed, {cards} more wanted)"


def _lack(station: Station, what: str) -> str | None:
    kind, _, capability = what.partition(":")
    if what == "motion":
        return None if station.plan.motion else "it moves cards: allow it with --allow-motion"
    if what == "destructive":
        return None if station.plan.destructive else "it brings about a fault: allow it with --allow-destructive"
    if kind not in station.units:
        return f"no {kind} is on the bench"
    if capability and not _can(station.units[kind], kind, capability):
        return f"the {kind} has not the capability {capability.lower()}"
    return None


def _can(unit: Unit, kind: str, name: str) -> bool:
    return bool(CAPABILITIES[kind](unit.device.capabilities & 0x1FF) & CAPABILITIES[kind][name])


@pytest.fixture(autouse=True)
def bench_is_safe(request: pytest.FixtureRequest, station: Station) -> Iterator[None]:
    """Skip what lacks something; see the safe state before and after; break the bench when it cannot be had."""
    if station.broken:
        pytest.skip(f"the bench is broken: {station.broken}")
    lacks = list(_lacks(station, request.node.get_closest_marker("needs")))
    if lacks:
        tell = pytest.fail if request.config.getoption("--strict-needs") else pytest.skip
        tell("; ".join(lacks))
    _see_safe(station, "before")
    for unit in station.units.values():
        unit.watched.begin()
    try:
        yield
    finally:
        _keep_excerpts(request, station)
        if not station.broken:
            _see_safe(station, "after")


def _see_safe(station: Station, when: str) -> None:
    try:
        wrong = station.made_safe(PASSES_S)
    except (Surprise, CardshoeError, AssertionError) as surprise:
        wrong = str(surprise)
    if wrong:
        station.break_(f"not safe {when} the test: {wrong}")
        pytest.fail(f"the bench is broken: {station.broken}", pytrace=False)


def _keep_excerpts(request: pytest.FixtureRequest, station: Station) -> None:
    tried = request.config.stash[BOOK].tried.get(request.node.nodeid)
    if tried is not None:
        tried.excerpts = {kind: unit.watched.excerpt() for kind, unit in station.units.items() if unit.watched.frames}


@pytest.fixture
def shoe(station: Station) -> Session:
    """An open session with the shoe."""
    return station.session("shoe")


@pytest.fixture
def reader(station: Station) -> Session:
    """An open session with the reader."""
    return station.session("reader")


# --- what is written down

Measure = Callable[..., None]


@pytest.fixture
def measure(request: pytest.FixtureRequest) -> Measure:
    """Write values into the report and hold them against their limits."""
    book = request.config.stash[BOOK]

    def keep(name: str, values: list[float], unit: str, *, clause: str, device: str = "shoe",
             least: float | None = None, most: float | None = None) -> None:  # fmt: skip
        same = [one for one in book.measurements if (one.name, one.device, one.clause) == (name, device, clause)]
        before = same[0].values if same else ()
        one = Measurement(name, (*before, *values), unit, least, most, clause, device)
        book.measurements[:] = [kept for kept in book.measurements if kept not in same] + [one]
        assert one.ok, f"{name}: {min(values):.6g} to {max(values):.6g} {unit}, allowed {least} to {most} ({clause})"

    return keep


@pytest.fixture
def book(request: pytest.FixtureRequest) -> Book:
    """The book of this run."""
    return request.config.stash[BOOK]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Open the test's page in the book."""
    proves = item.get_closest_marker("proves")
    doc = (getattr(item, "function", None).__doc__ or item.name).strip().splitlines()[0]  # type: ignore[union-attr]
    callspec = getattr(item, "callspec", None)
    title = f"{doc.rstrip('.')} [{callspec.id}]" if callspec else doc.rstrip(".")
    item.config.stash[BOOK].tried[item.nodeid] = Tried(item.nodeid, title, tuple(proves.args) if proves else ())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Note how the test ended; a surprise in it breaks the bench."""
    report = yield
    tried, station = item.config.stash[BOOK].tried.get(item.nodeid), item.config.stash.get(STATION, None)
    if tried is None:
        return report
    tried.seconds += report.duration
    if report.failed:
        tried.outcome = "failed" if report.when == "call" or tried.outcome == "failed" else "error"
        tried.reason = str(call.excinfo.value).strip()[:600] if call.excinfo else report.longreprtext[-600:]
        if call.excinfo is not None and call.excinfo.errisinstance((Surprise, CardshoeError)) and station is not None:
            station.break_(str(call.excinfo.value))
    elif report.skipped:
        tried.outcome, tried.reason = "skipped", str(report.longrepr[2]).removeprefix("Skipped: ")
    elif report.when == "call":
        tried.outcome = "passed"
    return report


# --- evidence


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the folder of evidence, after JUnit's file is there."""
    config = session.config
    book, station = config.stash[BOOK], config.stash.get(STATION, None)
    book.broken = station.broken if station is not None else None
    if config.getoption("--evidence"):
        key = config.getoption("--evidence-key")
        write(
            Path(config.getoption("--evidence")),
            book,
            station,
            asked=config.getoption("--conform"),
            seconds=time.monotonic() - BEGUN,
            key=Path(key) if key else None,
        )


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say on what it ran, and where the evidence lies."""
    station, book = config.stash.get(STATION, None), config.stash[BOOK]
    if station is None:
        return
    terminalreporter.section("bench")
    for kind, unit in station.units.items():
        terminalreporter.line(f"{kind}: {unit.device.model} {unit.device.serial} firmware {unit.device.firmware}")
        terminalreporter.line(f"{kind}'s firmware as measured: {unit.measured.text}")
    for one in book.measurements:
        mark = "" if one.ok else "  NOT KEPT"
        span = f"{min(one.values):.4g} to {max(one.values):.4g} {one.unit}{mark}"
        terminalreporter.line(f"{one.device}, {one.name}: {len(one.values)} ×, {span}")
    if book.broken:
        terminalreporter.line(f"the bench broke: {book.broken}", red=True)
    if folder := config.getoption("--evidence"):
        terminalreporter.line(f"evidence: {folder} (open report.html; check it with: cardshoe evidence {folder})")
