"""The folder of evidence: the report, the machine-readable record, and the manifest that names both.

Owns what is said of a device and of a run, and the writing of the files. Knows no test.
"""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cardshoe
from bench_book import Book
from bench_page import page
from bench_station import Station, Unit
from cardshoe.devices.reader_terms import ReaderCapability
from cardshoe.devices.shoe_terms import ShoeCapability
from cardshoe.lab.conform import makers
from cardshoe.lab.conform.evidence import load_evidence_key, seal

CAPABILITIES = {"shoe": ShoeCapability, "reader": ReaderCapability}
LIVE_RING = 128


def identity(kind: str, unit: Unit) -> dict[str, str]:
    """Who a device is, for people."""
    device, flags = unit.device, CAPABILITIES[kind]
    able = [flag.name.lower().replace("_", " ") for flag in flags if device.capabilities & flag and flag.name]
    same = "as this suite's" if device.spec_hash == makers.spec_hash(kind) else "another than this suite's"
    return {
        "model": device.model,
        "serial": device.serial,
        "firmware": f"{device.firmware} (as it says itself{'' if unit.keys else '; a clear session proves nothing'})",
        "measurement": unit.measured.text,
        "protocol": f"spec hash {device.spec_hash[:16]}…, {same}",
        "capabilities": ", ".join(able) or "none",
        "starts": str(device.boot_counter),
        "event ring": f"{device.ring_size} places" + ("" if device.ring_size >= LIVE_RING else ", bench only"),
        "port": unit.line.url,
    }


def facts_of(station: Station | None, *, asked: str, seconds: float) -> dict[str, Any]:
    """What is said of the run: the bench, the time, the devices, what was allowed."""
    plan = station.plan if station is not None else None
    run = {
        "cardshoe": cardshoe.__version__,
        "python": platform.python_version(),
        "computer": f"{platform.system()} {platform.machine()}",
        "took": f"{seconds:.0f} s",
        "protocol asked": asked,
    }
    if station is not None and plan is not None:
        allowed = [word for word, on in (("motion", plan.motion), ("faults", plan.destructive)) if on]
        run |= {"who acted": station.who_acts, "allowed": ", ".join(allowed) or "nothing that moves"}
        run |= {"cards fed": f"{station.cards_fed} of {plan.file.limits.dispense_budget}"}
        if plan.simulated:
            scaled = "times of mechanisms are scaled, the line's are not"
            run |= {"simulated": f"speed {plan.sim_speed:g}, seed {plan.sim_seed}: {scaled}"}
    return {
        "bench": plan.file.name if plan else "bench",
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "simulated": bool(plan and plan.simulated),
        "devices": [(kind, identity(kind, unit)) for kind, unit in station.units.items()] if station else [],
        "run": run,
    }


def write(folder: Path, book: Book, station: Station | None, *, asked: str, seconds: float, key: Path | None) -> None:
    """Write report, record and manifest into `folder`, beside JUnit's file; sign it where a key is given."""
    facts = facts_of(station, asked=asked, seconds=seconds)
    tests = [
        {"test": one.name, "outcome": one.outcome, "reason": one.reason, "clauses": one.clauses}
        for one in book.tried.values()
    ]
    record = facts | {
        "verdict": book.verdict,
        "broken": book.broken,
        "tests": tests,
        "measurements": [one.plain() for one in book.measurements],
        "clauses": {kind: {one.clause: book.clause(one).value for one in told} for kind, told in book.told.items()},
    }
    (folder / "report.html").write_text(page(book, facts), encoding="utf-8")
    (folder / "record.json").write_text(json.dumps(record, indent=1, ensure_ascii=False), encoding="utf-8")
    about = {name: facts[name] for name in ("bench", "when", "simulated")} | {"verdict": book.verdict}
    about["devices"] = [f"{kind} {told['model']} {told['serial']}" for kind, told in facts["devices"]]
    seal(folder, about, load_evidence_key(key) if key else None)
