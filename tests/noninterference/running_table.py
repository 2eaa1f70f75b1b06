"""A `cardshoe run` as its own process, dealt to as far as a test wants: a dealer with eyes and a keyboard."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

from demo_bench import Elsewhere, command

from cardshoe.journal import JournalReader

_TOML = """
[table]
name = "T7"
mode = "bench"
game = "{game}"
journal = "journal"
{devices}
{more}
"""


class RunningTable:
    """The process, and what it says. `urls` replaces the world's own, for somebody in between."""

    def __init__(
        self,
        directory: Path,
        world: Elsewhere,
        game: str,
        *,
        urls: dict[str, str] | None = None,
        security: str = "clear",
        more: str = "",
    ) -> None:
        at = {name: str(world.told[f"{name}_url"]) for name in ("shoe", "reader")} | (urls or {})
        devices = "".join(
            f'[devices.{name}]\nurl = "{url}"\nsecurity = "{security}"\n' for name, url in at.items() if url
        )
        config = directory / "table.toml"
        config.write_text(_TOML.format(game=game, devices=devices, more=more))
        self.world, self.journal, self.due = world, directory / "journal", dict[str, Any]()
        self.process = subprocess.Popen(
            command("run", "--config", config, "--json"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def heard(self) -> dict[str, Any]:
        """The next line of the table."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        told: dict[str, Any] = json.loads(line)
        if "due" in told:
            self.due = told["due"]
        return told

    def op(self, op: str, **fields: object) -> dict[str, Any]:
        """Say one operation; return its answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
        self.process.stdin.flush()
        while "accepted" not in (told := self.heard()):
            continue
        return told

    def must(self, op: str, **fields: object) -> None:
        """Say one operation that is accepted."""
        answer = self.op(op, **fields)
        assert answer == {"accepted": True}, answer

    def until(self, *steps: str) -> None:
        """Read on until one of these steps is due."""
        while self.due.get("step") not in steps:
            self.heard()

    def until_told(self, *events: str) -> None:
        """Wait until these reports of devices are on record: what happened before the table was opened."""
        end = time.monotonic() + 20.0
        while time.monotonic() < end:
            with JournalReader(self.journal) as reader:
                told = {each.body.get("event") for each in reader.records()}
            if told.issuperset(events):
                return
            time.sleep(0.02)
        raise AssertionError(f"never told: {events}")

    def begin_a_round(self) -> None:
        """Two players, their wagers, no more bets."""
        self.until("open_round")
        self.must("open_round", seats={"1": "Ann"})
        self.must("seat", position="4", player="Bob")
        for position, player in (("1", "Ann"), ("4", "Bob")):
            self.must("wager", position=position, player=player, wagers={"ante": 1000, "blind": 1000})
        self.must("no_more_bets")

    def deal_a_round(self) -> None:
        """Every stack is taken to its place; the players are asked next."""
        self.begin_a_round()
        while self.due["step"] != "ask_decision":
            due = dict(self.due)
            if due["step"] == "take_stack":
                self.world.ask(do="take_stack", to=due["to"])
            elif due["step"] == "remove_stub":
                self.world.ask(do="remove_stub")
            while self.due == due:
                self.heard()

    def close(self) -> tuple[int, str]:
        """End the input; return status and what stood on standard error."""
        if self.process.poll() is None:
            try:
                _out, err = self.process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                _out, err = self.process.communicate()
            return self.process.returncode, err
        return self.process.returncode, ""
