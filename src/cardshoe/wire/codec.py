"""Frames to typed messages and back.

Owns the binding of message classes to the protocol files: each class is a `NamedTuple` named as its message
(`HELLO_REPLY` is `HelloReply`) with the same fields in the same order, checked when the codec is built. Must not know
what a message means. Implements LINK-2.7 and LINK-2.8.

Messages are named tuples and not frozen dataclasses because a frame must not cost more than its check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias, get_type_hints

from cardshoe.errors import ConfigError
from cardshoe.wire.framing import Frame
from cardshoe.wire.spec import DeviceSpec, MessageSpec

Message: TypeAlias = tuple[Any, ...]

_PYTHON: Final = {"number": int, "bytes": bytes, "text": str}


def class_name(message_name: str) -> str:
    """Return the name of the class for a message: `HELLO_REPLY` gives `HelloReply`."""
    return "".join(part.capitalize() for part in message_name.split("_"))


class Codec:
    """Decodes the device's messages and encodes the host's, for one device protocol.

    Raises `ConfigError` (`protocol-broken`) when `classes` and the protocol differ by a message, field or type.
    """

    __slots__ = ("_by_class", "_by_type", "spec")

    def __init__(self, spec: DeviceSpec, classes: Iterable[type[Message]]) -> None:
        self.spec = spec
        self._by_class: dict[type[Message], MessageSpec] = {}
        self._by_type: dict[int, tuple[int, Callable[[bytes], Message | None]]] = {}
        by_name = {cls.__name__: cls for cls in classes}
        for message in spec.messages.values():
            cls = by_name.pop(class_name(message.name), None)
            _check_class(spec, message, cls)
            if cls is not None:
                self._by_class[cls] = message
                self._by_type[message.type] = (message.size, _decoder(message, cls))
        if by_name:
            raise ConfigError("protocol-broken", f"{spec.protocol} has no message for the classes {sorted(by_name)}")

    def decode(self, frame: Frame) -> Message | None:
        """Return the typed message of `frame`, or None for an unknown type, another length or a text that is none."""
        entry = self._by_type.get(frame.type)
        if entry is None or len(frame.payload) != entry[0]:
            return None
        return entry[1](frame.payload)

    def event_head(self, frame: Frame) -> tuple[int, int] | None:
        """Return event id and boot counter of an event, known or not, or None when its length is wrong (LINK-2.8)."""
        head, known = self.spec.event_head, self._by_type.get(frame.type)
        if len(frame.payload) < head.size or (known is not None and len(frame.payload) != known[0]):
            return None
        event_id, boot_counter, _uptime_ms = head.unpack_from(frame.payload)
        return event_id, boot_counter

    def spec_of(self, message: Message) -> MessageSpec:
        """Return what the protocol says of this message."""
        return self._by_class[type(message)]

    def build(self, name: str, fields: Mapping[str, Any]) -> Message:
        """Return the message called `name` (`DISPENSE`) with these fields; raises `KeyError` or `TypeError`."""
        wanted = self.spec.messages[name]
        (cls,) = (cls for cls, message in self._by_class.items() if message is wanted)
        return cls(**fields)

    def payload(self, message: Message) -> bytes:
        """Return the payload of `message`; raises `ValueError` naming the field whose value does not fit it."""
        spec = self._by_class[type(message)]
        values = [_to_wire(spec, number, value) for number, value in enumerate(message)]
        return spec.layout.pack(*values)


def _check_class(spec: DeviceSpec, message: MessageSpec, cls: type[Message] | None) -> None:
    declared = {} if cls is None else get_type_hints(cls)
    wanted = {field.name: _PYTHON[field.kind] for field in message.fields}
    if cls is None or list(declared.items()) != list(wanted.items()):
        raise ConfigError(
            "protocol-broken",
            f"{spec.protocol}: {message.name} has fields {wanted} but its class {class_name(message.name)} "
            f"{'is missing' if cls is None else f'declares {declared}'}; correct the one that is wrong",
        )


def _decoder(message: MessageSpec, cls: type[Message]) -> Callable[[bytes], Message | None]:
    unpack, new = message.layout.unpack, tuple.__new__
    texts = tuple(number for number, field in enumerate(message.fields) if field.kind == "text")

    def plain(payload: bytes) -> Message:
        return new(cls, unpack(payload))

    def with_texts(payload: bytes) -> Message | None:
        values = list(unpack(payload))
        for number in texts:
            values[number] = _text(values[number])
            if values[number] is None:
                return None
        return new(cls, values)

    return with_texts if texts else plain


def _text(raw: bytes) -> str | None:
    """Return the text of a padded field, or None where it is not ASCII 20 to 7E followed by 00 only (LINK-2.7)."""
    body = raw.rstrip(b"\x00")
    return body.decode("ascii") if all(0x20 <= byte <= 0x7E for byte in body) else None


def _to_wire(spec: MessageSpec, number: int, value: Any) -> Any:
    field = spec.fields[number]
    if field.kind == "number":
        fits = isinstance(value, int) and 0 <= value < 1 << (8 * field.size)
    elif field.kind == "bytes":
        fits = isinstance(value, bytes) and len(value) == field.size
    else:
        fits = isinstance(value, str) and len(value) <= field.size and all(" " <= letter <= "~" for letter in value)
    if not fits:
        raise ValueError(
            f"{spec.name}: field {field.name} cannot hold {value!r}; it has {field.size} bytes of {field.kind}"
        )
    return value.encode("ascii") if field.kind == "text" else value
