"""The canonical form: one text a record, whatever it was made from (promise P6)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.errors import JournalError
from cardshoe.journal.canonical import MAX_DEPTH, MAX_TEXT_BYTES, Entry, canonical_json, parse_record, prepare

texts = st.text(st.characters(exclude_categories=("Cs",)))
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | texts
plain = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=20
)
bodies = st.dictionaries(texts, plain, max_size=6)
kinds = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
rounds = st.none() | st.integers(0, 2**64 - 1)


@given(bodies, kinds, rounds, st.integers(0, 10**6), st.integers(0, 2**62), texts, st.integers(1, 2**62))
def test_what_is_recorded_comes_back_and_has_one_text(body, kind, number, boot, mono_us, wall, seq) -> None:
    """P6: the text is JSON in sorted order without spaces, and states all that was given."""
    text = prepare(Entry(kind, body, number), boot=boot, mono_us=mono_us, wall=wall).text(seq)
    whole = {"seq": seq, "kind": kind, "round": number, "boot": boot, "mono_us": mono_us, "wall": wall, "body": body}
    assert text == json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    record = parse_record(text)
    assert (record.seq, record.kind, record.round, record.boot) == (seq, kind, number, boot)
    assert (record.mono_us, record.wall, record.body) == (mono_us, wall, body)


@given(bodies, st.randoms())
def test_the_order_of_keys_does_not_matter(body, chance) -> None:
    """P6: two bodies that are equal have one text."""
    keys = list(body)
    chance.shuffle(keys)
    assert canonical_json({key: body[key] for key in keys}, where="a") == canonical_json(body, where="a")


@given(bodies, bodies)
def test_different_bodies_have_different_texts(one, other) -> None:
    """P6: no two different bodies share a text (true and 1 are different here, as they are in JSON)."""
    same_text = canonical_json(one, where="a") == canonical_json(other, where="a")
    assert same_text == (json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True))


def _nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


NOT_RECORDABLE = {
    "a fraction": ({"lease_ms": 0.5}, "lease_ms is a float"),
    "not a number": ({"a": float("nan")}, "a is a float"),
    "bytes": ({"frame": b"\0"}, "frame is a bytes"),
    "a set": ({"a": {1}}, "a is a set"),
    "a key that is a number": ({"a": {1: 2}}, "a has the key 1"),
    "more than 64 bits": ({"a": [2**64]}, "a is 18446744073709551616"),
    "less than 64 bits": ({"a": -(2**63) - 1}, "does not fit 64 bits"),
    "half a surrogate pair": ({"a": "\ud800"}, "half a surrogate pair"),
    "half a surrogate pair in a key": ({"\udfff": 1}, "half a surrogate pair"),
    "too deep": ({"a": _nested(MAX_DEPTH + 1)}, f"deeper than {MAX_DEPTH}"),
    "too large": ({"a": "x" * MAX_TEXT_BYTES}, "are more than a record holds"),
}


@pytest.mark.parametrize(("body", "says"), NOT_RECORDABLE.values(), ids=NOT_RECORDABLE)
def test_a_body_that_cannot_be_recorded_is_refused_by_name(body, says) -> None:
    with pytest.raises(JournalError) as refused:
        prepare(Entry("stack_taken", body), boot=1, mono_us=0, wall="")
    assert refused.value.code == "journal-entry"
    assert says in refused.value.text


@pytest.mark.parametrize("kind", ["", "stack taken", "stäck", 'a"b', "a" * 65, "a\n"])
def test_a_kind_is_a_plain_word(kind) -> None:
    with pytest.raises(JournalError, match="not a kind of record"):
        prepare(Entry(kind, {}), boot=1, mono_us=0, wall="")


@pytest.mark.parametrize("number", [-1, True, 2**64])
def test_a_round_is_a_number(number) -> None:
    with pytest.raises(JournalError, match="not a round number"):
        prepare(Entry("a", {}, number), boot=1, mono_us=0, wall="")


GOOD = prepare(Entry("a", {"b": 1}, 2), boot=1, mono_us=5, wall="w").text(7)
NOT_CANONICAL = {
    "no JSON": GOOD[:-1],
    "a space": GOOD.replace(":", ": ", 1),
    "another order": GOOD.replace('"boot":1,"kind":"a"', '"kind":"a","boot":1'),
    "a key twice": GOOD.replace('"boot":1', '"boot":1,"boot":1'),
    "a key missing": GOOD.replace('"boot":1,', ""),
    "a key too many": GOOD.replace('"boot":1', '"boot":1,"c":1'),
    "seq as text": GOOD.replace('"seq":7', '"seq":"7"'),
    "seq as a truth": GOOD.replace('"seq":7', '"seq":true'),
    "seq as a fraction": GOOD.replace('"seq":7', '"seq":7.0'),
    "round as text": GOOD.replace('"round":2', '"round":"2"'),
    "no body": GOOD.replace('{"b":1}', "1"),
    "deep": "[" * 100_000,
    "a list": "[]",
}


@pytest.mark.parametrize("text", NOT_CANONICAL.values(), ids=NOT_CANONICAL)
def test_a_stored_text_that_is_no_canonical_record_is_refused(text) -> None:
    assert text != GOOD
    with pytest.raises(JournalError) as refused:
        parse_record(text)
    assert refused.value.code == "journal-record"
