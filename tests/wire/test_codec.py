"""Typed messages: every field survives, and what the protocol and the classes say is the same.

Proves LINK-2.7 (numbers, text), LINK-2.8 (one payload length) and the lock between the TOML and the classes.
"""

from __future__ import annotations

import dataclasses
import tomllib
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.devices.reader_wire import READER_CODEC
from cardshoe.devices.shoe_wire import SHOE_CODEC, Dispense, StackReady
from cardshoe.errors import ConfigError
from cardshoe.link.messages import LINK_MESSAGES, HelloReply
from cardshoe.wire.codec import Codec, class_name
from cardshoe.wire.framing import Frame
from cardshoe.wire.spec import DEVICE_PROTOCOLS, Field, MessageSpec, build_spec, load_spec, load_text

CODECS = {"shoe-v1": SHOE_CODEC, "reader-v1": READER_CODEC}
MESSAGES = [(protocol, name) for protocol, codec in CODECS.items() for name in codec.spec.messages]


def _values(field: Field) -> st.SearchStrategy[Any]:
    if field.kind == "number":
        return st.integers(0, 256**field.size - 1)
    if field.kind == "bytes":
        return st.binary(min_size=field.size, max_size=field.size)
    return st.text([chr(letter) for letter in range(0x20, 0x7F)], max_size=field.size)


def _fields(spec: MessageSpec) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({field.name: _values(field) for field in spec.fields})


@pytest.mark.parametrize(("protocol", "name"), MESSAGES)
@given(data=st.data())
def test_every_message_survives_the_wire(protocol: str, name: str, data: st.DataObject) -> None:
    """LINK-2.7, LINK-2.8: every message of both devices, every field at any value, both ways."""
    codec = CODECS[protocol]
    spec = codec.spec.messages[name]
    message = codec.build(name, data.draw(_fields(spec)))
    payload = codec.payload(message)
    assert len(payload) == spec.size
    assert codec.decode(Frame(1, spec.type, 1, payload)) == message
    assert type(codec.decode(Frame(1, spec.type, 1, payload))) is type(message)


@pytest.mark.parametrize(("protocol", "name"), MESSAGES)
def test_another_length_is_no_message(protocol: str, name: str) -> None:
    """LINK-2.8: a byte more or less and the host does not take it."""
    codec = CODECS[protocol]
    spec = codec.spec.messages[name]
    assert codec.decode(Frame(1, spec.type, 1, bytes(spec.size + 1))) is None
    if spec.size:
        assert codec.decode(Frame(1, spec.type, 1, bytes(spec.size - 1))) is None


def test_numbers_are_little_endian() -> None:
    """LINK-2.7: low byte first, as laid out by hand."""
    message = Dispense(command_id=0x0102030405060708, deck_id=0x0A0B0C0D, cards=2, destination=6)
    assert SHOE_CODEC.payload(message) == bytes.fromhex("0807060504030201 0d0c0b0a 02 06")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"CS-1000".ljust(16, b"\x00"), "CS-1000"),
        (b"exactly sixteen!", "exactly sixteen!"),
        (bytes(16), ""),
        (b"CS\x001000".ljust(16, b"\x00"), None),
        (b"caf\xe9".ljust(16, b"\x00"), None),
        (b"bell\x07".ljust(16, b"\x00"), None),
        (b"\x7f".ljust(16, b"\x00"), None),
    ],
)
def test_text_is_ascii_padded_with_00(raw: bytes, text: str | None) -> None:
    """LINK-2.7: a text that is none makes the message none."""
    spec = SHOE_CODEC.spec.messages["HELLO_REPLY"]
    values = [bytes(field.size) if field.kind != "number" else 0 for field in spec.fields]
    values[[field.name for field in spec.fields].index("model")] = raw
    message = SHOE_CODEC.decode(Frame(0, spec.type, 0, spec.layout.pack(*values)))
    assert (message.model if isinstance(message, HelloReply) else None) == text


@pytest.mark.parametrize(
    ("field", "value"),
    [("cards", 256), ("cards", -1), ("command_id", 2**64), ("cards", "2"), ("deck_id", 2**32)],
)
def test_a_value_that_does_not_fit_is_refused_by_name(field: str, value: object) -> None:
    """LINK-2.7: nothing is cut to size."""
    fields: dict[str, Any] = {"command_id": 1, "deck_id": 1, "cards": 2, "destination": 1, field: value}
    with pytest.raises(ValueError, match=f"DISPENSE: field {field} cannot hold {value!r}"):
        SHOE_CODEC.payload(Dispense(**fields))


def test_an_event_of_an_unknown_type_still_has_a_head() -> None:
    """LINK-7.1, LINK-2.8: id and boot counter of any event; none where a known event has another length."""
    ready = SHOE_CODEC.spec.messages["STACK_READY"]
    head = (41).to_bytes(8, "little") + (7).to_bytes(4, "little") + bytes(4)
    assert SHOE_CODEC.event_head(Frame(1, 0x7F, 0, head + b"more")) == (41, 7)
    assert SHOE_CODEC.event_head(Frame(1, 0x7F, 0, head[:-1])) is None
    assert SHOE_CODEC.event_head(Frame(1, ready.type, 0, head)) is None


@pytest.mark.parametrize("protocol", DEVICE_PROTOCOLS)
def test_every_message_has_its_class_and_every_class_its_message(protocol: str) -> None:
    """LINK-2.8: the lock holds both ways, and it is a lock: a changed class or file does not build."""
    codec, spec = CODECS[protocol], load_spec(protocol)
    classes = {type(codec.build(name, dict.fromkeys(_names(message), 0))) for name, message in spec.messages.items()}
    assert {cls.__name__ for cls in classes} == {class_name(name) for name in spec.messages}
    Codec(spec, classes)
    with pytest.raises(ConfigError, match="is missing"):
        Codec(spec, classes - {next(iter(classes))})
    with pytest.raises(ConfigError, match="Shuffle"):
        Codec(spec, [*classes, NamedTuple("Shuffle", [("order", bytes)])])


def _names(message: MessageSpec) -> list[str]:
    return [field.name for field in message.fields]


def test_a_field_of_another_name_or_type_does_not_build() -> None:
    """LINK-2.8: the class and the file are compared field by field."""
    spec = load_spec("shoe-v1")
    others = [cls for cls in SHOE_CODEC_CLASSES if cls is not StackReady]
    for name, kind in (("first_card", int), ("first_slot", bytes)):
        fields = [*((field, int) for field in StackReady._fields[:-1]), (name, kind)]
        changed = NamedTuple("StackReady", fields)  # type: ignore[misc]
        with pytest.raises(ConfigError, match="STACK_READY"):
            Codec(spec, [*others, changed])


SHOE_CODEC_CLASSES = [
    type(SHOE_CODEC.build(name, dict.fromkeys(_names(message), 0)))
    for name, message in load_spec("shoe-v1").messages.items()
]


def test_link_messages_are_those_of_the_link_file() -> None:
    """LINK-5, LINK-6, LINK-7: STATUS apart, which every device completes."""
    link = tomllib.loads(load_text("link-v1.toml"))
    names = {class_name(row["name"]) for row in link["message"]} - {"Status"}
    assert {cls.__name__ for cls in LINK_MESSAGES} == names


def test_events_begin_with_their_head_and_status_with_the_links_fields() -> None:
    """LINK-6.2, LINK-7.1: what the link reads of a device's messages stands at their beginning."""
    link = tomllib.loads(load_text("link-v1.toml"))
    status = next(row for row in link["message"] if row["name"] == "STATUS")["fields"]
    for protocol in DEVICE_PROTOCOLS:
        spec = load_spec(protocol)
        assert [field.name for field in spec.messages["STATUS"].fields][: len(status)] == [
            text.partition(":")[0] for text in status
        ]
        for message in spec.messages.values():
            if message.type in spec.event_types:
                assert _names(message)[:3] == ["event_id", "boot_counter", "uptime_ms"]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"name": "DISPENSE"}, "is there twice"),
        ({"type": 0x10}, "is there twice"),
        ({"fields": ["place:u7"]}, "has no type"),
        ({"fields": ["place:bytes0"]}, "has no type"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(change: dict[str, Any], text: str) -> None:
    """LINK-2.7, LINK-2.8: a message or type given twice, a field type that does not exist."""
    link, shoe = (tomllib.loads(load_text(f"{name}-v1.toml")) for name in ("link", "shoe"))
    row = {"name": "NEW", "type": 0x3F, "from": "host", "kind": "command", "fields": [], **change}
    shoe["message"].append(row)
    with pytest.raises(ConfigError, match=text):
        build_spec(shoe, link)


def test_an_unknown_protocol_is_named() -> None:
    """The names that exist are told."""
    with pytest.raises(ConfigError, match="'shoe-v2'; there are shoe-v1, reader-v1"):
        load_spec("shoe-v2")


def test_specs_are_frozen() -> None:
    """A spec is shared by everyone and changed by no one."""
    spec = load_spec("shoe-v1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.hash = b""  # type: ignore[misc]
    with pytest.raises(TypeError):
        spec.messages["DISPENSE"] = spec.messages["STATUS"]  # type: ignore[index]
