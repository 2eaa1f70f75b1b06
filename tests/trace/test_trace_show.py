"""Recordings read, shown and compared: LINK-2, LINK-3 as a listener; P4 and P7 for what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_kit import READER, SHOE, frame, hello, write_recording

from cardshoe.cli import run
from cardshoe.cli.trace_diff import differences, essence
from cardshoe.cli.trace_files import read_recording
from cardshoe.errors import InputError
from cardshoe.wire.framing import encode_frame, encode_sealed, sealed_head
from cardshoe.wire.spec import DEVICE_PROTOCOLS, load_spec
from cardshoe.wire.transcript import MASK, SECRET, Transcript, names_of, read_line, spec_of_line

NO_SECRET_BYTES = {
    "host_nonce", "device_nonce", "nonce", "spec_hash", "key_id", "host_public", "device_public", "auditor_public",
    "identity_public", "measurement", "signature", "commitment", "auditor", "ephemeral", "sealed",
}  # fmt: skip


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["trace", "show", *words]) == 0
    return capsys.readouterr().out


def test_messages_are_shown_by_name_with_the_names_of_their_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """LINK-2.7."""
    ask, reply = hello()
    file = write_recording(
        tmp_path / "a",
        ("out", ask),
        ("in", reply),
        ("out", frame("DISPENSE", command_id=7, deck_id=3, cards=2, destination=4)),
        ("in", frame("DISPENSE_REPLY", command_id=7, result=1)),
        ("out", frame("HEARTBEAT", lease_ms=1000)),
        lost="usb-lost",
    )
    out = shown(capsys, str(file))
    assert "→ #1   DISPENSE command_id=7 deck_id=3 cards=2 destination=4" in out
    assert f"result={names_of(SHOE, 'DISPENSE_REPLY', 'result')[1]}" in out
    assert "HEARTBEAT" not in out
    assert "(1 heartbeats, states and acknowledgements are not shown: --pulse)" in out
    assert "the line was lost: usb-lost" in out
    assert "HEARTBEAT lease_ms=1000" in shown(capsys, str(file), "--pulse")


def test_faces_are_masked_unless_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """P4: neither the value nor the frame that holds it."""
    ask, reply = hello(READER)
    card = frame("CARD_READ", spec=READER, event_id=1, place=1, index=0, face=37)
    file = write_recording(tmp_path / "a", ("out", ask), ("in", reply), ("in", card))
    for words in ((str(file),), (str(file), "--json")):
        out = shown(capsys, *words)
        assert MASK in out
        assert "37" not in [part.strip(',"}') for part in out.split("face")[-1].split()[:2]]
        assert card.hex() not in out
    assert "face=37" in shown(capsys, str(file), "--unmask")


@pytest.mark.parametrize("protocol", DEVICE_PROTOCOLS)
def test_every_field_of_bytes_is_known_as_secret_or_as_public(protocol: str) -> None:
    """P4, P7: a new field needs a decision."""
    fields = [one for message in load_spec(protocol).messages.values() for one in message.fields]
    assert {one.name for one in fields if one.kind == "bytes" and not SECRET.search(one.name)} <= NO_SECRET_BYTES


@pytest.mark.parametrize("protocol", DEVICE_PROTOCOLS)
def test_every_result_and_cause_has_names(protocol: str) -> None:
    """LINK-4: what is shown as a number has no name in the protocol."""
    spec = load_spec(protocol)
    nameless = {
        f"{message.name}.{one.name}"
        for message in spec.messages.values()
        for one in message.fields
        if one.name in {"result", "cause", "reason", "state", "mode", "outcome"}
        and not names_of(spec, message.name, one.name)
    }
    assert nameless <= {"READ_ASKED_REPLY.result"}, "whose names depend on what was asked"


def test_garbage_unknown_and_sealed_are_told_apart() -> None:
    """LINK-3.2, LINK-9.8."""
    damaged = bytearray(frame("DISPENSE", command_id=0x1122334455667788))
    damaged[8] ^= 0x80
    stranger = encode_frame(session=1, type=0x5F, sequence=1, payload=b"xyz")
    closed = encode_sealed(sealed_head(session=1, type=0x11, sequence=2, length=4, counter=9), b"abcd" + bytes(16))
    rows = [(0, "out", bytes(damaged)), (1, "in", stranger), (2, "out", closed), (3, "in", b"\x05ab")]
    said = list(read_line(SHOE, rows))  # type: ignore[arg-type]
    assert [one.name for one in said] == ["garbage", "unknown", "sealed", "garbage"]
    assert said[0].fields["why"] == "check is wrong"
    assert said[2].fields["type"] == "DISPENSE"
    assert said[3].fields == {"bytes": 3}


@given(st.lists(st.tuples(st.sampled_from(["out", "in"]), st.binary(max_size=300)), max_size=20))
def test_any_bytes_are_read_without_an_error_and_none_is_lost(chunks: list[tuple[str, bytes]]) -> None:
    """LINK-3.2: whatever the cut, the same is said."""
    rows = [(float(n), way, data) for n, (way, data) in enumerate(chunks)]
    whole = list(read_line(SHOE, rows))  # type: ignore[arg-type]
    single = Transcript(SHOE)
    by_byte = [one for t, way, data in rows for byte in data for one in single.feed(t, way, bytes([byte]))]  # type: ignore[arg-type]
    by_byte += single.rest(0.0)
    assert [(one.way, one.name, one.raw) for one in whole] == [(one.way, one.name, one.raw) for one in by_byte]
    for way in ("out", "in"):
        passed = b"".join(data for _, one_way, data in rows if one_way == way)
        assert b"".join(one.raw for one in whole if one.way == way) == _one_delimiter(passed)
    spec_of_line(rows)  # type: ignore[arg-type]


def _one_delimiter(data: bytes) -> bytes:
    parts = data.split(b"\0")
    rest = parts.pop()
    return b"".join(part + b"\0" for part in parts if part) + rest


@pytest.mark.parametrize(
    ("text", "line"),
    [("nonsense", 1), ('{"t": 1, "way": "out", "hex": "0"}', 1), ('{"t": 1, "way": "up", "hex": "00"}', 1), ("[]", 1)],
)
def test_what_is_no_recording_is_refused_by_its_line(tmp_path: Path, text: str, line: int) -> None:
    file = tmp_path / "a"
    file.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_recording(file)
    assert refused.value.code == "trace-unreadable"
    assert f"line {line}" in refused.value.text


def test_a_recording_without_hello_needs_the_device_named(tmp_path: Path) -> None:
    file = write_recording(tmp_path / "a", ("out", frame("DISPENSE")))
    with pytest.raises(InputError) as refused:
        read_recording(file)
    assert refused.value.code == "trace-device"
    assert read_recording(file, "shoe").said()[0].name == "DISPENSE"
    with pytest.raises(InputError):
        read_recording(file, "toaster")
    with pytest.raises(InputError):
        read_recording(tmp_path / "none")


def test_a_difference_is_shown_and_time_nonces_and_repeats_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """LINK-4.3: a repeated command is one command."""
    ask, reply = hello()
    order = frame("DISPENSE", command_id=7, cards=2)
    first = write_recording(tmp_path / "a", ("out", ask), ("in", reply), ("out", order))
    again = write_recording(
        tmp_path / "b", ("out", ask), ("in", reply), ("out", order), ("out", order), ("out", frame("HEARTBEAT"))
    )
    other = write_recording(
        tmp_path / "c", ("out", ask), ("in", reply), ("out", frame("DISPENSE", command_id=7, cards=3))
    )
    assert run(["trace", "diff", str(first), str(again)]) == 0
    assert "the same 3 messages" in capsys.readouterr().out
    assert run(["trace", "diff", str(first), str(other), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["same"] is False
    assert any(line.startswith("-→ DISPENSE") and "cards=2" in line for line in told["differences"])
    assert list(differences(["a"], ["a"])) == []
    assert essence([]) == []
