"""Robot players: who sits where, what they wager, what they answer.

Owns the players' part of a robot table. Everything is a function of seed, round and position, so that a demo that was
killed and comes back on the same journal finds the same players, who go on as they had begun. The robots never look at
their own cards: what they say tells nothing about a hidden one (promise P4). Amounts come from the game's spots, never
from its name.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from cardshoe.games.house import House, least_cents
from cardshoe.games.script import POSITIONS, Ask, Choice, ChoiceKind, Game, Placed, Spot
from cardshoe.money import MAX_CENTS
from cardshoe.round.state import Hand, State

NAMES: Final = {"1": "Ada", "2": "Blaise", "3": "Carl", "4": "Daniel", "5": "Emmy", "6": "Fermat"}
STAYS_ROUNDS: Final = 12
"""A seat is taken or left about once in so many rounds."""
_CHIPS: Final = (500, 1000, 1500, 2500, 5000)
_SITS: Final = 0.75
_WAGERS: Final = 0.92
_ADDS: Final = 0.5
_FOLDS: Final = 0.2
_CHECKS: Final = 0.55


class Players:
    """The six seats of one robot table of `game`, as `seed` makes them."""

    def __init__(self, game: Game, house: House, seed: int) -> None:
        self._game = game
        self._house = house
        self._seed = seed

    def keep_to(self, house: House) -> None:
        """Wager within the limits of `house` from now on."""
        self._house = house

    def dice(self, *names: object) -> random.Random:
        """Return a random source that only the seed and `names` determine."""
        return random.Random("/".join(str(name) for name in (self._seed, *names)))

    def seated(self, round_id: int) -> dict[str, str]:
        """Return who wants to sit in this round: position to player, one at least."""
        sits = [
            position
            for position in POSITIONS
            if self.dice("seat", position, (round_id + 7 * int(position)) // STAYS_ROUNDS).random() < _SITS
        ]
        return {position: NAMES[position] for position in sits or ("3",)}

    def wagers(self, round_id: int, position: str, *, must: bool) -> dict[str, int]:
        """Return what `position` lays down before the deal, spot to cents; nothing if it sits this round out.

        `must`: somebody has to play.
        """
        dice = self.dice("wager", round_id, position)
        if dice.random() >= _WAGERS and not must:
            return {}
        chosen: dict[str, int] = {}
        for spot in sorted(self._game.stakes, key=_leans):
            if spot.placed is Placed.REQUIRED or (self._may(spot, chosen) and dice.random() < _ADDS):
                chosen[spot.name] = chosen.get(spot.equals) or self._amount(dice, spot)
        first = self._game.at_least_one_of[0] if self._game.at_least_one_of else ""
        if first and not any(name in chosen for name in self._game.at_least_one_of):
            spot_of_it = self._game.spot(first)
            if spot_of_it is not None:
                chosen[first] = self._amount(dice, spot_of_it)
        return {name: cents for name, cents in chosen.items() if self._beside_lies(name, chosen)}

    def action(self, round_: State, step: Ask, hand: Hand) -> str:
        """Return what the player of `hand` answers to `step`, spelled with its amount where it needs one."""
        dice = self.dice("decision", round_.round_id, hand.position, len(hand.decided))
        wagers = [choice for choice in step.choices if choice.kind is ChoiceKind.WAGER]
        others = [choice for choice in step.choices if choice.kind is not ChoiceKind.WAGER]
        least = _CHECKS if any(choice.kind is ChoiceKind.CHECK for choice in others) else _FOLDS
        offered = others if others and (not wagers or dice.random() < least) else wagers
        return self._spelled(dice.choice(offered), hand)

    def puts_cover_card_in(self, round_id: int) -> bool:
        """Tell whether the dealer of this table uses the cover card in this round."""
        return self.dice("cover card", round_id).random() < 0.3

    def _may(self, spot: Spot, chosen: Mapping[str, int]) -> bool:
        return all(name in chosen for name in self._beside(spot))

    def _beside(self, spot: Spot) -> tuple[str, ...]:
        return (self._house.words[spot.beside_option],) if spot.beside_option else spot.beside

    def _beside_lies(self, name: str, chosen: Mapping[str, int]) -> bool:
        spot = self._game.spot(name)
        return spot is not None and self._may(spot, chosen)

    def _amount(self, dice: random.Random, spot: Spot) -> int:
        least = least_cents(self._game, self._house, spot)
        if spot.equals:
            other = self._game.spot(spot.equals)
            least = max(least, least_cents(self._game, self._house, other) if other is not None else 0)
        most = self._house.maximum_cents.get(spot.name, MAX_CENTS)
        return min(max(dice.choice(_CHIPS), least), most)

    def _spelled(self, choice: Choice, hand: Hand) -> str:
        if choice.spells != "amount":
            return choice.label
        spot = self._game.spot(choice.spot)
        antes = self._house.multiples.get(choice.multiple_option) or (spot.most_antes if spot is not None else 0) or 1
        cents = antes * hand.wagers["ante"]
        least = self._house.minimum_cents.get(choice.spot, 0)
        most = self._house.maximum_cents.get(choice.spot, MAX_CENTS)
        return f"{choice.label} {min(max(cents, least), most)}"


def _leans(spot: Spot) -> int:
    """Order spots so that what another wager leans on is chosen before it."""
    return bool(spot.equals) + 2 * bool(spot.beside or spot.beside_option)
