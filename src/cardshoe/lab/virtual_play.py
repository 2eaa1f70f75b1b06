"""The robot at a table under a virtual clock: whole rounds in no time, the same for the same seed.

Owns the carrying out of a robot's doings against a `VirtualTable`. Must not know anything that `playing` does not.
"""

from __future__ import annotations

from typing import Any, assert_never

from cardshoe.errors import CardshoeError, DeviceError, Refused
from cardshoe.lab.doings import Do, Doing, Pause, Say, Steps, Watch
from cardshoe.lab.robot import Robot
from cardshoe.lab.virtual import VirtualTable

STUCK_S = 300.0


class VirtualPlay:
    """Plays at `table` with the people of `seed`; `speed` is the world's own."""

    def __init__(self, table: VirtualTable, *, seed: int, speed: float) -> None:
        self.table = table
        self.robot = Robot(table, seed=seed, now=lambda: table.now, speed=speed)
        self._speed = speed
        self.refusals: list[CardshoeError] = []

    def rounds(self, wanted: int) -> None:
        """Play until `wanted` further rounds are over. Raises `DeviceError` (`table-stuck`) when nothing moves."""
        start = self._over()
        moved, shown, gave_up = self.table.now, self.table.shown, False
        while self._over() - start < wanted:
            if self.table.shown != shown:
                moved, shown, gave_up = self.table.now, self.table.shown, False
            if self.table.now - moved > STUCK_S:
                if gave_up:
                    raise DeviceError("table-stuck", f"Nothing moves any more: {shown.words}")
                gave_up, moved = True, self.table.now
                self._take(self.robot.give_up())
            self._take(self.robot.play())

    def _over(self) -> int:
        tally = self.table.shown.tally
        return tally.completed + tally.voided

    def _take(self, steps: Steps) -> None:
        try:
            doing = next(steps)
            while True:
                try:
                    answer = self.carried_out(doing)
                except Refused as error:
                    self.refusals.append(error)
                    doing = steps.throw(error)
                else:
                    doing = steps.send(answer)
        except StopIteration:
            return
        except Refused:
            # What was due changed under the robot's hands; the table shows what is due now.
            self.table.run_until(lambda: False, within_s=0.05)

    def carried_out(self, doing: Doing) -> Any:
        """Carry out one doing and return its answer. Raises `Refused`."""
        match doing:
            case Do(act, keys):
                answer = self.table.hands(act, **keys)
                if not answer["ok"]:
                    raise Refused("hands-refused", f"{act}: {answer['text']}")
                return answer
            case Say(act):
                self.table.act(act)
                return None
            case Pause(seconds):
                self.table.run_until(lambda: False, within_s=seconds / self._speed)
                return None
            case Watch(seen, within_s):
                table = self.table  # the same object stays for as long as nothing in it changes
                return table.run_until(lambda: table.shown is not seen and table.shown != seen, within_s=within_s)
            case _:
                assert_never(doing)
