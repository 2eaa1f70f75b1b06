"""The robot supervisor: answers holds and alarms as a floor may.

Owns the choice among a question's lawful answers, by what the hands can see on the table; the cause is removed at the
machine first. What cannot be repaired or proved is void and every wager goes back. Must not open hidden cards. The
answers follow NY-5324.36(h) where a text rules ("by-rule") and the floor's own ruling where it is silent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from cardshoe.devices.shoe_terms import DeckState
from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.errors import JournalError
from cardshoe.games.script import DEALER, POSITIONS
from cardshoe.lab.doings import Do, Pause, Say, Shows, Steps
from cardshoe.lab.eyes import Sight, agrees, sight
from cardshoe.lab.patience import tried
from cardshoe.round.events import HoldCleared
from cardshoe.round.faces import BOARD
from cardshoe.round.progress import dealing_done
from cardshoe.round.state import Hold, State, is_position
from cardshoe.table.acts import ClearAlarm
from cardshoe.table.state import TableAlarm

THINKS_S: Final = 4.0
MOST_CONTINUED: Final = 3
"""So often the same alarm of one round is answered with "continue"; then the round is void."""
_NEVER_CONTINUED: Final = frozenset(
    {
        "deck-changed",
        "deck-not-proved",
        "slot-used-twice",
        "cards-unaccounted",
        "device-changed",
        "cover-card-unexpected",
    }
)
_NOT_FOR_ROBOTS: Final = frozenset({"disk-space", "journal-past-untrusted"})
"""Nobody in a laboratory makes room on a disk, or vouches for a journal that was changed: the game ends."""
_BAD_DECK: Final = frozenset(
    {"deck-rejected", "deck-rejected-identity", "deck-design-unknown", "deck-doubted", "stub-count-wrong"}
)
"""Alarms after which a new deck is taken, unless a round is dealt from the one that there is."""
_STACK_TO_TAKE: Final = frozenset({"stack-incomplete", "stack-wrong-count"})
"""Alarms with cards of the awaited stack in the gate: they go where they belong, and their count is ruled on then."""

Choose = Callable[["Floor", State, Hold, Sight], str]


class Floor:
    """The supervisor of the robot table that `table` shows."""

    def __init__(self, table: Shows) -> None:
        self._table = table
        self._continued: Counter[tuple[int, str]] = Counter()

    def held(self, hold: Hold) -> Steps:
        """Answer the open question of a round."""
        round_ = self._table.controller.state.round
        if round_ is None:
            return
        yield Pause(THINKS_S)
        code = (round_.round_id, hold.code)
        yield from self._repair(hold.code, hold.clears, again=self._continued[code] > 0)
        seen = sight((yield Do("look")))
        if not seen.gate_empty and round_.pending is not None and _belongs_to_the_stack(hold, seen, round_):
            yield Do("take_stack", {"to": round_.pending.to})
            seen = sight((yield Do("look")))
        choice = _lawful(_CHOOSE.get(hold.code, _continue_or_void)(self, round_, hold, seen), hold)
        self._continued[code] += 1
        role, second = _people(hold.clears)
        yield Say(HoldCleared(hold.code, choice, role, _reason(choice, seen, hold), second))

    def alarm(self, alarm: TableAlarm) -> Steps:
        """Answer an open question between rounds. Raises `JournalError` for one that only people can see to."""
        if alarm.code in _NOT_FOR_ROBOTS:
            raise JournalError(alarm.code, alarm.text)
        meaning = ERROR_TABLE.get(alarm.code)
        clears = meaning.clears if meaning is not None else Clears.FLOOR
        yield Pause(THINKS_S)
        self._continued[(0, alarm.code)] += 1
        yield from self._repair(alarm.code, clears, again=self._continued[(0, alarm.code)] > 1)
        role, second = _people(clears)
        yield Say(ClearAlarm(alarm.code, role, "looked at table and machine", second))

    def _change_deck(self) -> Steps:
        """A bad deck never deals again: a new one comes from the cupboard, where the world has one."""
        yield from tried(Do("new_deck"))
        yield from tried(Do("load_deck"))
        yield from tried(Do("press", {"button": "service"}))

    def _repair(self, code: str, clears: Clears, *, again: bool) -> Steps:
        """Remove the cause at the machine as far as a person can."""
        seen = sight((yield Do("look")))
        if seen.door_open:
            yield Do("close_door")
        if not self._dealt_from() and (code in _BAD_DECK or self._deck_rejected()):
            yield from self._change_deck()
        if code == "shoe-mode":
            yield Do("switch_mode", {"mode": "deal"})
        if code.startswith(("shoe-fault", "stack-", "reader-fault")):
            yield from tried(Do("press", {"button": "clear_jam"}))
            if again or clears is Clears.TECHNICIAN or code == "reader-fault":
                yield from tried(Do("press", {"button": "service"}))

    def _dealt_from(self) -> bool:
        """Whether cards of the open round lie on the table."""
        desk = self._table.controller.desk
        return desk.open_round is not None and desk.state.deck_id is not None

    def _deck_rejected(self) -> bool:
        shoe = self._table.controller.desk.live.shoe
        return shoe is not None and shoe.deck_state is DeckState.REJECTED

    def continues(self, round_: State, hold: Hold, seen: Sight) -> bool:
        """Tell whether a round may go on after `hold`: everything lies where it should, the deck is still the one."""
        if hold.code in _NEVER_CONTINUED or self._continued[(round_.round_id, hold.code)] >= MOST_CONTINUED:
            return False
        if hold.code in _STACK_TO_TAKE:
            return True
        return self._deck_serves(round_) and agrees(seen, round_)

    def _deck_serves(self, round_: State) -> bool:
        """Whether the rest of the deal can come out of the shoe: its deck is verified and the one of this round."""
        desk = self._table.controller.desk
        shoe, deck_id = desk.live.shoe, desk.state.deck_id
        if dealing_done(round_) or deck_id is None or shoe is None:
            return True
        return shoe.deck_state is DeckState.VERIFIED and shoe.deck_id == deck_id


def _lawful(choice: str, hold: Hold) -> str:
    """Return `choice`, or what a floor that can prove nothing answers where the question does not offer it."""
    if choice in hold.choices:
        return choice
    return "void-all" if "void-all" in hold.choices else hold.choices[0]


def _people(clears: Clears) -> tuple[str, str]:
    match clears:
        case Clears.TECHNICIAN:
            return "technician", ""
        case Clears.DEALER:
            return "dealer", ""
        case Clears.TWO_PEOPLE:
            return "floor", "dealer"
        case Clears.FLOOR | Clears.NOBODY_NEEDED:
            return "floor", ""


def _reason(choice: str, seen: Sight, hold: Hold) -> str:
    where = f"; {seen.at(hold.who).cards} cards lie at {hold.who}" if hold.who in seen.places else ""
    return f"looked at table and machine: {choice}{where}"


def _belongs_to_the_stack(hold: Hold, seen: Sight, round_: State) -> bool:
    pending = round_.pending
    if pending is None:
        return False
    return hold.code in _STACK_TO_TAKE or (hold.code == "stack-unknown" and seen.gate == pending.cards)


def _dealt(round_: State, place: str) -> int:
    return round_.dealer_dealt if place == DEALER else round_.hand(place).dealt


# --- one question each -----------------------------------------------------------------------------------------------


def _continue_or_void(floor: Floor, round_: State, hold: Hold, seen: Sight) -> str:
    go_on = next((choice for choice in ("continue", "stands") if choice in hold.choices), None)
    if go_on is not None and floor.continues(round_, hold, seen):
        return go_on
    return "void-all"


def _where_the_stack_is(_floor: Floor, round_: State, hold: Hold, seen: Sight) -> str:
    pending = round_.pending
    if pending is None:
        return "continue" if agrees(seen, round_) else "void-all"
    arrived = seen.at(pending.to).cards - _dealt(round_, pending.to)
    if seen.gate == 0 and arrived == pending.cards:
        return "delivered"
    if seen.gate == 0 and arrived == 0:
        return "not-moved"
    return "void-all"


def _how_many(floor: Floor, round_: State, hold: Hold, seen: Sight) -> str:
    if "continue" in hold.choices:
        return _continue_or_void(floor, round_, hold, seen)
    right = hold.who in seen.places and seen.at(hold.who).cards == round_.game.cards_each
    for choice in ("misread", "stands") if right else ("by-rule", "void-hand", "void-all"):
        if choice in hold.choices:
            return choice
    return hold.choices[-1]


def _which_card(_floor: Floor, _round: State, hold: Hold, seen: Sight) -> str:
    """A face that does not really lie there was misread; one that does is in the deck twice, or was misread before."""
    card = hold.question.split(" ", 1)[0]
    return "void-all" if card in seen.at(hold.who).faces else "misread"


def _turned_early(floor: Floor, round_: State, hold: Hold, seen: Sight) -> str:
    if hold.who not in seen.places or seen.gate:
        return _continue_or_void(floor, round_, hold, seen) if not seen.gate else "void-all"
    known = _faces(round_, hold.who)
    really = Counter(seen.at(hold.who).faces) - Counter(known)
    return "void-all" if really else "continue"


def _faces(round_: State, place: str) -> tuple[str, ...]:
    if place == BOARD:
        return tuple(card.text for card in round_.board_faces)
    cards = round_.dealer_faces if place == DEALER else round_.hand(place).faces
    return tuple(card.text for card in cards)


def _dealer_seen(_floor: Floor, _round: State, hold: Hold, seen: Sight) -> str:
    return "by-rule" if seen.at(DEALER).faces else "misread"


def _rules(_floor: Floor, _round: State, hold: Hold, _seen: Sight) -> str:
    """Where the text is silent the hand that is not as it should be is void, else all of them are."""
    return "void-hand" if "void-hand" in hold.choices and is_position(hold.who) else "void-all"


def _void(_floor: Floor, _round: State, hold: Hold, seen: Sight) -> str:
    if hold.code == "stack-wrong-place" and hold.who in POSITIONS and seen.at(hold.who).cards == hold.cards:
        return "moved"
    return "void-all"


_CHOOSE: Final[dict[str, Choose]] = {
    "stack-unknown": _where_the_stack_is,
    "stack-wrong-count": _how_many,
    "stack-wrong-place": _void,
    "stack-not-asked": _void,
    "cover-card": _void,
    "card-seen-twice": _which_card,
    "foreign-card": _void,
    "card-unexpected": _turned_early,
    "dealer-card-seen": _dealer_seen,
    "floor-ruling": _rules,
}
"""Questions with answers of their own; any other is answered by whether the round can go on."""
