"""What each answer and report of a shoe that commits means for the table.

Owns their translation into entries, faces and questions: a commitment that does not fit the stack, a face that is not
the one committed to, a reveal that breaks its commitment, an envelope that is not whole. Pure. Implements SHOE-9.3 to
SHOE-9.10 for the table, and conditions E03 to E06 as far as the shoe can tell (promises P1, P4 and P5).
"""

from __future__ import annotations

from typing import Final, assert_never

from cardshoe.cards import Card
from cardshoe.devices.commitments import Place, RevealedCard
from cardshoe.devices.events import RequestFailed
from cardshoe.devices.round_events import (
    AskedRead,
    CardCommitted,
    CardFace,
    CardMatched,
    DealClosed,
    RoundAnswer,
    RoundBegun,
    RoundEnded,
    RoundRingEvent,
    RoundSealed,
    StackRevealed,
    TryOutcomeUnknown,
)
from cardshoe.devices.shoe_events import StackReady
from cardshoe.devices.shoe_terms import MatchResult, RevealResult, RoundResult
from cardshoe.link.messages import RejectReason
from cardshoe.round.events import READ, CardTurned
from cardshoe.round.places import in_words
from cardshoe.table import commits
from cardshoe.table.commands import REFUSAL_PAUSE_S
from cardshoe.table.desk import Desk
from cardshoe.table.shoe_round import RULED, ShoeRound, Stage, Try

SEALS_ASKED_MAX: Final = 10
"""So often the end of a round is asked for while its envelope does not come."""
_ROUND_REQUESTS: Final = frozenset(
    {"BEGIN_ROUND", "CLOSE_DEAL", "END_ROUND", "MATCH_CARD", "REVEAL_STACK", "READ_ASKED"}
)


def of_a_round(desk: Desk, event: RoundRingEvent | RoundAnswer, now: float) -> None:
    """Take what a shoe that commits tells of its round."""
    match event:
        case CardCommitted():
            _committed(desk, event)
        case RoundSealed():
            _sealed(desk, event)
        case CardFace():
            desk.live.keep_face(desk.state.last_round_id, _place_of(desk, event.command_id), event.card)
        case _:
            desk.live.round_asked = False
            desk.live.answered()
            _answered(desk, event, now)


def _answered(desk: Desk, event: RoundAnswer, now: float) -> None:
    kept = desk.state.shoe_round
    if kept is None or kept.over:
        return
    match event:
        case RoundBegun() | DealClosed() | RoundEnded():
            if event.round_id == kept.round_id:
                _moved_on(desk, kept, event, now)
        case CardMatched():
            if kept.asked is not None and kept.asked.command_id == event.command_id:
                _matched(desk, kept, kept.asked, event.result)
        case StackRevealed():
            if kept.reveal_asked == event.command_id:
                _revealed(desk, kept, event)
        case TryOutcomeUnknown():
            return  # the try stands unanswered; the shoe's log is read next
        case AskedRead():
            _log_read(desk, kept, event)
        case _:
            assert_never(event)


def failed(desk: Desk, event: RequestFailed) -> None:
    """A request about the round had no answer and certainly was not carried out."""
    kept = desk.state.shoe_round
    if event.request not in _ROUND_REQUESTS or kept is None or kept.over:
        return
    desk.live.round_asked = False
    if event.request in ("MATCH_CARD", "REVEAL_STACK"):
        commits.drop(desk, kept)
    if isinstance(event.reason, RejectReason):
        commits.give_up(desk, kept, f"The shoe does not take {event.request} ({event.reason.name.lower()}).")


def _moved_on(desk: Desk, kept: ShoeRound, event: RoundBegun | DealClosed | RoundEnded, now: float) -> None:
    body: dict[str, object] = {"shoe_round": kept.round_id}
    if event.result in (RoundResult.BUSY, RoundResult.STACK_AT_GATE):
        desk.live.quiet_until = now + REFUSAL_PAUSE_S
        return
    match event:
        case RoundBegun() if event.result is RoundResult.DONE:
            desk.write("shoe_round_opened", body)
        case RoundBegun():  # nothing was dealt in it: the next number is tried
            desk.live.quiet_until = now + REFUSAL_PAUSE_S
            desk.write("shoe_round_given_up", {**body, "why": event.result.name.lower()})
        case DealClosed() if event.result is RoundResult.DONE:
            desk.write("shoe_deal_closed", body)
        case RoundEnded() if event.result is RoundResult.DONE:
            _awaited(desk, kept, now)
        case DealClosed() | RoundEnded():
            commits.give_up(desk, kept, f"The shoe does not know its round {kept.round_id} any more.")
        case _:
            assert_never(event)


def _awaited(desk: Desk, kept: ShoeRound, now: float) -> None:
    """The round has ended; its envelope is in the shoe's ring and comes by itself."""
    desk.live.seals_asked += 1
    desk.live.quiet_until = now + REFUSAL_PAUSE_S
    if desk.live.seals_asked > SEALS_ASKED_MAX:
        desk.live.seals_asked = 0
        commits.give_up(desk, kept, f"The shoe ended its round {kept.round_id} and sends no envelope.")


# --- commitments


def _place_of(desk: Desk, command_id: int) -> str:
    command = desk.state.command
    return command.to if command is not None and command.command_id == command_id else ""


def _committed(desk: Desk, event: CardCommitted) -> None:
    """Compare a commitment with what was asked of the shoe; it is in the state already."""
    kept, state = desk.state.shoe_round, desk.state
    if kept is None or kept.round_id != event.round_id or event.command_id not in kept.stacks:
        desk.alarm("commitment-misfit", f"The shoe committed to a card that nobody asked for (slot {event.slot}).")
    elif event.slot < state.next_slot or [slot for slot, _told in _all(kept)].count(event.slot) > 1:
        desk.alarm("commitment-misfit", f"The shoe committed twice to the card of slot {event.slot}.")


def _all(kept: ShoeRound) -> list[tuple[int, str]]:
    return [card for cards in kept.committed.values() for card in cards]


def ready(desk: Desk, event: StackReady) -> None:
    """A stack of a committing shoe has one commitment for each of its cards (SHOE-9.3)."""
    kept = desk.state.shoe_round
    if kept is None or event.command_id not in kept.stacks or event.cards is None:
        return
    told = len(kept.committed.get(event.command_id, ()))
    if told != event.cards:
        place = in_words(kept.stacks[event.command_id])
        desk.alarm(
            "stack-not-committed",
            f"The shoe dealt {event.cards} cards for {place} and committed to {told}. Leave them. Call the floor.",
        )


def _sealed(desk: Desk, event: RoundSealed) -> None:
    kept = desk.state.shoe_round
    desk.live.seals_asked = 0
    if kept is None or kept.round_id != event.round_id:
        return  # of a round that another journal began: it is on record
    if desk.open_round is not None and kept.deck_id == desk.state.deck_id:
        desk.alarm("envelope-wrong", "The shoe sealed its round in mid-round, and nobody asked it to. Call the floor.")
    if event.cards != len(_all(kept)):
        desk.alarm(
            "envelope-wrong",
            f"The shoe sealed {event.cards} cards and had committed to {len(_all(kept))}. Count the deck.",
        )


# --- faces


def _matched(desk: Desk, kept: ShoeRound, asked: Try, result: MatchResult) -> None:
    told = result.name.lower()
    commits.answer(desk, kept, asked, told if result not in _NOT_SPENT else RULED)
    place = in_words(asked.place)
    match result:
        case MatchResult.MATCH:
            return
        case MatchResult.MISMATCH:
            if not _another_try(desk, asked):
                commits.not_dealt(desk, kept, asked)
        case MatchResult.UNREAD:
            desk.alarm("card-unread", f"The shoe had not read a card of {place}. Look whether {asked.card} is right.")
        case MatchResult.NO_TRY_LEFT | MatchResult.NOT_OPEN | MatchResult.UNKNOWN_STACK | MatchResult.BAD_VALUE:
            desk.alarm(
                "card-not-compared",
                f"The shoe does not compare {asked.card} at {place} ({told.replace('_', ' ')}). Look at the card.",
            )
        case _:
            assert_never(result)


_NOT_SPENT: Final = (
    MatchResult.NO_TRY_LEFT,
    MatchResult.NOT_OPEN,
    MatchResult.UNKNOWN_STACK,
    MatchResult.BAD_VALUE,
)


def _another_try(desk: Desk, asked: Try) -> bool:
    """A place with more than one stack: the card may be of the other one."""
    kept, round_ = desk.state.shoe_round, desk.open_round
    due = commits.due_try(kept, round_) if kept is not None and round_ is not None else None
    return due is not None and (due.place, due.card) == (asked.place, asked.card)


def _revealed(desk: Desk, kept: ShoeRound, event: StackRevealed) -> None:
    place = kept.stacks[event.command_id]
    body: dict[str, object] = {"shoe_round": kept.round_id, "command_id": event.command_id, "place": place}
    desk.write("stack_reveal_answered", {**body, "result": event.result.name.lower()})
    if event.result is not RevealResult.REVEALED:
        why = event.result.name.lower().replace("_", " ")
        desk.alarm("reveal-refused", f"The shoe does not tell the cards of {in_words(place)} ({why}). Enter them.")
        return
    committed = kept.committed.get(event.command_id, ())
    if len(committed) != len(event.cards) or not all(
        _keeps(kept, revealed, slot, told) for revealed, (slot, told) in zip(event.cards, committed, strict=True)
    ):
        desk.alarm(
            "reveal-not-committed",
            f"The shoe now tells other cards for {in_words(place)} than it committed to. Touch nothing.",
        )
        return
    unread = False
    for revealed in event.cards:
        card = _face_up(revealed)
        if card is None:
            unread = True
        else:
            desk.happened(CardTurned(card.text, place, READ))
    if unread:
        desk.alarm("card-unread", f"The shoe had not read a card of {in_words(place)}. Enter it.")


def _keeps(kept: ShoeRound, revealed: RevealedCard, slot: int, told: str) -> bool:
    return revealed.keeps(bytes.fromhex(told), Place(kept.serial, kept.deck_id, kept.round_id, slot))


def _face_up(revealed: RevealedCard) -> Card | None:
    """The rules turn these cards up at this step: that is why they were asked for."""
    sealed = revealed.card
    return None if sealed is None else sealed.reveal(lies_face_up=True)


# --- the shoe's log of tries


def _log_read(desk: Desk, kept: ShoeRound, event: AskedRead) -> None:
    pending, reveal = kept.asked, kept.reveal_asked
    if pending is None and reveal is None:
        if kept.tries_before is None and kept.stage is not Stage.REQUESTED:
            desk.write("shoe_log_read", {"shoe_round": kept.round_id, "total": event.total})
        return
    extra = event.total - (kept.tries_before or 0) - kept.spent
    entry = event.entry
    command_id = pending.command_id if pending is not None else reveal
    ours = entry is not None and (entry.round_id, entry.command_id) == (kept.round_id, command_id)
    if extra == 0:
        commits.drop(desk, kept)
    elif extra == 1 and ours and entry is not None and pending is not None and isinstance(entry.result, MatchResult):
        _matched(desk, kept, pending, entry.result)
    elif extra == 1 and ours and pending is None and command_id is not None:
        _reveal_lost(desk, kept, command_id)
    else:
        _log_wrong(desk, kept, pending, command_id)


def _reveal_lost(desk: Desk, kept: ShoeRound, command_id: int) -> None:
    place = kept.stacks[command_id]
    body: dict[str, object] = {"shoe_round": kept.round_id, "command_id": command_id, "place": place}
    desk.write("stack_reveal_answered", {**body, "result": "revealed"})
    desk.alarm("reveal-lost", f"The shoe told the cards of {in_words(place)} once and the line lost them. Enter them.")


def _log_wrong(desk: Desk, kept: ShoeRound, pending: Try | None, command_id: int | None) -> None:
    if pending is not None:
        commits.answer(desk, kept, pending, RULED)
    elif command_id is not None:
        body = {"shoe_round": kept.round_id, "command_id": command_id, "result": "unknown"}
        desk.write("stack_reveal_answered", body)
    desk.alarm(
        "shoe-log-wrong", "Somebody else asked the shoe for cards of this round. Compare the hands. Call the floor."
    )
