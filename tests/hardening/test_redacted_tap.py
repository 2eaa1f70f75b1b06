"""A tap that redacts: no face in what is kept, everything in what passes (promise P4)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.transport import Tap
from cardshoe.transport.memory import memory_pair
from cardshoe.wire.framing import encode_frame
from cardshoe.wire.redaction import Redaction
from cardshoe.wire.spec import DEVICE_PROTOCOLS, MessageSpec, load_spec
from cardshoe.wire.transcript import SECRET, read_line

MARK = 0xA7


def _messages() -> Iterator[tuple[str, MessageSpec]]:
    for protocol in DEVICE_PROTOCOLS:
        for message in load_spec(protocol).messages.values():
            yield protocol, message


TELLING = [(protocol, one) for protocol, one in _messages() if any(SECRET.search(field.name) for field in one.fields)]


def _frame(message: MessageSpec, *, secret: int) -> bytes:
    """A frame of the message: `secret` in each byte of its secret fields, ones elsewhere."""
    payload = b"".join(bytes([secret if SECRET.search(field.name) else 1]) * field.size for field in message.fields)
    return encode_frame(session=3, type=message.type, sequence=5, payload=payload)


@pytest.mark.parametrize(("protocol", "message"), TELLING, ids=lambda one: getattr(one, "name", one))
def test_two_lines_that_differ_in_secrets_are_kept_alike(protocol: str, message: MessageSpec) -> None:
    """And what is kept still reads as that message, so that a recording is of use."""
    one, two = (Redaction().feed("in", _frame(message, secret=value)) for value in (MARK, 0x15))
    assert one == two
    said = list(read_line(load_spec(protocol), [(0.0, "in", one)]))
    assert [each.name for each in said] == [message.name]
    assert len(one) == len(_frame(message, secret=0))


def test_there_are_messages_that_tell() -> None:
    assert {"CARD_FACE", "REVEAL_STACK_REPLY", "MATCH_CARD", "DECK_REJECTED"} <= {one.name for _, one in TELLING}


@pytest.mark.parametrize(("protocol", "message"), list(_messages()), ids=lambda one: getattr(one, "name", one))
def test_what_tells_nothing_is_kept_byte_for_byte(protocol: str, message: MessageSpec) -> None:
    elsewhere = {one.name for _, one in TELLING if (one.type, one.size) == (message.type, message.size)}
    frame = _frame(message, secret=0)
    if message.name not in elsewhere and not elsewhere:
        assert Redaction().feed("out", frame) == frame


@given(st.binary(max_size=80))
def test_what_is_no_frame_is_kept_as_its_length(data: bytes) -> None:
    redaction = Redaction()
    kept = redaction.feed("in", data) + redaction.rest("in")
    assert len(kept) == len(data)
    assert set(kept) <= {0, 1}


@given(st.lists(st.integers(1, 40), max_size=12))
def test_it_does_not_matter_where_a_chunk_ends(cuts: list[int]) -> None:
    line = b"".join(_frame(one, secret=MARK) for _, one in TELLING)
    whole, parts = Redaction().feed("in", line), b""
    redaction, at = Redaction(), 0
    for cut in cuts:
        parts += redaction.feed("in", line[at : at + cut])
        at += cut
    assert parts + redaction.feed("in", line[at:]) == whole
    assert whole == Redaction().feed("in", b"".join(_frame(one, secret=0x15) for _, one in TELLING))


def test_the_tap_keeps_less_and_passes_all() -> None:
    frame = next(_frame(one, secret=MARK) for _, one in TELLING if one.name == "CARD_FACE")
    came: list[bytes] = []
    went: list[bytes] = []

    async def run() -> Tap:
        ours, theirs = memory_pair()
        tap = Tap(ours, redact=Redaction().feed)
        loop = asyncio.get_running_loop()
        tap.start(loop, came.append, _nobody)
        theirs.start(loop, went.append, _nobody)
        theirs.write(frame[:7])
        theirs.write(frame[7:])
        tap.write(frame)
        await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        tap.close()
        theirs.close()
        return tap

    tap = asyncio.run(run())
    assert (b"".join(came), b"".join(went)) == (frame, frame)
    kept = [bytes.fromhex(each.what) for each in tap.recent() if each.way in ("in", "out")]
    assert b"".join(kept) == 2 * Redaction().feed("in", frame)


def _nobody(_error: Any) -> None:
    """Nobody is told."""
