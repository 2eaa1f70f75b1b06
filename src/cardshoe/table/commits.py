"""The round that the shoe keeps beside ours: begun before its first stack, closed after its last, sealed at its end.

Owns what is asked of a shoe that commits to its cards, and what its answers mean. A face goes to the shoe only after
it lay up on the table, once: the try is on disk before it is asked, and one whose answer was lost is looked up in the
shoe's log, never repeated blindly (promise P1). Faces come from the shoe only where no reader sees them, at the step at
which the rules turn the cards up, and are held against the commitments. What does not fit holds the round (P5).
Implements SHOE-9 for the table and conditions E03 to E06 as far as the shoe can tell (promise P4).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from cardshoe.cards import parse_card
from cardshoe.devices.shoe_terms import ShoeCapability
from cardshoe.round.events import CardMismatched, CardTurned
from cardshoe.round.faces import BOARD
from cardshoe.round.next_step import CompleteRound, ReadFaces, RequestStack, SettleHand, next_step
from cardshoe.round.places import in_words
from cardshoe.round.progress import dealing_done
from cardshoe.round.state import Same, State
from cardshoe.table.desk import Desk
from cardshoe.table.interlocks import ShoeView
from cardshoe.table.orders import BeginRound, CloseDeal, EndRound, MatchCard, ReadAsked, RevealStack, RoundOrder
from cardshoe.table.shoe_round import NOT_CARRIED_OUT, OPEN_STAGES, RULED, ShoeRound, Stage, Try
from cardshoe.table.state import TableState

COMPARE_S: Final = 10.0
"""So long a shoe that is away may take to come back before a person compares the cards instead."""
REVEALED: Final = "revealed"
RESOLVED: Final = frozenset({"match", "unread", RULED})


def commits(desk: Desk) -> bool:
    """Tell whether the connected shoe commits to its cards."""
    return bool((desk.live.shoe_capabilities or 0) & ShoeCapability.COMMITS)


def serial(desk: Desk) -> str:
    """Return the serial number of the shoe that was identified last."""
    known = desk.state.devices.get("shoe")
    return known.serial if known is not None else ""


def begun(desk: Desk, deck_id: int) -> bool:
    """Tell whether the shoe commits to what it deals from `deck_id` now; a shoe that cannot is not asked."""
    kept = desk.state.shoe_round
    return not commits(desk) or (kept is not None and kept.stage is Stage.OPEN and kept.deck_id == deck_id)


def begin(desk: Desk, view: ShoeView, deck_id: int) -> None:
    """Have the shoe begin a round for `deck_id`; one that it still keeps is ended first."""
    kept = desk.state.shoe_round
    if desk.live.round_asked:
        return
    if kept is None or kept.over:
        number = max(kept.round_id if kept is not None else 0, view.round_id) + 1
        desk.write("shoe_round_requested", {"shoe_round": number, "deck_id": deck_id, "serial": serial(desk)})
        _ask(desk, BeginRound(number, deck_id))
    elif kept.stage is Stage.REQUESTED and kept.deck_id == deck_id:
        _ask(desk, BeginRound(kept.round_id, deck_id))
    else:
        _ask(desk, EndRound(kept.round_id))


def drive(desk: Desk) -> None:
    """Ask what is due of the shoe's round: one thing at a time."""
    kept, live = desk.state.shoe_round, desk.live
    if kept is None or kept.over or live.round_asked:
        return
    if serial(desk) != kept.serial:
        give_up(desk, kept, f"The shoe {kept.serial} keeps round {kept.round_id}, and another shoe is connected.")
        return
    if kept.asked is not None or kept.reveal_asked is not None:
        # A try or a reveal without an answer: only the shoe's log says whether it was spent.
        _ask(desk, ReadAsked())
        return
    round_ = desk.open_round
    if round_ is None:
        _ask(desk, EndRound(kept.round_id))
        return
    if kept.stage not in OPEN_STAGES:
        return
    if kept.tries_before is None:
        _ask(desk, ReadAsked())
    elif not _opened(desk, kept, round_) and kept.stage is Stage.OPEN and _dealt(desk, round_):
        _ask(desk, CloseDeal(kept.round_id))


def _ask(desk: Desk, order: RoundOrder) -> None:
    desk.live.round_asked = True
    desk.order(order)


def _dealt(desk: Desk, round_: State) -> bool:
    """No more cards leave the shoe in this round, as far as its script says."""
    taken = desk.state.command is None and round_.pending is None
    return taken and dealing_done(round_) and not isinstance(next_step(round_), RequestStack)


def _opened(desk: Desk, kept: ShoeRound, round_: State) -> bool:
    """Have the next card that lies up compared, or told; False where none waits for that."""
    waiting = _uncompared(Same(kept), Same(round_))
    if _not_dealt_again(desk, kept, waiting):
        return True
    due = _next_try(kept, waiting)
    if due is not None:
        body = {"shoe_round": kept.round_id, "command_id": due.command_id, "place": due.place, "card": due.card}
        desk.write("card_match_requested", body)
        _ask(desk, MatchCard(kept.round_id, due.command_id, parse_card(due.card)))
        return True
    if waiting:
        left_to_people(desk, "The shoe has no try left for the cards that lie up.")
        return True
    command_id = reveal_due(desk)
    if command_id is None or kept.stage is not Stage.CLOSED:
        return False
    body = {"shoe_round": kept.round_id, "command_id": command_id, "place": kept.stacks[command_id]}
    desk.write("stack_reveal_requested", body)
    _ask(desk, RevealStack(kept.round_id, command_id))
    return True


# --- what lies up and was not held against its commitment yet


def faces_at(round_: State, place: str) -> tuple[str, ...]:
    """Return the faces that lie up at "dealer" or a position."""
    faces = round_.dealer_faces if place == "dealer" else round_.hand(place).faces
    return tuple([card.text for card in faces]) if faces else ()


@lru_cache(maxsize=4)
def _uncompared(kept_now: Same[ShoeRound], round_now: Same[State]) -> tuple[tuple[str, str], ...]:
    """Return place and face of each card that lies up, came from the shoe, and that no answer settles yet."""
    kept, round_ = kept_now.value, round_now.value
    waiting: list[tuple[str, str]] = []
    for place in dict.fromkeys(kept.stacks.values()):
        if kept.revealed and _told_by_the_shoe(kept, place):
            continue  # the shoe told these faces itself
        faces = faces_at(round_, place)
        if not faces:
            continue
        settled = [each.card for each in kept.tries if each.place == place and each.result in RESOLVED]
        for face in faces:
            if face in settled:
                settled.remove(face)
            else:
                waiting.append((place, face))
    return tuple(waiting)


def _told_by_the_shoe(kept: ShoeRound, place: str) -> bool:
    return any(to == place and kept.revealed.get(command) == REVEALED for command, to in kept.stacks.items())


def due_try(kept: ShoeRound, round_: State) -> Try | None:
    """Return the next face to be held against a stack, or None."""
    return _next_try(kept, _uncompared(Same(kept), Same(round_)))


def _next_try(kept: ShoeRound, waiting: Iterable[tuple[str, str]]) -> Try | None:
    for place, face in waiting:
        for command_id, to in kept.stacks.items():
            tried = any((each.command_id, each.place, each.card) == (command_id, place, face) for each in kept.tries)
            if to == place and not tried and kept.tries_left(command_id) > 0:
                return Try(command_id, place, face)
    return None


def _committed_at(kept: ShoeRound, place: str) -> list[int]:
    """Return the commands whose cards lie at `place`; one that moved nothing has committed to none."""
    return [command for command, to in kept.stacks.items() if to == place and kept.committed.get(command)]


def _not_dealt_again(desk: Desk, kept: ShoeRound, waiting: Iterable[tuple[str, str]]) -> bool:
    """A face that the shoe has said it did not deal there is entered once more: asking again would tell nothing."""
    for place, face in waiting:
        told = [each for each in kept.tries if (each.place, each.card, each.result) == (place, face, "mismatch")]
        if told and len(told) >= len(_committed_at(kept, place)):
            not_dealt(desk, kept, told[-1])
            return True
    return False


def not_dealt(desk: Desk, kept: ShoeRound, asked: Try) -> None:
    """Take the face back, and hold: say what does not fit, and name the other places that are suspect."""
    others = [
        each.place
        for each in kept.tries
        if each.place != asked.place and (each.card == asked.card or each.result == "mismatch")
    ]
    also = "".join(f"; look at {in_words(place)} too" for place in dict.fromkeys(others))
    why = f"the shoe did not deal {asked.card} to {in_words(asked.place)}{also}"
    desk.happened(CardMismatched(asked.place, asked.card, why))


def entered_and_tried(state: TableState, turned: CardTurned) -> bool:
    """Tell whether a card that was entered has been held against its commitment: then it cannot be corrected."""
    kept = state.shoe_round
    return kept is not None and any((each.place, each.card) == (turned.place, turned.face) for each in kept.tries)


def comparing(state: TableState) -> bool:
    """Tell whether a hand may not be settled yet: a card that lies up was not held against its commitment."""
    kept, round_ = state.shoe_round, None if state.round_closed else state.round
    if kept is None or round_ is None or kept.stage not in OPEN_STAGES:
        return False
    return kept.asked is not None or bool(_uncompared(Same(kept), Same(round_)))


def reveal_due(desk: Desk) -> int | None:
    """Return the command whose faces the shoe is to tell: its cards are to be turned up, and no reader sees them."""
    kept, round_ = desk.state.shoe_round, desk.open_round
    if kept is None or round_ is None or desk.config.devices.reader is not None or kept.stage not in OPEN_STAGES:
        return None
    if not (desk.live.shoe_capabilities or 0) & ShoeCapability.REVEALS:
        return None
    step = next_step(round_)
    if not isinstance(step, ReadFaces) or step.place == BOARD or faces_at(round_, step.place):
        return None  # what a person has entered already is compared instead
    stacks = [command for command in _committed_at(kept, step.place) if command not in kept.revealed]
    whole = [command for command in stacks if not any(each.command_id == command for each in kept.tries)]
    return whole[0] if whole else None


def revealing(desk: Desk) -> bool:
    """Tell whether the shoe is asked, or about to be asked, for faces that are to lie up now."""
    kept = desk.state.shoe_round
    return reveal_due(desk) is not None or (kept is not None and not kept.over and kept.reveal_asked is not None)


def away(desk: Desk, now: float) -> None:
    """The shoe is not there: after `COMPARE_S` a person compares the cards that only it could compare."""
    kept, round_, live = desk.state.shoe_round, desk.open_round, desk.live
    if (
        kept is None
        or round_ is None
        or desk.held
        or not comparing(desk.state)
        or not isinstance(next_step(round_), SettleHand | CompleteRound)
    ):
        live.compare_by = None
    elif live.compare_by is None:
        live.compare_by = now + COMPARE_S
    elif now >= live.compare_by:
        live.compare_by = None
        left_to_people(desk, "The shoe is not connected and cannot compare the cards.")


def left_to_people(desk: Desk, why: str) -> None:
    """Have a person look at the cards that the shoe did not compare; they are not asked about again."""
    kept, round_ = desk.state.shoe_round, desk.open_round
    if kept is None or round_ is None:
        return
    names = []
    if kept.asked is not None:
        answer(desk, kept, kept.asked, RULED)
        names.append(f"{kept.asked.card} at {in_words(kept.asked.place)}")
        kept = desk.state.shoe_round or kept
    for place, face in _uncompared(Same(kept), Same(round_)):
        command_id = next(command for command, to in kept.stacks.items() if to == place)
        answer(desk, kept, Try(command_id, place, face), RULED)
        names.append(f"{face} at {in_words(place)}")
    if names:
        desk.alarm("card-not-compared", f"{why} Look whether these are the cards that were dealt: {', '.join(names)}.")


def answer(desk: Desk, kept: ShoeRound, asked: Try, result: str) -> None:
    """Write what became of a try."""
    body = {"shoe_round": kept.round_id, "command_id": asked.command_id, "place": asked.place, "card": asked.card}
    desk.write("card_match_answered", {**body, "result": result})


def drop(desk: Desk, kept: ShoeRound) -> None:
    """A try or reveal certainly was not carried out: it may be asked again."""
    if kept.asked is not None:
        answer(desk, kept, kept.asked, NOT_CARRIED_OUT)
    command_id = kept.reveal_asked
    if command_id is not None:
        body = {"shoe_round": kept.round_id, "command_id": command_id, "result": NOT_CARRIED_OUT}
        desk.write("stack_reveal_answered", body)


def give_up(desk: Desk, kept: ShoeRound, why: str) -> None:
    """The shoe's round will not be sealed: say so, and go on without it."""
    desk.write("shoe_round_given_up", {"shoe_round": kept.round_id, "why": why})
    desk.alarm("round-not-sealed", f"{why} The sealed record of its cards is not here. Call the floor.")
