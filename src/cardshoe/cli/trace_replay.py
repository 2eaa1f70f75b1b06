"""A recording played again: the device's side for a driver, or the host's side for a device.

Owns which recorded frames answer what comes in, and the few values that belong to the new session: session number, host
nonce, sequence, deck number, the event to acknowledge. Pure: bytes and `now` come in, bytes go out. A recording of a
sealed session cannot be played: its keys are not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cardshoe.cli.trace_diff import FLEETING, PULSE
from cardshoe.cli.trace_files import Recording
from cardshoe.errors import InputError
from cardshoe.wire.framing import encode_frame
from cardshoe.wire.spec import DeviceSpec
from cardshoe.wire.transcript import Said, Transcript

PATIENCE_S: Final = 10.0
"""How long the host's side waits for what the device said in the recording before it goes on without it."""

IGNORED: Final = FLEETING | {"deck_id"}


def check_playable(recording: Recording) -> list[Said]:
    """Return what was said. Raises InputError `trace-sealed` or `trace-empty`."""
    said = [one for one in recording.said() if one.name not in {"garbage", "unknown"}]
    if any(one.name == "sealed" or one.fields.get("security") for one in said):
        raise InputError(
            "trace-sealed", f"{recording.path} is of a sealed session; only clear sessions can be played again."
        )
    if not any(one.way == "out" for one in said) or not any(one.way == "in" for one in said):
        raise InputError("trace-empty", f"{recording.path} lacks the messages of one side: there is nothing to play.")
    return said


def encode(spec: DeviceSpec, name: str, fields: Mapping[str, Any], *, session: int, sequence: int) -> bytes:
    """Return the frame of a message by names."""
    message = spec.messages[name]
    values = [
        value.encode("ascii") if isinstance(value, str) else value
        for value in (fields[one.name] for one in message.fields)
    ]
    return encode_frame(session=session, type=message.type, sequence=sequence, payload=message.layout.pack(*values))


def _same(one: Said, other: Said) -> bool:
    return one.name == other.name and _steady(one) == _steady(other)


def _steady(one: Said) -> dict[str, Any]:
    return {key: value for key, value in one.fields.items() if key not in IGNORED}


@dataclass(slots=True)
class _Step:
    """One host message and what the device said before the next."""

    host: Said
    answers: list[Said] = field(default_factory=list)


class DeviceSide:
    """Answers a driver as the recorded device answered.

    What the driver says must be what was recorded, in that order; a repeat is answered as before. `strayed` names what
    was not in the recording, `left` how many recorded steps are still to come.
    """

    def __init__(self, recording: Recording) -> None:
        self._spec = recording.spec
        self._steps: list[_Step] = []
        self._statuses: list[Said] = []
        for one in check_playable(recording):
            if one.name == "STATUS":
                self._statuses.append(one)
            elif one.way == "out" and one.name not in PULSE:
                if not (self._steps and _same(self._steps[-1].host, one)):
                    self._steps.append(_Step(one))
            elif one.way == "in" and self._steps:
                self._steps[-1].answers.append(one)
        self._next = 0
        self._session = 0
        self._transcript = Transcript(recording.spec)
        self.strayed: list[str] = []

    @property
    def left(self) -> int:
        """Recorded host messages that have not come."""
        return len(self._steps) - self._next

    def receive(self, data: bytes, now: float) -> bytes:
        """Return what the device says to these bytes."""
        return b"".join(self._answer(one) for one in self._transcript.feed(now, "out", data))

    def _answer(self, live: Said) -> bytes:
        if live.name == "HEARTBEAT":
            return self._status(live)
        if live.name in PULSE:
            return b""
        if self._next and _same(self._steps[self._next - 1].host, live):
            return self._said(self._steps[self._next - 1], live)  # it was sent again: nothing new happens
        for number in range(self._next, len(self._steps)):
            if _same(self._steps[number].host, live):
                self._next = number + 1
                return self._said(self._steps[number], live)
        self.strayed.append(live.masked().text())
        return b""

    def _status(self, live: Said) -> bytes:
        if not self._statuses:
            return b""
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        return encode(self._spec, "STATUS", status.fields, session=self._session, sequence=live.sequence or 0)

    def _said(self, step: _Step, live: Said) -> bytes:
        frames = []
        for one in step.answers:
            fields = dict(one.fields)
            if one.name == "HELLO_REPLY":
                fields["host_nonce"] = live.fields["host_nonce"]
                self._session = fields["session"]
            answers_it = one.sequence == step.host.sequence
            sequence = live.sequence if answers_it else one.sequence
            frames.append(encode(self._spec, one.name, fields, session=one.session or 0, sequence=sequence or 0))
        return b"".join(frames)


class HostSide:
    """Says to a device what the recorded host said, each message when as much was heard as before it in the recording.

    `heard` holds what the device said, for the comparison.
    """

    def __init__(self, recording: Recording, *, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._spec = recording.spec
        self._script = check_playable(recording)
        self._at = 0
        self._waiting_since: float | None = None
        self._transcript = Transcript(recording.spec)
        self._arrived = self._wanted = 0
        self._session = 0
        self._last_event = 0
        self._decks: dict[int, int] = {}
        self._recorded_decks = [one.fields["deck_id"] for one in self._heard_before() if _makes_deck(one)]
        self.heard: list[Said] = []

    def _heard_before(self) -> Iterable[Said]:
        return (one for one in self._script if one.way == "in")

    @property
    def recorded(self) -> list[Said]:
        """What the device said then."""
        return list(self._heard_before())

    @property
    def done(self) -> bool:
        """Everything was said."""
        return self._at >= len(self._script)

    def receive(self, data: bytes, now: float) -> bytes:
        """Take what the device says; return what comes next."""
        for one in self._transcript.feed(now, "in", data):
            self._hear(one)
        return self.advance(now)

    def _hear(self, one: Said) -> None:
        self.heard.append(one)
        if one.name not in PULSE:
            self._arrived += 1
        if one.name == "HELLO_REPLY":
            self._session = one.fields["session"]
        self._last_event = max(self._last_event, one.fields.get("event_id", 0))
        if _makes_deck(one) and len(self._decks) < len(self._recorded_decks):
            self._decks[self._recorded_decks[len(self._decks)]] = one.fields["deck_id"]

    def advance(self, now: float) -> bytes:
        """Return what is to be said by now."""
        frames = []
        while not self.done:
            one = self._script[self._at]
            if one.way == "in":
                self._wanted += one.name not in PULSE
            elif self._arrived < self._wanted and not self._too_long(now):
                break
            else:
                self._waiting_since = None
                frames.append(self._said(one))
            self._at += 1
        return b"".join(frames)

    def _too_long(self, now: float) -> bool:
        if self._waiting_since is None:
            self._waiting_since = now
        if now - self._waiting_since < self._patience_s:
            return False
        self._arrived = self._wanted
        return True

    def _said(self, one: Said) -> bytes:
        fields = dict(one.fields)
        if "deck_id" in fields:
            fields["deck_id"] = self._decks.get(fields["deck_id"], fields["deck_id"])
        if one.name == "EVENT_ACK":
            fields["consumed_event"] = self._last_event
        session = 0 if one.name == "HELLO" else self._session
        return encode(self._spec, one.name, fields, session=session, sequence=one.sequence or 0)


def _makes_deck(one: Said) -> bool:
    return one.name == "DECK_VERIFIED"
