"""Recordings for tests: made of named messages, or by a real `cardshoe trace record` between a world and a driver."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cardshoe.wire.framing import encode_frame
from cardshoe.wire.spec import DeviceSpec, load_spec

SHOE = load_spec("shoe-v1")
READER = load_spec("reader-v1")
NOTHING = {"number": 0, "bytes": b"", "text": b""}


def frame(name: str, *, spec: DeviceSpec = SHOE, session: int = 1, sequence: int = 1, **fields: Any) -> bytes:
    """A frame by names; what is not given is 0."""
    message = spec.messages[name]
    values = [fields.pop(one.name, NOTHING[one.kind]) for one in message.fields]
    assert not fields, f"{name} has no {fields}"
    return encode_frame(session=session, type=message.type, sequence=sequence, payload=message.layout.pack(*values))


def hello(spec: DeviceSpec = SHOE) -> tuple[bytes, bytes]:
    """HELLO and its reply."""
    nonce = bytes(range(16))
    ask = frame("HELLO", spec=spec, session=0, sequence=0, host_nonce=nonce, spec_hash=spec.hash)
    return ask, _reply(spec, nonce)


def _reply(spec: DeviceSpec, nonce: bytes) -> bytes:
    message = spec.messages["HELLO_REPLY"]
    told = {"host_nonce": nonce, "spec_hash": spec.hash, "session": 1, "device_kind": spec.device_kind, "model": b"M-1"}
    values = [told.get(one.name, NOTHING[one.kind]) for one in message.fields]
    return encode_frame(session=0, type=message.type, sequence=0, payload=message.layout.pack(*values))


def write_recording(path: Path, *rows: tuple[str, bytes], lost: str | None = None) -> Path:
    """A file as the tap writes it, a millisecond between the chunks."""
    lines = [json.dumps({"t": 100 + n / 1000, "way": way, "hex": data.hex()}) for n, (way, data) in enumerate(rows)]
    if lost is not None:
        lines.append(json.dumps({"t": 200, "way": "lost", "code": lost}))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


@contextmanager
def running(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start `cardshoe WORDS…`; give it and its first line; end it."""
    process = subprocess.Popen([sys.executable, "-m", "cardshoe", *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline()
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()
