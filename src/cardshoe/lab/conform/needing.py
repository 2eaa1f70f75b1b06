"""Which capabilities of a device a dialogue is for.

Owns the reading of a dialogue for what it takes for granted: SHOE-1.1 and READER-1.1 name the capabilities, and the
prose says which messages and discrepancies belong to which. Must not know a particular dialogue.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from cardshoe.lab.conform import makers
from cardshoe.lab.conform.hands import Request
from cardshoe.lab.conform.makers import Step

_IDENTITIES: Final = frozenset(
    {"duplicate_card", "foreign_card", "joker", "unreadable_card", "face_up_in_deck", "extra_card"}
)
"""Discrepancies of a deck that only a shoe which reads identities can tell (SHOE-6.4)."""
_MESSAGES: Final[Mapping[str, str]] = {
    "COVER_CARD_INSERTED": "cover_card_sensor", "COVER_CARD_SEEN": "cover_card_sensor",
    "BEGIN_ROUND": "commits", "CLOSE_DEAL": "commits", "END_ROUND": "commits", "MATCH_CARD": "commits",
    "READ_ASKED": "commits", "CARD_COMMITTED": "commits", "REVEAL_STACK": "reveals", "ROUND_SEALED": "envelopes",
    "CARD_FACE": "tells_faces", "STUB_REMOVED": "stub_sensor",
}  # fmt: skip
_PLACES: Final[Mapping[str, str]] = {
    "board": "reads_board", "dealer": "reads_dealer", **{str(place): "reads_positions" for place in range(1, 7)},
}  # fmt: skip


@cache
def capabilities(kind: str) -> Mapping[str, int]:
    """Return the capabilities that the device's document knows, with their bits."""
    document = tomllib.loads((makers.PROTOCOLS / f"{kind}-v1.toml").read_text(encoding="utf-8"))
    return dict(document["enum"]["capability"])


def needed(kind: str, steps: Sequence[Step], acts: Sequence[Request]) -> frozenset[str]:
    """Return the names of the capabilities without which a device cannot be held against these steps."""
    found = _of_reader(acts) if kind == "reader" else _of_shoe(json.dumps(list(steps)), acts)
    return found & frozenset(capabilities(kind))


def _of_shoe(text: str, acts: Sequence[Request]) -> frozenset[str]:
    found = {capability for message, capability in _MESSAGES.items() if f'"{message}"' in text}
    if any(act.get("do") == "insert_cover_card" for act in acts):
        found.add("cover_card_sensor")
    if '"pairs"' in text or any(act.get("kind") in _IDENTITIES for act in acts):
        found.add("identity_reader")
    return frozenset(found)


def _of_reader(acts: Sequence[Request]) -> frozenset[str]:
    turned = {str(act.get("what")) for act in acts if act.get("do") == "turn"}
    return frozenset(_PLACES[place] for place in turned if place in _PLACES)
