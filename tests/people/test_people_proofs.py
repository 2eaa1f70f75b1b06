"""Names, PINs and keys: what is taken, what is kept, and that nothing tells a PIN. T13, certification E4."""

from __future__ import annotations

import copy
import hashlib
import json
import logging
import pickle
import traceback

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from people_bench import PINS, person

from cardshoe.errors import InputError
from cardshoe.table import persons
from cardshoe.table.persons import KeyProof, Pin, PinHash, checked_name, hashed, key_of, proves, public_key, signed

SALT = bytes(range(16))


@pytest.mark.parametrize(
    "typed", ["", "12345", "8" * 17, "83920a", " 839201", "839201\n", "٨٣٩٢٠١", "-839201", "8392.1"]
)
def test_what_is_no_pin_is_refused_and_not_repeated(typed: str) -> None:
    with pytest.raises(InputError) as raised:
        Pin(typed)
    assert raised.value.code == "pin"
    assert not typed.strip() or typed not in raised.value.text


TRIVIAL = ["000000", "123456", "654321", "890123", "246802", "135791", "121212", "123123", "112233", "111222", "123321"]
TRIVIAL += ["147258", "159357", "741852", "147258369", "83928392", "839839", "777777777777"]


@pytest.mark.parametrize("typed", TRIVIAL)
def test_a_trivial_pin_is_refused_and_not_repeated(typed: str) -> None:
    """E4: rows, repetitions, few digits, lines of the pad."""
    with pytest.raises(InputError) as raised:
        Pin(typed).require_good()
    assert raised.value.code == "pin-trivial"
    assert typed not in raised.value.text


@pytest.mark.parametrize("typed", sorted(PINS.values()))
def test_a_pin_like_most_is_taken(typed: str) -> None:
    Pin(typed).require_good()


@given(st.from_regex(r"[0-9]{6,16}", fullmatch=True))
def test_a_pin_of_few_digits_is_never_good(typed: str) -> None:
    """Law: a good PIN has four different digits at least; so many others are good."""
    try:
        Pin(typed).require_good()
    except InputError:
        return
    assert len(set(typed)) >= 4


def test_a_pin_shows_itself_nowhere() -> None:
    """T13: not by text, log, JSON, pickle, copy, comparison, key of a dictionary, or traceback."""
    pin = Pin("839201")
    record = logging.makeLogRecord({"msg": "typed %s %r", "args": (pin, pin)})
    shown = [repr(pin), str(pin), f"{pin}", f"{pin!r}", str([pin]), str({"pin": pin}), record.getMessage()]
    for act in (
        lambda: pickle.dumps(pin),
        lambda: json.dumps(pin),
        lambda: copy.deepcopy(pin),
        lambda: pin == pin,
        lambda: pin == "839201",
        lambda: {pin},
        lambda: pin.__dict__,
    ):
        with pytest.raises((TypeError, AttributeError)) as raised:
            act()
        shown.append("".join(traceback.format_exception(raised.value)))
    assert [text for text in shown if "839201" in text and "pin == " not in text] == []


def test_a_hash_is_scrypt_of_the_strength_that_is_promised() -> None:
    """E4: N = 2^15, r = 8, p = 1, a salt for each person; held against the library, called by hand."""
    kept = hashed(Pin("839201"), SALT)
    assert kept.digest == hashlib.scrypt(b"839201", salt=SALT, n=32768, r=8, p=1, maxmem=2**26, dklen=32)
    assert hashed(Pin("839201"), bytes(16)).digest != kept.digest
    assert "839201" not in repr(kept)
    assert kept.digest.hex() not in repr(kept)


def test_only_the_right_pin_proves() -> None:
    ada = person("Ada", secret=hashed(Pin("839201"), SALT))
    assert proves(Pin("839201"), "Ada", ada)
    assert not proves(Pin("839202"), "Ada", ada)
    assert not proves(Pin("8392010"), "Ada", ada)


def test_a_name_that_nobody_has_costs_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """T13: as many hashes of the same strength, whether the name, the PIN or the kind of proof is wrong."""
    calls: list[dict[str, int]] = []
    real = hashlib.scrypt

    def counted(secret: bytes, **settings: int) -> bytes:
        calls.append({name: settings[name] for name in ("n", "r", "p")})
        return real(secret, **settings)  # type: ignore[arg-type]

    known, by_key = person("Ada", secret=hashed(Pin("839201"), SALT)), person("Flo", secret=bytes(32))
    monkeypatch.setattr(persons.hashlib, "scrypt", counted)
    for name, whom in (("Ada", known), ("Zoe", None), ("Flo", by_key)):
        assert not proves(Pin("111119"), name, whom)
    assert calls == [{"n": 32768, "r": 8, "p": 1}] * 3


def test_a_key_proves_by_its_signature_of_this_challenge_for_this_name() -> None:
    """T13: not for another name, another challenge, or by another key; nobody's key lets nobody in."""
    key = Ed25519PrivateKey.generate()
    flo = person("Flo", secret=key.public_key().public_bytes_raw())
    challenge = bytes(range(32))
    proof = signed(key, "Flo", challenge)
    assert proves(proof, "Flo", flo)
    assert not proves(KeyProof(bytes(32), proof.signature), "Flo", flo)
    assert not proves(proof, "Fay", flo)
    assert not proves(signed(Ed25519PrivateKey.generate(), "Flo", challenge), "Flo", flo)
    assert not proves(KeyProof(challenge, b""), "Flo", flo)
    assert not proves(Pin("839201"), "Flo", flo)
    assert not proves(proof, "Flo", person("Flo", secret=hashed(Pin("839201"), SALT)))
    nobodys = Ed25519PrivateKey.from_private_bytes(bytes(32))
    assert not proves(signed(nobodys, "Zoe", challenge), "Zoe", None)


@pytest.mark.parametrize("name", ["Ada", "Élodie M.", "Jean-Luc O'Neil", "Ng", "7 of 9", "Łukasz"])
def test_a_name_is_taken(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize(
    "name", ["", " Ada", "Ada ", "A  B", "Ada\n", "a,b", "a:b", "839201", "x" * 41, "Ada\x00", "_", "-A", "\u202eadA"]
)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(InputError) as raised:
        checked_name(name)
    assert raised.value.code == "person-name"


@given(st.text(max_size=60))
def test_names_that_look_alike_are_one(name: str) -> None:
    """Law: a name that is taken stays taken, and has one key in whatever case it is typed."""
    try:
        plain = checked_name(name)
    except InputError:
        return
    assert checked_name(plain) == plain
    assert key_of(plain.upper().lower()) == key_of(key_of(plain)) or not plain.isascii()
    assert 1 <= len(plain) <= 40


@pytest.mark.parametrize("given_hex", ["", "00", "zz" * 32, "ab" * 33])
def test_what_is_no_public_key_is_refused(given_hex: str) -> None:
    with pytest.raises(InputError) as raised:
        public_key(given_hex)
    assert raised.value.code == "person-key"


def test_the_parts_of_a_person_that_are_secret_are_not_shown() -> None:
    kept = PinHash(SALT, bytes(range(32)))
    assert bytes(range(32)).hex() not in repr(person("Ada", secret=kept))
    assert "\\x1f" not in repr(person("Ada", secret=kept))
