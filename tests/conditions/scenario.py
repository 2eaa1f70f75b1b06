"""Support: one scenario file, played against a whole table and a simulated world in virtual time. Not a test.

A file says `id`, `title`, what is `given`, `when`, and what must be seen (`then`), each an array of tables. A table
has one key that names what is done or looked for, and more keys for its details:

    play = N                      the dealer plays N rounds to their end, questions included
    until = "TakeStack"           the dealer plays until this is due (`to` narrows it)
    until_held = "CODE"           the dealer plays until this question is open, and leaves it open
    hands = {do = …}              somebody does something at table or machine
    wait_s = S                    time passes, nobody acts
    say = "ACT", with = {…}       a person's act by its class name; `refused = "CODE"`: it must be refused so
    clear = "CODE", role, choice, second, reason     a question is answered; `refused` as above
    restart = true                the controller is killed and comes back from what it wrote
    pretend = {serial = …}        from now on the shoe names itself so
    clock_set_s = S               the wall clock is set
    held = "CODE", clears = WHO   this question is open
    free = true                   no question is open
    still_s = S                   so long no motor starts and no card comes out
    due = "NAME", words = TEXT, notice = TEXT, shown = {…}, tally = {…}, counters = {…}     what is shown and counted
    entry = "KIND", body = {…}, times = N     written so; `no_entry = "KIND"`: never written
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from table_play import TOML, Dealer

from cardshoe.cards import Card
from cardshoe.devices.events import DeviceIdentified
from cardshoe.error_table import ERROR_TABLE
from cardshoe.errors import Refused
from cardshoe.games.verdicts import Case
from cardshoe.lab.virtual import VirtualTable
from cardshoe.round import events as round_events
from cardshoe.round.events import HoldCleared
from cardshoe.sim.world import World
from cardshoe.table import acts
from cardshoe.table.acts import ClearAlarm
from cardshoe.table.config import parse_config
from cardshoe.table.wall_clock import Look, stepped

HERE = Path(__file__).parent
SCENARIOS = HERE / "scenarios"
SPEED = 10.0
DETAILS = frozenset({"to", "with", "refused", "role", "choice", "second", "reason", "clears", "body", "times"})


def load(path: Path) -> dict[str, Any]:
    """Return a scenario file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


class Pretender(VirtualTable):
    """A table whose shoe may name itself otherwise than it is."""

    pretended: Mapping[str, Any] = {}

    def _input(self, port: str, event: Any) -> Callable[[], Any]:
        if port == "shoe" and isinstance(event, DeviceIdentified) and self.pretended:
            event = replace(event, identity=replace(event.identity, **self.pretended))
        return super()._input(port, event)


class Play:
    """One scenario in its world."""

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        self.scenario = scenario
        self.game = scenario.get("game", "ultimate-texas-holdem")
        text = TOML.format(game=self.game, house=scenario.get("house", "")) + scenario.get("config", "")
        self.config = parse_config(text, f"{scenario['id']}.toml")
        self.world = World(seed=scenario.get("seed", 1), speed=SPEED, faults=scenario.get("faults", ()))
        self.table = Pretender(self.config, self.world, seed=1)
        self.table.pretended = scenario.get("shoe", {})
        self.dealer = Dealer(self.table, positions=scenario.get("positions", "136"), game=self.game)
        self.dealer.connect()

    def run(self) -> None:
        """Do and see everything, in order."""
        for part in ("given", "when", "then"):
            for number, step in enumerate(self.scenario.get(part, ()), 1):
                (name,) = [key for key in step if key not in DETAILS]
                try:
                    getattr(self, f"_{name}")(step[name], step)
                except (AssertionError, Refused) as error:
                    last = "\n".join(f"  {entry.kind} {dict(entry.body)}" for entry in self.table.entries[-12:])
                    shown = self.table.shown.words
                    raise AssertionError(f"{part} {number}, {step}: {error}\n{shown}\n{last}") from error

    # --- done

    def _play(self, rounds: int, _step: Any) -> None:
        tally = self.table.shown.tally
        self.dealer.play(tally.completed + tally.voided + rounds)

    def _until(self, name: str, step: Any) -> None:
        def there() -> bool:
            due = self.table.shown.due
            return type(due).__name__ == name and step.get("to") in (None, getattr(due, "to", None))

        self.dealer.play(10**6, stops=there)

    def _until_held(self, code: str, _step: Any) -> None:
        for _ in range(400):
            if code in self.questions():
                return
            due = type(self.table.shown.due).__name__
            if due in ("Wait", "RequestStack", "AwaitStack"):
                self.table.run_until(lambda: code in self.questions() or bool(self.questions()), within_s=0.5)
            else:
                self.dealer.step()
        raise AssertionError(f"{code} is never asked; asked is {self.questions()}")

    def _hands(self, request: dict[str, Any], _step: Any) -> None:
        answer = self.table.hands(request["do"], **{key: request[key] for key in request if key != "do"})
        assert answer["ok"], answer
        self.table.run_until(lambda: False, within_s=0.2)

    def _wait_s(self, seconds: float, _step: Any) -> None:
        self.table.run_until(lambda: False, within_s=seconds)

    def _say(self, name: str, step: Any) -> None:
        fields = dict(step.get("with", {}))
        if "case" in fields:
            fields["case"] = Case[fields["case"]]
        kind = getattr(acts, name, None) or getattr(round_events, name)
        self._said(kind(**fields), step)

    def _clear(self, code: str, step: Any) -> None:
        role, reason, second = step.get("role", "floor"), step.get("reason", "looked at it"), step.get("second", "")
        if "choice" in step:
            self._said(HoldCleared(code, step["choice"], role, reason, second), step)
        else:
            self._said(ClearAlarm(code, role, reason, second), step)

    def _said(self, act: Any, step: Any) -> None:
        if "refused" in step:
            with pytest.raises(Refused) as refused:
                self.table.act(act)
            assert refused.value.code == step["refused"], refused.value
        else:
            self.table.act(act)
        self.table.run_until(lambda: False, within_s=0.01)

    def _restart(self, _yes: bool, _step: Any) -> None:
        again = Pretender(self.config, self.world, seed=2, entries=self.table.entries, now=self.table.now + 0.5)
        again.pretended = self.table.pretended
        self.table = self.dealer.table = again
        self.dealer.connect()

    def _pretend(self, identity: Mapping[str, Any], _step: Any) -> None:
        self.table.pretended = identity

    def _clock_set_s(self, seconds: float, _step: Any) -> None:
        now = self.table.now
        day = {True: "2030-01-02T00:00:00", False: "1970-01-01T00:00:00"}
        step = stepped(Look(now, "2029-12-31T23:59:59.000Z"), Look(now + 1, f"{day[seconds > 0]}.000Z"))
        assert step is not None
        self.table._carry_out(self.table.controller.clock_stepped(step, now))

    # --- seen

    def questions(self) -> list[str]:
        """The codes of all open questions."""
        round_ = self.table.controller.desk.open_round
        held = [hold.code for hold in round_.holds] if round_ is not None else []
        return held + [alarm.code for alarm in self.table.controller.state.alarms]

    def _held(self, code: str, step: Any) -> None:
        self.table.run_until(lambda: code in self.questions(), within_s=30)
        assert code in self.questions(), f"open are {self.questions()}"
        if "clears" in step:
            round_ = self.table.controller.desk.open_round
            holds = [hold for hold in round_.holds if hold.code == code] if round_ is not None else []
            assert (holds[0].clears if holds else ERROR_TABLE[code].clears).value == step["clears"]

    def _free(self, _yes: bool, _step: Any) -> None:
        assert not self.questions()

    def _still_s(self, seconds: float, _step: Any) -> None:
        before = self.table.hands("counters")
        self.table.run_until(lambda: False, within_s=seconds)
        after = self.table.hands("counters")
        for name in ("feeds_started", "cards_out", "stacks_dispensed"):
            assert after[name] == before[name], name

    def _due(self, name: str, _step: Any) -> None:
        self.table.run_until(lambda: type(self.table.shown.due).__name__ == name, within_s=30)
        assert type(self.table.shown.due).__name__ == name

    def _words(self, text: str, _step: Any) -> None:
        assert text in self.table.shown.words

    def _notice(self, text: str, _step: Any) -> None:
        assert any(text in notice for notice in self.table.shown.notices), self.table.shown.notices

    def _shown(self, fields: Mapping[str, Any], _step: Any) -> None:
        for name, value in fields.items():
            seen = getattr(self.table.shown, name)
            assert (list(seen) if isinstance(seen, tuple) else seen) == value, (name, seen)

    def _tally(self, counts: Mapping[str, int], _step: Any) -> None:
        for name, value in counts.items():
            assert getattr(self.table.shown.tally, name) == value, (name, self.table.shown.tally)

    def _counters(self, counts: Mapping[str, int], _step: Any) -> None:
        seen = self.table.hands("counters")
        for name, value in counts.items():
            assert seen[name] == value, (name, seen)

    def _entry(self, kind: str, step: Any) -> None:
        wanted = step.get("body", {})
        found = [
            entry
            for entry in self.table.entries
            if entry.kind == kind and all(_plain(entry.body.get(key)) == value for key, value in wanted.items())
        ]
        assert found, f"no {kind} with {wanted}: {[dict(e.body) for e in self.table.entries if e.kind == kind][-5:]}"
        if "times" in step:
            assert len(found) == step["times"], len(found)

    def _no_entry(self, kind: str, _step: Any) -> None:
        assert kind not in [entry.kind for entry in self.table.entries]


def _plain(value: Any) -> Any:
    return value.text if isinstance(value, Card) else list(value) if isinstance(value, tuple) else value
