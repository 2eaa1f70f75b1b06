"""What is written at the head of a table's opening and of each round: under which settings and devices it was played.

Owns the two bodies. A clear session proves nothing of a device: what stands here is what it says of itself, and the
record says so (conditions E05, E09, E16 and E34). Pure.
"""

from __future__ import annotations

from cardshoe import __version__
from cardshoe.devices.reader_terms import ReaderCapability
from cardshoe.devices.shoe_terms import ShoeCapability
from cardshoe.table.desk import Desk

NOT_PROVED = "clear session: the device names itself, its firmware is not measured"


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
    }


def round_header(desk: Desk) -> dict[str, object]:
    """Return the body of `round_header`: everything that a dispute about the round has to know of its setting."""
    view, deck = desk.live.shoe, desk.config.deck
    return {
        "config": desk.config.digest(),
        "software": __version__,
        "cover_card": deck.cover_card,
        "shoe_mode": view.mode.name.lower() if view is not None else "unknown",
        "shoe_reads": shoe_reads(desk.live.shoe_capabilities),
        "table_reader": table_reads(desk.live.reader_capabilities),
        "deck_id": view.deck_id if view is not None else None,
        "deck_state": view.deck_state.name.lower() if view is not None else "unknown",
        "deck_back": desk.state.upkeep.back,
        "proved": NOT_PROVED,
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
