"""The round as a pure state machine: (state, event) to (state, effects).

Owns opening a round, the dispatch of events, what is refused while a question is open (promise P5), the correction of
entries. Must not know devices, screens or journals; they meet it through `ports`. An act that the rules do not allow
raises `Refused` and changes nothing; a report that does not fit holds a live round.

Implements, with `betting`, `dealing`, `deciding`, `faces`, `irregular` and `settlement`, all of NY-5324.35(c)–(g),
NY-5324.36(c)–(h) and NJ-69F-20.12A as far as the game files say them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from cardshoe.errors import InputError, Refused
from cardshoe.games import games
from cardshoe.games.house import House, parse_house
from cardshoe.games.quoting import quoted
from cardshoe.games.script import POSITIONS, Game, Method
from cardshoe.round import betting, dealing, deciding, faces, irregular
from cardshoe.round.dealing import Misfit
from cardshoe.round.effects import Effects
from cardshoe.round.events import (
    DECLARED,
    REPORTS,
    AlarmRaised,
    BoardDealt,
    BoardTurned,
    CardBurned,
    CardDealt,
    CardMismatched,
    CardTurned,
    CoverCardInserted,
    DealerRevealed,
    DecisionMade,
    DeclaredConfirmed,
    EntryCorrected,
    Event,
    FloorRuled,
    ForeignCardSeen,
    HandCollected,
    HandSettled,
    HoldCleared,
    IrregularityFound,
    NoMoreBetsCalled,
    PlayerLeft,
    PlayerSeated,
    RoundCompleted,
    RoundOpened,
    StackDelivered,
    StackNotMoved,
    StackRequested,
    StackUnknown,
    StubRemoved,
    WagerPlaced,
    WagerWithdrawn,
)
from cardshoe.round.state import Entry, Hand, State, changed

_EMPTY_HANDS: Final = tuple([Hand(position) for position in POSITIONS])

Handler = Callable[[State, Any], tuple[State, Effects]]


def find_game(name: object) -> Game:
    """Return the game called `name`; raises `InputError` (`unknown-game`) naming the games there are."""
    known = games()
    game = known.get(name) if isinstance(name, str) else None
    if game is None:
        raise InputError("unknown-game", f"{quoted(name)} is no game of ours; there are {', '.join(known)}")
    return game


def find_method(game: Game, name: object) -> Method:
    """Return the dealing method called `name`; raises `InputError` (`unknown-method`)."""
    for method in game.scripts:
        if method.value == name:
            return method
    names = ", ".join(method.value for method in game.scripts)
    raise InputError("unknown-method", f"{quoted(name)} is no dealing method of {game.name}; there are {names}")


def open_round(event: RoundOpened) -> State:
    """Return the state of the round that `event` opens. Raises `InputError` for a game, method or house that is not."""
    game = find_game(event.game)
    house = parse_house(game, event.house, maximum=event.maximum_cents or None)
    return new_round(game, house, find_method(game, event.method), event.round_id, event.seats, live=event.live)


def new_round(
    game: Game, house: House, method: Method, round_id: int, seats: Mapping[str, str], *, live: bool
) -> State:
    """Return a round of `game` in which wagers are open and the players of `seats` (position to player) sit."""
    hands = tuple([changed(hand, player=seats.get(hand.position)) for hand in _EMPTY_HANDS])
    return State(game, house, method, round_id, live, game.scripts[method], hands)


def seats_of(state: State) -> dict[str, str]:
    """Return who sits where (position to player), for the next round."""
    return {hand.position: hand.player for hand in state.hands if hand.player is not None}


def apply(state: State, event: Event) -> tuple[State, Effects]:
    """Return the state after `event`, and what became true by it.

    Raises `Refused` when the rules do not allow it (nothing changes) and `InputError` for a card that is none. While a
    question is open only reports, rulings, alarms and answers are taken.
    """
    kind = type(event)
    if state.closed:
        if kind in REPORTS:
            return state, ()  # what a device tells between rounds is the table's business
        raise Refused("round-closed", f"round {state.round_id} is complete; open the next one")
    if state.holds and kind not in _WHILE_HELD:
        hold = state.holds[0]
        raise Refused("held", f"the round is held: {hold.question} First answer {hold.code}.", cites=hold.cites)
    try:
        after, effects = _HANDLERS[kind](state, event)
    except Misfit as misfit:
        if not state.live:
            raise Refused(misfit.hold.code, misfit.hold.question, cites=misfit.hold.cites) from None
        after, effects = irregular.opened(changed(misfit.state, entry=None), misfit.hold)
        return after, effects
    if kind in _ENTRIES or (kind is CardTurned and event.source == DECLARED):  # type: ignore[union-attr]
        return changed(after, entry=Entry(event, state)), effects
    return (after if state.entry is None else _remembering(state.entry, event, after)), effects


def replay(opened: RoundOpened, events: list[Event]) -> State:
    """Return the state after `events`; raises as `apply` does."""
    state = open_round(opened)
    for event in events:
        state, _ = apply(state, event)
    return state


def _remembering(entry: Entry, event: Event, after: State) -> State:
    """Keep the last entry correctable until the next irreversible step."""
    kind = type(event)
    if kind is EntryCorrected:
        return after
    if kind in _REVERSIBLE and len(entry.later) < MOST_LATER:
        return changed(after, entry=Entry(entry.event, entry.before, (*entry.later, event)))
    return changed(after, entry=None)


def _corrected(state: State, event: EntryCorrected) -> tuple[State, Effects]:
    entry = state.entry
    if entry is None:
        raise Refused(
            "nothing-to-correct",
            "there is no entry to correct: only the last wager, decision or entered card, until the next step that "
            "cannot be undone",
        )
    if type(event.entry) is not type(entry.event):
        raise Refused("nothing-to-correct", "the last entry is of another kind; only the last entry can be corrected")
    after, effects = apply(entry.before, event.entry)
    for later in entry.later:
        after, more = apply(after, later)
        effects = (*effects, *more)
    return after, effects


_HANDLERS: Final[dict[type[Event], Handler]] = {
    PlayerSeated: betting.seat,
    PlayerLeft: betting.leave,
    WagerPlaced: betting.wager,
    WagerWithdrawn: betting.withdraw,
    NoMoreBetsCalled: betting.no_more_bets,
    StackRequested: dealing.request_stack,
    StackDelivered: dealing.deliver_stack,
    StackNotMoved: dealing.not_moved,
    StackUnknown: dealing.unknown_stack,
    CoverCardInserted: dealing.cover_card,
    StubRemoved: dealing.remove_stub,
    CardDealt: dealing.deal_card,
    CardBurned: dealing.burn,
    BoardDealt: dealing.deal_board,
    BoardTurned: dealing.turn_board,
    DealerRevealed: dealing.reveal_dealer,
    DecisionMade: deciding.decide,
    CardTurned: faces.turn,
    ForeignCardSeen: faces.foreign,
    CardMismatched: faces.mismatched,
    DeclaredConfirmed: faces.confirm_declared,
    HandSettled: faces.settle,
    HandCollected: faces.collect,
    RoundCompleted: faces.complete,
    IrregularityFound: irregular.found,
    FloorRuled: irregular.floor_ruled,
    AlarmRaised: irregular.raise_alarm,
    HoldCleared: irregular.cleared,
    EntryCorrected: _corrected,
}

_WHILE_HELD: Final = REPORTS | {IrregularityFound, FloorRuled, HoldCleared}
_ENTRIES: Final = frozenset({WagerPlaced, DecisionMade})
MOST_LATER: Final = 64
"""Acts after an entry until it is the last one no more: a correction does them all again and must end soon."""

_REVERSIBLE: Final = frozenset({PlayerSeated, PlayerLeft, WagerWithdrawn, CardTurned})
