"""What a main game costs a player: one position, a simple strategy, many rounds on the machine that runs the table.

Owns the simulated deals and their statistics. Must not know screens: who calls may watch the progress. The figure is an
estimate and says how sure it is; pay tables on cards alone are counted exactly elsewhere (`games.odds`). The wagers are
settled as NY-5324.35(e)(8) and NY-5324.36(e)(7)–(8) say, by the same code as at a table.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from cardshoe.cards import DECK, Card
from cardshoe.errors import ConfigError
from cardshoe.games.house import House
from cardshoe.games.script import Ask, Choice, ChoiceKind, DealBoard, Game, Method, Spot
from cardshoe.games.strategies import STRATEGIES, Strategy
from cardshoe.round.recompute import HandRecord, RoundRecord, recompute
from cardshoe.round.settlement import settle_hand

ANTE_CENTS: Final = 1_000
_POSITION: Final = "1"
_SURE_95: Final = 1.959964
"""Half-width of a 95 % interval, in standard errors."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """What `rounds` rounds came to. All figures are antes; `house_edge` is the mean loss of a round."""

    rounds: int
    seed: int
    house_edge: float
    deviation: float
    staked: float
    strategy: str

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the house edge."""
        half = _SURE_95 * self.deviation / sqrt(self.rounds)
        return self.house_edge - half, self.house_edge + half


def simulate(
    game: Game, house: House, *, rounds: int, seed: int, tell: Callable[[int], None] = lambda _: None
) -> Simulated:
    """Play `rounds` rounds of the main game (at least 2) from `seed`; `tell` hears how many are done, now and then.

    Raises `ConfigError` (`no-strategy`) for a game that no strategy is written for.
    """
    strategy = STRATEGIES.get(game.name)
    if strategy is None:
        known = ", ".join(STRATEGIES)
        raise ConfigError("no-strategy", f"{game.name}: no way to play it is written down; simulate one of {known}")
    draw = random.Random(f"{game.name} {seed}")
    total = squares = staked = 0
    for number in range(1, rounds + 1):
        net, wagered = _one_round(game, house, strategy, draw)
        total += net
        squares += net * net
        staked += wagered
        if number % 500 == 0 or number == rounds:
            tell(number)
    mean = total / rounds
    variance = (squares - total * mean) / (rounds - 1)
    return Simulated(
        rounds=rounds,
        seed=seed,
        house_edge=-mean / ANTE_CENTS,
        deviation=sqrt(variance) / ANTE_CENTS,
        staked=staked / rounds / ANTE_CENTS,
        strategy=strategy.words,
    )


def _one_round(game: Game, house: House, strategy: Strategy, draw: random.Random) -> tuple[int, int]:
    """Deal and settle one round; return what the player won or lost and what was staked, in cents."""
    each = game.cards_each
    cards = draw.sample(DECK, 2 * each + game.board_cards)
    own, dealer, board = tuple(cards[:each]), tuple(cards[each : 2 * each]), tuple(cards[2 * each :])
    wagers = {spot.name: ANTE_CENTS for spot in game.stakes if spot.name == "ante" or spot.equals == "ante"}
    actions = tuple(_actions(game, house, strategy, own, board))
    state = recompute(RoundRecord(game, house, {_POSITION: HandRecord(wagers, own, actions)}, dealer, board))
    hand = state.hand(_POSITION)
    result = hand.result if hand.result is not None else settle_hand(state, hand)
    wagered = sum(each.staked_cents for each in result.wagers)
    return result.won_cents + result.returned_cents - wagered, wagered


def _actions(game: Game, house: House, strategy: Strategy, own: Sequence[Card], board: Sequence[Card]) -> list[str]:
    """Ask the strategy at each question of the script, with the board as far as it lies there."""
    up = 0
    actions: list[str] = []
    for step in game.scripts[Method.AUTOMATED_SHOE]:
        if isinstance(step, DealBoard):
            up += step.cards
        if not isinstance(step, Ask):
            continue
        label = strategy.choose(own, board[:up])
        choice = next(choice for choice in step.choices if choice.label == label)
        actions.append(_spelt(game, house, choice))
        if choice.ends or choice.kind is ChoiceKind.FOLD:
            break
    return actions


def _spelt(game: Game, house: House, choice: Choice) -> str:
    """An amount where the choice wants one: the house's multiple of the ante, or the usual one."""
    if choice.spells != "amount":
        return choice.label
    spot = game.spot(choice.spot)
    usual = spot.most_antes if isinstance(spot, Spot) else 1
    return f"{choice.label} {(house.multiples.get(choice.multiple_option) or usual) * ANTE_CENTS}"
