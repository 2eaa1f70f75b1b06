"""Support: a table under a virtual clock whose line can be cut, and whose process can be killed, at one order. Not a
test."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from robot_table import SPEED, config

from cardshoe.devices.envelope import OpenedRound, open_envelope
from cardshoe.devices.round_events import RoundSealed
from cardshoe.journal import Entry
from cardshoe.lab.virtual import RETRY_S, VirtualTable
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.sim.world import COMMITTING, World
from cardshoe.table import orders
from cardshoe.table.acts import Act
from cardshoe.table.state import TableState, absorb

AUDITOR = X25519PrivateKey.from_private_bytes(bytes(range(32)))
TRIES = ("card_match_requested", "card_match_answered")


class Killed(Exception):
    """The controller's process is gone."""


class CommittedTable(VirtualTable):
    """`strikes`: by kind of order, what happens once when the next such order is carried out.

    "request lost": it never reaches the shoe; "reply lost": the shoe has done it and the answer is lost, the line
    breaks in both; "killed before" and "killed after" it left: the process dies.
    """

    strikes: dict[type, str]
    struck: int

    def __init__(self, *args: Any, **keys: Any) -> None:
        self.strikes, self.struck, self._deaf = {}, 0, False
        self.orders: list[orders.Order] = []
        super().__init__(*args, **keys)

    def act(self, act: Act) -> None:
        try:
            super().act(act)
        except Killed:
            self.restart()

    def _settle(self) -> None:
        try:
            super()._settle()
        except Killed:
            self.restart()

    def _say(self, line: Any, data: bytes) -> None:
        if not self._deaf:
            super()._say(line, data)

    def _perform(self, order: orders.Order) -> None:
        self.orders.append(order)
        strike = self.strikes.pop(type(order), None)
        if strike is None:
            super()._perform(order)
            return
        self.struck += 1
        if strike == "killed before":
            raise Killed
        self._deaf = strike == "request lost"
        super()._perform(order)
        self._deaf = False
        self.world.advance(self.now + 0.05)
        self.world.take_output("shoe")
        if strike == "killed after":
            raise Killed
        line = self._lines["shoe"]
        self._take(line, line.driver.port_lost())
        line.open_at = self.now + RETRY_S

    def restart(self) -> None:
        """The process is killed and comes back from what is durable, through its text."""
        self._writing = None
        for port in self._lines:
            self.world.take_output(port)
        state = TableState()
        for entry in self.entries:
            state = absorb(state, entry.kind, json.loads(json.dumps(dict(entry.body))))
        self._start(state)


def committed(
    game: str = "ultimate-texas-holdem",
    *,
    reader: bool = True,
    seed: int = 1,
    can: frozenset[str] = COMMITTING,
    faults: tuple[Mapping[str, object], ...] = (),
    mutations: frozenset[str] = frozenset(),
    world: World | None = None,
    entries: list[Entry] | None = None,
) -> VirtualPlay:
    """Return a robot at a table whose shoe commits, with an auditor's key in it."""
    if world is None:
        public = AUDITOR.public_key().public_bytes_raw()
        world = World(seed=seed, speed=SPEED, faults=faults, shoe_can=can, auditor=public, mutations=mutations)
    table = CommittedTable(config(game, reader=reader), world, seed=seed, entries=entries)
    return VirtualPlay(table, seed=seed, speed=SPEED)


def until(play: VirtualPlay, done: Callable[[], bool], *, steps: int = 3000) -> None:
    """Play until `done`, looked at after each step."""
    for _ in range(steps):
        if done():
            return
        play._take(play.robot.play())
    raise AssertionError(f"it never came to that: {play.table.shown.words}")


def bodies(play: VirtualPlay, *kinds: str) -> list[Mapping[str, Any]]:
    return [entry.body for entry in play.table.entries if entry.kind in kinds]


def reported(play: VirtualPlay, event: str) -> list[Mapping[str, Any]]:
    return [body for body in bodies(play, "shoe_reported") if body["event"] == event]


def alarms(play: VirtualPlay) -> list[str]:
    """Return code and text of every question that was asked."""
    found = [f"{body['code']}: {body['text']}" for body in bodies(play, "alarm-raised", "alarm_raised")]
    return found + [f"foreign-card: {body['why']}" for body in bodies(play, "card-mismatched")]


def opened(play: VirtualPlay) -> list[OpenedRound]:
    """Open every envelope with the auditor's key."""
    serial = play.table.controller.state.devices["shoe"].serial
    rounds = []
    for body in reported(play, "RoundSealed"):
        told = {
            int(each["slot"]): bytes.fromhex(each["commitment"])
            for each in reported(play, "CardCommitted")
            if each["round_id"] == body["round_id"]
        }
        envelope = RoundSealed(
            event_id=body["event_id"],
            round_id=body["round_id"],
            deck_id=body["deck_id"],
            first_slot=body["first_slot"],
            cards=body["cards"],
            auditor=bytes.fromhex(body["auditor"]),
            ephemeral=bytes.fromhex(body["ephemeral"]),
            sealed=bytes.fromhex(body["sealed"]),
        )
        rounds.append(open_envelope(envelope, serial, AUDITOR, told))
    return rounds


def never_twice(play: VirtualPlay) -> None:
    """No face is held twice against one stack, and none is left without an answer (SHOE-9.4)."""
    asked = [
        (body["shoe_round"], body["command_id"], body["card"])
        for body in bodies(play, "card_match_answered")
        if body["result"] in ("match", "mismatch", "unread")
    ]
    assert len(asked) == len(set(asked))
    kept = play.table.controller.state.shoe_round
    assert kept is None or (kept.asked is None and kept.reveal_asked is None)


def log_total(play: VirtualPlay) -> int:
    """Return how many tries the shoe has on record since it was made: what physically was asked."""
    return int(play.table.world._remains.shoe.round.asked_total)
