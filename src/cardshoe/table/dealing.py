"""What the shoe is asked to do next.

Owns `reconcile`: looked at after every input, it compares what should be with what is, and orders the difference: the
inhibit, the question about an unknown command, the next stack, a deck to be prepared. It keeps no plan of its own, so
that a restart, a reconnect or a cleared hold all go on the same way.
"""

from __future__ import annotations

from cardshoe.devices.shoe_terms import DeckState, Mode
from cardshoe.games.script import DEALER
from cardshoe.round.events import StackRequested
from cardshoe.round.next_step import RequestStack, next_step
from cardshoe.table import clear_faces, commits
from cardshoe.table.decks import arming_obstacle, cover_card_obstacle, next_back, proof_obstacle
from cardshoe.table.desk import Desk
from cardshoe.table.header import shoe_reads
from cardshoe.table.housekeeping import deals_from_shoe, stub_count_due
from cardshoe.table.interlocks import Consequence, Obstacle, ShoeView, obstacle, wrong_mode
from cardshoe.table.orders import ClearFault, Dispense, PrepareDeck, QueryCommand, SetInhibit
from cardshoe.table.service import notices


def reconcile(desk: Desk, now: float) -> None:
    """Order what is due of the shoe."""
    live = desk.live
    live.obstacle = None
    if live.quiet_until and now >= live.quiet_until:
        live.quiet_until = 0.0
    if desk.state.command is None:
        live.command_due, live.command_unknown = None, False
    if live.command_due is not None and now >= live.command_due:
        live.command_unknown, live.command_due = True, None
    clear_faces.open_due(desk)
    if live.shoe_up and live.shoe is not None:
        live.compare_by = None
        _drive(desk, live.shoe, now)
    else:
        commits.away(desk, now)
    live.revealing = live.shoe_up and commits.revealing(desk)
    live.next_back, live.stub_due = next_back(desk), stub_count_due(desk)
    if live.noticed is not desk.state.upkeep:
        live.noticed = desk.state.upkeep
        live.notices = notices(live.noticed, desk.config.deck.unreadable_per_1000)


def _drive(desk: Desk, view: ShoeView, now: float) -> None:
    live = desk.live
    if live.owed(now):
        live.answered()
        live.asked = live.inhibit_asked = live.fault_asked = live.round_asked = False
        desk.alarm("shoe-does-not-answer", "The shoe is connected and does not answer. Deal nothing. Call the floor.")
    if deals_from_shoe(desk) and desk.open_round is None and view.mode is not Mode.DEAL:
        why_not = wrong_mode(view)
        desk.alarm(why_not.code, why_not.text)
    if desk.state.command is not None and live.command_unknown:
        _ask(desk)
        return
    _inhibit_as_held(desk, view)
    if desk.held or live.quiet_until or desk.state.command is not None:
        return
    if view.stopping_fault is not None:
        _clear(desk, view)
        return
    commits.drive(desk)
    if live.asked or live.inhibit_asked or live.fault_asked:
        return  # what is ordered now would wait its turn in the link, and leave although a question is open by then
    if live.past_untold("shoe", desk.state.devices.get("shoe")):
        return
    _next_motion(desk, view, now)


def _ask(desk: Desk) -> None:
    command = desk.state.command
    if command is not None and not desk.live.asked:
        desk.live.asked = True
        desk.order(QueryCommand(command.command_id))


def _inhibit_as_held(desk: Desk, view: ShoeView) -> None:
    """Motors are inhibited while a question is open (promise P5) or a stack may come that nobody wants any more."""
    still = desk.held or desk.state.unwanted is not None
    if view.inhibited != still and not desk.live.inhibit_asked:
        desk.live.inhibit_asked = True
        desk.order(SetInhibit(inhibited=still))


def _clear(desk: Desk, view: ShoeView) -> None:
    """The question about the fault was answered; the shoe is told so."""
    fault = view.stopping_fault
    if fault is not None and not desk.live.fault_asked:
        desk.live.fault_asked = True
        desk.order(ClearFault(fault))


def _next_motion(desk: Desk, view: ShoeView, now: float) -> None:
    round_ = desk.open_round
    step = next_step(round_) if round_ is not None else None
    if isinstance(step, RequestStack):
        _next_stack(desk, step, view, now)
    elif _deck_can_be_prepared(desk, view):
        _prepare(desk, now)


def _next_stack(desk: Desk, step: RequestStack, view: ShoeView, now: float) -> None:
    state = desk.state
    if state.deck_id is None and _deck_can_be_prepared(desk, view):
        _prepare(desk, now)
        return
    why_not = _why_not(desk, step, view)
    desk.live.obstacle = why_not
    if why_not is not None:
        if why_not.consequence is Consequence.ALARM:
            desk.alarm(why_not.code, why_not.text)
            _inhibit_as_held(desk, view)
        return
    if state.deck_id is None:
        back, reads = state.upkeep.back, shoe_reads(desk.live.shoe_capabilities)
        desk.write("deck_armed", {"deck_id": view.deck_id, "cards": view.cards_left, "back": back, "checked": reads})
    if not commits.begun(desk, view.deck_id):
        commits.begin(desk, view, view.deck_id)
        return
    command_id = state.last_command_id + 1
    desk.happened(StackRequested(command_id, step.to, step.cards))
    _send(desk, now)


def _why_not(desk: Desk, step: RequestStack, view: ShoeView) -> Obstacle | None:
    state = desk.state
    why_not = obstacle(view, deck_id=state.deck_id, used=(state.spent_deck_id, state.upkeep.suspect_deck_id))
    if why_not is None:
        why_not = arming_obstacle(desk) if state.deck_id is None else proof_obstacle(desk)
    return why_not if why_not is not None else cover_card_obstacle(desk, step)


def _send(desk: Desk, now: float) -> None:
    """Order the open dispense; its intent is among the entries written."""
    command, deck_id = desk.state.command, desk.state.deck_id
    desk.live.done_unreported = False
    if command is None or deck_id is None:
        return
    destination = 0 if command.to == DEALER else int(command.to)
    desk.live.command_due = now + desk.config.timing.dispense_s(command.cards)
    desk.order(Dispense(command.command_id, deck_id, command.cards, destination))


def _deck_can_be_prepared(desk: Desk, view: ShoeView) -> bool:
    """A deck was loaded, nothing of the present round is dealt from the shoe any more or yet."""
    ready = view.deck_state is DeckState.LOADED and not view.door_open and not view.gate_occupied
    return ready and (desk.open_round is None or desk.state.deck_id is None)


def _prepare(desk: Desk, now: float) -> None:
    command_id = desk.state.last_command_id + 1
    desk.write("deck_preparation_requested", {"command_id": command_id})
    desk.live.command_due = now + desk.config.timing.prepare_ms / 1000
    desk.order(PrepareDeck(command_id))
