"""The groups of measurements, by name.

Owns the list. Must not know a figure.
"""

from __future__ import annotations

from typing import Final

from cardshoe.lab.bench.figures import Group
from cardshoe.lab.bench.journal_speed import journal
from cardshoe.lab.bench.link_speed import link
from cardshoe.lab.bench.round_speed import rounds
from cardshoe.lab.bench.sealed_speed import sealed
from cardshoe.lab.bench.start_speed import start
from cardshoe.lab.bench.wire_speed import wire

GROUPS: Final[dict[str, Group]] = {
    "wire": wire,
    "link": link,
    "sealed": sealed,
    "journal": journal,
    "round": rounds,
    "start": start,
}
