"""The robot at the table: does the one thing that is due, as a dealer, players and a supervisor do it.

Owns the way from what the table shows as due to who does it. Driven by `TableView.due` alone, never by the name of a
game. The cards are in `cardwork`, wagers and answers in `players`, questions in `floor`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cardshoe.games.house import parse_house
from cardshoe.games.script import Ask
from cardshoe.lab.cardwork import CardWork
from cardshoe.lab.doings import Do, Pause, Say, Shows, Steps, Watch
from cardshoe.lab.eyes import sight
from cardshoe.lab.floor import Floor
from cardshoe.lab.patience import REPORT_S, Patience
from cardshoe.lab.players import NAMES, Players
from cardshoe.round import next_step as step
from cardshoe.round.events import (
    DecisionMade,
    DeclaredConfirmed,
    HandSettled,
    NoMoreBetsCalled,
    PlayerLeft,
    PlayerSeated,
    WagerPlaced,
)
from cardshoe.round.machine import find_game
from cardshoe.round.progress import due as due_step
from cardshoe.round.state import Status
from cardshoe.table import view
from cardshoe.table.acts import OpenRound

Doer = Callable[[Any], Steps]


class Robot:
    """One table's people, made from `seed`. `now` returns monotonic seconds, `speed` divides mechanism and people."""

    def __init__(self, table: Shows, *, seed: int, now: Callable[[], float], speed: float) -> None:
        self._table = table
        part = table.config.table
        game = find_game(part.game)
        self._players = Players(game, parse_house(game, table.config.house), seed)
        self._floor = Floor(table)
        self._patience = Patience(table, now=now, speed=speed)
        self._hands = CardWork(table, self._players, self._patience)
        self._chips_ready = True
        self.doers = self._doers()

    def _doers(self) -> dict[type, Doer]:
        hands = self._hands
        return {
            view.OpenRoundDue: self._open,
            view.LoadDeck: hands.load_deck,
            view.ClearGate: hands.clear_gate,
            view.CountStub: hands.count_stub,
            view.TakeStack: hands.take_stack,
            view.AnswerAlarm: self._alarm,
            view.Wait: self._wait,
            step.Held: self._held,
            step.TakeWagers: self._take_wagers,
            step.RequestStack: self._wait,
            step.AwaitStack: self._wait,
            step.DealCard: hands.deal_card,
            step.RemoveStub: hands.remove_stub,
            step.AskDecision: self._ask,
            step.BurnCards: hands.burn,
            step.DealCommunity: hands.deal_board,
            step.TurnCommunity: hands.turn_board,
            step.TurnDealer: hands.turn_dealer,
            step.ReadFaces: hands.read_faces,
            step.SettleHand: self._settle,
            step.CollectHand: hands.collect,
            step.CompleteRound: self._complete,
            step.Closed: self._wait,
        }

    def play(self) -> Steps:
        """Do what is due, or watch for it to come."""
        due = self._table.shown.due
        yield from self.doers[type(due)](due)

    def give_up(self) -> Steps:
        """Nothing has moved for far too long: the round is void."""
        yield from self._hands.give_up()

    # --- players

    def _open(self, _due: view.OpenRoundDue) -> Steps:
        yield Say(OpenRound())

    def _take_wagers(self, _due: step.TakeWagers) -> Steps:
        round_id = self._table.shown.round_id
        yield from self._change_seats(round_id)
        if not self._chips_ready:
            yield Pause(6.0)
        self._players.keep_to(self._hands.round.house)
        seated = [each for each in self._table.shown.positions if each.player is not None]
        for number, each in enumerate(seated):
            must = number == len(seated) - 1 and not any(one.wagers for one in self._table.shown.positions)
            wagers = self._players.wagers(round_id, each.position, must=must)
            if wagers and not each.wagers and each.player is not None:
                yield Say(WagerPlaced(each.position, each.player, wagers))
        yield Pause(0.1 if self._chips_ready else 1.0)
        self._chips_ready = False  # only those who waited for the table to open have their chips ready
        yield Say(NoMoreBetsCalled())

    def _change_seats(self, round_id: int) -> Steps:
        wanted = self._players.seated(round_id)
        for each in self._table.shown.positions:
            ours = each.player == NAMES[each.position]
            if each.player is None and each.position in wanted:
                yield Say(PlayerSeated(each.position, wanted[each.position]))
            elif ours and each.position not in wanted and not each.wagers and each.player is not None:
                yield Say(PlayerLeft(each.player))

    def _ask(self, due: step.AskDecision) -> Steps:
        round_ = self._hands.round
        asked = due_step(round_)
        if not isinstance(asked, Ask):  # a round moved on meanwhile; what is due now is shown next
            return
        dice = self._players.dice("think", round_.round_id, due.positions, round_.stage)
        position = dice.choice(due.positions)
        yield Pause(dice.triangular(2.0, 5.0, 2.5))
        action = self._players.action(round_, asked, round_.hand(position))
        yield Say(DecisionMade(position, action))
        hand = self._hands.round.hand(position)
        if hand.status is Status.FOLDED and not hand.waits:
            yield Do("muck", {"what": position})

    # --- settlement

    def _settle(self, due: step.SettleHand) -> Steps:
        yield from self._confirm()
        yield Pause(2.0)
        yield Say(HandSettled(due.position))

    def _complete(self, due: step.CompleteRound) -> Steps:
        yield from self._confirm()
        yield from self._hands.complete(due)

    def _confirm(self) -> Steps:
        """The floor confirms what the dealer entered, before anything is paid on it."""
        if self._hands.round.declared:
            yield Pause(1.0)
            yield Say(DeclaredConfirmed("floor"))

    # --- questions and waiting

    def _held(self, due: step.Held) -> Steps:
        yield from self._floor.held(due.hold)

    def _alarm(self, due: view.AnswerAlarm) -> Steps:
        yield from self._floor.alarm(due.alarm)

    def _wait(self, due: object) -> Steps:
        shown = self._table.shown
        waited_s = self._patience.waited_s(due)
        if (yield Watch(shown, REPORT_S)):
            return
        if not shown.shoe_up and self._table.config.devices.shoe is not None:
            yield from self._patience.look_after("shoe", waited_s)
            return
        seen = sight((yield Do("look")))
        if seen.door_open:
            yield Do("close_door")
