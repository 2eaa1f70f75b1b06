"""The rules as data: one file a game, found by its `GAME`.

Owns the list of games. A further game is a further file in this directory and no change elsewhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from cardshoe.games.script import Game


@cache
def games() -> Mapping[str, Game]:
    """Return every game by its name."""
    found: dict[str, Game] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda each: each.name):
        game = getattr(importlib.import_module(f"{__name__}.{module.name}"), "GAME", None)
        if isinstance(game, Game):
            found[game.name] = game
    return MappingProxyType(found)
