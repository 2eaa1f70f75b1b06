"""What the table knows of the round that the shoe keeps: what it committed to, what was asked of it, is it over.

Owns `ShoeRound`, a frozen value built from journal entries alone, and what each of those entries does to it. A try is
written before it is asked and again when it is answered, so that after any crash it is known which may be spent. Must
not know faces that were not turned up, devices' bytes or time. Its values have no slots, so that `changed` copies them
quickly. Implements SHOE-9 as the host remembers it (promises P1, P2 and P4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any, Final

from cardshoe.round.state import changed


class Stage(Enum):
    """How far the shoe's round is: `SEALED` when its envelope is here, `GIVEN_UP` when it will not come."""

    REQUESTED = "requested"
    OPEN = "open"
    CLOSED = "closed"
    SEALED = "sealed"
    GIVEN_UP = "given_up"


OPEN_STAGES: Final = (Stage.OPEN, Stage.CLOSED)
OVER: Final = (Stage.SEALED, Stage.GIVEN_UP)
SPENT: Final = frozenset({"match", "mismatch", "unread"})
"""Answers that spend a try (SHOE-9.4)."""
RULED: Final = "ruled"
"""The face could not be compared; a person looks at the card instead."""
NOT_CARRIED_OUT: Final = "not_carried_out"


@dataclass(frozen=True)
class Try:
    """A face that lay up at `place`, held against the stack of `command_id`. `result` "": no answer yet."""

    command_id: int
    place: str
    card: str
    result: str = ""


@dataclass(frozen=True)
class ShoeRound:
    """One round of the shoe. `stacks`: the place that each command's stack went to; `committed`: slot and commitment
    (hex) of each card, by command; `tries_before`: the shoe's log before the first try, None until it was read;
    `revealed`: commands whose faces were asked for, with the answer, "" until there is one.
    """

    round_id: int
    deck_id: int
    serial: str
    stage: Stage = Stage.REQUESTED
    stacks: Mapping[int, str] = field(default_factory=dict)
    committed: Mapping[int, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    tries: tuple[Try, ...] = ()
    tries_before: int | None = None
    revealed: Mapping[int, str] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether nothing more is asked of the shoe in this round."""
        return self.stage in OVER

    @property
    def asked(self) -> Try | None:
        """The try that has no answer yet."""
        for each in self.tries:
            if not each.result:
                return each
        return None

    @property
    def reveal_asked(self) -> int | None:
        """The command whose reveal has no answer yet."""
        for command, result in self.revealed.items():
            if not result:
                return command
        return None

    @property
    def spent(self) -> int:
        """How many entries the shoe's log has of this round, as far as answers tell."""
        return sum(each.result in SPENT for each in self.tries) + sum(
            result == "revealed" for result in self.revealed.values()
        )

    def tries_left(self, command_id: int) -> int:
        """How many faces may still be held against the stack of `command_id` (SHOE-9.4)."""
        used = sum(each.command_id == command_id and each.result in SPENT for each in self.tries)
        return len(self.committed.get(command_id, ())) - used

    @property
    def slots(self) -> frozenset[int]:
        """The slots that were committed to."""
        return frozenset(slot for cards in self.committed.values() for slot, _commitment in cards)


def requested(body: Mapping[str, Any]) -> ShoeRound:
    """Return the round that the shoe is asked to begin."""
    return ShoeRound(int(body["shoe_round"]), int(body["deck_id"]), str(body["serial"]))


def stack_requested(before: ShoeRound | None, command_id: int, to: str) -> ShoeRound | None:
    """Return the round with one more stack, which goes to `to`."""
    if before is None or before.stage is not Stage.OPEN:
        return before
    return changed(before, stacks={**before.stacks, command_id: to})


def reported(before: ShoeRound | None, body: Mapping[str, Any]) -> ShoeRound | None:
    """Return the round after a report of the shoe's ring."""
    if before is None or body.get("round_id") != before.round_id:
        return before
    if body["event"] == "RoundSealed":
        return changed(before, stage=Stage.SEALED)
    if body["event"] != "CardCommitted":
        return before
    command_id = int(body["command_id"])
    card = (int(body["slot"]), str(body["commitment"]))
    return changed(before, committed={**before.committed, command_id: (*before.committed.get(command_id, ()), card)})


def _opened(before: ShoeRound, _body: Mapping[str, Any]) -> ShoeRound:
    return changed(before, stage=Stage.OPEN) if before.stage is Stage.REQUESTED else before


def _closed(before: ShoeRound, _body: Mapping[str, Any]) -> ShoeRound:
    return changed(before, stage=Stage.CLOSED) if before.stage is Stage.OPEN else before


def _given_up(before: ShoeRound, _body: Mapping[str, Any]) -> ShoeRound:
    return before if before.over else changed(before, stage=Stage.GIVEN_UP)


def _log_read(before: ShoeRound, body: Mapping[str, Any]) -> ShoeRound:
    return changed(before, tries_before=int(body["total"]))


def _try_requested(before: ShoeRound, body: Mapping[str, Any]) -> ShoeRound:
    return changed(before, tries=(*before.tries, _try(body)))


def _try_answered(before: ShoeRound, body: Mapping[str, Any]) -> ShoeRound:
    others = tuple([each for each in before.tries if each.result])
    answered = changed(_try(body), result=str(body["result"]))
    return changed(before, tries=others if answered.result == NOT_CARRIED_OUT else (*others, answered))


def _try(body: Mapping[str, Any]) -> Try:
    return Try(int(body["command_id"]), str(body["place"]), str(body["card"]))


def _reveal_requested(before: ShoeRound, body: Mapping[str, Any]) -> ShoeRound:
    return changed(before, revealed={**before.revealed, int(body["command_id"]): ""})


def _reveal_answered(before: ShoeRound, body: Mapping[str, Any]) -> ShoeRound:
    command_id, result = int(body["command_id"]), str(body["result"])
    others = {each: told for each, told in before.revealed.items() if each != command_id}
    return changed(before, revealed=others if result == NOT_CARRIED_OUT else {**others, command_id: result})


TAKEN: Final[Mapping[str, Callable[[ShoeRound, Mapping[str, Any]], ShoeRound]]] = {
    "shoe_round_opened": _opened,
    "shoe_deal_closed": _closed,
    "shoe_round_given_up": _given_up,
    "shoe_log_read": _log_read,
    "card_match_requested": _try_requested,
    "card_match_answered": _try_answered,
    "stack_reveal_requested": _reveal_requested,
    "stack_reveal_answered": _reveal_answered,
}
"""What each kind of entry does to the round of the shoe; each names the round as `shoe_round`."""


KINDS: Final = frozenset({"shoe_round_requested", *TAKEN})
"""The entries that tell of the shoe's round."""


def absorbed(before: ShoeRound | None, kind: str, body: Mapping[str, Any]) -> ShoeRound | None:
    """Return the round after an entry of `KINDS`; one of another round tells nothing."""
    if kind == "shoe_round_requested":
        return requested(body)
    return TAKEN[kind](before, body) if before is not None and before.round_id == body["shoe_round"] else before


def noted(round_: ShoeRound | None) -> Mapping[str, Any] | None:
    """Return the round as a plain object, for the note at a round's end."""
    if round_ is None:
        return None
    return {
        "round_id": round_.round_id,
        "deck_id": round_.deck_id,
        "serial": round_.serial,
        "tries_before": round_.tries_before,
        "stage": round_.stage.value,
        "stacks": [[command, to] for command, to in round_.stacks.items()],
        "committed": [[command, [list(card) for card in cards]] for command, cards in round_.committed.items()],
        "tries": [asdict(each) for each in round_.tries],
        "revealed": [[command, result] for command, result in round_.revealed.items()],
    }


def recalled(body: Mapping[str, Any] | None) -> ShoeRound | None:
    """Return the round out of `noted`; None where there was none, or an older note did not know of it."""
    if body is None:
        return None
    return ShoeRound(
        round_id=body["round_id"],
        deck_id=body["deck_id"],
        serial=body["serial"],
        stage=Stage(body["stage"]),
        stacks=dict(body["stacks"]),
        committed={command: tuple((slot, told) for slot, told in cards) for command, cards in body["committed"]},
        tries=tuple(Try(**each) for each in body["tries"]),
        tries_before=body["tries_before"],
        revealed=dict(body["revealed"]),
    )
