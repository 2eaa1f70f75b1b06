"""`cardshoe people` and the people of `cardshoe run`, as processes: terminals, descriptors, kill -9. T13, E4."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from people_bench import CONFIG, OWNER, PINS, Bench, people_file, person

from cardshoe import cli
from cardshoe.cli.pin_entry import PinEntry
from cardshoe.cli.signers import Signers, sign_for
from cardshoe.errors import CardshoeError
from cardshoe.journal import JournalReader, verify
from cardshoe.link.pairing import print_label
from cardshoe.table import persons
from cardshoe.table.people_file import PeopleFile
from cardshoe.table.roles import Matter

TRIED = "918273"
LABEL = print_label(bytes(16))


class Command:
    """The command, run in the test's own process with PINs on a descriptor."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.file = folder / "people" / "list.json"
        self._capture = capture
        self.said = ""

    def __call__(self, what: str, *arguments: str, pins: str = "") -> tuple[int, list[dict[str, Any]]]:
        """Return the status and the objects told; `pins` are names, or PINs, in the order asked."""
        read, write = os.pipe()
        os.write(write, "".join(PINS.get(pin, pin) + "\n" for pin in pins.split()).encode())
        os.close(write)
        self._capture.readouterr()
        more = () if what == "list" else ("--pin-fd", str(read))
        try:
            status = cli.run(["people", what, str(self.file), *arguments, *more, "--json"])
        finally:
            os.close(read)
        out, err = self._capture.readouterr()
        self.said += out + err
        return status, [json.loads(line) for line in out.splitlines()]

    def enrolled(self, *names: str) -> None:
        for name in names:
            role = {"A": "dealer", "F": "floor", "T": "technician"}[name[0]]
            assert self("add", name, "--role", role, pins=name)[0] == 0


@pytest.fixture
def people(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Command]:
    """The command, with hashes of little work: none of another process reads them."""
    monkeypatch.setattr(persons, "SCRYPT_N", 16)
    command = Command(tmp_path, capsys)
    yield command
    for pin in (*PINS.values(), TRIED):
        assert pin not in command.said, "a PIN was told"


def test_the_first_people_are_the_owners_and_then_it_is_theirs(people: Command) -> None:
    """T13: no default person; from two on who may enrol others, nobody is enrolled, removed or reset by one alone."""
    assert people("list")[0] == 2
    people.enrolled("Flo", "Ada", "Tim")
    told = people("list")[1]
    assert [(each["name"], each["role"], each["enrolled_by"]) for each in told] == [
        (name, role, f"owner of the file, user {os.geteuid()}")
        for name, role in (("Flo", "floor"), ("Ada", "dealer"), ("Tim", "technician"))
    ]
    assert people("add", "Fay", "--role", "floor", pins="Fay")[0] == 2
    assert people("add", "Fay", "--role", "floor", "--as", "Flo", pins="Flo Fay")[0] == 2
    for first, second, pins, why in (
        ("Flo", "Flo", "Flo Flo Fay", "another person"),
        ("Flo", "Ada", "Flo Ada Fay", "Ada is dealer"),
        ("Ada", "Flo", "Ada Flo Fay", "Ada is dealer"),
        ("Tim", "Flo", "Tim Flo Fay", "Tim is technician"),
        ("Flo", "Tim", f"Flo {TRIED} Fay", "nobody of this name"),
    ):
        said = len(people.said)
        status, _ = people("add", "Fay", "--role", "floor", "--as", first, "--second", second, pins=pins)
        assert status == 1
        assert why in people.said[said:]
    assert people("add", "Fay", "--role", "floor", "--as", "flo", "--second", "Tim", pins="Flo Tim Fay") == (
        0,
        [{"name": "Fay", "role": "floor", "by": "Flo", "second": "Tim"}],
    )
    assert people("remove", "Tim", pins="")[0] == 2
    assert people("remove", "Tim", "--as", "Flo", "--second", "Fay", pins="Flo Fay")[0] == 0
    assert [each["name"] for each in people("list")[1]] == ["Flo", "Ada", "Fay"]
    assert people("add", "FLO", "--role", "dealer", "--as", "Flo", "--second", "Fay", pins="Flo Fay Bob")[0] == 1


def test_ones_own_pin_and_a_forgotten_one(people: Command) -> None:
    """E4: the own one by the old one; another's by two people."""
    people.enrolled("Flo", "Ada", "Tim")
    assert people("pin", "Ada", pins=f"{TRIED} 204816")[0] == 1
    assert people("pin", "Ada", pins="Ada 204816") == (0, [{"name": "Ada", "by": "Ada", "second": ""}])
    assert people("pin", "Ada", pins="Ada 204817")[0] == 1
    assert people("pin", "Ada", "--as", "Flo", "--second", "Tim", pins="Flo Tim 204818")[0] == 0
    assert people("pin", "Ada", pins="204818 123456")[0] == 1
    assert "204816" not in people.said + "".join(path.read_text() for path in people.file.parent.iterdir())


def test_tries_at_the_command_count_and_are_forgiven_by_the_floor(people: Command) -> None:
    """E4: one count for the command and the table."""
    people.enrolled("Flo", "Ada", "Tim")
    for _ in range(5):
        assert people("pin", "Ada", pins=f"{TRIED} 204816")[0] == 1
    assert people("pin", "Ada", pins="Ada 204816")[0] == 1
    assert "the next is looked at in" in people.said
    locked = {each["name"]: each["locked_ms"] for each in people("list")[1]}
    assert 0 < locked["Ada"] <= 30_000
    assert locked["Flo"] == 0
    assert people("unlock", "Ada", pins="")[0] == 2
    assert people("unlock", "Ada", "--as", "Tim", pins="Tim")[0] == 1
    assert people("unlock", "Ada", "--as", "Flo", pins="Flo")[0] == 0
    assert people("pin", "Ada", pins="Ada 204816")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "pins", "status"),
    [
        (("add", "839201", "--role", "floor"), "Flo", 1),
        (("add", "Ada", "--role", "king"), "Ada", 2),
        (("add", "Ada", "--role", "dealer"), "123456", 1),
        (("add", "Ada", "--role", "dealer"), "", 1),
        (("add", "Ada", "--role", "dealer", "--public-key", "00"), "", 1),
        (("remove", "Zoe"), "", 1),
        (("pin", "Zoe"), "", 1),
        (("unlock", "Zoe"), "", 1),
    ],
)
def test_what_cannot_be_done_is_said(people: Command, arguments: tuple[str, ...], pins: str, status: int) -> None:
    """No traceback, and nothing is changed."""
    people.enrolled("Flo")
    before = people.file.read_bytes()
    assert people(*arguments, pins=pins)[0] == status
    assert people.file.read_bytes() == before


def test_a_person_by_key_file(people: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """T13: the key is made here, private; it signs for its person and for nobody else."""
    people.enrolled("Tim")
    key = tmp_path / "flo.pem"
    assert cli.run(["people", "key", str(key), "--json"]) == 0
    public = json.loads(capsys.readouterr().out)["public_key"]
    assert key.stat().st_mode & 0o777 == 0o600
    assert cli.run(["people", "key", str(key)]) == 2  # never written over
    assert people("add", "Flo", "--role", "floor", "--public-key", public)[0] == 0
    order = ("add", "Ada", "--role", "dealer", "--as", "Flo", "--second", "Tim")
    assert people(*order, pins=f"{TRIED} Tim Ada")[0] == 1
    other = tmp_path / "other.pem"
    assert cli.run(["people", "key", str(other)]) == 0
    assert people(*order, "--key", str(other), pins="Tim Ada")[0] == 1
    key.chmod(0o640)
    assert people(*order, "--key", str(key), pins="Tim Ada")[0] == 2
    assert f"chmod 600 {key}" in people.said
    key.chmod(0o600)
    assert people(*order, "--key", str(key), pins="Tim Ada")[0] == 0


def test_a_pin_is_typed_without_echo(tmp_path: Path) -> None:
    """T13: at a real terminal, twice; what the terminal shows has no digit of it, and arguments never held it."""
    pin, child_out = PINS["Flo"], b""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(
            sys.executable,
            [sys.executable, "-m", "cardshoe", "people", "add", str(tmp_path / "p" / "l"), "Flo", "--role", "floor"],
        )
    try:
        for prompt in (b"New PIN of Flo: ", b"The same again: "):
            while prompt not in child_out:
                child_out += os.read(terminal, 1024)
            os.write(terminal, pin.encode() + b"\n")
        while True:
            try:
                more = os.read(terminal, 1024)
            except OSError:
                break
            if not more:
                break
            child_out += more
    finally:
        os.close(terminal)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, child_out
    assert b"Flo is enrolled" in child_out
    assert pin.encode() not in child_out


def test_without_a_terminal_the_descriptor_is_named(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "cardshoe", "people", "add", str(tmp_path / "p" / "l"), "Flo", "--role", "floor"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "--pin-fd" in ran.stderr
    assert not (tmp_path / "p").exists()


# --- at a table


class Running:
    """A `cardshoe run` at which people sign in."""

    def __init__(self, folder: Path, *options: str, pin: str = "") -> None:
        read, write = os.pipe()
        os.write(write, pin.encode() + b"\n")
        os.close(write)
        options += ("--pin-fd", str(read)) if pin else ()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cardshoe", "run", "--config", str(folder / "table.toml"), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=(read,),
        )
        os.close(read)
        self.heard = ""

    def send(self, **line: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def say(self, **line: object) -> str:
        """Give one line; return "done", or the code of the refusal."""
        self.send(**line)
        assert self.process.stdout is not None
        while True:
            text = self.process.stdout.readline()
            assert text, self.process.communicate()[1]
            self.heard += text
            told = json.loads(text)
            if "accepted" in told:
                return "done" if told["accepted"] else str(told["refusal"]["code"])

    def sign_in(self, name: str, pin: str | None = None) -> str:
        return self.say(op="sign_in", name=name, pin=pin or PINS[name])

    def end(self) -> tuple[int, str]:
        out, err = self.process.communicate(timeout=60)
        self.heard += out + err
        return self.process.returncode, err

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The folder of a table with Flo, Ada and Tim, whose hashes are true ones."""
    (tmp_path / "table.toml").write_text(CONFIG.format(game="three-card-poker"))
    people_file(tmp_path, "Flo", "Ada", "Tim")
    return tmp_path


def test_a_shift_by_lines(table: Path) -> None:
    """T13: in and out, a void by two people, nothing in a role that is not one's own; no PIN is kept or told."""
    run = Running(table)
    assert run.say(op="open_round") == "sign-in-needed"
    assert run.sign_in("Ada", TRIED) == "sign-in-wrong"
    assert run.sign_in("Ada") == "done"
    assert run.say(op="open_round", seats={"1": "Bob"}) == "done"
    assert run.say(op="wager", position="1", player="Bob", wagers={"ante": 500}) == "done"
    assert run.say(op="correct", of=4, wagers={"ante": 600}) == "done"
    assert run.say(op="no_more_bets") == "done"
    assert run.say(op="stop", reason="smoke") == "done"
    assert run.say(op="clear", code="stop-asked", choice="void-all", reason="smoke") == "role"
    assert run.say(op="clear", code="stop-asked", choice="void-all", role="floor", reason="smoke") == "role"
    assert run.say(op="second", name="Flo", pin=PINS["Flo"]) == "second-person-late"
    assert run.say(op="sign_out") == "done"
    assert run.say(op="second", name="Flo", pin=PINS["Flo"]) == "sign-in-needed"
    assert run.sign_in("Flo") == "done"
    assert run.say(op="clear", code="stop-asked", choice="void-all", reason="smoke") == "second-person-due"
    assert run.say(op="second", name="Flo", pin=PINS["Flo"]) == "second-person-same"
    assert run.say(op="second", name="Ada", pin=PINS["Ada"]) == "done"
    assert run.say(op="complete") == "done"
    for line, code in (
        ({"op": "sign_in", "name": "Ada", "pin": int(TRIED)}, "field-type"),
        ({"op": "sign_in", "name": "Ada", "pin": [TRIED]}, "field-type"),
        ({"op": "sign_in", "name": "Ada", "pin": f"x{TRIED}"}, "pin"),
        ({"op": "sign_in", "name": [TRIED], "pin": TRIED}, "field-type"),
        ({"op": "sign_in", "pin": TRIED}, "missing-key"),
        ({"op": "sign_in", "name": "Ada", "pin": TRIED, "more": TRIED}, "unknown-key"),
        ({"op": "sing_in", "name": "Ada", "pin": TRIED}, "unknown-op"),
        ({"op": "wager", "pin": TRIED}, "unknown-key"),
        ({"op": "sign_in", "name": "Ada", "challenge": TRIED, "signature": "zz"}, "field-type"),
        ({"op": "sign_in", "name": "Ada", "challenge": "00", "signature": "00"}, "sign-in-wrong"),
        ({"op": "challenge", "name": "Ada"}, "unknown-key"),
        ({"op": "sign_out", "name": "Ada"}, "unknown-key"),
    ):
        assert run.say(**line) == code
    status, err = run.end()
    assert (status, err) == (1, "")
    kept = b"".join(path.read_bytes() for path in table.rglob("*") if path.is_file())
    for pin in (*PINS.values(), TRIED):
        assert pin not in run.heard
        assert pin.encode() not in kept
    assert verify(table / "journal").ok
    with JournalReader(table / "journal") as reader:
        ordered = [record.body for record in reader.records() if record.kind == "ordered"]
    assert ordered[-2] == {
        "what": "hold-cleared",
        "by": "Flo",
        "role": "floor",
        "second": "Ada",
        "second_role": "dealer",
    }


@pytest.mark.parametrize(("confirmed", "status"), [(True, 0), (False, 1)])
def test_an_order_that_waits_is_no_refusal_unless_nobody_confirms_it(table: Path, confirmed: bool, status: int) -> None:
    run = Running(table, "--as", "Tim", pin=PINS["Tim"])
    digests = {"old": "a" * 64, "new": "b" * 64}
    assert run.say(op="change_calibration", device="shoe", reason="roller", **digests) == "second-person-due"
    if confirmed:
        assert run.say(op="second", name="Flo", pin=PINS["Flo"]) == "done"
    assert run.end()[0] == status


def test_who_opens_the_table_by_a_pin(table: Path) -> None:
    """A wrong PIN opens nothing, and is told without a traceback."""
    run = Running(table, "--as", "Ada", pin=PINS["Ada"])
    assert run.say(op="open_round") == "done"
    assert run.end() == (0, "")
    wrong = Running(table, "--as", "Ada", pin=TRIED)
    status, err = wrong.end()
    assert status == 1
    assert "Traceback" not in err
    assert TRIED not in err


def test_who_opens_the_table_by_a_key_file(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = table / "fay.pem"
    assert cli.run(["people", "key", str(key)]) == 0
    fay = person("Fay", secret=bytes.fromhex(capsys.readouterr().out.strip()))
    PeopleFile(table / "people" / "list.json").change(lambda people: people.with_person(fay, OWNER))
    run = Running(table, "--as", "Fay", "--key", str(key))
    assert run.say(op="open_round") == "done"
    assert run.say(op="challenge") == "done"
    assert run.end() == (0, "")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--key", "x.pem"), "add --as NAME"),
        (("--as", "Ada", "--pin-fd", "0"), "standard input"),
        (("--as", "Ada", "--pin-fd", "77"), "cannot be read"),
        (("--as", "Ada", "--key", "x.pem"), "cannot be read"),
    ],
)
def test_wrong_options_are_named(
    table: Path, options: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["run", "--config", str(table / "table.toml"), *options]) == 2
    assert why in capsys.readouterr().err
    assert not (table / "journal").exists()


def test_nobody_signs_in_at_a_bench_without_people(table: Path) -> None:
    """As before: orders need no name, and a line that signs in is no operation."""
    config = table / "table.toml"
    config.write_text(config.read_text().replace("people/list.json", "none"))
    run = Running(table)
    assert run.sign_in("Ada") == "unknown-op"
    assert run.say(op="open_round") == "done"
    assert run.end()[0] == 1
    status, err = Running(table, "--as", "Ada", pin=PINS["Ada"]).end()
    assert status == 2
    assert "table.people is 'none'" in err


def test_a_lock_outlives_kill_9(table: Path) -> None:
    """E4: killed after wrong tries, and once before one was answered: all count, and the name stays locked."""
    for wrong in (2, 4):
        run = Running(table)
        assert [run.sign_in("Ada", TRIED) for _ in range(2)] == ["sign-in-wrong"] * 2
        run.kill()
        assert PeopleFile(table / "people" / "list.json").tries()["ada"].wrong == wrong
    run = Running(table)
    run.send(op="sign_in", name="Ada", pin=TRIED)
    while PeopleFile(table / "people" / "list.json").tries()["ada"].wrong < 5:
        assert run.process.poll() is None
    run.kill()
    run = Running(table)
    assert run.sign_in("Ada") == "sign-in-locked"
    assert run.sign_in("Flo") == "done"
    run.kill()
    assert verify(table / "journal").ok


def test_what_is_signed_for_elsewhere_reaches_the_journal(people: Command, tmp_path: Path) -> None:
    """T13: pairing a device away from a running table: a technician and the floor, and the next opening writes it."""
    people.enrolled("Flo", "Ada", "Tim")
    store = PeopleFile(people.file)

    def sign(first: str, second: str | None, pins: str) -> str:
        read, write = os.pipe()
        os.write(write, "".join(PINS[name] + "\n" for name in pins.split()).encode())
        os.close(write)
        try:
            sign_for(store, Matter.PAIR_DEVICE, Signers(first, None, second, None, PinEntry(read)))
        except CardshoeError as error:
            return error.code
        finally:
            os.close(read)
        return "done"

    assert sign("Tim", None, "Tim") == "people-as"
    assert sign("Flo", "Tim", "Flo Tim") == "role"
    assert sign("Tim", "Tim", "Tim Tim") == "second-person-same"
    assert sign("Tim", "Ada", "Tim Ada") == "second-person-role"
    assert sign("Tim", "Flo", "Tim Tim") == "sign-in-wrong"
    assert store.read().last_change == 3
    assert sign("Tim", "Flo", "Tim Flo") == "done"
    bench = Bench()
    bench.take(bench.controller.attended(lambda authority: authority.people_told(store.read()), 0.0))
    [told] = bench.bodies("signed_elsewhere")
    assert (told["name"], told["role"], told["by"], told["second"]) == ("pair-device", "technician", "Tim", "Flo")


@pytest.mark.parametrize(
    ("signers", "pins", "status", "why"),
    [
        (("--as", "Flo", "--second", "Tim"), "Flo", 1, "pair-device is for technician"),
        (("--as", "Tim"), "Tim", 2, "--second NAME"),
        ((), "", 2, "add --as NAME"),
        (("--as", "Tim", "--second", "Flo"), "Tim Ada", 1, "nobody of this name"),
        (("--as", "Tim", "--second", "Flo"), "Tim Flo", 3, "127.0.0.1"),
    ],
)
def test_a_device_is_paired_by_two_people(
    people: Command,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    signers: tuple[str, ...],
    pins: str,
    status: int,
    why: str,
) -> None:
    """T13: technician and floor sign before anything is said to the device; nobody answers here."""
    people.enrolled("Flo", "Ada", "Tim")
    label, pin = _pipe(LABEL + "\n"), _pipe("".join(PINS[name] + "\n" for name in pins.split()))
    capsys.readouterr()
    words = ["pair", "tcp://127.0.0.1:9", "--role", "deal", "--wait-s", "1", "--keys", str(tmp_path / "keys")]
    words += ["--people", str(people.file), *signers, "--label-fd", str(label), "--pin-fd", str(pin)]
    try:
        assert cli.run(words) == status
    finally:
        os.close(label)
        os.close(pin)
    assert why in capsys.readouterr().err
    signed = [change for change in PeopleFile(people.file).read().changes if change.what == "signed_elsewhere"]
    assert [(each.by, each.second) for each in signed] == ([("Tim", "Flo")] if status == 3 else [])


def _pipe(text: str) -> int:
    read, write = os.pipe()
    os.write(write, text.encode())
    os.close(write)
    return read
