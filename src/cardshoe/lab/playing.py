"""The robot at a real table in real time.

Owns the carrying out of a robot's doings against a running `Table` and the hands of a world, and the end of a game:
after so many rounds, or when nothing moves any more. Must not decide what is done (`robot` does).
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, assert_never

from cardshoe.clock import Clock
from cardshoe.errors import CardshoeError, DeviceError, Refused
from cardshoe.lab.doings import Do, Doing, Pause, Say, Steps, Watch
from cardshoe.lab.hands import Hands
from cardshoe.lab.robot import Robot
from cardshoe.table.app import Table
from cardshoe.table.view import TableView

STUCK_S: Final = 30.0
MECHANISM_S: Final = 150.0
"""The longest that mechanism and people need for one thing at speed 1 (a deck that is shuffled and verified)."""
GONE_S: Final = 60.0
MOST_REFUSED: Final = 50
_SOON_S: Final = 0.02


class Playing:
    """Plays at `table` with `hands` and the people of `seed`; `speed` is the world's."""

    def __init__(self, table: Table, hands: Hands, *, clock: Clock, seed: int, speed: float) -> None:
        self.robot = Robot(table, seed=seed, now=clock.now, speed=speed)
        self._table = table
        self._hands = hands
        self._clock = clock
        self._speed = speed
        self._refused = 0
        self._stuck_s = STUCK_S + MECHANISM_S / speed
        self.awake = asyncio.Event()
        """Cleared while a person deals in the robot's place."""
        self.awake.set()

    async def rounds(self, wanted: int | None) -> None:
        """Play until `wanted` further rounds are over, for ever for None.

        Raises `JournalError` when the table has stopped, `DeviceError` when a device or the world stays away or nothing
        moves any more.
        """
        start = rounds_over(self._table.shown)
        moved, shown, gave_up = self._clock.now(), self._table.shown, False
        while wanted is None or rounds_over(self._table.shown) - start < wanted:
            if not self.awake.is_set():
                await self.awake.wait()
                moved, gave_up = self._clock.now(), False
            now = self._clock.now()
            if self._table.shown != shown:
                moved, shown, gave_up, self._refused = now, self._table.shown, False, 0
            self._check_devices(now - moved)
            if now - moved > self._stuck_s:
                if gave_up:
                    raise DeviceError("table-stuck", f"Nothing moves any more at this table: {shown.words}")
                gave_up, moved = True, now
                await self._take(self.robot.give_up())
            await self._take(self.robot.play())

    def _check_devices(self, unmoved_s: float) -> None:
        if self._table.failure is not None:
            raise self._table.failure
        if unmoved_s < GONE_S:
            return
        for name, port in (("shoe", self._table.shoe), ("reader", self._table.reader)):
            if port is not None and port.last.error is not None and port.last.failures:
                error = port.last.error
                raise DeviceError(error.code, f"The {name} does not come back. {error.text}")

    async def _take(self, steps: Steps) -> None:
        try:
            doing = next(steps)
            while self.awake.is_set():
                try:
                    answer = await self._carried_out(doing)
                except Refused as error:
                    doing = steps.throw(error)
                else:
                    doing = steps.send(answer)
        except StopIteration:
            return
        except Refused as error:
            await self._was_refused(error)

    async def _was_refused(self, error: CardshoeError) -> None:
        """What was due changed under the robot's hands; the table shows what is due now. Not for ever, though."""
        self._refused += 1
        if self._refused > MOST_REFUSED:
            raise DeviceError(
                "table-stuck",
                f"The robot is refused again and again: {error.text}. Shown is: {self._table.shown.words}",
            ) from error
        await asyncio.sleep(_SOON_S)

    async def _carried_out(self, doing: Doing) -> Any:
        match doing:
            case Do(act, keys):
                return await self._hands.do(act, keys)
            case Say(act):
                await self._table.act(act)
                return None
            case Pause(seconds):
                await asyncio.sleep(seconds / self._speed)
                return None
            case Watch(seen, within_s):
                return await self._changed(seen, within_s)
            case _:
                assert_never(doing)

    async def _changed(self, seen: TableView, within_s: float) -> bool:
        try:
            await asyncio.wait_for(self._table.changed(seen), within_s)
        except TimeoutError:
            return False
        return True


def rounds_over(shown: TableView) -> int:
    """Return how many rounds of the whole journal are over, completed or void."""
    return shown.tally.completed + shown.tally.voided
