"""Signing in at a running table, with a real journal and real files. T13, certification E4."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from people_bench import OWNER, PINS, Bench, config, hash_of, people_file, person

from cardshoe.errors import CardshoeError, ConfigError
from cardshoe.journal import JournalReader, verify
from cardshoe.journal.replay import MachineDriver, replay
from cardshoe.table import attendance as module
from cardshoe.table import people_file as files
from cardshoe.table import persons
from cardshoe.table.acts import OpenRound, StopAsked
from cardshoe.table.app import Table, open_table
from cardshoe.table.attendance import Attendance
from cardshoe.table.people_file import PeopleFile
from cardshoe.table.persons import KeyProof, Pin, proves, signed
from cardshoe.table.roles import Matter
from cardshoe.table.state import TableAlarm, TableState


@pytest.fixture(autouse=True)
def cheap(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes of little work, but where a test is about the real ones."""
    if not request.node.get_closest_marker("parametrize") and "real" not in request.node.name:
        monkeypatch.setattr(persons, "SCRYPT_N", 16)


class Hand:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.at = time.monotonic()

    def now(self) -> float:
        return self.at

    def wall(self) -> str:
        return "2026-11-30T21:00:00.000Z"


@asynccontextmanager
async def table_of(folder: Path, clock: Hand | None = None, *names: str) -> AsyncIterator[Table]:
    file = PeopleFile(folder / "people" / "list.json")
    if not file.exists():
        people_file(folder, *(names or ("Ada", "Flo", "Tim")))
    async with open_table(config(), folder / "journal", clock=clock, people=file) as table:
        yield table


def people_at(table: Table) -> Attendance:
    assert table.people is not None
    return table.people


async def code_of(act: Awaitable[object]) -> str:
    try:
        await act
    except CardshoeError as error:
        return error.code
    return "done"


def records(folder: Path, *kinds: str) -> list[dict[str, Any]]:
    with JournalReader(folder / "journal") as reader:
        return [{"kind": record.kind, **record.body} for record in reader.records() if record.kind in kinds]


def test_real_a_round_by_people_who_signed_in(tmp_path: Path) -> None:
    """T13: by PIN at full strength; every order has its author; the journal verifies and replays."""

    async def play() -> None:
        async with table_of(tmp_path, None, "Ada") as table:
            here = await people_at(table).sign_in("ADA", Pin(PINS["Ada"]))
            assert (here.name, here.role.value, len(here.token)) == ("Ada", "dealer", 32)
            assert here.token.hex() not in repr(here)
            assert await code_of(table.act(OpenRound())) == "sign-in-needed"
            assert await code_of(table.act(OpenRound(), token=bytes(32))) == "sign-in-needed"
            await table.act(OpenRound(), token=here.token)
            await people_at(table).sign_out(here.token)
            await people_at(table).sign_out(here.token)
            assert await code_of(table.act(OpenRound(), token=here.token)) == "sign-in-needed"

    asyncio.run(play())
    told = records(tmp_path, "person_signed_in", "person_signed_out", "ordered")
    assert [each["kind"] for each in told] == ["person_signed_in", "ordered", "person_signed_out"]
    assert told[1]["by"] == "Ada"
    assert verify(tmp_path / "journal").ok
    with JournalReader(tmp_path / "journal") as reader:
        assert replay(reader.records(), MachineDriver()).ok


def test_five_wrong_tries_lock_the_name_wherever_they_are_made(tmp_path: Path) -> None:
    """E4: the right PIN, too, is not looked at; the lock outlives the table; the tries stand in the journal."""
    clock = Hand()

    async def try_it() -> None:
        async with table_of(tmp_path, clock) as table:
            people = people_at(table)
            for _ in range(3):
                assert await code_of(people.sign_in("Ada", Pin("111119"))) == "sign-in-wrong"
            await people.sign_in("Flo", Pin(PINS["Flo"]))  # another's success forgives Ada nothing
        async with table_of(tmp_path, clock) as table:
            people = people_at(table)
            for _ in range(2):
                assert await code_of(people.sign_in("Ada", Pin("111119"))) == "sign-in-wrong"
            assert await code_of(people.sign_in("Ada", Pin(PINS["Ada"]))) == "sign-in-locked"
            assert await code_of(people.sign_in("Ada", Pin("111119"))) == "sign-in-locked"
            clock.at += 29.9
            assert await code_of(people.sign_in("Ada", Pin(PINS["Ada"]))) == "sign-in-locked"
            clock.at += 0.2
            assert await code_of(people.sign_in("Ada", Pin("111119"))) == "sign-in-wrong"
            clock.at += 60.1
            await people.sign_in("Ada", Pin(PINS["Ada"]))
            assert await code_of(people.sign_in("Ada", Pin("111119"))) == "sign-in-wrong"

    asyncio.run(try_it())
    assert [each["wrong"] for each in records(tmp_path, "person_refused")] == [1, 2, 3, 4, 5, 6, 1]
    assert [(each["name"], each["wait_ms"]) for each in records(tmp_path, "person_locked_out")] == [
        ("Ada", 30_000),
        ("Ada", 60_000),
    ]


def test_who_is_not_there_is_told_the_same(tmp_path: Path) -> None:
    """T13: the same words, the same lock, the same work on the disk; and the name is not written down."""

    async def try_it() -> None:
        async with table_of(tmp_path) as table:
            people, texts = people_at(table), []
            for name in ("Ada", "Zoe", "740163"):
                for _ in range(6):
                    with pytest.raises(CardshoeError) as raised:
                        await people.sign_in(name, Pin("111119"))
                    texts.append((raised.value.code, raised.value.text.replace("30 s", "31 s")))
            assert texts[:6] == texts[6:12] == texts[12:]

    asyncio.run(try_it())
    assert {each["name"] for each in records(tmp_path, "person_refused")} == {"Ada", ""}
    assert b"740163" not in (tmp_path / "journal").read_bytes()
    assert b"Zoe" not in (tmp_path / "journal").read_bytes()


def test_a_try_counts_though_nobody_waits_for_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """E4: whoever hangs up, or pulls the plug, before the answer has had his try."""

    async def try_it() -> None:
        async with table_of(tmp_path) as table:
            people = people_at(table)
            counts = []

            def looked_at(*given: object) -> bool:
                counts.append(PeopleFile(tmp_path / "people" / "list.json").tries()["ada"].wrong)
                raise asyncio.CancelledError

            monkeypatch.setattr(module, "proves", looked_at)
            for _ in range(5):
                with pytest.raises(asyncio.CancelledError):
                    await people.sign_in("Ada", Pin(PINS["Ada"]))
            assert counts == [1, 2, 3, 4, 5]
            assert await code_of(people.sign_in("Ada", Pin(PINS["Ada"]))) == "sign-in-locked"

    asyncio.run(try_it())


def test_a_flood_is_turned_away(tmp_path: Path) -> None:
    """T15: after twenty wrong tries within a minute nobody is looked at, and the journal does not grow."""
    clock = Hand()

    async def try_it() -> None:
        async with table_of(tmp_path, clock) as table:
            people = people_at(table)
            codes = [await code_of(people.sign_in(f"Z {number}", Pin("111119"))) for number in range(40)]
            assert codes == ["sign-in-wrong"] * 20 + ["sign-in-busy"] * 20
            clock.at += 60.1
            await people.sign_in("Ada", Pin(PINS["Ada"]))

    asyncio.run(try_it())
    assert len(records(tmp_path, "person_refused")) == 20


def test_few_wait_at_the_door(tmp_path: Path) -> None:
    """T15: tries are looked at one by one; more than a few at once are not kept."""

    async def try_it() -> None:
        async with table_of(tmp_path) as table:
            people = people_at(table)
            crowd = [code_of(people.sign_in("Ada", Pin(PINS["Ada"]))) for _ in range(module.MOST_AT_ONCE + 3)]
            assert sorted(await asyncio.gather(*crowd)) == ["done"] * module.MOST_AT_ONCE + ["sign-in-busy"] * 3

    asyncio.run(try_it())


def test_a_key_file_signs_a_challenge_once(tmp_path: Path) -> None:
    """T13: a recorded answer is worth nothing; a challenge is ours, fresh, and used once."""
    clock, key = Hand(), Ed25519PrivateKey.generate()
    file = people_file(tmp_path, "Ada")
    file.change(lambda people: people.with_person(person("Flo", secret=key.public_key().public_bytes_raw()), OWNER))

    async def try_it() -> None:
        async with table_of(tmp_path, clock) as table:
            people = people_at(table)
            proof = signed(key, "flo", people.challenge())
            assert (await people.sign_in("Flo", proof)).name == "Flo"
            assert await code_of(people.sign_in("Flo", proof)) == "sign-in-wrong"
            assert await code_of(people.sign_in("Flo", signed(key, "Flo", bytes(32)))) == "sign-in-wrong"
            late = people.challenge()
            clock.at += 60.1
            assert await code_of(people.sign_in("Flo", signed(key, "Flo", late))) == "sign-in-wrong"
            lost = people.challenge()
            for _ in range(100):
                people.challenge()
            assert await code_of(people.sign_in("Flo", signed(key, "Flo", lost))) == "sign-in-wrong"
            assert await code_of(people.sign_in("Ada", KeyProof(people.challenge(), bytes(64)))) == "sign-in-wrong"

    asyncio.run(try_it())


def test_who_is_removed_while_the_table_runs(tmp_path: Path) -> None:
    """E4: by another program; before the next order the list is read again."""

    async def try_it() -> None:
        async with table_of(tmp_path) as table:
            people = people_at(table)
            ada = await people.sign_in("Ada", Pin(PINS["Ada"]))
            PeopleFile(tmp_path / "people" / "list.json").change(lambda now: now.without_person("Ada", OWNER))
            assert await code_of(table.act(OpenRound(), token=ada.token)) == "sign-in-needed"
            assert await code_of(people.sign_in("Ada", Pin(PINS["Ada"]))) == "sign-in-wrong"

    asyncio.run(try_it())
    kinds = [each["kind"] for each in records(tmp_path, "person_removed", "person_signed_out")]
    assert kinds == ["person_removed", "person_signed_out"]


def test_a_list_that_breaks_while_the_table_runs(tmp_path: Path) -> None:
    """T15: who is here deals on, nobody else comes in, and it is written down once; whole again, it counts again."""

    async def try_it() -> None:
        async with table_of(tmp_path) as table:
            people, path = people_at(table), tmp_path / "people" / "list.json"
            ada, whole = await people.sign_in("Ada", Pin(PINS["Ada"])), path.read_bytes()
            path.write_bytes(whole[:-20])
            await table.act(OpenRound(), token=ada.token)
            await table.act(StopAsked("", "x"), token=ada.token)
            assert await code_of(people.sign_in("Flo", Pin(PINS["Flo"]))) == "people-damaged"
            assert path.read_bytes() == whole[:-20]
            path.write_bytes(whole)
            await people.sign_in("Flo", Pin(PINS["Flo"]))

    asyncio.run(try_it())
    [unreadable] = records(tmp_path, "people_unreadable")
    assert "is damaged" in unreadable["why"]


@pytest.mark.parametrize("mode", [0o644])
def test_a_table_does_not_open_on_a_list_that_others_may_read(tmp_path: Path, mode: int) -> None:
    people_file(tmp_path).path.chmod(mode)

    async def open_it() -> None:
        async with table_of(tmp_path):
            raise AssertionError("it opened")

    with pytest.raises(ConfigError) as raised:
        asyncio.run(open_it())
    assert raised.value.code == "people-mode"


def test_a_table_opens_with_the_people_that_its_configuration_names(tmp_path: Path) -> None:
    async def open_without() -> None:
        async with open_table(config(), tmp_path / "journal"):
            raise AssertionError("it opened")

    with pytest.raises(ConfigError) as raised:
        asyncio.run(open_without())
    assert raised.value.code == "config-people"
    assert not (tmp_path / "journal").exists()


def test_a_second_person_signs_at_the_same_place(tmp_path: Path) -> None:
    """T13: by his own PIN, whose wrong tries count; then the order is done, with both names."""

    async def try_it() -> None:
        async with table_of(tmp_path) as table:
            people = people_at(table)
            tim = await people.sign_in("Tim", Pin(PINS["Tim"]))
            assert await code_of(people.second(tim.token, "Flo", Pin(PINS["Flo"]))) == "second-person-late"
            assert people.may(tim.token, Matter.PAIR_DEVICE)
            assert not people.may(None, Matter.PAIR_DEVICE)
            assert people.may(None, Matter.SEE_TABLE)
            assert await code_of(people.permit(Matter.PAIR_DEVICE, tim.token)) == "second-person-due"
            waiting = people.waiting(tim.token)
            assert waiting is not None
            assert (waiting.what, waiting.by, {role.value for role in waiting.seconds}) == (
                "pair-device",
                "Tim",
                {"floor"},
            )
            assert await code_of(people.second(tim.token, "Flo", Pin("111119"))) == "sign-in-wrong"
            assert await code_of(people.second(tim.token, "Tim", Pin(PINS["Tim"]))) == "second-person-same"
            await people.second(tim.token, "Flo", Pin(PINS["Flo"]))
            await people.permit(Matter.PAIR_DEVICE, tim.token)
            assert people.who(tim.token) is not None

    asyncio.run(try_it())
    [ordered] = records(tmp_path, "ordered")
    assert (ordered["by"], ordered["second"], ordered["second_role"]) == ("Tim", "Flo", "floor")


def test_the_floor_unlocks(tmp_path: Path) -> None:
    async def try_it() -> None:
        async with table_of(tmp_path) as table:
            people = people_at(table)
            for _ in range(5):
                await code_of(people.sign_in("Ada", Pin("111119")))
            flo, tim = await people.sign_in("Flo", Pin(PINS["Flo"])), await people.sign_in("Tim", Pin(PINS["Tim"]))
            assert await code_of(people.unlock("Ada", tim.token)) == "role"
            assert await code_of(people.unlock("Zoe", flo.token)) == "person-unknown"
            await people.unlock("Ada", flo.token)
            await people.sign_in("Ada", Pin(PINS["Ada"]))

    asyncio.run(try_it())
    assert [(each["name"], each["by"]) for each in records(tmp_path, "person_unlocked")] == [("Ada", "Flo")]


def test_sessions_end_with_the_table(tmp_path: Path) -> None:
    """E4: a token of before is nothing after; who was here is written out."""

    async def try_it() -> None:
        async with table_of(tmp_path) as table:
            ada = await people_at(table).sign_in("Ada", Pin(PINS["Ada"]))
        async with table_of(tmp_path) as table:
            assert await code_of(table.act(OpenRound(), token=ada.token)) == "sign-in-needed"

    asyncio.run(try_it())
    assert [each["why"] for each in records(tmp_path, "person_signed_out")] == ["closed"]


def test_no_pin_and_no_token_is_anywhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """T13: not in the journal and the files beside it, the log, an exception with its chain, or what is shown."""
    caplog.set_level(logging.DEBUG)
    texts: list[str] = []
    tokens: list[bytes] = []

    async def shown(act: Awaitable[object]) -> None:
        try:
            texts.append(repr(await act))
        except CardshoeError as error:
            texts.append("".join(traceback.format_exception(error)))

    async def try_it() -> None:
        async with table_of(tmp_path) as table:
            people = people_at(table)
            for name in ("Ada", "Flo", "Tim"):
                here = await people.sign_in(name, Pin(PINS[name]))
                tokens.append(here.token)
                texts.extend([repr(here), repr(people.who(here.token)), repr(table.shown)])
                await shown(people.sign_in(name, Pin("918273")))
                await shown(people.permit(Matter.PAIR_DEVICE, here.token))
                await shown(people.second(here.token, "Flo", Pin("918273")))
                await shown(people.second(here.token, "Flo", Pin(PINS["Flo"])))
            (tmp_path / "people" / "list.json").chmod(0o644)
            await shown(people.sign_in("Ada", Pin(PINS["Ada"])))

    asyncio.run(try_it())
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    said = "\n".join([*texts, caplog.text])
    for pin in ("918273", *(PINS[name] for name in ("Ada", "Flo", "Tim"))):
        assert pin not in said
        assert not any(pin.encode() in each for each in kept)
    for token in tokens:
        assert token.hex() not in said
        assert not any(token in each or token.hex().encode() in each for each in kept)
    assert len(texts) == 22


def _attendance(bench: Bench, file: PeopleFile) -> Attendance:
    async def decide(work: Callable[[float], Any]) -> None:
        bench.take(work(bench.now))

    class Now:
        def now(self) -> float:
            return bench.now

        def wall(self) -> str:
            return ""

    return Attendance(file, bench.controller, Now(), decide)


WRONG = st.from_regex(r"[0-9]{6,8}", fullmatch=True).filter(lambda pin: pin not in PINS.values())


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(["Ada", "Flo", "zoe", "ADA"]), WRONG, st.sampled_from([0.0, 5.0, 31.0, 4000.0])),
        max_size=30,
    )
)
def test_no_sequence_of_wrong_tries_gets_in(tmp_path: Path, tries: list[tuple[str, str, float]]) -> None:
    """E4, law: whatever is tried, with whatever waits and restarts; what is done with no session is refused."""
    bench = Bench(TableState(alarms=(TableAlarm("people-replaced", "x"),)))
    file = PeopleFile(tmp_path / "people" / "list.json")
    if not file.exists():
        file = people_file(tmp_path, "Ada", "Flo")
    file.forget_tries("Ada")
    file.forget_tries("Flo")

    async def try_all() -> None:
        people = _attendance(bench, file)
        await people.open()
        for number, (name, pin, wait) in enumerate(tries):
            if number % 7 == 6:
                people = _attendance(bench, file)  # as after a restart
            bench.now += wait
            assert await code_of(people.sign_in(name, Pin(pin))) in ("sign-in-wrong", "sign-in-locked", "sign-in-busy")

    asyncio.run(try_all())
    assert "person_signed_in" not in bench.kinds()
    assert bench.do(OpenRound(), None) == "sign-in-needed"


def test_the_hash_of_the_bench_is_the_products() -> None:
    """The cheap hashes of these tests are hashes: the right PIN proves, another does not."""
    ada = person("Ada", secret=hash_of("Ada"))
    assert proves(Pin(PINS["Ada"]), "Ada", ada)
    assert not proves(Pin(PINS["Flo"]), "Ada", ada)
    assert files.boot_id()
