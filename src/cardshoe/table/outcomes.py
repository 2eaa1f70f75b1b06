"""What each lawful answer to an open question would lead to, said before it is given.

Owns the trial of the answers on the round machine, which changes nothing. Pure. A supervisor chooses between "as the
rule says" and "misread"; what the rule says is told beside the choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cardshoe.errors import CardshoeError
from cardshoe.round.events import HoldCleared
from cardshoe.round.irregular import may_clear
from cardshoe.round.machine import apply
from cardshoe.round.state import VOID, Hold, State

VOID_ALL: Final = "void-all"
ASKS: Final = "asks"
GOES_ON: Final = "goes-on"
_ROLES: Final = ("floor", "dealer", "technician")
_TRIAL: Final = "tried"


def outcomes(round_: State, hold: Hold) -> Mapping[str, str]:
    """Return for each choice of `hold` what follows: `VOID_ALL`, "void 1 3" (those hands), `ASKS` (a further
    question), `GOES_ON`. A choice that the rules would refuse now is left out.
    """
    found: dict[str, str] = {}
    role = next(role for role in _ROLES if may_clear(hold.clears, role, _ROLES[1]))
    for choice in hold.choices:
        try:
            after, _effects = apply(round_, HoldCleared(hold.code, choice, role, _TRIAL, _ROLES[1]))
        except CardshoeError:
            continue
        found[choice] = _told(round_, after)
    return found


def _told(before: State, after: State) -> str:
    if after.void_all and not before.void_all:
        return VOID_ALL
    were = {hand.position for hand in before.hands if hand.status is VOID}
    if void := [hand.position for hand in after.hands if hand.status is VOID and hand.position not in were]:
        return f"void {' '.join(void)}"
    return ASKS if after.holds else GOES_ON
