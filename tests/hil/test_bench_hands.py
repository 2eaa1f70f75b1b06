"""Who acts at a device: programs, a person, a socket, nobody; and the bench file that says so."""

from __future__ import annotations

import re
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cardshoe.errors import ConfigError, DeviceError
from cardshoe.lab.conform.hands import AskedHands, CannotAct, ControlHands, NoHands, ProgramHands, named
from cardshoe.lab.conform.rig import BenchHands, hands_of, parse_bench, read_bench
from cardshoe.lab.conform.watching import Watched

HIL = Path(__file__).parents[2] / "hil"


def answers(*lines: str) -> tuple[Callable[[str], str], list[str]]:
    """A person who says these lines, and what was asked."""
    left, questions = list(lines), []

    def ask(text: str) -> str:
        questions.append(text)
        return left.pop(0)

    return ask, questions


def test_a_person_is_asked_and_says_what_was_seen() -> None:
    """Numbers and cards are asked for until they can be read; what the machine did is added up."""
    ask, questions = answers("", "two", "2", "nothing", "As Td", "1 2", "2, 6")
    hands = AskedHands(ask)
    assert hands.act({"do": "open_door"}) == {"ok": True}
    assert hands.act({"do": "take_stack", "to": "4"}) == {"ok": True, "cards": 2}
    assert hands.act({"do": "turn", "what": "board", "cards": 2})["cards"] == ["As", "Td"]
    assert hands.act({"do": "counters"})["stacks_dispensed"] == 1
    assert hands.act({"do": "counters"}) == {"ok": True, "stacks_dispensed": 3, "cards_out": 8}
    assert "lay it at 4" in questions[1]


def test_what_the_device_sends_while_a_person_acts_is_kept() -> None:
    """LINK-7.3: it goes on sending for minutes; every byte is taken and read afterwards, in order."""
    left, taken = [b"\x01", b"\x02", b"\x03"], []

    class Port:
        def now(self) -> float:
            return time.monotonic()

        def write(self, data: bytes) -> None:
            del data

        def read(self, until: float) -> bytes:
            time.sleep(max(0.0, until - time.monotonic()))
            taken.append(left.pop(0) if left else b"")
            return taken[-1]

    def ask(text: str) -> str:
        del text
        while len(taken) < 2:  # until two of the three were sent
            time.sleep(0.005)
        return ""

    line = Watched("shoe", Port(), AskedHands(ask))
    assert line.control({"do": "open_door"}) == {"ok": True}
    heard = line.read(time.monotonic()) + line.read(time.monotonic())
    assert heard == b"\x01\x02\x03"


def test_a_test_deck_is_turned_in_its_order() -> None:
    """READER-1.3: the order is known, so that the person need not type it."""
    ask, questions = answers("")
    assert AskedHands(ask).act({"do": "turn", "what": "board", "cards": 2, "known": ["As", "Kd"]})["cards"] == [
        "As",
        "Kd",
    ]
    assert "As Kd" in questions[0]


@pytest.mark.parametrize("said", ["cannot", "SKIP", "no"])
def test_a_person_may_say_no(said: str) -> None:
    """What cannot be done is told as that."""
    with pytest.raises(CannotAct, match="fault jam"):
        AskedHands(answers(said)[0]).act({"do": "fault", "kind": "jam"})


def test_nobody() -> None:
    """Nothing can be done, and nothing is tried."""
    assert not NoHands().can({"do": "open_door"})
    with pytest.raises(CannotAct):
        NoHands().act({"do": "open_door"})


def test_a_relay_is_a_program(tmp_path: Path) -> None:
    """The longest name that fits is run; its status and what it prints are the answer; the rest is left to others."""
    done = tmp_path / "done"
    write = [sys.executable, "-c", f"import pathlib; pathlib.Path({str(done)!r}).write_text('off')"]
    tell = [sys.executable, "-c", "print('{\"cards\": 3}')"]
    fail = [sys.executable, "-c", "import sys; sys.exit('the relay is gone')"]
    hands = ProgramHands({"power shoe off": write, "power": fail, "take_stack": tell}, NoHands())
    assert hands.act({"do": "power", "device": "shoe", "state": "off"}) == {"ok": True}
    assert done.read_text() == "off"
    assert hands.act({"do": "power", "device": "shoe", "state": "on"}) == {"ok": False, "text": "the relay is gone"}
    assert hands.act({"do": "take_stack", "to": "1"}) == {"ok": True, "cards": 3}
    assert not hands.can({"do": "open_door"})


def test_a_program_that_is_not_there() -> None:
    """The program and the act are named."""
    with pytest.raises(DeviceError, match="no-such-relay for open_door") as lost:
        ProgramHands({"open_door": ["no-such-relay"]}, NoHands()).act({"do": "open_door"})
    assert lost.value.code == "hands-lost"


def test_a_socket_that_is_not_there(tmp_path: Path) -> None:
    """The socket and the act are named."""
    with pytest.raises(DeviceError, match="take_stack 1") as lost:
        ControlHands(tmp_path / "none").act({"do": "take_stack", "to": "1"})
    assert lost.value.code == "hands-lost"


def test_an_act_has_a_name() -> None:
    """What programs are named by."""
    assert named({"do": "power", "device": "shoe", "state": "off"}) == "power shoe off"
    assert named({"do": "fault", "kind": "jam", "card": 1}) == "fault jam"


BENCH = """
name = "Bench 2"
[shoe]
url = "serial:///dev/ttyACM0"
serial = "S-1"
[hands]
by = "person"
[hands.programs]
"power shoe off" = ["relay", "1", "off"]
[limits]
dispense_budget = 100
"""


def test_a_bench_file() -> None:
    """What is left out has its default."""
    bench = parse_bench(BENCH, "bench.toml")
    assert bench.shoe is not None
    assert (bench.shoe.serial, bench.reader, bench.limits.dispense_budget, bench.limits.slack_ms) == (
        "S-1",
        None,
        100,
        32,
    )
    assert hands_of(bench.hands, lambda _: "").can({"do": "open_door"})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[shoo]\nurl = 'x'", "shoo"),
        ("[limits]\nslack = 3", "limits.slack"),
        ("[limits]\nslack_ms = -1", "limits.slack_ms"),
        ("[hands]\nby = 'robot'", "hands.by"),
        ("name = ", "no TOML"),
        ("test_deck = 'As As'", "test_deck"),
    ],
)
def test_a_wrong_bench_file_is_refused_by_name(text: str, says: str) -> None:
    """The key is named."""
    with pytest.raises(ConfigError, match=says) as wrong:
        parse_bench(text, "bench.toml")
    assert wrong.value.code == "bench-file"


def test_the_readmes_bench_file_is_one() -> None:
    """What a technician copies can be read; the options that the text names exist."""
    text = (HIL / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.S)
    bench = parse_bench(textwrap.dedent(block), "README.md")
    assert bench.shoe is not None
    assert set(bench.hands.programs) == {"power shoe off", "power shoe on", "fault jam"}
    options = (HIL / "conftest.py").read_text(encoding="utf-8")
    named = set(re.findall(r"`?(--[a-z][a-z-]+)", text)) - {"--clause", "--make-key", "--public-key"}
    assert {option for option in named if f'"{option}"' not in options} == set()


def test_a_bench_file_that_is_not_there(tmp_path: Path) -> None:
    """Refused, with its name; and a control socket must be named."""
    with pytest.raises(ConfigError, match=r"none\.toml"):
        read_bench(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match=r"hands\.control"):
        hands_of(BenchHands(by="control"), lambda _: "")
