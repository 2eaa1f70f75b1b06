"""The people's file on a real disk: modes, damage, cuts, two programs at once. T13, certification E4."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from people_bench import OWNER, listed, person

from cardshoe.errors import ConfigError, Refused
from cardshoe.table import people_file as module
from cardshoe.table.people import MOST_CHANGES, MOST_PEOPLE, People, people_in, text_of
from cardshoe.table.people_file import PeopleFile
from cardshoe.table.persons import PinHash
from cardshoe.table.roles import Role


@pytest.fixture
def file(tmp_path: Path) -> PeopleFile:
    """A file with Ada and Flo in it."""
    made = PeopleFile(tmp_path / "people" / "list.json")
    made.change(lambda _none: listed("Ada", "Flo"), begin=People("5b" * 16))
    return made


def _code(act: object) -> str:
    with pytest.raises((ConfigError, Refused)) as raised:
        act()  # type: ignore[operator]
    return raised.value.code


def test_it_comes_back_as_it_was_written(file: PeopleFile) -> None:
    assert file.read() == listed("Ada", "Flo")


def test_it_is_made_private(file: PeopleFile) -> None:
    """E4: whatever the umask of who made it."""
    old = os.umask(0)
    try:
        file.begin_try("Ada", now=1.0)
        file.change(lambda people: people.with_person(person("Tim"), OWNER))
    finally:
        os.umask(old)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (file.path.parent, *file.path.parent.iterdir())}
    assert modes == {"people": 0o700, "list.json": 0o600, "list.json.tries": 0o600, "list.json.lock": 0o600}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o601])
@pytest.mark.parametrize("which", ["list.json", "list.json.tries", "."])
def test_what_others_may_read_is_refused_with_the_command_that_mends_it(
    file: PeopleFile, which: str, mode: int
) -> None:
    """T13, E4."""
    file.begin_try("Ada", now=1.0)
    path = file.path.parent / which
    path.chmod(mode | 0o100 if which == "." else mode)
    with pytest.raises(ConfigError) as raised:
        file.read()
        file.tries()
    assert raised.value.code == "people-mode"
    wanted = "700" if which == "." else "600"
    assert raised.value.text.endswith(f"chmod {wanted} {path.resolve() if which == '.' else path}")


def test_another_users_file_is_refused(file: PeopleFile, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(file.path, 12345, -1) if os.geteuid() == 0 else monkeypatch.setattr(os, "geteuid", lambda: 999_999)
    assert _code(file.read) == "people-mode"


def test_a_link_in_its_place_is_refused(file: PeopleFile, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    file.path.rename(elsewhere)
    file.path.symlink_to(elsewhere)
    assert _code(file.read) == "people-file"
    assert _code(lambda: file.change(lambda people: people)) == "people-file"


def test_none_yet_names_the_command(tmp_path: Path) -> None:
    """There is no default person and no default secret."""
    with pytest.raises(ConfigError) as raised:
        PeopleFile(tmp_path / "people" / "list.json").read()
    assert raised.value.code == "people-missing"
    assert "cardshoe people add" in raised.value.text
    assert not (tmp_path / "people").exists()


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_is_seen_and_nothing_is_lost(file: PeopleFile, data: st.DataObject) -> None:
    """Law: bytes changed, cut off or put in: either the list reads the same, or it is refused and left as it is."""
    whole = text_of(listed("Ada", "Flo")).encode()
    where = data.draw(st.integers(0, len(whole) - 1))
    kind = data.draw(st.sampled_from(["flip", "cut", "insert"]))
    damaged = {
        "flip": whole[:where] + bytes([whole[where] ^ data.draw(st.integers(1, 255))]) + whole[where + 1 :],
        "cut": whole[:where],
        "insert": whole[:where] + data.draw(st.binary(min_size=1, max_size=4)) + whole[where:],
    }[kind]
    file.path.write_bytes(damaged)
    said = ""
    try:
        assert file.read() == listed("Ada", "Flo")
    except ConfigError as error:
        said = error.code
    if said:
        assert said == "people-damaged"
        assert _code(lambda: file.change(lambda people: people, begin=People("00" * 16))) == "people-damaged"
        assert file.path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("key", "value"),
    [("n", 1024), ("n", 16384), ("r", 1), ("p", 0), ("hash", "00"), ("salt", ""), ("more", 1)],
)
def test_a_weaker_hash_is_refused_though_its_digest_fits(key: str, value: object) -> None:
    """E4: nobody makes PINs cheap by writing another strength into the file."""
    raw = json.loads(text_of(listed("Ada")))
    raw["persons"][0]["scrypt"][key] = value
    body = {name: each for name, each in raw.items() if name != "digest"}
    raw["digest"] = module.people_in.__globals__["_digest"](body)
    with pytest.raises(ConfigError) as raised:
        people_in(json.dumps(raw), "list.json")
    assert raised.value.code == "people-damaged"


def test_two_people_with_one_name_are_damage() -> None:
    twice = People("5b" * 16, (person("Ada"), person("ADA", secret=bytes(32), role=person("Ada").role)))
    with pytest.raises(ConfigError) as raised:
        people_in(text_of(twice), "list.json")
    assert "two people have one name" in raised.value.text


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"version": 2}', "[" * 100_000, '{"version": NaN}', "\ufffd"]
)
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        people_in(text, "list.json")
    assert raised.value.code == "people-damaged"


def test_a_damaged_file_does_not_repeat_what_it_holds() -> None:
    """A hash is a secret, too: an error names the file and says what to do."""
    text = text_of(listed("Ada")).replace('"hash": "', '"hash": "zz')
    with pytest.raises(ConfigError) as raised:
        people_in(text, "list.json")
    assert "00000000" not in raised.value.text


@pytest.mark.parametrize("step", ["open", "write", "fsync", "rename"])
def test_a_full_or_broken_disk_leaves_the_old_list(
    file: PeopleFile, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.path.read_bytes()
    real_open = os.open

    def broken(*_given: object, **_more: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def broken_new(path: object, *given: int, **more: int) -> int:
        return broken() if str(path).endswith(".new") else real_open(path, *given, **more)  # type: ignore[call-overload]

    if step == "write":
        monkeypatch.setattr(module, "text_of", lambda _people: "x" * 10)
        monkeypatch.setattr(os, "fsync", broken)
    else:
        monkeypatch.setattr(os, step, broken_new if step == "open" else broken)
    assert _code(lambda: file.change(lambda people: people.without_person("Ada", OWNER))) == "people-file"
    monkeypatch.undo()
    assert file.path.read_bytes() == before
    file.change(lambda people: people.without_person("Ada", OWNER))
    assert [each.name for each in file.read().persons] == ["Flo"]


def test_a_change_that_is_refused_changes_nothing(file: PeopleFile) -> None:
    before = file.path.read_bytes()
    assert (
        _code(lambda: file.change(lambda people: people.with_person(person("ada", Role.DEALER), OWNER)))
        == "person-exists"
    )
    assert file.path.read_bytes() == before


def test_nobody_waits_for_ever_for_the_lock(file: PeopleFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program that holds the file and hangs costs a bounded time and is named."""
    monkeypatch.setattr(module, "LOCK_S", 0.05)
    holder = os.open(file.path.with_name("list.json.lock"), os.O_RDWR)
    fcntl.flock(holder, fcntl.LOCK_EX)
    try:
        assert _code(lambda: file.begin_try("Ada", now=1.0)) == "people-busy"
    finally:
        os.close(holder)


def test_changes_at_the_same_time_are_all_there(file: PeopleFile) -> None:
    names = [f"P {number}" for number in range(12)]
    threads = [
        threading.Thread(
            target=lambda name=name: file.change(
                lambda people: people.with_person(person(name, role=person("Ada").role), OWNER)
            )
        )
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    people = file.read()
    assert {each.name for each in people.persons} == {"Ada", "Flo", *names}
    assert [change.number for change in people.changes] == list(range(1, 15))


def test_a_list_has_its_bounds() -> None:
    role = person("Ada").role
    people = People("5b" * 16)
    for number in range(MOST_PEOPLE):
        people = people.with_person(person(f"P {number}", role=role), OWNER)
    assert _code(lambda: people.with_person(person("Ada"), OWNER)) == "people-full"
    for _ in range(MOST_CHANGES):
        people = people.with_unlocked("P 0", OWNER)
    assert len(people.changes) == MOST_CHANGES
    assert people.last_change == MOST_PEOPLE + MOST_CHANGES
    assert people_in(text_of(people), "x") == people


def test_who_governs_the_list() -> None:
    """The owner of the files enrols until two people are there who may: one of the floor, and another but a dealer."""
    assert not People("5b" * 16).governed
    assert not listed("Flo").governed
    assert not listed("Flo", "Ada").governed
    assert not listed("Tim", "Aud").governed
    assert listed("Flo", "Fay").governed
    assert listed("Flo", "Tim").governed
    assert listed("Ada", "Aud", "Flo").governed


# --- tries


def test_a_try_is_counted_before_it_is_looked_at(file: PeopleFile) -> None:
    assert file.begin_try("ADA", now=1.0).wrong == 1
    assert PeopleFile(file.path).begin_try("Ada", now=1.0).wrong == 2
    assert file.forget_tries("ada")
    assert not file.forget_tries("Ada")
    assert file.tries() == {}


def test_a_lock_outlives_the_program(file: PeopleFile) -> None:
    for _ in range(5):
        file.begin_try("Ada", now=100.0)
    again = PeopleFile(file.path)
    assert _code(lambda: again.begin_try("Ada", now=129.0)) == "sign-in-locked"
    assert again.begin_try("Flo", now=129.0).wrong == 1
    assert again.begin_try("Ada", now=130.0).wrong == 6


def test_a_lock_outlives_the_machine(file: PeopleFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """E4, P9: after a restart the wait begins anew, and passes though nobody knows what time it is."""
    for _ in range(5):
        file.begin_try("Ada", now=100.0)
    monkeypatch.setattr(module, "boot_id", lambda: "another boot")
    assert _code(lambda: file.begin_try("Ada", now=5.0)) == "sign-in-locked"
    assert _code(lambda: file.begin_try("Ada", now=34.0)) == "sign-in-locked"
    assert file.begin_try("Ada", now=35.1).wrong == 6


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1]",
        '{"ada": {}}',
        '{"ada": {"wrong": "x", "boot": "", "until": 0}}',
        '{"ada": {"wrong": -1, "boot": "", "until": 0}}',
    ],
)
def test_damaged_tries_let_nobody_in(file: PeopleFile, text: str) -> None:
    """A lock-out does not go away by a file that cannot be read."""
    path = file.path.with_name("list.json.tries")
    path.write_text(text)
    path.chmod(0o600)
    assert _code(lambda: file.begin_try("Ada", now=1.0)) == "people-damaged"
    assert path.read_text() == text


def test_a_stranger_is_not_written(file: PeopleFile) -> None:
    """A name that nobody has may be a PIN in the wrong field."""
    file.count_nobody()
    assert file.path.with_name("list.json.tries").read_text() == "{}\n"


def test_what_changes_is_seen(file: PeopleFile) -> None:
    before = file.stamp()
    assert file.stamp() == before
    file.change(lambda people: people.with_secret("Ada", PinHash(bytes(16), bytes(32)), OWNER))
    assert file.stamp() != before
    file.path.unlink()
    assert file.stamp() is None
