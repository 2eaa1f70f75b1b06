"""The shoe denies a command and then carries it out: a wrong or forged answer must not cost a stack unseen (P1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from table_play import Dealer, config, world

from cardshoe.devices import shoe_events as shoe
from cardshoe.devices.shoe_terms import DispenseResult
from cardshoe.lab.virtual import VirtualTable
from cardshoe.link.messages import RejectReason
from cardshoe.table import orders
from cardshoe.table.memory import noted
from cardshoe.table.state import TableState, absorb

DENIALS: dict[str, Callable[[int], shoe.ShoeEvent]] = {
    "refused": lambda command_id: shoe.CommandRefused(command_id, DispenseResult.INHIBITED),
    "stale": lambda command_id: shoe.CommandRefused(command_id, DispenseResult.STALE_COMMAND),
    "rejected": lambda command_id: shoe.CommandRejected(command_id, RejectReason.BAD_VALUE),
}


class Denied(VirtualTable):
    """A table to which the second acceptance of the shoe is told as a denial, as somebody on the line could do it."""

    denial: Callable[[int], shoe.ShoeEvent]
    accepted = 0

    def _input(self, port: str, event: Any) -> Callable[[], orders.Step]:
        if isinstance(event, shoe.CommandAccepted):
            self.accepted += 1
            if self.accepted == 2:
                event = self.denial(event.command_id)
        return super()._input(port, event)


@pytest.mark.parametrize("denial", DENIALS)
def test_a_denied_stack_that_comes_out_holds_the_round(denial: str) -> None:
    """P1, P5, SHOE-3.4: the contradiction is seen at the report; nothing more is dealt before the floor has looked."""
    made = world()
    table = Denied(config(), made)
    table.denial = DENIALS[denial]
    dealer = Dealer(table)
    dealer.connect()
    held = lambda: bool(table.controller.desk.held)  # noqa: E731
    dealer.play(stops=held)
    round_ = table.controller.desk.open_round
    assert round_ is not None
    (hold,) = [each for each in round_.holds if each.code == "stack-not-asked"]
    assert "moved nothing" in hold.question
    counters = table.hands("counters")
    assert counters["stacks_dispensed"] == table.shown.tally.stacks_dispensed == 2
    table.run_until(lambda: False, within_s=10)
    assert table.hands("counters")["feeds_started"] == 2


def test_what_was_denied_is_remembered_over_a_restart() -> None:
    """P2: the note between rounds keeps it, and an older note without it still counts."""
    state = TableState(not_moved=(7, 9))
    again = absorb(TableState(), "table_noted", noted(state))
    assert again.not_moved == (7, 9)
    older = {key: value for key, value in noted(state).items() if key != "not_moved"}
    assert absorb(TableState(), "table_noted", older).not_moved == ()
