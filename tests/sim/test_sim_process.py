"""`cardshoe sim` as others start it: real ptys, real TCP, the control socket, signals, kill -9.

interfaces.md (cardshoe sim), promises P1, P2, P8, P10; LINK-1, testbench.md section 3.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sim_host import Ear, Protocol, Seen, face_number, spec_hash, wire_frame

from cardshoe import cli

COMMAND = [sys.executable, "-c", "from cardshoe.cli import main; main()", "sim"]
LIMIT_S = 20.0


@dataclass
class Sim:
    """A running `cardshoe sim`."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]

    @property
    def control_path(self) -> str:
        return str(self.ready["control"])

    def do(self, do: str, **keys: Any) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(LIMIT_S)
            line.connect(self.control_path)
            line.sendall(json.dumps({"do": do, **keys}).encode() + b"\n")
            with line.makefile("rb") as answers:
                answer: dict[str, Any] = json.loads(answers.readline())
        return answer

    def end(self, how: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode


Start = Callable[..., Sim]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start worlds; each prints its ready line, and all end with the test."""
    running: list[Sim] = []

    def one(*arguments: str, shoe: str | None = None, control: str = "control") -> Sim:
        address = f"pty:{tmp_path / 'shoe'}" if shoe is None else shoe
        given = [*COMMAND, "--shoe", address, "--control", str(tmp_path / control), "--json", *arguments]
        process = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.communicate(timeout=LIMIT_S)[1])
        running.append(Sim(process, json.loads(line)))
        return running[-1]

    yield one
    for sim in running:
        sim.end(signal.SIGKILL)


@dataclass
class LiveHost:
    """A host on a real line, in real time."""

    descriptor: int
    port: str = "shoe"
    session: int = 0
    sequence: int = 1
    consumed: int = 0
    events: list[Seen] = field(default_factory=list)
    _beat_at: float = 0.0
    _told: int = 0  # events up to here have been returned by `until`

    def __post_init__(self) -> None:
        self.protocol = Protocol(self.port)
        self.ear = Ear(self.protocol)

    def put(self, name: str, sequence: int, session: int | None = None, **fields: Any) -> None:
        used = self.session if session is None else session
        os.write(
            self.descriptor,
            wire_frame(used, self.protocol.by_name[name][0], sequence, self.protocol.pack(name, fields)),
        )

    def hear(self, wait: float) -> list[Seen]:
        ready, _, _ = select.select([self.descriptor], [], [], wait)
        found = list(self.ear.hear(os.read(self.descriptor, 4096), time.monotonic())) if ready else []
        for one in found:
            if one.name in self.protocol.events and one.session_byte == self.session:
                if one.event_id == self.consumed + 1:
                    self.consumed += 1
                    self.events.append(one)
                self.put("EVENT_ACK", 0, consumed_event=self.consumed)
        return found

    def wait_for(self, wanted: Callable[[Seen], bool]) -> Seen:
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            if self.session and time.monotonic() >= self._beat_at:
                self._beat_at = time.monotonic() + 0.25
                self.put("HEARTBEAT", 1, lease_ms=2000)
            for one in self.hear(0.05):
                if wanted(one):
                    return one
        raise AssertionError("what was waited for did not come")

    def hello(self) -> Seen:
        nonce = os.urandom(16)
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            self.session = 0
            os.write(self.descriptor, b"\x00")
            self.put(
                "HELLO", 5, 0, host_nonce=nonce, spec_hash=spec_hash(self.port), purpose=0, security=0,
                consumed_event=self.consumed,
            )  # fmt: skip
            deadline = time.monotonic() + 0.25
            while time.monotonic() < deadline:
                ready, _, _ = select.select([self.descriptor], [], [], 0.05)
                if not ready:
                    continue
                found = list(self.ear.hear(os.read(self.descriptor, 4096)))
                for place, one in enumerate(found):
                    if one.name == "HELLO_REPLY" and one.host_nonce == nonce and one.result == 0:
                        self.session, self.sequence = one.fields["session"], 1
                        for event in found[place + 1 :]:
                            if event.event_id == self.consumed + 1:
                                self.consumed += 1
                                self.events.append(event)
                        self.put("HEARTBEAT", 1, lease_ms=2000)
                        self.put("EVENT_ACK", 0, consumed_event=self.consumed)
                        return one
        raise AssertionError("no HELLO_REPLY")

    def command(self, name: str, **fields: Any) -> Seen:
        sequence, self.sequence = self.sequence, (self.sequence + 1) % 256
        self.put(name, sequence, **fields)
        return self.wait_for(lambda one: one.name in {f"{name}_REPLY", "REJECT"} and one.sequence == sequence)

    def until(self, name: str) -> Seen:
        """Return the next event of this name after the one returned last, also when it came with a reply."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            for place in range(self._told, len(self.events)):
                if self.events[place].name == name:
                    self._told = place + 1
                    return self.events[place]
            with contextlib.suppress(AssertionError):
                self.wait_for(lambda one: one.name == name or one.name == "STATUS")
        raise AssertionError(f"no {name}; events: {[one.name for one in self.events]}")


@contextlib.contextmanager
def opened(sim: Sim, port: str = "shoe") -> Iterator[LiveHost]:
    """The far end of a port, opened as a driver opens it."""
    kind, _, rest = str(sim.ready[port]).partition(":")
    if kind == "pty":
        descriptor = os.open(rest, os.O_RDWR | os.O_NOCTTY)
        try:
            yield LiveHost(descriptor, port)
        finally:
            os.close(descriptor)
    else:
        host, _, number = rest.rpartition(":")
        with socket.create_connection((host, int(number)), timeout=LIMIT_S) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line.setblocking(True)
            yield LiveHost(line.fileno(), port)


def play_a_round(sim: Sim, shoe: LiveHost, first_command: int, deck_id: int) -> None:
    """Three stacks, the stub, the board; what the shoe reports is what happened."""
    before = sim.do("counters")
    for number, place in enumerate(("1", "2", "dealer")):
        command_id = first_command + number
        if place == "dealer":
            assert sim.do("insert_cover_card")["ok"]
        reply = shoe.command(
            "DISPENSE",
            command_id=command_id,
            deck_id=deck_id,
            cards=2,
            destination=0 if place == "dealer" else number + 1,
        )
        assert reply.result == 0
        ready = shoe.until("STACK_READY")
        assert (ready.command_id, ready.cards, ready.first_slot) == (command_id, 2, 2 * number)
        taken = sim.do("take_stack", to=place)
        assert taken == {"ok": True, "cards": 2, "cover_cards": int(place == "dealer")}
        assert shoe.until("STACK_TAKEN").command_id == command_id
    after = sim.do("counters")
    assert after["stacks_dispensed"] - before["stacks_dispensed"] == 3
    assert after["cards_out"] - before["cards_out"] == 6
    assert sim.do("remove_stub") == {"ok": True, "cards": 46}
    assert sim.do("burn")["ok"]
    assert len(sim.do("turn", what="board", cards=3)["cards"]) == 3
    shoe.until("DOOR_CLOSED")
    seen = [one.name for one in shoe.events]
    assert seen.count("STACK_READY") == seen.count("STACK_TAKEN")


# --- rounds on real lines


@pytest.mark.parametrize("address", ["pty", "tcp:127.0.0.1:0"])
def test_rounds_over_a_real_line(start: Start, address: str) -> None:
    """P8, P10, LINK-1.2: two rounds with a new deck between them, and the board read by the table reader."""
    sim = start(
        "--seed", "4", "--speed", "50", "--reader", "tcp:127.0.0.1:0", shoe=None if address == "pty" else address
    )
    with opened(sim) as shoe, opened(sim, "reader") as reader:
        assert shoe.hello().model == "CS-SIM-SHOE"
        assert reader.hello().model == "CS-SIM-READER"
        play_a_round(sim, shoe, 1, 1)
        reader.until("CARD_READ")
        while sum(one.name == "CARD_READ" for one in reader.events) < 3:
            reader.hear(0.1)
        told = [one.face for one in reader.events if one.name == "CARD_READ"]
        assert told == [face_number(card) for card in sim.do("look")["places"]["board"]["faces"]]
        assert sim.do("load_deck") == {"ok": True, "cards": 52}
        assert shoe.command("PREPARE_DECK", command_id=4).result == 0
        assert shoe.until("DECK_VERIFIED").deck_id == 2
        play_a_round(sim, shoe, 5, 2)
    counters = sim.do("counters")
    assert (counters["opens"], counters["reader_opens"], counters["stacks_dispensed"]) == (1, 1, 6)
    assert sim.end() == 0


def test_openings_are_counted_and_mean_nothing_else(start: Start) -> None:
    """LINK-1.4: the session goes on over closing and opening, and nothing restarts."""
    sim = start()
    with opened(sim) as shoe:
        shoe.hello()
        session, sequence = shoe.session, shoe.sequence
    for _ in range(3):
        with opened(sim) as shoe:
            shoe.session, shoe.sequence, shoe.consumed = session, sequence, 1
            assert shoe.command("READ_COUNTERS").name == "READ_COUNTERS_REPLY"
            sequence = shoe.sequence
    counters = sim.do("counters")
    assert (counters["opens"], counters["boots"], counters["commands_seen"]) == (4, 1, 3)


def test_what_is_sent_while_nobody_listens_is_lost(start: Start) -> None:
    """A serial line keeps nothing: who opens later finds no heap of old frames."""
    sim = start()
    with opened(sim) as shoe:
        shoe.hello()
        session = shoe.session
    for _ in range(50):
        sim.do("open_door")
        sim.do("close_door")
    with opened(sim) as shoe:
        shoe.session, shoe.consumed = session, 1
        frames = []
        while (found := shoe.hear(0)) and len(frames) < 50:
            frames += found
        assert len(frames) <= 16  # at most a repeat of the window, not a hundred events


def test_a_host_that_never_reads_stops_nobody(start: Start) -> None:
    """The loop does not wait for it; the control socket answers."""
    sim = start()
    with opened(sim) as shoe:
        shoe.hello()
        beat = wire_frame(shoe.session, 2, 1, b"\xe8\x03")
        os.set_blocking(shoe.descriptor, False)
        for _ in range(3000):
            with contextlib.suppress(BlockingIOError):
                os.write(shoe.descriptor, beat)
        assert sim.do("counters")["ok"]
        assert sim.do("open_door")["ok"]


def test_the_line_is_raw(start: Start) -> None:
    """LINK-1.1: 115200 8N1, and all byte values pass both ways."""
    sim = start()
    with opened(sim) as shoe:
        mode = termios.tcgetattr(shoe.descriptor)
        assert mode[4] == mode[5] == termios.B115200
        assert mode[3] & (termios.ECHO | termios.ICANON | termios.ISIG) == 0
        os.write(shoe.descriptor, bytes(range(256)) * 4 + b"\x00")
        assert shoe.hello().result == 0


def test_a_second_connection_is_closed(start: Start) -> None:
    """LINK-1.3: point to point; the first goes on, and after it another may come."""
    sim = start(shoe="tcp:127.0.0.1:0")
    with opened(sim) as shoe:
        shoe.hello()
        with opened(sim) as second:
            assert os.read(second.descriptor, 10) == b""
        assert shoe.command("READ_COUNTERS").name == "READ_COUNTERS_REPLY"
    with opened(sim) as third:
        assert third.hello().fields["session"] == 2
    assert sim.do("counters")["opens"] == 2


@pytest.mark.parametrize("address", ["pty", "tcp:127.0.0.1:0"])
def test_unplug_and_replug(start: Start, address: str) -> None:
    """The node is gone, the open descriptor is at its end; plugged in again it is a new one under the same name."""
    sim = start(shoe=None if address == "pty" else address)
    with opened(sim) as shoe:
        shoe.hello()
        assert sim.do("line", port="shoe", kind="unplug")["ok"]
        with contextlib.suppress(OSError):  # a pty's far end reads EIO or nothing
            while os.read(shoe.descriptor, 4096):  # what was on its way still comes
                pass
        with pytest.raises(OSError, match=r"."), opened(sim):
            pass
    assert sim.do("line", port="shoe", kind="replug")["ok"]
    with opened(sim) as shoe:
        assert shoe.hello().fields["session"] == 2


# --- kill -9


@pytest.mark.parametrize(
    "after_s",
    [0.12, 0.2, 0.95, *(pytest.param(ms / 1000, marks=pytest.mark.nightly) for ms in range(0, 1500, 50))],
)
def test_a_killed_world_remembers(start: Start, tmp_path: Path, after_s: float) -> None:
    """P1, P2, SHOE-3.2, SHOE-4.9: kill -9 in mid-feed; the device tells the truth or that it cannot."""
    arguments = ("--state", str(tmp_path / "state"), "--seed", "9")
    sim = start(*arguments)
    with opened(sim) as shoe:
        serial = shoe.hello().serial
        assert shoe.command("DISPENSE", command_id=77, deck_id=1, cards=2, destination=3).result == 0
        time.sleep(after_s)
        assert sim.end(signal.SIGKILL) == -signal.SIGKILL
    again = start(*arguments)  # the stale control socket and link are replaced
    with opened(again) as shoe:
        hello = shoe.hello()
        assert (hello.serial, hello.boot_counter) == (serial, 2)
        told = shoe.command("QUERY_COMMAND", command_id=77)
        counters = again.do("counters")
        assert counters["boots"] == 2
        assert told.outcome in {2, 4}
        assert told.cards_seen in {counters["cards_out"], 0xFF}
        assert shoe.command("DISPENSE", command_id=77, deck_id=1, cards=2, destination=3).result == 10
        seen = again.do("look")
        assert seen["gate"]["backs"] in {counters["cards_out"], counters["cards_out"] + 1}
    assert again.end() == 0


# --- the control socket


def test_control_lines_that_are_wrong(start: Start) -> None:
    """Each is answered in its place, and the process lives."""
    sim = start()
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(LIMIT_S)
        line.connect(sim.control_path)
        line.sendall(b'nonsense\n\n{"do": "counters"}\n[1]\n{"do": 5}\n' + b'{"a":' * 5000 + b"\n\xff\xfe\n")
        with line.makefile("rb") as answers:
            got = [json.loads(answers.readline()) for _ in range(6)]
    assert [one["ok"] for one in got] == [False, True, False, False, False, False]
    assert all(one.get("text") for one in got if not one["ok"])
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(LIMIT_S)
        line.connect(sim.control_path)
        with contextlib.suppress(OSError):
            line.sendall(b"x" * (1024 * 1024 + 70000))
        with line.makefile("rb") as answers, contextlib.suppress(ConnectionError):
            assert "longer" in json.loads(answers.readline())["text"]
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(sim.control_path)
        line.sendall(b'{"do": "look"}\n' * 200)  # and gone without reading
    assert sim.do("counters")["ok"]


def test_a_living_world_keeps_its_socket(start: Start, tmp_path: Path) -> None:
    """A second world on the same socket is refused with exit 2, the first is not disturbed."""
    sim = start()
    refused = run("--control", sim.control_path)
    assert refused.returncode == 2
    assert "in use by a running simulator" in refused.stderr
    assert sim.do("counters")["ok"]
    assert sim.end() == 0
    assert [path.name for path in tmp_path.iterdir()] == []


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60)


# --- command line, signals


def test_the_ready_line_for_people(start: Start, tmp_path: Path) -> None:
    """One line when everything can be reached."""
    given = [*COMMAND, "--shoe", f"pty:{tmp_path / 's'}", "--control", str(tmp_path / "c")]
    process = subprocess.Popen(given, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == f"ready: shoe pty:{tmp_path / 's'}, control {tmp_path / 'c'}\n"
    process.terminate()
    assert process.communicate(timeout=LIMIT_S)[0] == ""
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_signals_end_it_cleanly(start: Start, tmp_path: Path, how: int, status: int) -> None:
    """interfaces.md: exit status; links and sockets are gone, also with a host connected."""
    sim = start("--reader", f"pty:{tmp_path / 'reader'}")
    with opened(sim) as shoe:
        shoe.hello()
        assert sim.end(how) == status
    assert list(tmp_path.iterdir()) == []


def test_the_json_ready_line(start: Start, tmp_path: Path) -> None:
    """URLs as a driver takes them; a port that is not given is null."""
    sim = start(shoe="tcp:127.0.0.1:0")
    assert sim.ready["shoe_url"].startswith("tcp://127.0.0.1:")
    assert sim.ready["reader"] is None
    assert sim.ready["reader_url"] is None
    other = start(control="other")
    assert other.ready["shoe_url"] == f"serial://{tmp_path / 'shoe'}"


def test_an_idle_world_sleeps(start: Start) -> None:
    """No deadline, no bytes: the loop does not turn."""
    sim = start()
    status = Path(f"/proc/{sim.process.pid}/status")
    if not status.exists():
        pytest.skip("/proc is not here: turns of the loop cannot be counted")

    def turns() -> int:
        return int(status.read_text().partition("\nvoluntary_ctxt_switches:")[2].split()[0])

    sim.do("counters")
    time.sleep(0.2)
    before = turns()
    time.sleep(1.0)
    assert turns() - before <= 5


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--seed", "x"], "'x'"),
        (["--speed", "0"], "speed is 0"),
        (["--shoe", "usb:1"], "'usb:1'"),
        (["--shoe", "tcp:localhost"], "'tcp:localhost'"),
        (["--shoe", "tcp:localhost:99999"], "99999"),
        (["--shoe", "tcp:192.0.2.1:4000"], "192.0.2.1"),
        (["--shoe", "pty:"], "'pty:'"),
        (["--shoe", "pty:{dir}/file"], "no symbolic link"),
        (["--shoe", "pty:{dir}/no/where"], "cannot be made"),
        (["--faults", "{dir}/none"], "none"),
        (["--faults", "{dir}/file"], "line 1"),
        (["--faults", "{dir}/faults"], "fault 2"),
        (["--mutate", "LINK-X"], "LINK-4.3"),
        (["--control", "{dir}/file"], "no socket"),
        (["--control", "{dir}/" + "x" * 120], "longer than"),
        (["--control", "{dir}/no/where"], "cannot be made"),
        (["--state", "{dir}/file"], "file"),
    ],
)
def test_a_command_line_that_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], text: str
) -> None:
    """Exit 2, the value named, and nothing left behind."""
    (tmp_path / "file").write_text("not json\n")
    (tmp_path / "faults").write_text('{"kind": "jam"}\n\n{"kind": "gremlin"}\n')
    before = sorted(tmp_path.iterdir())
    given = [argument.replace("{dir}", str(tmp_path)) for argument in arguments]
    if "--control" not in given:
        given += ["--control", str(tmp_path / "c")]
    assert cli.run(["sim", *given]) == 2
    said = capsys.readouterr()
    assert text in said.err
    assert said.out == ""
    assert sorted(tmp_path.iterdir()) == before


def test_faults_from_a_file(start: Start, tmp_path: Path) -> None:
    """--faults: the same data as on the control socket."""
    faults = tmp_path / "faults.jsonl"
    faults.write_text('{"kind": "jam", "stack": 1, "card": 1}\n')
    sim = start("--faults", str(faults), "--speed", "50")
    with opened(sim) as shoe:
        shoe.hello()
        shoe.command("DISPENSE", command_id=1, deck_id=1, cards=2, destination=1)
        assert shoe.until("DISPENSE_FAILED").fault == 0x0101


def test_a_mutated_world(start: Start) -> None:
    """--mutate, repeatable: exactly these clauses are broken."""
    sim = start("--mutate", "LINK-5.4", "--mutate", "SHOE-3.3")
    with opened(sim) as shoe:
        assert shoe.hello().fields["session"] == shoe.hello().fields["session"]


# --- keys and what a shoe can do


@pytest.mark.parametrize(
    ("wanted", "capabilities"),
    [("commits,reveals,envelopes", 255), ("none", 31), ("commits", 63), ("tells_faces", 287)],
)
def test_what_a_shoe_can_do(start: Start, wanted: str, capabilities: int) -> None:
    """SHOE-1.1: chosen on the command line."""
    sim = start("--seed", "4", "--shoe-can", wanted)
    with opened(sim) as shoe:
        assert shoe.hello().capabilities == capabilities


def test_what_stands_inside_the_door(start: Start, tmp_path: Path) -> None:
    """LINK-11.1, LINK-11.8, LINK-12.3: label and identity over the control socket, the same after a kill."""
    sim = start("--seed", "4", "--state", str(tmp_path / "state"))
    before = [sim.do(what, device=device) for what in ("label", "identity") for device in ("shoe", "reader")]
    assert [len(one["label"]) for one in before[:2]] == [32, 32]
    assert {"kind", "model", "serial", "firmware", "identity", "measurement"} == set(before[2]) - {"ok"}
    assert sim.do("pairing", device="shoe")["ok"]
    assert sim.do("security", device="shoe")["window_open"]
    assert "device" in sim.do("pairing")["text"]
    sim.end(signal.SIGKILL)
    later = start("--seed", "4", "--state", str(tmp_path / "state"))
    after = [later.do(what, device=device) for what in ("label", "identity") for device in ("shoe", "reader")]
    assert after == before
    assert not later.do("security", device="shoe")["window_open"]


def test_a_shoe_that_nobody_builds_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong usage names the value."""
    assert cli.run(["sim", "--control", str(tmp_path / "c"), "--shoe-can", "levitates"]) == 2
    assert "levitates" in capsys.readouterr().err
