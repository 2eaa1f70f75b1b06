"""The vocabulary in which a game is written down.

Owns the closed sets of steps, choices, settlement rules and house options that a game file combines, with `verdicts`,
into one frozen value. Must not know any particular game, nor how a step is carried out: `round` interprets the script,
so that a further game is a further file. Every piece carries the clause it comes from; `None` where a text is silent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from cardshoe.cards import Card
from cardshoe.games.hands import Ranked
from cardshoe.games.paytables import PayTable
from cardshoe.games.verdicts import Case, Cite, Verdict
from cardshoe.money import Odds

POSITIONS: Final = ("1", "2", "3", "4", "5", "6")
"""Positions from the one farthest to the dealer's left (NY-5324.35(a)(1), NY-5324.36(a)(1)): clockwise order."""

DEALER: Final = "dealer"
EVEN: Final = Odds(1)

Ranking = Callable[[Sequence[Card], Sequence[Card], Sequence[Card]], Ranked]
"""(player's cards, dealer's cards, board) to the hand that a wager is settled on."""


class Method(Enum):
    """How cards leave the deck."""

    AUTOMATED_SHOE = "automated-shoe"
    MANUAL_SHOE = "manual-shoe"
    HAND = "hand"


# --- steps -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallNoMoreBets:
    """The dealer says "no more bets"; from here a wager is made only where the script asks for it."""

    cites: Cite


@dataclass(frozen=True, slots=True)
class DealStacks:
    """The shoe dispenses stacks of `cards`, far left first, clockwise, wagering positions only, the dealer's last."""

    cards: int
    to_dealer: bool
    cites: Cite
    cover_card_cites: Cite


@dataclass(frozen=True, slots=True)
class DealSingles:
    """One card to each wagering position, far left first, clockwise, then one to the dealer."""

    cites: Cite
    dealer_cites: Cite
    dealer_under_cover_card: bool
    to_dealer: bool = True


@dataclass(frozen=True, slots=True)
class TakeStub:
    """The rest of the deck leaves the shoe, any time between the last stack and the first burn.

    `when` names what decides: "always", "never planned" (allowed, in no plan) or "house" (the house's `board_from`).
    """

    when: str
    cites: Cite


class ChoiceKind(Enum):
    """What a choice does to the hand."""

    CHECK = "check"
    FOLD = "fold"
    WAGER = "wager"


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that a position may say when asked.

    `label` is how it is shown. A wager goes to `spot`; it is `multiple` times the ante or, where the house sets it, the
    multiple of house option `multiple_option`, or any amount. `spells` says how it is written: "label" ("play 3x" or
    the same in cents), "amount" ("flop 2000") or "bare" ("play"). `ends` tells that the position is asked no more.
    """

    label: str
    kind: ChoiceKind
    cites: Cite
    spot: str = ""
    multiple: int | None = None
    multiple_option: str = ""
    spells: str = "label"
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask each live position that still decides: in turn from the far left, or in any order.

    `of_those_with` limits the question to positions with that wager ("" for all).
    """

    choices: tuple[Choice, ...]
    in_turn: bool
    cites: Cite
    of_those_with: str = ""


@dataclass(frozen=True, slots=True)
class Burn:
    """The next `cards` go face down, unseen, to the discard rack."""

    cards: int
    cites: Cite


@dataclass(frozen=True, slots=True)
class DealBoard:
    """The next `cards` go to the community area, face up unless the game turns them later (`TurnBoard`)."""

    cards: int
    cites: Cite
    face_up: bool = True


@dataclass(frozen=True, slots=True)
class TurnBoard:
    """`cards` community cards that lie face down are turned up."""

    cards: int
    cites: Cite


@dataclass(frozen=True, slots=True)
class RevealDealer:
    """The dealer's cards are turned up and the hand announced."""

    cites: Cite


@dataclass(frozen=True, slots=True)
class SettleHands:
    """Hands are settled from the far right, counter-clockwise; then folded hands that wait, in the same direction.

    With `collect_before_next` a settled hand goes to the rack before the next is settled, unless it has one of the
    `unless_wager` wagers.
    """

    cites: Cite
    collect_before_next: bool = False
    unless_wager: tuple[str, ...] = ()


Step = (
    CallNoMoreBets
    | DealStacks
    | DealSingles
    | TakeStub
    | Ask
    | Burn
    | DealBoard
    | TurnBoard
    | RevealDealer
    | SettleHands
)


# --- wagers and what they win ----------------------------------------------------------------------------------------


class Placed(Enum):
    """When a wager is made."""

    REQUIRED = "before the deal, required"
    OPTIONAL = "before the deal, optional"
    DECISION = "when asked"


class Against(Enum):
    """What becomes of a wager when the dealer's hand does not qualify."""

    AS_USUAL = "as usual"
    RETURNED = "returned"
    WINS = "wins"


@dataclass(frozen=True, slots=True)
class AgainstDealer:
    """A wager decided against the dealer's hand.

    Higher wins `pays` (or, where `table` names a house table, that table's row; a row without odds is a push), provided
    the winning hand reaches the category of house option `floor_option`, else it is returned. Lower loses, equal is a
    push. `unqualified` says what happens instead under a dealer who does not qualify. `extra` names a house table that
    pays the player's own hand on top, whatever the dealer holds, under `extra_name`.
    """

    lower: Cite
    higher: Cite
    equal: Cite
    pays: Odds = EVEN
    table: str = ""
    table_cites: Cite = None
    floor_option: str = ""
    unqualified: Against = Against.AS_USUAL
    unqualified_cites: Cite = None
    extra: str = ""
    extra_name: str = ""


@dataclass(frozen=True, slots=True)
class OnCards:
    """A wager decided by a pay table on cards alone, whatever else happened.

    `rank` names the hand it is settled on; `reports_as` is the key under which an answer shows that hand's category.
    `survives_fold`: True, False, or "option=value" of the house.
    """

    table: str
    rank: Ranking
    wins: Cite
    loses: Cite
    survives_fold: bool | tuple[str, str] = True
    reports_as: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """One betting area of a position.

    `beside`: the wagers that must lie there too (`beside_option` names a house option that names it instead). `equals`:
    the wager whose amount it must have. `minimum_cents` holds even where the house sets none. `folds`: the clause by
    which it is lost in a fold.
    """

    name: str
    placed: Placed
    settles: AgainstDealer | OnCards
    area: Cite
    beside: tuple[str, ...] = ()
    beside_option: str = ""
    beside_cites: Cite = None
    equals: str = ""
    equals_cites: Cite = None
    minimum_cents: int = 1
    folds: Cite = None
    most_antes: int = 0
    """Most antes that a wager placed at a decision can be (0: not a decision wager), unless the house sets
    `most_antes_option`."""
    most_antes_option: str = ""


# --- the house's choices ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableOption:
    """The house picks a pay table by name; with `custom_rows` it may give its own odds for those rows.

    With `no_less` its own odds must pay, row by row, no less than one of the named tables; the clause is `cites`.
    """

    name: str
    tables: Mapping[str, PayTable]
    default: str
    cites: Cite
    custom_rows: tuple[str, ...] = ()
    every_row: bool = False
    no_less: bool = False


@dataclass(frozen=True, slots=True)
class WordOption:
    """The house picks one word."""

    name: str
    words: tuple[str, ...]
    default: str
    cites: Cite


@dataclass(frozen=True, slots=True)
class FlagOption:
    """The house says yes or no; where `tables` is given, that picks the first (no) or the second (yes) pay table."""

    name: str
    default: bool
    cites: Cite
    tables: tuple[PayTable, PayTable] | None = None


@dataclass(frozen=True, slots=True)
class MultipleOption:
    """The house sets a number of antes, or None for any amount."""

    name: str
    cites: Cite


Option = TableOption | WordOption | FlagOption | MultipleOption


# --- the game --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Clauses:
    """The clauses that refusals cite, whatever the game; None where the text has none."""

    kinds: Cite
    betting: Cite
    beside: Cite
    at_their_points: Cite
    seated: Cite
    one_position: Cite
    amounts: Cite
    folded_waits: Cite
    folded_goes: Cite
    collect: Cite
    limit: Cite


@dataclass(frozen=True, slots=True)
class Area:
    """One thing that the layout must show."""

    what: str
    cites: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game as data. See the files beside this one; amounts are cents, cards counts."""

    name: str
    title: str
    text: str
    effective: str
    cards_each: int
    board_cards: int
    layout: tuple[Area, ...]
    hand_clauses: Mapping[str, str]
    spots: tuple[Spot, ...]
    """In the order in which the wagers of one hand are settled."""
    at_least_one_of: tuple[str, ...]
    scripts: Mapping[Method, tuple[Step, ...]]
    options: tuple[Option, ...]
    board_from: tuple[str | None, ...]
    """What the house may say about where community cards come from."""
    rank: Ranking
    qualifies: Callable[[Ranked], bool] | None
    verdicts: Mapping[Case, Verdict]
    clauses: Clauses
    limit_cents: int | None
    """The aggregate limit of the text, None where there is none."""
    spots_by_name: Mapping[str, Spot] = field(init=False, repr=False, compare=False)
    required_spots: tuple[Spot, ...] = field(init=False, repr=False, compare=False)
    equal_spots: tuple[Spot, ...] = field(init=False, repr=False, compare=False)
    has_dealer_hand: bool = field(init=False, repr=False, compare=False)
    """Whether the dealer holds cards in this game."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "spots_by_name", {spot.name: spot for spot in self.spots})
        required = tuple([spot for spot in self.spots if spot.placed is Placed.REQUIRED])
        object.__setattr__(self, "required_spots", required)
        object.__setattr__(self, "equal_spots", tuple([spot for spot in self.spots if spot.equals]))
        stacks = [step for step in self.scripts[Method.AUTOMATED_SHOE] if isinstance(step, DealStacks)]
        object.__setattr__(self, "has_dealer_hand", any(step.to_dealer for step in stacks))

    def in_settling_order(self, wagers: Mapping[str, int]) -> dict[str, int]:
        """Return `wagers` (spot to cents) in the order in which the wagers of a hand are settled."""
        return {name: wagers[name] for name in self.spots_by_name if name in wagers}

    def spot(self, name: str) -> Spot | None:
        """Return the spot called `name`, or None."""
        return self.spots_by_name.get(name)

    @property
    def stakes(self) -> tuple[Spot, ...]:
        """The spots on which wagers lie before the deal."""
        return tuple(spot for spot in self.spots if spot.placed is not Placed.DECISION)
