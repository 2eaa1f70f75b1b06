"""What is written at the head of a table's opening and of each round: under which settings and devices it was played.

Owns the two bodies, and what of a device is proved: a clear session proves nothing, a sealed one that the holder of the
key speaks, an attestation what firmware it runs; the record says which (conditions E05, E09, E16 and E34). Pure.
"""

from __future__ import annotations

from typing import Final

from cardshoe import __version__
from cardshoe.devices.events import DeviceIdentified
from cardshoe.devices.reader_terms import ReaderCapability
from cardshoe.devices.shoe_terms import ShoeCapability
from cardshoe.games.rule_pack import rules_digest
from cardshoe.table.desk import Desk

RULES: Final = rules_digest()
"""Read with the rules themselves: what is written later names those that were loaded, and reads no file."""
NOT_PROVED: Final = "clear session: the device names itself, its firmware is not measured"
PROVED: Final = "sealed session: the holder of the key names the device"
CLEAR: Final[dict[str, object]] = {"security": "clear", "proved": NOT_PROVED}


def standing(event: DeviceIdentified) -> dict[str, object]:
    """Return what is proved of the device, for records and headers (LINK-12.4)."""
    if not event.sealed:
        return dict(CLEAR)
    told = event.attestation
    return {
        "security": "sealed",
        "proved": PROVED,
        "attestation": "unattested" if told is None else told.standing.value,
        "attestation_why": "not asked" if told is None else told.why.value,
        "measurement": None if told is None or told.measurement is None else told.measurement.hex(),
        "manifest": None if told is None else told.manifest_sequence,
    }


def opened(desk: Desk) -> dict[str, object]:
    """Return the body of `table_opened`."""
    table, deck = desk.config.table, desk.config.deck
    return {
        "name": table.name,
        "mode": table.mode,
        "game": table.game,
        "method": table.method,
        "config": desk.config.digest(),
        "cover_card": deck.cover_card,
        "backs": list(deck.backs),
        "software": __version__,
        "rules": RULES,
    }


def round_header(desk: Desk) -> dict[str, object]:
    """Return the body of `round_header`: everything that a dispute about the round has to know of its setting."""
    view, deck, round_ = desk.live.shoe, desk.config.deck, desk.open_round
    return {
        "config": desk.config.digest(),
        "minimum_cents": dict(round_.house.minimum_cents) if round_ is not None else {},
        "maximum_cents": dict(round_.house.maximum_cents) if round_ is not None else {},
        "software": __version__,
        "rules": RULES,
        "cover_card": deck.cover_card,
        "shoe_mode": view.mode.name.lower() if view is not None else "unknown",
        "shoe_commits": bool((desk.live.shoe_capabilities or 0) & ShoeCapability.COMMITS),
        "auditor": desk.live.auditor,
        "shoe_reads": shoe_reads(desk.live.shoe_capabilities),
        "table_reader": table_reads(desk.live.reader_capabilities),
        "deck_id": view.deck_id if view is not None else None,
        "deck_state": view.deck_state.name.lower() if view is not None else "unknown",
        "deck_back": desk.state.upkeep.back,
        "proved": desk.live.standing.get("shoe", CLEAR)["proved"],
        "devices": {name: dict(found) for name, found in sorted(desk.live.standing.items())},
    }


def shoe_reads(capabilities: int | None) -> str:
    """Return what the shoe can tell of a deck: "identity", "count-only", "none", or "unknown" where none is there."""
    if capabilities is None:
        return "unknown"
    if capabilities & ShoeCapability.IDENTITY_READER:
        return "identity"
    return "count-only" if capabilities & ShoeCapability.COUNTS_DECK else "none"


def table_reads(capabilities: int | None) -> list[str]:
    """Return what the table reader sees; nothing where there is none."""
    if capabilities is None:
        return []
    return [each.name.lower() for each in ReaderCapability if each.name and capabilities & each]
