"""What devices remember over power cuts, and the file that stands for it over the end of the process.

Owns the contents of each device's memory (LINK-5.4, LINK-5.10, LINK-7.1, LINK-7.2, SHOE-2.5, SHOE-3.2, SHOE-3.5) and
the state file with its lock. Must not know what the firmware does with it.

The file is written whole and put in place by a rename, before anything that depends on it leaves on a line. It is not
flushed to the disk: it stands for memory that outlives the process, not for one that outlives this computer.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from cardshoe.sim.deck import Card, Design, Placed
from cardshoe.sim.errors import SimError

RING_SIZE: Final = 128
COMMANDS_REMEMBERED: Final = 64
UNKNOWN: Final = 0xFF
STATE_FILE: Final = "world.json"
LOCK_FILE: Final = "lock"
STATE_VERSION: Final = 2
ASKED_REMEMBERED: Final = 64
_NAMES: Final[dict[type, tuple[str, ...]]] = {}


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event in the ring: id, type number and the payload as it goes on the line."""

    event_id: int
    type: int
    payload: bytes


@dataclass(slots=True)
class LinkMemory:
    """What the link part of any device remembers."""

    boot_counter: int = 0
    session_number: int = 0
    last_event: int = 0
    ring: list[StoredEvent] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CommandRecord:
    """One command that was accepted: `outcome` as in shoe-v1; `cards_seen` and `first_slot` FF when unknown or none."""

    command_id: int
    kind: str
    cards: int
    destination: int
    outcome: int
    cards_seen: int = 0
    taken: bool = False
    first_slot: int = UNKNOWN
    fault: int = 0


@dataclass(slots=True)
class CommittedCard:
    """One card of a round: its face as the exit reader saw it, and whether a try has spent it."""

    command_id: int
    slot: int
    face: int
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """One entry of the log of tries (SHOE-9.8): never a face."""

    round_id: int
    command_id: int
    asked: int
    result: int
    boot_counter: int
    uptime_ms: int


@dataclass(slots=True)
class RoundMemory:
    """The open round, or the last one. `seed` is hexadecimal, empty when none is open; `tries` by command id."""

    round_id: int = 0
    state: int = 0
    deck_id: int = 0
    seed: str = ""
    cards: list[CommittedCard] = field(default_factory=list)
    tries: dict[int, int] = field(default_factory=dict)
    revealed: list[int] = field(default_factory=list)
    log: list[Asked] = field(default_factory=list)
    asked_total: int = 0

    def note(self, entry: Asked) -> None:
        """Write a try or a reveal; the oldest beyond 64 are forgotten, nothing else clears the log (SHOE-9.8)."""
        self.log.append(entry)
        del self.log[:-ASKED_REMEMBERED]
        self.asked_total += 1


@dataclass(slots=True)
class ShoeMemory:
    """What the shoe remembers. `passed` counts the cards of this deck that have left through the exit sensor."""

    link: LinkMemory = field(default_factory=LinkMemory)
    round: RoundMemory = field(default_factory=RoundMemory)
    last_command: int = 0
    running: int = 0
    records: dict[int, CommandRecord] = field(default_factory=dict)
    deck_state: int = 0
    deck_id: int = 0
    deck_cards: int = 0
    passed: int = 0
    left_known: bool = False
    card_in_sensor: bool = False
    gate_cards: int = 0
    gate_command: int = 0
    cover_slots: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    door_open: bool = False
    magazine_filled: bool = False
    stacks_total: int = 0
    cards_total: int = 0
    misfeeds_total: int = 0
    rereads_total: int = 0
    faults_total: int = 0
    shuffles_total: int = 0

    def keep(self, record: CommandRecord) -> None:
        """Write an outcome; the oldest beyond 64 are forgotten (SHOE-3.5)."""
        self.records[record.command_id] = record
        while len(self.records) > COMMANDS_REMEMBERED:
            del self.records[min(self.records)]


@dataclass(slots=True)
class ReaderMemory:
    """What the table reader remembers."""

    link: LinkMemory = field(default_factory=LinkMemory)
    cards_read_total: int = 0
    rereads_total: int = 0
    unreadable_total: int = 0
    faults_total: int = 0


# --- to and from JSON


def _link_from(data: Mapping[str, Any]) -> LinkMemory:
    ring = [StoredEvent(item["event_id"], item["type"], bytes.fromhex(item["payload"])) for item in data["ring"]]
    return LinkMemory(**{**data, "ring": ring})


def _round_from(data: Mapping[str, Any]) -> RoundMemory:
    cards = [CommittedCard(**item) for item in data["cards"]]
    log = [Asked(**item) for item in data["log"]]
    tries = {int(command): count for command, count in data["tries"].items()}  # JSON has no numbers as names
    return RoundMemory(**{**data, "cards": cards, "log": log, "tries": tries})


def plain(value: object) -> object:
    """Return one level of a memory as JSON has it, for `json.dumps` to ask what is within: a part as its values by
    name, bytes as hexadecimal. Raises TypeError for anything else.

    The state is written at every change, so nothing is copied for it.
    """
    if isinstance(value, bytes):
        return value.hex()
    if not is_dataclass(value):
        raise TypeError(f"a {type(value).__name__} is no part of a memory")
    return values_of(value)


def values_of(part: object) -> dict[str, Any]:
    """Return the values of a part of a memory by name, as they are and not copied."""
    kind = type(part)
    if kind not in _NAMES:
        _NAMES[kind] = tuple(each.name for each in fields(part))  # type: ignore[arg-type]
    return {name: getattr(part, name) for name in _NAMES[kind]}


def memory_to_json(memory: ShoeMemory | ReaderMemory) -> dict[str, Any]:
    """Return a device's memory as values that `json.dumps` writes with `plain`."""
    data = values_of(memory)
    if "records" in data:
        data["records"] = list(data["records"].values())
    return data


def shoe_from_json(data: Mapping[str, Any]) -> ShoeMemory:
    """Return the shoe's memory from what `memory_to_json` gave."""
    records = {item["command_id"]: CommandRecord(**item) for item in data["records"]}
    rounds = _round_from(data["round"])
    return ShoeMemory(**{**data, "link": _link_from(data["link"]), "records": records, "round": rounds})


def reader_from_json(data: Mapping[str, Any]) -> ReaderMemory:
    """Return the reader's memory from what `memory_to_json` gave."""
    return ReaderMemory(**{**data, "link": _link_from(data["link"])})


def cards_to_json(cards: list[Placed]) -> list[list[Any]]:
    """Return cards as they lie, as plain JSON values."""
    return [[p.card.uid, p.card.face, p.card.design.value, p.card.legible, p.face_up] for p in cards]


def cards_from_json(data: list[list[Any]]) -> list[Placed]:
    """Return cards from what `cards_to_json` gave."""
    return [Placed(Card(uid, face, Design(design), legible), face_up) for uid, face, design, legible, face_up in data]


# --- the file


class Store:
    """The state directory of one world, or nothing when there is none. Held by a lock until `close`."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._dirty = False
        self._lock: int | None = None
        if directory is not None:
            self._lock = _locked(directory)

    def load(self) -> dict[str, Any] | None:
        """Return what was written last, or None. Raises SimError when the file cannot be understood."""
        if self._directory is None:
            return None
        path = self._directory / STATE_FILE
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise SimError(f"{path} cannot be read ({error}); remove it to begin with a new deck") from error
        if not isinstance(data, dict) or data.get("version") != STATE_VERSION:
            raise SimError(f"{path} is no state of this version; remove it to begin with a new deck")
        return data

    def touch(self) -> None:
        """Note that something changed that must be remembered."""
        self._dirty = True

    def flush(self, snapshot: Callable[[], Mapping[str, Any]]) -> None:
        """Write the state if it has changed. Raises SimError when the file cannot be written."""
        if not self._dirty or self._directory is None:
            return
        self._dirty = False
        path = self._directory / STATE_FILE
        fresh = path.with_suffix(".new")
        try:
            fresh.write_text(json.dumps({"version": STATE_VERSION, **snapshot()}, default=plain), encoding="utf-8")
            os.replace(fresh, path)
        except OSError as error:
            raise SimError(f"{path} cannot be written: {error}") from error

    def close(self) -> None:
        """Give the directory back."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(directory: Path) -> int:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = os.open(directory / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise SimError(f"state directory {directory} cannot be used: {error}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise SimError(f"state directory {directory} is in use by another simulator") from error
    return lock
