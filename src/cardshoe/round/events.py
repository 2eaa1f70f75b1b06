"""What can happen in a round, past tense; the only thing that changes a round's state.

Owns the event classes; their plain form, which the journal stores, is `records`. Replaying gives the same states,
rulings and payouts. Must not know what follows from an event (`machine`), nor devices.

Two families. *Acts* are what people at the table do or ask for: an act that the rules do not allow is refused and
changes nothing. *Reports* (`REPORTS`) are facts that a device or a sensor tells: at a live table a report that does not
fit holds the round, it is never refused and never deals an extra card.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from cardshoe.games.verdicts import Case

READ: Final = "read"
DECLARED: Final = "declared"
SOURCES: Final = (READ, DECLARED)
"""How a face became known. An inferred card does not exist here: it could never pay."""


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """A round begins. `house` is the JSON form of the house's choices; `seats` maps positions to seated players.

    `live`: a shoe and readers report to this round, and faces are needed before a hand is settled. `maximum_cents`: the
    table's maximum wager for each spot.
    """

    round_id: int
    game: str
    method: str
    house: Mapping[str, object]
    seats: Mapping[str, str] = field(default_factory=dict)
    live: bool = True
    maximum_cents: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlayerSeated:
    """`player` took the seat at `position`."""

    position: str
    player: str


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """`player` left the table; before cards the wagers go back."""

    player: str


@dataclass(frozen=True, slots=True)
class WagerPlaced:
    """`wagers` gives the new total in cents of each spot named; `kinds` says "plaque" or "coupon" where not chips."""

    position: str
    player: str
    wagers: Mapping[str, int]
    kinds: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WagerWithdrawn:
    """The wagers on `spots` were taken back before "no more bets"."""

    position: str
    player: str
    spots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoMoreBetsCalled:
    """The dealer announced "no more bets"."""


@dataclass(frozen=True, slots=True)
class StackRequested:
    """The intent to dispense `cards` for `to` under `command_id`; on disk before the shoe hears of it."""

    command_id: int
    to: str
    cards: int


@dataclass(frozen=True, slots=True)
class StackDelivered:
    """Report: the stack of `command_id`, `cards` cards, was taken and lies at `to`."""

    command_id: int
    to: str
    cards: int


@dataclass(frozen=True, slots=True)
class StackNotMoved:
    """Report: the shoe proves that nothing moved for `command_id`; it may be requested again."""

    command_id: int
    why: str


@dataclass(frozen=True, slots=True)
class StackUnknown:
    """Report: nobody can say whether `command_id` moved cards; a person must look."""

    command_id: int
    why: str


@dataclass(frozen=True, slots=True)
class CoverCardInserted:
    """Report: the cover card went into the shoe."""


@dataclass(frozen=True, slots=True)
class StubRemoved:
    """Report: the rest of the deck left the shoe."""


@dataclass(frozen=True, slots=True)
class CardDealt:
    """One card, from a manual shoe or the hand, was laid at `to`; None: the cover card as the rule demands."""

    to: str
    under_cover_card: bool | None = None


@dataclass(frozen=True, slots=True)
class CardBurned:
    """`cards` went face down to the discard rack."""

    cards: int


@dataclass(frozen=True, slots=True)
class BoardDealt:
    """`cards` community cards were dealt."""

    cards: int


@dataclass(frozen=True, slots=True)
class BoardTurned:
    """`cards` community cards that lay face down were turned up."""

    cards: int


@dataclass(frozen=True, slots=True)
class DecisionMade:
    """The position answered; `action` as in the interface: "check", "play 3x", "flop 2000", "fold"."""

    position: str
    action: str


@dataclass(frozen=True, slots=True)
class DealerRevealed:
    """The dealer's cards were turned up."""


@dataclass(frozen=True, slots=True)
class CardTurned:
    """The face of a card that lies face up became known.

    `place`: "board", "dealer" or a position; `source`: "read" by a table reader or "declared" by the dealer.
    """

    face: str
    place: str
    source: str


@dataclass(frozen=True, slots=True)
class ForeignCardSeen:
    """Report: a card that does not belong to the deck, or is not the one committed to, lies at `place`."""

    place: str
    why: str


@dataclass(frozen=True, slots=True)
class CardMismatched:
    """Report: the shoe did not deal `face`, which lies up at `place`, there; `why` names who else is suspect."""

    place: str
    face: str
    why: str


@dataclass(frozen=True, slots=True)
class DeclaredConfirmed:
    """The floor confirmed the cards that the dealer had entered."""

    role: str


@dataclass(frozen=True, slots=True)
class HandSettled:
    """The wagers of `position` were paid, collected or returned."""

    position: str


@dataclass(frozen=True, slots=True)
class HandCollected:
    """The cards of `position` went to the discard rack."""

    position: str


@dataclass(frozen=True, slots=True)
class RoundCompleted:
    """Everything is settled and collected; players may leave."""


@dataclass(frozen=True, slots=True)
class IrregularityFound:
    """Something irregular of the kinds that a text may rule. `who`: a position, "dealer" or ""; `cards` first dealt."""

    case: Case
    who: str = ""
    cards: int = 0


@dataclass(frozen=True, slots=True)
class FloorRuled:
    """The floor ruled where the text is silent. `who`: "all" or a position; `outcome`: "void" or "stands"."""

    who: str
    outcome: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AlarmRaised:
    """Report: an interlock or a device says that the round must not go on; `code` is a code of the error table."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class HoldCleared:
    """Somebody who may do so answered the question of a hold with one of its choices, and said why.

    `second`: the role of the second person, where two are needed.
    """

    code: str
    choice: str
    role: str
    reason: str
    second: str = ""


@dataclass(frozen=True, slots=True)
class EntryCorrected:
    """The last wager, decision or entered card was entered wrongly; `entry` stands instead of it."""

    entry: WagerPlaced | DecisionMade | CardTurned


Event = (
    RoundOpened
    | PlayerSeated
    | PlayerLeft
    | WagerPlaced
    | WagerWithdrawn
    | NoMoreBetsCalled
    | StackRequested
    | StackDelivered
    | StackNotMoved
    | StackUnknown
    | CoverCardInserted
    | StubRemoved
    | CardDealt
    | CardBurned
    | BoardDealt
    | BoardTurned
    | DecisionMade
    | DealerRevealed
    | CardTurned
    | ForeignCardSeen
    | CardMismatched
    | DeclaredConfirmed
    | HandSettled
    | HandCollected
    | RoundCompleted
    | IrregularityFound
    | FloorRuled
    | AlarmRaised
    | HoldCleared
    | EntryCorrected
)

REPORTS: Final = frozenset(
    {
        StackDelivered,
        StackNotMoved,
        StackUnknown,
        CoverCardInserted,
        StubRemoved,
        CardTurned,
        ForeignCardSeen,
        CardMismatched,
        AlarmRaised,
    }
)
