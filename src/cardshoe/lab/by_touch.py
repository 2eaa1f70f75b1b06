"""A simulated table in the hands of the person at its console: faults to try, cards that move when they are due.

Owns the part of a demo's world that a person at a console reaches: what can be made to go wrong, what is done about it
at the machine, and the hands that move cards for a dealer who has none in front of them. Only the world's control
socket is used, never a device's protocol. What is *said* at the table (wagers, decisions, settlements) stays with the
person.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, assert_never

from cardshoe.errors import Refused
from cardshoe.lab.cardwork import CardWork
from cardshoe.lab.doings import Do, Doing, Pause, Say, Steps, Watch
from cardshoe.lab.eyes import sight
from cardshoe.lab.hands import Hands
from cardshoe.lab.patience import Patience
from cardshoe.lab.players import Players
from cardshoe.round import next_step as step
from cardshoe.round.places import in_words
from cardshoe.table import view
from cardshoe.table.app import Table

_MOST_WAITED_S: Final = 0.5
EVERYTHING: Final = "everything"
"""The cure that is all cures: a person who sees to the machine, whatever it is."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A fault to try: what will be seen, what the person does about it, and how the world is told of both."""

    name: str
    what: str
    cure: str
    does: tuple[tuple[str, Mapping[str, object]], ...]
    cures: tuple[tuple[str, Mapping[str, object]], ...]


def _fault(kind: str, **keys: object) -> tuple[tuple[str, Mapping[str, object]], ...]:
    return (("fault", {"kind": kind, **keys}),)


_CLEAR_JAM: Final = (("press", {"button": "clear_jam"}),)
_SERVICE: Final = (("press", {"button": "service"}),)

TRIALS: Final = (
    Trial("jam", "The next stack jams in the shoe.", "Open the flap, free the card.", _fault("jam"), _CLEAR_JAM),
    Trial(
        "door",
        "Somebody opens the shoe's door.",
        "Close the door.",
        (("open_door", {}),),
        (("close_door", {}),),
    ),
    Trial("double feed", "The next stack has a card too many.", "Free the shoe.", _fault("double_feed"), _CLEAR_JAM),
    Trial(
        "unplug the shoe",
        "The shoe's cable is pulled.",
        "Plug it in again.",
        (("line", {"port": "shoe", "kind": "unplug"}),),
        (("line", {"port": "shoe", "kind": "replug"}),),
    ),
    Trial(
        "power of the shoe",
        "The shoe loses its power in whatever it does.",
        "Switch it on again.",
        (("power", {"device": "shoe", "state": "off"}),),
        (("power", {"device": "shoe", "state": "on"}), *_CLEAR_JAM),
    ),
    Trial("motor", "The shoe's motor stalls.", "Press the service button.", _fault("motor_stalled"), _SERVICE),
    Trial(
        "unreadable card",
        "The next card that is turned cannot be read.",
        "Enter the card; the floor confirms it.",
        _fault("unreadable"),
        (),
    ),
    Trial(
        "wrong mode",
        "The shoe is switched to sort mode.",
        "Switch it back.",
        _fault("mode", mode="sort"),
        (("switch_mode", {"mode": "deal"}),),
    ),
)


class ByTouch:
    """The world of `table`, by `hands`, for the person at the console. `speed` divides what people need."""

    def __init__(self, table: Table, hands: Hands, players: Players, *, now: Callable[[], float], speed: float) -> None:
        self._table = table
        self._hands = hands
        self._work = CardWork(table, players, Patience(table, now=now, speed=speed))
        self._speed = speed
        self._moving = asyncio.Lock()
        work = self._work
        self._moves: Mapping[type, Callable[[Any], Steps]] = {
            view.LoadDeck: work.load_deck,
            view.ClearGate: work.clear_gate,
            view.TakeStack: work.take_stack,
            step.DealCard: work.deal_card,
            step.RemoveStub: work.remove_stub,
            step.DealCommunity: work.deal_board,
            step.TurnCommunity: work.turn_board,
            step.TurnDealer: work.turn_dealer,
            step.ReadFaces: work.read_faces,
        }
        self._with_word: Mapping[str, tuple[type, Callable[[Any], Steps]]] = {
            "burn": (step.BurnCards, work.burn),
            "collect": (step.CollectHand, work.collect),
            "complete": (step.CompleteRound, work.complete),
            "count_stub": (view.CountStub, work.count_stub),
        }

    async def trial(self, name: str, *, cure: bool) -> str:
        """Make a fault happen, or do what a person does about it; say which. Raises `Refused`."""
        if cure and name == EVERYTHING:
            return await self._see_to_it()
        trial = next((each for each in TRIALS if each.name == name), None)
        if trial is None:
            names = ", ".join(each.name for each in TRIALS)
            raise Refused("no-such-trial", f"there is no such fault to try; there are {names}")
        for act, keys in trial.cures if cure else trial.does:
            await self._do(act, keys)
        return trial.cure if cure else trial.what

    async def _see_to_it(self) -> str:
        """Do whatever a person at the machine can do about it; what is not needed is passed over."""
        for trial in TRIALS:
            for act, keys in trial.cures:
                with contextlib.suppress(Refused):
                    await self._do(act, keys)
        due = self._table.shown.due
        if isinstance(due, step.Held) and self._work.round.pending is not None and await self._gate_full():
            return await self._empty_gate(due)
        return "The machine was seen to: cable, power, door, mode, jam, service button."

    async def move(self) -> str:
        """Move the cards that are due; say what was done. Raises `Refused` where no card is due."""
        due = self._table.shown.due
        doer = self._moves.get(type(due))
        if doer is None and isinstance(due, step.Held) and await self._gate_full():
            return await self._empty_gate(due)
        if doer is None:
            raise Refused("hands-refused", f"no card has to be moved now: {self._table.shown.words}")
        await self._moved(doer(due))
        return view.words(due)

    async def before(self, op: str) -> None:
        """Move the cards that go with a word of the dealer, which comes next: the burn, the hand to the rack."""
        wanted = self._with_word.get(op)
        due = self._table.shown.due
        if wanted is not None and isinstance(due, wanted[0]):
            await self._moved(wanted[1](due))

    async def _gate_full(self) -> bool:
        return not sight(await self._do("look", {})).gate_empty

    async def _empty_gate(self, due: step.Held) -> str:
        """Take an incomplete stack to where it belongs, as the question that holds the table asks for."""
        pending = self._work.round.pending
        to = pending.to if pending is not None else "board"
        await self._do("take_stack", {"to": to})
        return f"The cards of the gate lie at {in_words(to)}. {due.hold.question}"

    async def _moved(self, steps: Steps) -> None:
        """Carry out what moves; a word that belongs to the person ends it."""
        async with self._moving:
            try:
                doing = next(steps)
                while not isinstance(doing, Say):
                    doing = steps.send(await self._carried_out(doing))
            except StopIteration:
                return
            finally:
                steps.close()

    async def _carried_out(self, doing: Doing) -> Any:
        match doing:
            case Do(act, keys):
                return await self._do(act, keys)
            case Pause(seconds):
                await asyncio.sleep(min(seconds / self._speed, _MOST_WAITED_S))
                return None
            case Watch(seen, within_s):
                return await self._changed(seen, within_s)
            case Say():
                return None
            case _:
                assert_never(doing)

    async def _changed(self, seen: view.TableView, within_s: float) -> bool:
        try:
            await asyncio.wait_for(self._table.changed(seen), min(within_s, _MOST_WAITED_S))
        except TimeoutError:
            return False
        return True

    async def _do(self, act: str, keys: Mapping[str, object]) -> Mapping[str, Any]:
        return await self._hands.do(act, keys)
