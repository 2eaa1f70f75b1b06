"""Short words for the steps of dialogues, so that the cases read like conversations.."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Step = dict[str, Any]
Vector = dict[str, Any]

REPLY_MS = 100  # LINK-4.2
CARD_MS = 3000  # SHOE-4.3: a card
PREPARE_MS = 90_000  # SHOE-6.3


def hello(nonce: str, *, sequence: int = 1, **changes: Any) -> Step:
    """HELLO as a step of its own; `nonce` is a name, drawn by the runner where it is new."""
    fields = {"host_nonce": nonce, "spec_hash": "$spec_hash", "purpose": 0, "security": 0, "consumed_event": 0}
    return {"send": {"message": "HELLO", "sequence": sequence, "fields": fields | changes}}


def connect(*, consumed: Any = 0, reply: Step | None = None, within_ms: int = 30_000) -> Step:
    """Open a session as LINK-5.12 says; binds $session, $boot and $held (last_event) unless `reply` says otherwise."""
    told = {"result": 0, "session": {"bind": "$session"}, "boot_counter": {"bind": "$boot"}}
    told |= {"last_event": {"bind": "$held"}}
    return {"connect": {"consumed_event": consumed}, "reply": told | (reply or {}), "within_ms": within_ms}


def send(message: str, sequence: Any, *, session: Any = None, **fields: Any) -> Step:
    """A frame of the present session, or of `session`."""
    what = {"message": message, "sequence": sequence, "fields": fields}
    return {"send": what if session is None else what | {"session": session}}


def raw(kind: int, sequence: Any, payload: str = "") -> Step:
    """A whole frame of any type and payload."""
    return {"send": {"type": kind, "sequence": sequence, "payload": payload}}


def noise(text: str) -> Step:
    """Bytes that are no frame."""
    return {"send": {"raw": text}}


def want(message: str, within_ms: int = REPLY_MS, *, sequence: Any = None, session: Any = None, **fields: Any) -> Step:
    """The next frame must be this one."""
    return {"expect": told(message, sequence=sequence, session=session, **fields), "within_ms": within_ms}


def hello_reply(*, sequence: int = 1, **fields: Any) -> Step:
    """The next frame must be HELLO_REPLY, in session 0."""
    return {
        "expect": {"message": "HELLO_REPLY", "session": 0, "sequence": sequence, "fields": fields},
        "within_ms": REPLY_MS,
    }


def told(message: str, *, sequence: Any = None, session: Any = None, **fields: Any) -> Step:
    """A frame as `expect` and `expect_all` describe it."""
    what: Step = {"message": message}
    if sequence is not None:
        what["sequence"] = sequence
    if session is not None:
        what["session"] = session
    return what | {"fields": fields}


def again(step: Step) -> Step:
    """An expected event may be one that was seen before."""
    return step | {"again": True}


def every(within_ms: int, *frames: Step) -> Step:
    """All of these, in any order."""
    return {"expect_all": list(frames), "within_ms": within_ms}


def nothing(for_ms: int) -> Step:
    """Silence, but for what is asked by heartbeats and events that were seen before."""
    return {"expect_nothing_ms": for_ms}


def reject(reason: int, kind: int, sequence: Any) -> Step:
    """REJECT of a frame of type `kind`."""
    return want("REJECT", sequence=sequence, reason=reason, rejected_type=kind)


def status(within_ms: int = 600, **fields: Any) -> Step:
    """A STATUS with these fields comes."""
    return {"status": fields, "within_ms": within_ms}


def world(do: str, *, answer: Step | None = None, **keys: Any) -> Step:
    """An act of the hands at the device."""
    step: Step = {"world": {"do": do} | keys}
    return step if answer is None else step | {"answer": answer}


def wait(ms: int) -> Step:
    """Let time pass."""
    return {"wait_ms": ms}


def beats(lease_ms: int = 1000) -> Step:
    """Keep heartbeats up from here."""
    return {"heartbeat": {"lease_ms": lease_ms}}


SILENT: Step = {"heartbeat": False}


def let(**names: Any) -> Step:
    """Bind names."""
    return {"let": names}


def repeat(count: int, *steps: Step) -> Step:
    """The steps so many times."""
    return {"repeat": count, "steps": list(steps)}


def opened(*, lease: bool = True) -> list[Step]:
    """A session in which all that was held before has been consumed; $last (highest command id) and $deck are bound."""
    begin = [connect(), send("EVENT_ACK", 0, consumed_event="$held"), {"discard_ms": 100}]
    shoe = [beats(), status(state=1, deck_state=2, last_command="$last", deck_id="$deck")]
    return begin + shoe + ([] if lease else [SILENT])


def opened_reader() -> list[Step]:
    """The same for a reader."""
    return [connect(), send("EVENT_ACK", 0, consumed_event="$held"), {"discard_ms": 100}, beats(), status(state=1)]


def dispense(sequence: Any, *, add: int = 1, cards: int = 2, to: int = 1, **changes: Any) -> Step:
    """DISPENSE with the id $last + `add`."""
    fields = {"command_id": f"$last+{add}", "deck_id": "$deck", "cards": cards, "destination": to}
    return send("DISPENSE", sequence, **(fields | changes))


def answered(sequence: Any, result: int, *, add: int = 1, **changes: Any) -> Step:
    """DISPENSE_REPLY for the id $last + `add`."""
    fields: dict[str, Any] = {"command_id": f"$last+{add}", "result": result}
    return want("DISPENSE_REPLY", sequence=sequence, **(fields | changes))


def ready(cards: int, *, add: int = 1, **fields: Any) -> Step:
    """STACK_READY for the id $last + `add`."""
    return want("STACK_READY", cards * CARD_MS, command_id=f"$last+{add}", cards=cards, **fields)


def taken(cards: Any, *, to: str = "1", add: int = 1) -> list[Step]:
    """The dealer takes the stack, as many cards as the shoe counted, and the shoe says so."""
    return [
        world("take_stack", to=to, answer={"cards": cards}),
        want("STACK_TAKEN", 1000, command_id=f"$last+{add}", cards=cards),
    ]


def query(sequence: Any, outcome: Any, *, add: int = 1, **fields: Any) -> list[Step]:
    """QUERY_COMMAND and its answer for the id $last + `add`."""
    id_ = f"$last+{add}"
    asked = send("QUERY_COMMAND", sequence, command_id=id_)
    return [asked, want("QUERY_COMMAND_REPLY", sequence=sequence, command_id=id_, outcome=outcome, **fields)]


def dialogue(name: str, clauses: str, note: str, steps: Iterable[Step | list[Step]], *, device: str = "shoe",
             role: str = "device") -> Vector:  # fmt: skip
    """A line of dialogues.jsonl; `clauses` are parted by spaces."""
    flat: list[Step] = []
    for step in steps:
        flat.extend(step if isinstance(step, list) else [step])
    stem = f"dialogue/{role}/{device}/{name}"
    return {"id": stem, "clauses": clauses.split(), "note": note, "device": device, "role": role, "steps": flat}
