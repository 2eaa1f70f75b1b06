"""The same firmware on the host, an AVR and a Cortex-M3: one event log, and the product's driver at each."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import noisy_game
import pytest
from driver_table import deal_stacks
from firmware_kit import HERE, REFERENCE, Port, build, compile_or_fail, running
from vector_wire import Frame, read_collection, wire_of

Require = Callable[[str, str], str]
DEALS = 150
QEMU = ["qemu-system-arm", "-M", "lm3s6965evb", "-nographic", "-monitor", "none", "-serial", "pty", "-kernel"]
BYTE_CYCLES = 1389  # ten bits at 115200, at 16 MHz


@pytest.fixture(scope="session")
def avr_runner(firmware_dir: Path) -> str:
    """The program that runs AVR code; a tool of the tests (GPL-3), never part of the product."""
    made = firmware_dir / "avr_runner"
    compile_or_fail(
        ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(made), str(HERE / "avr_runner.c"), "-lsimavr"]
    )
    return str(made)


@pytest.fixture
def avr_tools(require: Require) -> None:
    """gcc-avr, avr-libc and libsimavr-dev, or a skip with its reason."""
    require("gcc", "apt install gcc")
    require("avr-gcc", "apt install gcc-avr avr-libc")
    require("/usr/include/simavr/sim_avr.h", "apt install simavr libsimavr-dev")


@pytest.fixture
def arm_tools(require: Require) -> None:
    """gcc-arm-none-eabi and QEMU: 400 MB, and so the tests that need them are nightly."""
    require("arm-none-eabi-gcc", "apt install gcc-arm-none-eabi")
    require("qemu-system-arm", "apt install qemu-system-arm")


def host_game(host: Path, deals: int) -> tuple[str, noisy_game.Game]:
    """The game against the host build, its clock twenty times as fast."""
    with running([str(host), "--speed", "20", *noisy_game.OPTIONS]) as port:
        return noisy_game.play(port, deals)


def avr_game(runner: str, program: Path, deals: int) -> tuple[str, noisy_game.Game]:
    """The game against AVR code, as fast as it runs."""
    with running([runner, str(program)]) as port:
        return noisy_game.play(port, deals)


def arm_game(program: Path, deals: int) -> tuple[str, noisy_game.Game]:
    """The game against Cortex-M3 code, its clock ten times as fast."""
    with running([*QEMU, str(program)]) as port:
        return noisy_game.play(port, deals)


@pytest.fixture(scope="session")
def expected(host: Path) -> str:
    """What the host build makes of the game of 150 deals."""
    return host_game(host, DEALS)[0]


def test_the_numbers_are_those_of_the_toml_files() -> None:
    """LINK-5.2: spec.h, hash included, is what make_spec.py writes."""
    command = [sys.executable, str(REFERENCE / "make_spec.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_game_damages_and_deals(host: Path, expected: str) -> None:
    """LINK-3.2, LINK-4.3, LINK-7.5: there is noise; the same game again is the same, another is not."""
    again, game = host_game(host, DEALS)
    assert again == expected
    assert game.damaged > DEALS
    assert game.repeated > DEALS // 5
    assert game.events > 2 * DEALS
    assert host_game(host, DEALS - 1)[0] != expected


def test_the_avr_logs_the_same(avr_tools: None, avr_runner: str, firmware_dir: Path, expected: str) -> None:
    """LINK-3.2, LINK-4.3, LINK-7.1: 150 deals with noise, one event log on host and AVR."""
    program = build(firmware_dir, "avr", *noisy_game.FLAGS)
    assert avr_game(avr_runner, program, DEALS)[0] == expected


def test_a_wrong_width_is_seen_on_the_avr_alone(
    avr_tools: None, avr_runner: str, firmware_dir: Path, host: Path
) -> None:
    """One `unsigned` for uint32_t: the comparison of builds finds what the host build cannot show."""
    wrong = "-DBENCH_WRONG_WIDTH"
    out, deals = firmware_dir / "wrong", 60
    right = host_game(host, deals)[0]
    assert host_game(build(out, "host", wrong), deals)[0] == right
    assert avr_game(avr_runner, build(out, "avr", *noisy_game.FLAGS, wrong), deals)[0] != right


@pytest.mark.nightly
def test_the_cortex_m3_logs_the_same(arm_tools: None, firmware_dir: Path, expected: str) -> None:
    """LINK-3.2, LINK-4.3, LINK-7.1: 150 deals with noise, one event log on host and Cortex-M3."""
    program = build(firmware_dir, "arm", *noisy_game.FLAGS, "-DBENCH_SPEED=10")
    assert arm_game(program, DEALS)[0] == expected


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_ten_thousand_deals(avr_tools: None, arm_tools: None, avr_runner: str, firmware_dir: Path, host: Path) -> None:
    """LINK-3.2, LINK-4.3, LINK-7.1: 10,000 deals, one event log on all three."""
    deals = 10_000
    wanted, _ = host_game(host, deals)
    assert avr_game(avr_runner, build(firmware_dir, "avr", *noisy_game.FLAGS), deals)[0] == wanted
    program = build(firmware_dir, "arm", *noisy_game.FLAGS, "-DBENCH_SPEED=10")
    assert arm_game(program, deals)[0] == wanted


# --- the product's driver at each


def test_the_driver_deals_on_the_host(host: Path) -> None:
    """SHOE-4.1, SHOE-4.4, SHOE-4.8, LINK-5.2, LINK-6.1: the product's driver and this firmware agree."""
    with running([str(host), *noisy_game.OPTIONS, "--doubles", "0"]) as port:
        assert deal_stacks(port, 16) == 40


def test_the_driver_deals_on_the_avr(avr_tools: None, avr_runner: str, firmware_dir: Path) -> None:
    """SHOE-4.1, SHOE-4.4, SHOE-4.8: in real time, on a line of 115200 baud."""
    flags = [flag for flag in noisy_game.FLAGS if "DOUBLES" not in flag]
    program = build(firmware_dir / "driver", "avr", *flags, "-DBENCH_DOUBLES=0")
    with running([avr_runner, str(program), "-r"]) as port:
        assert deal_stacks(port, 16) == 40


@pytest.mark.nightly
def test_the_driver_deals_on_the_cortex_m3(arm_tools: None, firmware_dir: Path) -> None:
    """SHOE-4.1, SHOE-4.4, SHOE-4.8: in real time."""
    flags = [flag for flag in noisy_game.FLAGS if "DOUBLES" not in flag]
    program = build(firmware_dir / "driver", "arm", *flags, "-DBENCH_DOUBLES=0")
    with running([*QEMU, str(program)]) as port:
        assert deal_stacks(port, 16) == 40


# --- what only one build shows


def test_the_avr_answers_within_the_line_time_and_a_quarter(
    avr_tools: None, avr_runner: str, firmware_dir: Path
) -> None:
    """LINK-4.2: counted in the AVR's own cycles, so that no other load on the machine counts."""
    program, log = build(firmware_dir, "avr", *noisy_game.FLAGS), firmware_dir / "cycles"
    with running([avr_runner, str(program), "-l", str(log)]) as name:
        port = Port(name)
        try:
            game = noisy_game.Game(port, 1)
            game.open()
            game.event("BOOTED")
            for sequence in range(1, 41):
                game.sequence, game.asked, game.reply = sequence, "READ_COUNTERS_REPLY", None
                port.write(wire_of(game.session, 0x15, sequence, b""))
                game.until(lambda: game.reply is not None)
        finally:
            port.close()
    exchanges = exchanges_of(log.read_text(encoding="ascii"))[-40:]
    ratios = sorted((last - first) / (count * BYTE_CYCLES) for first, last, count in exchanges)
    assert len(ratios) == 40
    assert ratios[20] <= 1.25, ratios


def exchanges_of(log: str) -> list[tuple[int, int, int]]:
    """(first cycle in, cycle of the last byte out, bytes both ways) of each question and its answer."""
    found: list[tuple[int, int, int]] = []
    first = last = count = 0
    was = "out"
    for line in log.splitlines():
        way, cycle = line.split()[:2]
        if way == "in" and was == "out":
            found.append((first, last, count))
            first, count = int(cycle), 0
        count, was = count + 1, way
        if way == "out":
            last = int(cycle)
    return [*found, (first, last, count)]


def test_no_undefined_behaviour(require: Require, firmware_dir: Path) -> None:
    """LINK-3.2, LINK-3.3: a game, then noise of all kinds, under the address and undefined-behaviour sanitizers."""
    require("gcc", "apt install gcc")
    flags = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    program = build(firmware_dir / "sanitized", "host", *flags)
    with running([str(program), "--speed", "20", *noisy_game.OPTIONS]) as name:
        _, game = noisy_game.play(name, 60)
        chance, port = random.Random(5), Port(name)
        try:
            for _ in range(400):
                size = chance.randrange(1, 400)
                port.write(bytes(chance.choices(range(256), k=size)) + b"\0")
                kind, payload = chance.randrange(256), bytes(chance.choices(range(256), k=chance.randrange(233)))
                port.write(wire_of(game.session, kind, chance.randrange(256), payload))
                port.read(0.001)
            port.write(b"\0" + wire_of(game.session, 0x02, 9, b"\xe8\x03"))
            assert status_comes(port, 9)
        finally:
            port.close()


def status_comes(port: Port, sequence: int) -> bool:
    """Read until a STATUS of this sequence; what else the noise brought about is passed over."""
    end, data = time.monotonic() + noisy_game.PATIENCE_S, b""
    while time.monotonic() < end:
        data += port.read(0.5)
        pieces = data.split(b"\0")
        for piece in pieces[:-1]:
            frame = read_collection(piece) if piece else "empty"
            if isinstance(frame, Frame) and (frame.type, frame.sequence) == (0x82, sequence):
                return True
        data = pieces[-1]
    return False
