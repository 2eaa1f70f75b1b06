"""Dialogues of the shoe: rounds that commit, match, reveal and seal (shoe-v1 chapter 9), in clear sessions.

For shoes with capabilities 32, 64 and 128; others answer BEGIN_ROUND with REJECT `unknown_type`. The faces are not
known beforehand: the dialogues match, mismatch and reveal whatever was dealt, and compare what is told twice. Whether
salts, commitments and envelopes are right is shown by sealed.jsonl.
"""

# ruff: noqa: E501 (a case is a row: cut into lines it can no longer be read beside its neighbours)
from __future__ import annotations

from typing import Any

from steps import (
    CARD_MS,
    Step,
    Vector,
    answered,
    beats,
    connect,
    dialogue,
    dispense,
    every,
    let,
    nothing,
    opened,
    ready,
    send,
    status,
    taken,
    told,
    wait,
    want,
    world,
)

DONE, BAD_VALUE, STALE, BUSY, STACK_AT_GATE, WRONG_DECK, NOT_OPEN = range(7)
MATCH, MISMATCH, UNREAD, NO_TRY_LEFT, MATCH_NOT_OPEN, UNKNOWN_STACK, MATCH_BAD_VALUE = range(7)
REVEALED, REVEAL_NOT_OPEN, NOT_YET, REVEAL_UNKNOWN, SPENT = range(5)
DEAL_CLOSED, WRONG_DECK_TO_DEAL = 14, 6
NONE_OPEN, DEALING, CLOSED = range(3)
ROUND = status(round_id="$round", round_state=NONE_OPEN)


def _asked(message: str, sequence: Any, result: int, round_id: Any, **fields: Any) -> list[Step]:
    """A request of a round, and its answer."""
    asked = send(message, sequence, round_id=round_id, **fields)
    told_back = {key: value for key, value in fields.items() if key == "command_id"}
    return [asked, want(f"{message}_REPLY", sequence=sequence, round_id=round_id, result=result, **told_back)]


def begin(sequence: Any, result: int = DONE, *, round_id: Any = "$round+1", deck_id: Any = "$deck") -> list[Step]:
    """BEGIN_ROUND."""
    return _asked("BEGIN_ROUND", sequence, result, round_id, deck_id=deck_id)


def close(sequence: Any, result: int = DONE, *, round_id: Any = "$round+1") -> list[Step]:
    """CLOSE_DEAL."""
    return _asked("CLOSE_DEAL", sequence, result, round_id)


def end(sequence: Any, *, round_id: Any = "$round+1", **sealed: Any) -> list[Step]:
    """END_ROUND that ends the round: the envelope is in the ring before the reply."""
    frames = [
        told("ROUND_SEALED", round_id=round_id, deck_id="$deck", **sealed),
        told("END_ROUND_REPLY", sequence=sequence, round_id=round_id, result=DONE),
    ]
    return [send("END_ROUND", sequence, round_id=round_id), every(100, *frames)]


def not_ended(sequence: Any, result: int, *, round_id: Any) -> list[Step]:
    """END_ROUND that does nothing new."""
    return _asked("END_ROUND", sequence, result, round_id)


def match(sequence: Any, result: Any, face: Any, *, add: int = 1, round_id: Any = "$round+1") -> list[Step]:
    """MATCH_CARD for the stack of $last + `add`."""
    return _asked("MATCH_CARD", sequence, result, round_id, command_id=f"$last+{add}", face=face)


def reveal(sequence: Any, result: int, *, add: int = 1, round_id: Any = "$round+1", **fields: Any) -> list[Step]:
    """REVEAL_STACK for the stack of $last + `add`."""
    command = f"$last+{add}"
    asked = send("REVEAL_STACK", sequence, round_id=round_id, command_id=command)
    return [
        asked,
        want("REVEAL_STACK_REPLY", sequence=sequence, round_id=round_id, command_id=command, result=result, **fields),
    ]


def log(sequence: Any, back: int, **fields: Any) -> list[Step]:
    """READ_ASKED."""
    return [send("READ_ASKED", sequence, back=back), want("READ_ASKED_REPLY", sequence=sequence, **fields)]


def committed(cards: int, *, add: int = 1, slot: int = 0, round_id: Any = "$round+1") -> list[Step]:
    """CARD_COMMITTED for each card of the stack, in order, then STACK_READY."""
    each = [
        want(
            "CARD_COMMITTED",
            CARD_MS,
            round_id=round_id,
            command_id=f"$last+{add}",
            slot=slot + at,
            commitment={"bind": f"$c{add}x{at}"},
        )
        for at in range(cards)
    ]
    return [*each, ready(cards, add=add, first_slot=slot)]


def dealt(sequence: Any, cards: int = 2, *, add: int = 1, slot: int = 0, to: str = "1") -> list[Step]:
    """A whole stack of the round: ordered, committed, ready, taken."""
    place = 0 if to == "dealer" else int(to)
    order = dispense(sequence, add=add, cards=cards, to=place)
    return [order, answered(sequence, 0, add=add), *committed(cards, add=add, slot=slot), *taken(cards, to=to, add=add)]


NO_FACES = {"cards": 0, "faces": 14 * "f", "salts": 224 * "0"}

ROUNDS = [
    dialogue("round", "SHOE-9.1 SHOE-9.3 SHOE-9.6 SHOE-9.9 SHOE-2.6", "a round from beginning to envelope, with its state at each point", [
        *opened(), ROUND, *begin(1), status(round_id="$round+1", round_state=DEALING), *dealt(2), *dealt(3, 3, add=2, slot=2, to="dealer"),
        *close(4), status(round_id="$round+1", round_state=CLOSED), *end(5, cards=5, first_slot=0),
        status(round_id="$round+1", round_state=NONE_OPEN), nothing(1000),
    ]),
    dialogue("round-outside", "SHOE-9.3", "outside a round cards are dealt without commitments", [
        *opened(), dispense(1), answered(1, 0), ready(2, first_slot=0), *taken(2), nothing(1000),
    ]),
    dialogue("round-begin-again", "SHOE-9.1", "the open round is answered again and stays; a lower id is stale; a higher one ends it first", [
        *opened(), ROUND, *begin(1, round_id="$round+5"), *begin(2, round_id="$round+5"), *begin(3, STALE, round_id="$round+4"),
        status(round_id="$round+5", round_state=DEALING),
        send("BEGIN_ROUND", 4, round_id="$round+9", deck_id="$deck"),
        every(100, told("ROUND_SEALED", round_id="$round+5", cards=0), told("BEGIN_ROUND_REPLY", sequence=4, round_id="$round+9", result=DONE)),
        status(round_id="$round+9", round_state=DEALING), *end(5, round_id="$round+9", cards=0), *begin(6, STALE, round_id="$round+9"),
    ]),
    dialogue("round-begin-refused", "SHOE-9.1", "0, and a deck that is not the verified one; nothing begins", [
        *opened(), ROUND, *begin(1, BAD_VALUE, round_id=0), *begin(2, WRONG_DECK, deck_id="$deck+1"),
        status(round_id="$round", round_state=NONE_OPEN), nothing(300),
    ]),
    dialogue("round-busy", "SHOE-9.1 SHOE-9.6 SHOE-9.9", "while a command runs, and while a stack lies in the gate, a round neither begins nor closes nor ends", [
        *opened(), ROUND, *begin(1), dispense(2, cards=3), answered(2, 0),
        *begin(3, BUSY, round_id="$round+2"), *close(4, BUSY), *not_ended(5, BUSY, round_id="$round+1"),
        *committed(3), *begin(6, STACK_AT_GATE, round_id="$round+2"), *close(7, STACK_AT_GATE), *not_ended(8, STACK_AT_GATE, round_id="$round+1"),
        *taken(3), *close(9), *end(10, cards=3),
    ]),
    dialogue("round-deal-closed", "SHOE-9.6 SHOE-4.2", "after CLOSE_DEAL no card leaves the shoe until the round has ended; it is done again and not taken back", [
        *opened(), ROUND, *close(1, NOT_OPEN), *begin(2), *dealt(3), *close(4, NOT_OPEN, round_id="$round+2"), *close(5), *close(6),
        dispense(7, add=2), answered(7, DEAL_CLOSED, add=2), nothing(3000), *end(8, cards=2),
        dispense(9, add=2), answered(9, 0, add=2), ready(2, add=2, first_slot=2), *taken(2, add=2),
    ]),
    dialogue("round-end", "SHOE-9.9", "the last ended round is done again and sends nothing; another is not open", [
        *opened(), ROUND, *begin(1), *end(2, cards=0), *not_ended(3, DONE, round_id="$round+1"), *not_ended(4, NOT_OPEN, round_id="$round+2"), nothing(1000),
    ]),
    dialogue("round-other-deck", "SHOE-4.2 SHOE-9.1", "an open round deals from its own deck only", [
        *opened(), ROUND, *begin(1), dispense(2, deck_id="$deck+1"), answered(2, WRONG_DECK_TO_DEAL), nothing(3000), *end(3, cards=0),
    ]),
    dialogue("match-tries", "SHOE-9.4 SHOE-9.5 SHOE-9.8", "as many tries as cards; what spends none is told apart and stands in no log", [
        *opened(), ROUND, *log(1, 0, total="$total"), *begin(2), *match(3, UNKNOWN_STACK, 0), *dealt(4),
        *match(5, MATCH_BAD_VALUE, 52), *match(6, MATCH_BAD_VALUE, 0xFE), *match(7, MATCH_NOT_OPEN, 0, round_id="$round+2"), *match(8, UNKNOWN_STACK, 0, add=2),
        *match(9, {"in": [MATCH, MISMATCH]}, 0), *match(10, {"in": [MATCH, MISMATCH]}, 0), *match(11, NO_TRY_LEFT, 0), *match(12, NO_TRY_LEFT, 51),
        *log(13, 0, total="$total+2", round_id="$round+1", command_id="$last+1", asked=1, boot_counter="$boot"), *log(14, 1, asked=1, command_id="$last+1"),
        *end(15, cards=2),
    ]),
    dialogue("match-same-answer", "SHOE-9.4 LINK-4.3", "the same frame again gets the kept answer and spends nothing", [
        *opened(), ROUND, *begin(1), *log(2, 0, total="$total"), *dealt(3), *match(4, {"in": [0, 1], "bind": "$first"}, 7), *match(4, "$first", 7), *match(4, "$first", 7),
        *log(5, 0, total="$total+1", result="$first"), *end(6, cards=2),
    ]),
    dialogue("match-while-running", "SHOE-9.5", "a stack that is being dealt is not known yet", [
        *opened(), ROUND, *begin(1), dispense(2, cards=7), answered(2, 0), *match(3, UNKNOWN_STACK, 0), *committed(7), *taken(7), *match(4, {"in": [0, 1]}, 0), *end(5, cards=7),
    ]),
    dialogue("reveal", "SHOE-9.7 SHOE-9.8", "not before CLOSE_DEAL, once, and then no try is left", [
        *opened(), ROUND, *begin(1), *dealt(2), *reveal(3, NOT_YET, **NO_FACES), *reveal(4, REVEAL_NOT_OPEN, round_id="$round+2", **NO_FACES), *close(5),
        *reveal(6, REVEAL_UNKNOWN, add=2, **NO_FACES), *reveal(7, REVEALED, cards=2, faces={"not": 14 * "f"}, salts={"not": 224 * "0"}),
        *log(8, 0, total={"bind": "$total"}, asked=2, result=REVEALED, command_id="$last+1"), *reveal(9, SPENT, **NO_FACES), *match(10, NO_TRY_LEFT, 0), *end(11, cards=2),
    ]),
    dialogue("reveal-same-answer", "SHOE-9.7 LINK-4.3", "the same frame again gets the kept answer, faces and all", [
        *opened(), ROUND, *begin(1), *dealt(2), *close(3), *reveal(4, REVEALED, cards=2, faces={"bind": "$faces"}, salts={"bind": "$salts"}),
        *reveal(4, REVEALED, cards=2, faces="$faces", salts="$salts"), *end(5, cards=2),
    ]),
    dialogue("reveal-after-try", "SHOE-9.7 SHOE-9.4", "a stack of which a try was used is not revealed", [
        *opened(), ROUND, *begin(1), *dealt(2), *match(3, {"in": [0, 1]}, 3), *close(4), *reveal(5, SPENT, **NO_FACES), *match(6, {"in": [0, 1]}, 3), *end(7, cards=2),
    ]),
    dialogue("reveal-refusals-in-order", "SHOE-9.7", "not open, then not yet, then unknown stack", [
        *opened(), ROUND, *reveal(1, REVEAL_NOT_OPEN, **NO_FACES), *begin(2), *reveal(3, NOT_YET, **NO_FACES), *close(4), *reveal(5, REVEAL_UNKNOWN, **NO_FACES), *end(6, cards=0),
    ]),
    dialogue("asked-log", "SHOE-9.8", "an entry that is not there, and one that is older than the newest", [
        *opened(), ROUND, *log(1, 255, asked=0, round_id=0, command_id=0), *begin(2), *dealt(3), *match(4, {"in": [0, 1]}, 1), *match(5, {"in": [0, 1]}, 2), *log(6, 0, asked=1), *log(7, 1, asked=1), *end(8, cards=2),
        *log(9, 0, asked=1, round_id="$round+1"),
    ]),
    dialogue("round-survives-reset", "SHOE-9.12 SHOE-9.9 SHOE-9.8", "a restart ends no round: state, spent tries and log are there, and it ends with its envelope", [
        *opened(), ROUND, *begin(1), *dealt(2), *match(3, {"in": [0, 1]}, 3), *match(4, {"in": [0, 1]}, 3), *log(5, 0, total="$total"), let(before="$boot"),
        world("reset", device="shoe"), wait(1500), connect(reply={"boot_counter": {"not": "$before", "bind": "$boot"}}), beats(), {"discard_ms": 400},
        status(round_id="$round+1", round_state=DEALING), *match(1, NO_TRY_LEFT, 3), *log(2, 0, total="$total", command_id="$last+1"),
        send("END_ROUND", 3, round_id="$round+1"),
        every(400, told("ROUND_SEALED", round_id="$round+1", cards=2), told("END_ROUND_REPLY", sequence=3, round_id="$round+1", result=DONE)),
    ]),
    dialogue("round-two-stacks-two-slots", "SHOE-9.3 SHOE-9.10", "slots go on from round to round; the envelope begins at the round's own", [
        *opened(), ROUND, *begin(1), *dealt(2), *end(3, cards=2, first_slot=0), *begin(4, round_id="$round+2"), dispense(5, add=2, cards=1), answered(5, 0, add=2),
        *committed(1, add=2, slot=2, round_id="$round+2"), *taken(1, add=2), *end(6, round_id="$round+2", cards=1, first_slot=2),
    ]),
    dialogue("round-no-auditor", "SHOE-9.10 SHOE-9.11", "without an auditor's key the envelope holds nothing", [
        *opened(), ROUND, *begin(1), *dealt(2), *end(3, cards=2, auditor=16 * "0", ephemeral=64 * "0", sealed=200 * "0"),
    ]),
    dialogue("round-card-goes-back", "SHOE-9.13 SHOE-9.3 SHOE-4.7", "a stop in mid-feed: what went back to the magazine has no commitment, what came out has", [
        *opened(), ROUND, *begin(1), dispense(2, cards=7), answered(2, 0),
        want("CARD_COMMITTED", 2 * CARD_MS, round_id="$round+1", command_id="$last+1", slot=0),
        send("SET_INHIBIT", 3, inhibited=1),
        want("SET_INHIBIT_REPLY", sequence=3, inhibited=1) | {"skip": ["CARD_COMMITTED"]},
        want("DISPENSE_INTERRUPTED", 2 * CARD_MS, command_id="$last+1", cards_seen={"min": 1, "max": 6}) | {"skip": ["CARD_COMMITTED"]},
        nothing(1000),
    ]),
    dialogue("sealed-only", "LINK-12.5 LINK-12.4", "ATTEST and UNPAIR belong to sealed sessions", [
        *opened(), send("ATTEST", 1, nonce=64 * "0"), want("REJECT", sequence=1, reason={"in": [2, 7]}, rejected_type=0x38),
        send("UNPAIR", 1), want("REJECT", sequence=1, reason={"in": [2, 7]}, rejected_type=0x39),
    ]),
    dialogue("hello-pairing-no-window", "LINK-5.9 LINK-11.3", "without a window no pairing session begins", [
        connect(), {"discard_ms": 100},
        {"send": {"message": "HELLO", "sequence": 9, "fields": {"host_nonce": "$n", "spec_hash": "$spec_hash", "purpose": 0, "security": 2, "consumed_event": 0}}},
        {"expect": {"message": "HELLO_REPLY", "session": 0, "sequence": 9, "fields": {"result": {"in": [3, 5]}}}, "within_ms": 100},
    ]),
]  # fmt: skip

VECTORS: list[Vector] = ROUNDS
