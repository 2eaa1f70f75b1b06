"""The makers' tool and the vectors, as the protocol's own directory carries them.

Owns the loading of both. The tool (`device_runner`, `patterns`, `vector_wire`) is a third implementation of the wire,
written with nothing but Python and known to neither drivers nor simulator: it stays where the makers find it, and is
run from there. Must not know what is asked of a device: that is in the vectors.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol

import cardshoe.wire
from cardshoe.errors import ConfigError

PROTOCOLS: Final = Path(cardshoe.wire.__file__).parent / "data"
VECTORS: Final = PROTOCOLS / "vectors"
TITLE_MAX: Final = 110
HEADING_MAX: Final = 24
KINDS: Final = {1: "shoe", 2: "reader"}

Step = dict[str, Any]


class Frame(Protocol):
    """A whole frame of `vector_wire`."""

    session: int
    type: int
    sequence: int
    payload: bytes


class Message(Protocol):
    """A row of the message tables: `fields` are (name, type) in the order of the payload."""

    name: str
    type: int
    sender: str
    kind: str
    fields: tuple[tuple[str, str], ...]


class Line(Protocol):
    """Bytes, time and acts as the makers' tool wants them (its `Bench`)."""

    def now(self) -> float:
        """Return monotonic seconds."""

    def write(self, data: bytes) -> None:
        """Put bytes on the line to the device."""

    def read(self, until: float) -> bytes:
        """Wait for bytes; return them as they come, or none at `until`."""

    def control(self, request: dict[str, Any]) -> dict[str, Any]:
        """Act at the device by hand; the answer has `ok`."""


class Runner(Protocol):
    """`device_runner.DeviceRunner`: one dialogue with one device."""

    names: dict[str, Any]

    def run(self, steps: list[Step]) -> None:
        """Do the steps; raises `failed()` where the device does not do what they say."""


@cache
def _module(name: str) -> ModuleType:
    if not (VECTORS / f"{name}.py").is_file():
        raise ConfigError(
            "conform-vectors",
            f"This installation has no {VECTORS / name}.py: the conformance vectors are missing. Install cardshoe "
            "again, from a wheel or the source tree.",
        )
    sys.path.insert(0, str(VECTORS))
    try:
        loaded = importlib.import_module(name)
    finally:
        sys.path.remove(str(VECTORS))
    if name == "device_runner":  # it reads the files anew for every dialogue, and there are hundreds
        loaded.load, loaded.spec_hash = cache(loaded.load), cache(loaded.spec_hash)  # type: ignore[attr-defined]
    return loaded


def runner(kind: str, line: Line, nonce: Callable[[], bytes], *, slack_ms: int) -> Runner:
    """Return the makers' runner of dialogues for a device of `kind`."""
    made: Runner = _module("device_runner").DeviceRunner(kind, line, nonce, slack_ms=slack_ms)
    return made


def failed() -> type[Exception]:
    """Return the exception with which a dialogue fails."""
    kind: type[Exception] = _module("patterns").VectorFailed
    return kind


def wrong() -> type[Exception]:
    """Return the exception of a dialogue that cannot be run as it is written."""
    kind: type[Exception] = _module("patterns").VectorWrong
    return kind


@cache
def messages(kind: str) -> Mapping[str, Message]:
    """Return the messages of a device over the link's, by name."""
    loaded: Mapping[str, Message] = _module("vector_wire").load(kind)
    return loaded


@cache
def by_type(kind: str) -> Mapping[int, Message]:
    """Return the same by type."""
    return {message.type: message for message in messages(kind).values()}


def spec_hash(kind: str) -> str:
    """Return the spec hash of LINK-5.2 in hex."""
    return str(_module("vector_wire").spec_hash(kind))


def wire_of(session: int, kind: int, sequence: int, payload: bytes) -> bytes:
    """Return a clear frame as it goes on the line."""
    return bytes(_module("vector_wire").wire_of(session, kind, sequence, payload))


def read_collection(encoded: bytes) -> Frame | str:
    """Return the frame in what lay between two 00, or why it is none."""
    found: Frame | str = _module("vector_wire").read_collection(encoded)
    return found


def pack(message: Message, values: Mapping[str, int | str]) -> bytes:
    """Return the payload of a message of the host; a field that is not given is 0."""
    size_of: Callable[[str], int] = _module("vector_wire").size_of
    nothing: dict[str, int | str] = {
        name: "00" * size_of(kind) if kind.startswith("bytes") else "" if kind.startswith("text") else 0
        for name, kind in message.fields
    }
    return bytes(_module("vector_wire").pack(message, nothing | dict(values)))


def unpack(message: Message, payload: bytes) -> dict[str, Any] | None:
    """Return the fields of a payload, or None where its length is not the message's."""
    fields: dict[str, Any] | None = _module("vector_wire").unpack(message, payload)
    return fields


@cache
def vectors(name: str) -> tuple[dict[str, Any], ...]:
    """Return the lines of `frames`, `resync` or `dialogues`."""
    _module("vector_wire")
    text = (VECTORS / f"{name}.jsonl").read_text(encoding="ascii")
    return tuple(json.loads(line) for line in text.splitlines())


_CLAUSE: Final = re.compile(r"^- \*\*([A-Z]+-\d+\.\d+)\*\* (.+)$", re.M)


@cache
def clauses(kind: str) -> Mapping[str, str]:
    """Return the clauses of the link and of the device's document with their first sentence, in order."""
    found: dict[str, str] = {}
    for name in ("link-v1", f"{kind}-v1"):
        for clause, text in _CLAUSE.findall((PROTOCOLS / f"{name}.md").read_text(encoding="utf-8")):
            found[clause] = _first_sentence(text)
    return found


def _first_sentence(text: str) -> str:
    plain = text.replace("*", "").replace("`", "")
    sentences = re.split(r"(?<=\.) ", plain, maxsplit=2)
    sentence = sentences[0] if len(sentences[0]) > HEADING_MAX else " ".join(sentences[:2])
    return sentence if len(sentence) <= TITLE_MAX else f"{sentence[: TITLE_MAX - 1].rpartition(' ')[0]} …"
