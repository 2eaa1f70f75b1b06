"""Which deck may be dealt from: suspicion, proof by count, backs, life.

Owns the rules of the deck beside those that the shoe tells by itself. A deck that may have changed is suspect: between
rounds it is never armed and must be verified anew under a new deck id; in a round, where only the floor may let the
deal go on, its cards are counted before the next stack (cards out and cards left make the whole deck, promise P3), and
where the shoe cannot say the round cannot go on. Backs are told by the dealer: no sensor of shoe-v1 sees one, so a
back is on record as declared. Pure. Implements conditions E01 to E05, E10, E11, E14, E24 and E25, and the deck rules.
"""

from __future__ import annotations

from typing import Final

from cardshoe.devices import shoe_events as shoe
from cardshoe.devices.shoe_terms import DeckState
from cardshoe.games.script import DEALER
from cardshoe.round.next_step import RequestStack
from cardshoe.round.progress import dealing_done
from cardshoe.table.desk import Desk
from cardshoe.table.interlocks import FULL_DECK, Consequence, Obstacle
from cardshoe.wire.spec import Fault

REQUIRED: Final = "required"
_GOES_ON: Final = ("goes on", "none")


def in_deal(desk: Desk) -> bool:
    """Tell whether stacks of the open round are still to come out of the deck that is in the shoe."""
    round_ = desk.open_round
    return round_ is not None and desk.state.deck_id is not None and not dealing_done(round_) and not round_.over


def suspect(desk: Desk, why: str, *, count_known: bool = True) -> None:
    """Set the deck aside that may have changed. A deck that is dealt out, or none, is nobody's suspicion."""
    upkeep, state = desk.state.upkeep, desk.state
    dealing = in_deal(desk)
    deck_id = state.deck_id if dealing else upkeep.verified_deck_id
    if not deck_id or (not dealing and deck_id in (state.deck_id, state.spent_deck_id)):
        return
    if deck_id == upkeep.suspect_deck_id and (count_known or upkeep.cards_out is None):
        return
    desk.write("deck_suspected", {"deck_id": deck_id, "why": why, "count_known": count_known})


def fault_disturbs(fault: Fault) -> bool:
    """Tell whether the motor stopped for this fault, so that a card may not be where it was."""
    return fault.motor not in _GOES_ON


def counted(desk: Desk, status: shoe.ShoeStatus) -> None:
    """Compare the cards that came out with those that are left, where the status speaks of exactly the same moment."""
    state, upkeep = desk.state, desk.state.upkeep
    out, known = upkeep.cards_out, state.devices.get("shoe")
    moving = state.command is not None and not state.command.ready
    if not in_deal(desk) or desk.held or moving or out is None or known is None:
        return
    if status.deck_state is not DeckState.VERIFIED or status.deck_id != state.deck_id or status.cards_left is None:
        return
    disturbed = status.fault is not None and fault_disturbs(status.fault)
    if disturbed or status.running_command is not None or status.last_event != known.consumed_event:
        return
    missing = upkeep.armed_cards - out - status.cards_left
    if missing != 0 and missing != upkeep.cards_unasked:
        desk.alarm(
            "cards-unaccounted",
            f"{upkeep.armed_cards} cards went in, {out} came out and {status.cards_left} are left: that is"
            f" {abs(missing)} too {'few' if missing > 0 else 'many'}. Deal nothing. Call the floor.",
        )
    elif upkeep.suspect_deck_id == state.deck_id:
        desk.write("deck_count_proved", {"deck_id": status.deck_id, "out": out, "left": status.cards_left})


def not_provable(desk: Desk) -> bool:
    """Tell whether the deck of the open round is suspect and the shoe does not know how many came out, or are left."""
    upkeep, view = desk.state.upkeep, desk.live.shoe
    known = upkeep.cards_out is not None and view is not None and view.cards_left is not None
    return upkeep.suspect_deck_id == desk.state.deck_id and not known


def proof_obstacle(desk: Desk) -> Obstacle | None:
    """Return why the deck of the open round is not dealt from before its cards are counted, or None."""
    upkeep = desk.state.upkeep
    if desk.state.deck_id is None or upkeep.suspect_deck_id != desk.state.deck_id:
        return None
    if not_provable(desk):
        return Obstacle(
            Consequence.ALARM,
            "deck-not-proved",
            f"The deck cannot be counted after this: {upkeep.suspect_why}. Nothing more is dealt from it.",
        )
    return Obstacle(Consequence.WAIT, "deck-recount", "The shoe's cards are being counted.")


def arming_obstacle(desk: Desk) -> Obstacle | None:
    """Return why the verified deck in the shoe may not begin a round, or None."""
    part, upkeep = desk.config.deck, desk.state.upkeep
    back = upkeep.back
    if part.backs and not back:
        return _wait("deck-back-unknown", f"Say which deck lies in the shoe: {' or '.join(part.backs)}.")
    if back in upkeep.suspect_backs:
        return _wait("deck-set-aside", f"The {back} deck is set aside. The floor must count or replace it.")
    if part.life_rounds is not None and upkeep.rounds_of_back.get(back, 0) >= part.life_rounds:
        named = f"{back} deck" if back else "deck"
        return _wait(
            "deck-worn-out", f"The {named} has been dealt {part.life_rounds} times. Call the floor to change it."
        )
    return None


def cover_card_obstacle(desk: Desk, step: RequestStack) -> Obstacle | None:
    """Return why the dealer's stack waits for the cover card, where the house demands one (condition E24)."""
    round_ = desk.open_round
    if desk.config.deck.cover_card != REQUIRED or step.to != DEALER or round_ is None or round_.cover_card_in:
        return None
    return _wait("cover-card-due", "Put the cover card into the shoe before the dealer's stack.")


def next_back(desk: Desk) -> str:
    """Return the back of the deck that goes in next, "" where any may."""
    backs, dealt = desk.config.deck.backs, desk.state.upkeep.dealt_back
    if len(backs) < 2:
        return ""
    usable = [back for back in backs if back not in desk.state.upkeep.suspect_backs]
    others = [back for back in usable if back != dealt]
    return (others or usable or [""])[0]


def rejected(desk: Desk, event: shoe.DeckRejected) -> None:
    """Say what is wrong with a deck. Where two alternate, a card of one may lie in the other: both are set aside."""
    parts = {
        "missing": event.missing,
        "duplicate": event.duplicate,
        "foreign": event.foreign,
        "unreadable": event.unreadable,
        "face up": event.face_up,
        "jokers": event.jokers,
    }
    found = ", ".join(f"{number} {name}" for name, number in parts.items() if number) or "count wrong"
    backs = list(desk.config.deck.backs)
    if backs:
        desk.write("backs_suspected", {"backs": backs, "why": f"rejected: {found}"})
    if event.foreign * 2 > event.cards:  # no stray card: the deck is of another design
        desk.alarm("deck-design-unknown", "The shoe does not know this card design. Change the deck. Call the floor.")
        return
    code = "deck-rejected-identity" if event.duplicate or event.foreign else "deck-rejected"
    wrong = f"{event.cards} cards, {found}" if event.cards != FULL_DECK else found
    desk.alarm(code, f"The deck is wrong: {wrong}. Take it out. Call the floor.")


def _wait(code: str, text: str) -> Obstacle:
    return Obstacle(Consequence.WAIT, code, text)
