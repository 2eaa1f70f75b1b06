"""Events as plain JSON objects and back: what the journal stores.

Owns `to_record`, `from_record` and the kebab names of event kinds. Must not know what an event does. A record
that is not exactly one of ours is refused with its kind and field; nothing is filled in.
"""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Final, NoReturn, Union, get_args, get_origin, get_type_hints

from cardshoe.errors import InputError
from cardshoe.games.quoting import quoted
from cardshoe.games.verdicts import Case
from cardshoe.round import events
from cardshoe.round.events import EntryCorrected, Event

TRAINING: Final = "training"
"""The mark of a record that was written in training: it stands beside what the record says, and changes nothing."""
_SCALARS: Final = frozenset({str, int, bool, type(None)})
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


def kind_of(event: Event | type[Event]) -> str:
    """Return the kind of an event as the journal names it: `stack-requested`."""
    kind = event if isinstance(event, type) else type(event)
    return _kind_names()[kind]


def to_record(event: Event) -> dict[str, object]:
    """Return `event` as a plain JSON object: its `kind` and its fields."""
    record: dict[str, object] = {"kind": kind_of(event)}
    for name in _shape(type(event)):
        value = getattr(event, name)
        record[name] = value if type(value) in _SCALARS else _plain(value)
    return record


def recorded(event: Event) -> tuple[dict[str, object], Event]:
    """Return `to_record(event)`, and the event that is read out of it again; raises as `from_record` does."""
    kind = type(event)
    record: dict[str, object] = {"kind": kind_of(kind)}
    for name, wanted in _shape(kind).items():
        value = getattr(event, name)
        if type(value) is not wanted or wanted not in _SCALARS:
            record = to_record(event)
            return record, from_record(record)
        record[name] = value
    return record, event  # what is only text, numbers and truth values comes back as it is


def from_record(record: Mapping[str, object]) -> Event:
    """Return the event that `record` holds. Raises `InputError` (`event-record`) naming kind and field."""
    name = record.get("kind")
    kind = _kinds().get(name) if isinstance(name, str) else None
    if kind is None:
        raise InputError("event-record", f"{quoted(name)} is no kind of event of a round")
    shape = _shape(kind)
    if record.keys() != _keys()[kind] and (unmarked(record).keys() != _keys()[kind] or record[TRAINING] is not True):
        _refuse_keys(kind, [key for key in record if key != "kind"])
    values: dict[str, Any] = {}
    for key, wanted in shape.items():
        value = record[key]
        plain = type(value) is wanted and wanted in _SCALARS
        values[key] = value if plain else _value(kind, key, wanted, value)
    return kind(**values)


def unmarked(record: Mapping[str, object]) -> Mapping[str, object]:
    """Return `record` without the mark of training."""
    return {key: value for key, value in record.items() if key != TRAINING} if TRAINING in record else record


def _refuse_keys(kind: type[Event], given: list[str]) -> NoReturn:
    shape = _shape(kind)
    key = next(key for key in (*given, *shape) if key not in given or key not in shape)
    problem = "is missing" if key not in given else "does not belong there"
    raise InputError("event-record", f"event {kind_of(kind)}: {quoted(key)} {problem}")


@cache
def _kinds() -> Mapping[str, type[Event]]:
    return {name: kind for kind, name in _kind_names().items()}


@cache
def _kind_names() -> Mapping[type[Event], str]:
    return {kind: _CAPITAL.sub("-", kind.__name__).lower() for kind in get_args(Event)}


def _shape(kind: type[Event]) -> Mapping[str, Any]:
    return _shapes()[kind]


@cache
def _shapes() -> Mapping[type[Event], Mapping[str, Any]]:
    hints = {kind: get_type_hints(kind, vars(events)) for kind in get_args(Event)}
    return {kind: {each.name: hints[kind][each.name] for each in fields(kind)} for kind in hints}


@cache
def _keys() -> Mapping[type[Event], frozenset[str]]:
    return {kind: frozenset({"kind", *shape}) for kind, shape in _shapes().items()}


def _plain(value: object) -> object:
    if isinstance(value, Case):
        return value.name.lower().replace("_", "-")
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, get_args(Event)):
        return to_record(value)
    return value


def _value(kind: type[Event], key: str, wanted: Any, value: object) -> object:
    found = _read(kind, wanted, value)
    if found is _NOTHING:
        raise InputError("event-record", f"event {kind_of(kind)}: {key} {quoted(value)} is not what stands there")
    return found


_NOTHING: Final = object()


def _read(kind: type[Event], wanted: Any, value: object) -> object:
    origin = get_origin(wanted)
    if wanted is Case:
        return next((case for case in Case if _plain(case) == value), _NOTHING)
    if kind is EntryCorrected:
        entry = from_record(value) if isinstance(value, Mapping) else None
        return entry if isinstance(entry, get_args(wanted)) else _NOTHING
    if origin is tuple:
        fits = isinstance(value, list) and all(isinstance(each, str) for each in value)
        return tuple(value) if fits and isinstance(value, list) else _NOTHING
    if origin is Mapping:
        return dict(value) if isinstance(value, Mapping) and _fits_mapping(wanted, value) else _NOTHING
    return value if _fits(wanted, value) else _NOTHING


def _fits_mapping(wanted: Any, value: Mapping[Any, object]) -> bool:
    inner = get_args(wanted)[1]
    return all(isinstance(name, str) and (inner is object or type(each) is inner) for name, each in value.items())


def _fits(wanted: Any, value: object) -> bool:
    if isinstance(wanted, types.UnionType) or get_origin(wanted) is Union:
        return any(_fits(each, value) for each in get_args(wanted))
    return type(value) is wanted
