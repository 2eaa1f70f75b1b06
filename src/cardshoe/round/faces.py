"""Faces of cards that lie face up, and the hands that are settled with them.

Owns which faces may be known where (promise P4), cards seen twice, entered cards, and the order of settling and
collecting: NY-5324.35(e)(8)–(9), NY-5324.36(e)(7)–(9). Must not know odds (`settlement`). A card is read, declared or
unknown; an inferred card never pays.
"""

from __future__ import annotations

from typing import Final

from cardshoe.cards import DECK, Card, parse_card
from cardshoe.error_table import Clears
from cardshoe.errors import Refused
from cardshoe.games.quoting import quoted
from cardshoe.games.script import DEALER, POSITIONS, SettleHands
from cardshoe.games.verdicts import Case
from cardshoe.round.dealing import Misfit, described
from cardshoe.round.effects import Effects, HandPaid
from cardshoe.round.events import (
    READ,
    SOURCES,
    CardMismatched,
    CardTurned,
    DeclaredConfirmed,
    ForeignCardSeen,
    HandCollected,
    HandSettled,
    RoundCompleted,
)
from cardshoe.round.progress import advanced, due, next_cites
from cardshoe.round.settlement import UNRECKONED, dealer_ranked, next_to_settle, settle_hand, settling_order
from cardshoe.round.state import FOLDED, LIVE, VOID, Hand, Hold, State, changed, is_position, with_hand

BOARD: Final = "board"
_CARDS: Final = {card.text: card for card in DECK}
_PLACES: Final = frozenset({BOARD, DEALER, *POSITIONS})
_NONE: Final[Effects] = ()


def turn(state: State, event: CardTurned) -> tuple[State, Effects]:
    """A face became known. Raises `InputError` (`card-spelling`), `Refused` (`face-place`, `face-source`)."""
    card = _CARDS.get(event.face) or parse_card(event.face, f"card at {event.place}")
    if event.source not in SOURCES:
        raise Refused("face-source", f"{quoted(event.source)} is no source of a face; a card is read or declared")
    if event.place not in _PLACES:
        raise Refused("face-place", f"{quoted(event.place)} is no place of a card; use board, dealer or 1 to 6")
    return turned_up(state, event.place, (card,), event.source), _NONE


def turned_up(state: State, place: str, cards: tuple[Card, ...], source: str) -> State:
    """Return `state` after `cards` were turned up at `place`, one after the other: read or declared.

    Raises `Misfit` when one was seen before or no face is due there.
    """
    seen = state.seen.union(cards)
    if len(seen) != len(state.seen) + len(cards):
        raise _seen_twice(state, place, cards)
    declared = state.declared if source == READ else (*state.declared, *[card.text for card in cards])
    if place == BOARD:
        faces = (*state.board_faces, *cards)
        if len(faces) > state.board_up:
            raise _unexpected(state, BOARD)
        return changed(state, board_faces=faces, seen=seen, declared=declared)
    if place == DEALER:
        return _turn_dealers(state, cards, seen, declared)
    return _turn_players(state, state.hand(place), cards, source, seen, declared)


def foreign(state: State, event: ForeignCardSeen) -> tuple[State, Effects]:
    """A foreign or switched card holds the round; two people clear it."""
    raise Misfit(_foreign(event.place, event.why), state)


def mismatched(state: State, event: CardMismatched) -> tuple[State, Effects]:
    """A face that the shoe did not deal to its place pays nothing: it is taken back, and holds the round.

    Where two people find that it was misread, the right one is entered in its place.
    """
    raise Misfit(_foreign(event.place, event.why), _taken_back(state, event.place, event.face))


def _foreign(place: str, why: str) -> Hold:
    return Hold(
        "foreign-card",
        f"The card at {place} is not the one that was dealt there, or not of this deck: {why}.",
        Clears.TWO_PEOPLE,
        ("misread", "void-all"),
        who=place,
    )


def _taken_back(state: State, place: str, face: str) -> State:
    """Return `state` without `face` at `place`; what is settled stays settled."""
    if place == DEALER:
        left = tuple([card for card in state.dealer_faces if card.text != face])
        if len(left) == len(state.dealer_faces) or state.dealer_rank is not None:
            return state
        state = changed(state, dealer_faces=left)
    elif is_position(place):
        hand = state.hand(place)
        pairs = [pair for pair in zip(hand.faces, hand.sources, strict=True) if pair[0].text != face]
        if len(pairs) == len(hand.faces) or hand.result is not None:
            return state
        less = changed(hand, faces=tuple([card for card, _ in pairs]), sources=tuple([told for _, told in pairs]))
        state = with_hand(state, less)
    seen = frozenset([card for card in state.seen if card.text != face])
    return changed(state, seen=seen, declared=tuple([told for told in state.declared if told != face]))


def confirm_declared(state: State, event: DeclaredConfirmed) -> tuple[State, Effects]:
    """The floor confirmed what the dealer had entered."""
    if event.role not in ("floor", "floor and a second person"):
        raise Refused("role", f"{quoted(event.role)} may not confirm entered cards; the floor does")
    if not state.declared:
        raise Refused("nothing-declared", "no entered card waits for confirmation")
    return changed(state, declared=()), _NONE


def settle(state: State, event: HandSettled) -> tuple[State, Effects]:
    """Settle one hand: in order, from the far right."""
    if not is_position(event.position):
        raise Refused("position", f"{quoted(event.position)} is no position; positions are 1 to 6")
    step = due(state)
    if not isinstance(step, SettleHands):
        raise Refused(
            "out-of-order", f"no hand is settled yet; {described(state)}", cites=next_cites(state, SettleHands)
        )
    hand = state.hand(event.position)
    if next_to_settle(state) is not hand:
        raise Refused("settle-order", _not_yet(hand, settling_order(state)), cites=step.cites)
    if step.collect_before_next:
        _check_collected(state, step)
    if not state.live:
        return advanced(_settled(state, changed(hand, result=UNRECKONED)), (HandPaid(hand.position, None),))
    if state.dealer_rank is None:
        state = changed(state, dealer_rank=dealer_ranked(state))
    result = settle_hand(state, hand)
    return advanced(_settled(state, changed(hand, result=result)), (HandPaid(hand.position, result),))


def collect(state: State, event: HandCollected) -> tuple[State, Effects]:
    """NY-5324.35(e)(9), NY-5324.36(e)(9): a hand goes to the rack when nothing waits on it any more."""
    if not is_position(event.position):
        raise Refused("position", f"{quoted(event.position)} is no position; positions are 1 to 6")
    hand = state.hand(event.position)
    clauses = state.game.clauses
    if hand.dealt == 0:
        raise Refused("no-cards", f"position {hand.position} has no cards to collect", cites=clauses.collect)
    if hand.collected:
        raise Refused("collected", f"the cards of position {hand.position} are in the rack already")
    if hand.result is None and (hand.waits or hand.status is LIVE):
        cites = clauses.folded_waits if hand.status is FOLDED else clauses.collect
        raise Refused(
            "not-settled", f"the cards of position {hand.position} stay until its wagers are settled", cites=cites
        )
    return advanced(with_hand(state, changed(hand, collected=True)), _NONE)


def complete(state: State, _event: RoundCompleted) -> tuple[State, Effects]:
    """Close the round; players may leave."""
    if not state.over:
        raise Refused("not-over", f"the round is not over; {described(state)}")
    return changed(state, closed=True), _NONE


def _turn_dealers(state: State, cards: tuple[Card, ...], seen: frozenset[Card], declared: tuple[str, ...]) -> State:
    if not state.dealer_revealed:
        if state.void_all:  # no secret any more, and it must not turn up again
            return changed(state, seen=seen)
        if state.dealer_dealt:
            raise Misfit(_seen_early(state), state)
    faces = (*state.dealer_faces, *cards)
    if not state.dealer_revealed or len(faces) > state.dealer_dealt:
        raise _unexpected(state, DEALER)
    return changed(state, dealer_faces=faces, seen=seen, declared=declared)


def _turn_players(
    state: State, hand: Hand, cards: tuple[Card, ...], source: str, seen: frozenset[Card], declared: tuple[str, ...]
) -> State:
    if hand.status is VOID and not hand.waits:
        return changed(state, seen=seen)
    settles = hand.result is None and (hand.status is LIVE or hand.waits) and isinstance(due(state), SettleHands)
    faces = (*hand.faces, *cards)
    if not settles or len(faces) > hand.dealt:
        raise _unexpected(state, hand.position)
    turned = changed(hand, faces=faces, sources=(*hand.sources, *[source] * len(cards)))
    return with_hand(state, turned, seen=seen, declared=declared)


def _seen_twice(state: State, place: str, cards: tuple[Card, ...]) -> Misfit:
    twice = next((card for card in cards if card in state.seen), cards[-1])
    question = f"{twice} at {place} was seen before in this round{_also_at(state, twice)}. Is it a misreading?"
    hold = Hold("card-seen-twice", question, Clears.TWO_PEOPLE, ("misread", "void-all"), who=place)
    return Misfit(hold, state)


def _also_at(state: State, card: Card) -> str:
    """Name the other place that is suspect."""
    places = [(hand.position, hand.faces) for hand in state.hands]
    places += [(DEALER, state.dealer_faces), (BOARD, state.board_faces)]
    return "".join([f", at {place}" for place, faces in places if card in faces])


def _unexpected(state: State, place: str) -> Misfit:
    question = f"A card was turned up at {place}, where no face is due; {described(state)}."
    hold = Hold("card-unexpected", question, Clears.FLOOR, ("continue", "void-all"), who=place)
    return Misfit(hold, state)


def _seen_early(state: State) -> Hold:
    return Hold(
        "dealer-card-seen",
        "A card of the dealer lies face up before the dealer's hand is turned.",
        Clears.FLOOR,
        (),
        cites=state.game.verdicts[Case.DEALER_CARD_SEEN_EARLY].cites,
        who=DEALER,
        case=Case.DEALER_CARD_SEEN_EARLY,
    )


def _settled(state: State, hand: Hand) -> State:
    if hand.status is VOID:
        return with_hand(state, hand)
    return with_hand(state, hand, settled_in_order=(*state.settled_in_order, hand.position))


def _not_yet(hand: Hand, order: tuple[Hand, ...]) -> str:
    if hand not in order:
        return f"position {hand.position} has nothing to settle"
    return f"position {hand.position} is settled after position {order[0].position}; settle that first"


def _check_collected(state: State, step: SettleHands) -> None:
    """NY-5324.35(e)(8): a hand goes to the rack before the next is settled, unless it waits for its bonus."""
    for position in state.settled_in_order:
        before = state.hand(position)
        if not before.collected and not any(name in before.wagers for name in step.unless_wager):
            raise Refused(
                "collect-first",
                f"the cards of position {position} go to the discard rack before the next hand is settled",
                cites=step.cites,
            )
