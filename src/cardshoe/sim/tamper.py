"""What a person with bad luck or bad intent has done to a deck.

Owns the deck faults of the fault data. Must not know devices: cards are swapped where they lie, and whoever deals from
them finds out, or does not.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from cardshoe.sim.deck import DECK_CARDS, Card, Design, Placed
from cardshoe.sim.errors import Impossible


def tampered(
    kind: str, count: int, cards: list[Placed], *, rng: random.Random, new_uid: Callable[[], int]
) -> tuple[list[Placed], list[Placed]]:
    """Return the cards as they lie afterwards, and those that fell on the floor, for `count` cards.

    Raises Impossible when there are not enough cards to do it with.
    """
    inside = list(cards)
    floor: list[Placed] = []
    plain = [n for n, placed in enumerate(inside) if placed.card.design is Design.HOUSE and placed.card.legible]
    if len(plain) < count + 1:
        raise Impossible(f"{kind}: {len(plain)} sound cards lie there, {count + 1} are needed")
    for number in sorted(rng.sample(plain, count), reverse=True):
        old = inside[number].card
        match kind:
            case "missing_card":
                floor.append(inside.pop(number))
            case "duplicate_card":
                other = rng.choice([p.card.face for p in inside if p.card.face != old.face])
                floor.append(Placed(old))
                inside[number] = Placed(Card(new_uid(), other))
            case "foreign_card":
                floor.append(Placed(old))
                inside[number] = Placed(Card(new_uid(), old.face, Design.FOREIGN))
            case "extra_card":
                inside.insert(number, Placed(Card(new_uid(), rng.randrange(DECK_CARDS))))
            case "joker":
                inside.insert(number, Placed(Card(new_uid(), 0, Design.JOKER)))
            case "unreadable_card":
                inside[number] = replace(inside[number], card=replace(old, legible=False))
            case "face_up_in_deck":
                inside[number] = replace(inside[number], face_up=True)
            case _:
                raise ValueError(f"no deck fault {kind!r}")
    return inside, floor
