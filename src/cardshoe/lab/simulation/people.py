"""The people of a simulated table: the robot's dealer, players and supervisor, less orderly than in a demo.

Owns what makes them so: a dealer who is slow, leaves a stack in the gate, or enters acts that are not due; a supervisor
who is first somebody who may not answer, and who voids where going on would be lawful too. Everything they enter is
either refused, and then nothing changed, or lawful.
"""

from __future__ import annotations

import random
from typing import Final

from cardshoe.errors import CardshoeError
from cardshoe.games.script import POSITIONS
from cardshoe.games.verdicts import Case
from cardshoe.lab.doings import Pause, Say, Steps
from cardshoe.lab.players import NAMES
from cardshoe.lab.robot import Robot
from cardshoe.lab.simulation.stack import SimulatedTable
from cardshoe.lab.simulation.troubles import Trouble
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.round import next_step as step
from cardshoe.round.events import (
    CardTurned,
    CoverCardInserted,
    DealerRevealed,
    DecisionMade,
    EntryCorrected,
    FloorRuled,
    HandCollected,
    HandSettled,
    HoldCleared,
    IrregularityFound,
    NoMoreBetsCalled,
    PlayerLeft,
    PlayerSeated,
    RoundCompleted,
    StackDelivered,
    StackRequested,
    StubRemoved,
    WagerPlaced,
    WagerWithdrawn,
)
from cardshoe.table import view
from cardshoe.table.acts import Act, ClearAlarm, OpenRound

PROGRESS_S: Final = 120.0
"""Within so many virtual seconds something that is shown changes, or nothing ever will (promise P9)."""
ROUND_S: Final = 400.0
"""Within so many virtual seconds a round is over, whatever happens in it (promise P9)."""
BLINK_S: Final = 0.002
LEAVES_S: Final = 40.0
SLOW_S: Final = 15.0
FAR_AWAY_S: Final = 350.0
_VOIDS: Final = 0.2
_FAR_AWAY: Final = 0.03


class Unruly(Robot):
    """The robot with the manners of `dice`."""

    def __init__(self, table: SimulatedTable, *, seed: int, speed: float) -> None:
        super().__init__(table, seed=seed, now=lambda: table.now, speed=speed)
        self._dice = random.Random(f"{seed}/people")
        self.dawdles = 0

    def play(self) -> Steps:
        """Do what is due, after dawdling if somebody is in the mood."""
        if self.dawdles:
            self.dawdles -= 1
            yield Pause(SLOW_S)
        yield from super().play()

    def leave_the_table(self) -> Steps:
        """Nobody does anything for a while, whatever lies in the gate."""
        yield Pause(LEAVES_S)

    def _held(self, due: step.Held) -> Steps:
        hold = due.hold
        if self._dice.random() < _FAR_AWAY:
            yield Pause(FAR_AWAY_S)
        if "void-all" in hold.choices and self._dice.random() < _VOIDS:
            role, second = _who(hold.clears.value)
            yield Pause(2.0)
            yield Say(HoldCleared(hold.code, "void-all", role, "nobody can say what happened", second))
            return
        yield from super()._held(due)


def _who(clears: str) -> tuple[str, str]:
    match clears:
        case "technician" | "dealer":
            return clears, ""
        case _:
            return "floor", "dealer"


class SimulatedPlay(VirtualPlay):
    """Plays at a simulated table until so many rounds are over. `gave_up`: how often nothing moved any more."""

    table: SimulatedTable
    robot: Unruly

    def __init__(self, table: SimulatedTable, *, seed: int, speed: float) -> None:
        super().__init__(table, seed=seed, speed=speed)
        self.robot = Unruly(table, seed=seed, speed=speed)
        self.gave_up = 0
        self.wrong_acts = 0
        self._corrects: list[random.Random] = []

    def go_on(self, rounds: int) -> str:
        """Play until `rounds` rounds are over; return what is wrong if it does not come to that, else nothing."""
        moved_at = over_at = self.table.now
        shown, over, gave_up = self.table.shown, self._over(), False
        while over < rounds:
            now = self.table.now
            if self.table.shown is not shown:
                moved_at, shown, gave_up = now, self.table.shown, False
            if self._over() > over:
                over, over_at = self._over(), now
            if now - over_at > ROUND_S:
                return f"round {shown.round_id} is not over after {ROUND_S:g} s: {shown.words}"
            if now - moved_at > PROGRESS_S:
                if gave_up:
                    return f"nothing moves, nor after giving up: {shown.words}"
                gave_up, moved_at = True, now
                self.gave_up += 1
                self._take(self.robot.give_up())
            while self.table.wrong_acts:
                self._misbehave(self.table.wrong_acts.pop(0))
            self._correct()
            self._take(self.robot.play())
            if self.table.now == now:  # nobody does two things at one moment
                self.table.run_until(lambda: False, within_s=BLINK_S)
        return ""

    def _misbehave(self, trouble: Trouble) -> None:
        dice = random.Random(f"{trouble.key}/{trouble.values['dice']}")
        match trouble.kind:
            case "slow":
                self.robot.dawdles += 3
            case "leaves":
                self._take(self.robot.leave_the_table())
            case "corrects":
                self._corrects.append(dice)
            case "wrong role":
                self._try(self._wrong_role(dice))
            case _:
                for _ in range(int(str(trouble.values["acts"]))):
                    self._try(self._wrong_act(dice))

    def _correct(self) -> None:
        """Somebody corrects what was entered last, as soon as that is a wager or a decision: it was another's."""
        round_ = self.table.controller.desk.open_round
        if not self._corrects or round_ is None or round_.entry is None:
            return
        dice = self._corrects[0]
        position = dice.choice(POSITIONS)
        match round_.entry.event:
            case WagerPlaced():
                player = round_.hand(position).player or NAMES[position]
                corrected = EntryCorrected(WagerPlaced(position, player, {"ante": 1000}))
            case DecisionMade(_, action):
                corrected = EntryCorrected(DecisionMade(position, dice.choice((action, "fold"))))
            case _:
                return
        self._corrects.pop(0)
        self._try(corrected)

    def _try(self, act: Act | None) -> None:
        if act is None:
            return
        self.wrong_acts += 1
        try:
            self.table.act(act)
        except CardshoeError as error:
            self.refusals.append(error)
        del self.refusals[:-20]

    def _wrong_role(self, dice: random.Random) -> Act | None:
        """Somebody answers who may not, or with what is no answer."""
        due = self.table.shown.due
        role = dice.choice(("player", "", "dealer"))
        if isinstance(due, view.AnswerAlarm):
            if due.alarm.code == "shoe-fault-dealer":
                role = "player"
            return ClearAlarm(due.alarm.code, role, "in a hurry")
        if not isinstance(due, step.Held):
            return ClearAlarm("shoe-fault-floor", "floor", "nothing to clear")
        hold = due.hold
        choice = dice.choice(hold.choices) if hold.choices else "continue"
        if dice.random() < 0.3:
            return HoldCleared(hold.code, choice, "floor", " ", "dealer")
        if hold.clears.value == "dealer":
            role = "player"
        return HoldCleared(hold.code, choice, role, "in a hurry")

    def _wrong_act(self, dice: random.Random) -> Act | None:
        """An act at a wrong moment; what happens to be due now is left to those whose turn it is."""
        position = dice.choice(POSITIONS)
        due = self.table.shown.due
        acts: list[Act] = [
            OpenRound(),
            PlayerSeated(position, "Nobody"),
            PlayerLeft(NAMES[position]),
            WagerPlaced(position, "Nobody", {"ante": 500}),
            WagerPlaced(position, NAMES[position], {"ante": -5}),
            WagerWithdrawn(position, NAMES[position], ("ante",)),
            DecisionMade(position, dice.choice(("raise", "play 5x", "flop 1", ""))),
            StackRequested(dice.randrange(1, 99), position, 2),
            StackDelivered(dice.randrange(1, 99), position, 2),
            CoverCardInserted(),
            StubRemoved(),
            CardTurned("As", "board", "read"),
            FloorRuled(position, "win", "because"),
            EntryCorrected(DecisionMade(position, "fold")),
        ]
        if not isinstance(due, step.TakeWagers):
            acts += [NoMoreBetsCalled(), NoMoreBetsCalled()]
        if not isinstance(due, step.TurnDealer):
            acts.append(DealerRevealed())
        if not isinstance(due, step.SettleHand | step.ReadFaces):
            acts.append(HandSettled(position))
        if not isinstance(due, step.CollectHand):
            acts.append(HandCollected(position))
        if not isinstance(due, step.CompleteRound):
            acts.append(RoundCompleted())
        if dice.random() < 0.1:
            acts.append(IrregularityFound(dice.choice((Case.DEVICE_FAULT, Case.CARD_FACE_UP_AFTER_DEAL))))
        return dice.choice(acts)
