"""Support: a dealer who does what the table says is next, against a world in virtual time. Not a test."""

from __future__ import annotations

from collections.abc import Callable

from cardshoe.journal import Entry
from cardshoe.lab.virtual import VirtualTable
from cardshoe.round import next_step as due_in_round
from cardshoe.round.events import (
    CardBurned,
    DecisionMade,
    FloorRuled,
    HandCollected,
    HandSettled,
    HoldCleared,
    NoMoreBetsCalled,
    RoundCompleted,
    WagerPlaced,
)
from cardshoe.sim.world import World
from cardshoe.table import view
from cardshoe.table.acts import ClearAlarm, OpenRound, StubCounted
from cardshoe.table.config import TableConfig, parse_config

TOML = """
[table]
name = "T1"
mode = "bench"
game = "{game}"
journal = "unused"
[house]
{house}
[devices.shoe]
url = "sim://shoe"
[devices.reader]
url = "sim://reader"
"""

WAGERS = {
    "ultimate-texas-holdem": {"ante": 1000, "blind": 1000, "trips": 500},
    "texas-holdem-bonus": {"ante": 1000, "bonus": 500},
    "three-card-poker": {"ante": 1000, "pair_plus": 500, "six_card": 500},
}


def config(game: str = "ultimate-texas-holdem", house: str = "") -> TableConfig:
    return parse_config(TOML.format(game=game, house=house), "test.toml")


def world(seed: int = 1, *, speed: float = 10.0, faults: tuple[dict[str, object], ...] = ()) -> World:
    return World(seed=seed, speed=speed, faults=faults)


class Dealer:
    """Plays rounds at `positions`. `stops` ends `play` early, looked at before each step."""

    def __init__(self, table: VirtualTable, *, positions: str = "136", game: str = "ultimate-texas-holdem") -> None:
        self.table = table
        self.positions = positions
        self.wagers = WAGERS[game]
        self.said: list[str] = []
        self.before: view.Due = view.OpenRoundDue()

    def connect(self) -> None:
        assert self.table.run_until(lambda: self.table.shown.shoe_up and self.table.shown.reader_up, within_s=10)

    def play(self, rounds: int = 1, *, stops: Callable[[], bool] = lambda: False, steps: int = 2000) -> None:
        """Play until `rounds` rounds are over, voided ones included."""
        for _ in range(steps):
            tally = self.table.shown.tally
            if tally.completed + tally.voided >= rounds or stops():
                return
            self.step()
        raise AssertionError(f"no end after {steps} steps: {self.table.shown.words}")

    def step(self) -> None:
        table, due = self.table, self.table.shown.due
        self.before = due
        self.said.append(table.shown.words)
        match due:
            case view.OpenRoundDue():
                table.act(OpenRound({position: f"P{position}" for position in self.positions}))
            case due_in_round.TakeWagers():
                for position in self.positions:
                    table.act(WagerPlaced(position, f"P{position}", self.wagers))
                table.act(NoMoreBetsCalled())
            case view.TakeStack(to, _):
                self.must("take_stack", to=to)
                self.until_changed()
            case due_in_round.RemoveStub():
                self.must("remove_stub")
                self.until_changed()
            case due_in_round.AskDecision(positions, choices):
                wager = {"flop": "flop 2000", "turn": "turn 1000", "river": "river 1000"}
                table.act(DecisionMade(positions[0], wager.get(choices[-1], choices[-1])))
            case view.CountStub():
                table.act(StubCounted(table.hands("look")["hand"]))
            case due_in_round.BurnCards(cards):
                self.must("burn")
                table.act(CardBurned(cards))
            case view.ClearGate():
                self.must("take_stack", to="board")
                table.hands("collect", what="board")
                self.until_changed()
            case view.LoadDeck():
                table.run_until(lambda: False, within_s=0.5)  # a person's hands are slower than a status
                if table.shown.due == due:
                    self.must("load_deck")
                self.until_changed()
            case view.Wait() | due_in_round.RequestStack():
                self.until_changed(within_s=200)
            case due_in_round.Held() | view.AnswerAlarm():
                self.answer()
            case _:
                self.turn_and_settle()

    def turn_and_settle(self) -> None:
        table, due = self.table, self.table.shown.due
        match due:
            case due_in_round.DealCommunity(cards):
                self.must("turn", what="board", cards=cards)
                self.until_changed()
            case due_in_round.TurnDealer():
                self.must("turn", what="dealer")
                self.until_changed()
            case due_in_round.ReadFaces(place):
                if place.isdigit():
                    table.hands("turn", what=place)
                self.until_changed()
            case due_in_round.SettleHand(position):
                table.act(HandSettled(position))
            case due_in_round.CollectHand(position):
                table.hands("collect", what=position)
                table.act(HandCollected(position))
            case due_in_round.CompleteRound():
                table.hands("collect")
                table.act(RoundCompleted())
            case _:
                raise AssertionError(f"nobody taught the dealer {due}")

    def answer(self) -> None:
        """The supervisor: whatever cannot be told from the table is void."""
        due = self.table.shown.due
        self.table.hands("press", button="service")
        if isinstance(due, view.AnswerAlarm):
            role = "technician" if "technician" in due.alarm.code else "floor"
            self.table.act(ClearAlarm(due.alarm.code, role, "looked at", "floor"))
            return
        assert isinstance(due, due_in_round.Held)
        hold = due.hold
        choice = "void-all" if "void-all" in hold.choices else hold.choices[0]
        role = "technician" if hold.clears.value == "technician" else "floor"
        if hold.code == "floor-ruling":
            self.table.act(FloorRuled("all", "void", "looked at"))
        else:
            self.table.act(HoldCleared(hold.code, choice, role, "looked at", "dealer"))

    def must(self, do: str, **request: object) -> None:
        answer = self.table.hands(do, **request)
        assert answer["ok"], (do, request, answer, self.table.shown.words)

    def until_changed(self, *, within_s: float = 10) -> None:
        before = self.before
        assert self.table.run_until(lambda: self.table.shown.due != before, within_s=within_s), (
            before,
            self.table.controller.desk.live,
        )


def playing(
    *,
    game: str = "ultimate-texas-holdem",
    house: str = "",
    positions: str = "136",
    seed: int = 1,
    faults: tuple[dict[str, object], ...] = (),
    entries: list[Entry] | None = None,
) -> Dealer:
    """Return a dealer at a connected table."""
    table = VirtualTable(config(game, house), world(seed, faults=faults), seed=seed, entries=entries)
    dealer = Dealer(table, positions=positions, game=game)
    dealer.connect()
    return dealer


__all__ = ["Dealer", "config", "playing", "world"]
