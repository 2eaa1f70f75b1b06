"""The Wireshark dissector, in a real tshark: it shows what the wire room reads, and what is wrong with a frame."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from trace_kit import READER, SHOE, frame, hello

from cardshoe.cli import run
from cardshoe.cli.trace_dissector import dissector
from cardshoe.wire.spec import DeviceSpec

SHARK = "apt install tshark"


@pytest.fixture
def look(tmp_path: Path, require: Callable[[str, str], str]) -> Callable[[DeviceSpec, bytes], str]:
    """What tshark tells of bytes on a TCP port."""
    tshark, text2pcap = require("tshark", SHARK), require("text2pcap", SHARK)
    script = tmp_path / "cardshoe.lua"
    script.write_text(dissector(), encoding="utf-8")

    def told(spec: DeviceSpec, data: bytes) -> str:
        dump, capture = tmp_path / "dump", tmp_path / "capture"
        dump.write_text(f"0000 {data.hex(' ')}\n", encoding="ascii")
        subprocess.run([text2pcap, "-q", "-T", "7001,5000", str(dump), str(capture)], check=True, capture_output=True)
        proto = f"cardshoe_{spec.protocol.partition('-')[0]}"
        words = ["-X", f"lua_script:{script}", "-r", str(capture), "-d", f"tcp.port==7001,{proto}", "-O", proto]
        done = subprocess.run([tshark, *words], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert "Lua Error" not in done.stdout + done.stderr, done.stdout + done.stderr
        return done.stdout

    return told


def test_it_shows_every_field_by_name(look: Callable[[DeviceSpec, bytes], str]) -> None:
    """LINK-2, LINK-3.1: two frames in one packet, delimiters between them."""
    out = look(SHOE, b"\0" + hello()[1] + b"\0\0" + frame("DISPENSE_REPLY", command_id=0x1122334455, result=2))
    assert "message: HELLO_REPLY" in out
    assert "model: M-1" in out
    assert f"spec_hash: {SHOE.hash.hex()}" in out
    assert "command_id: 73588229205" in out
    assert f"result: {_name('dispense_result', 2)} (2)" in out


def _name(enum: str, value: int) -> str:
    return next(name for name, number in SHOE.enums[enum].items() if number == value)


def test_a_wrong_check_and_garbage_are_marked(look: Callable[[DeviceSpec, bytes], str]) -> None:
    """LINK-2.4, LINK-3.2."""
    damaged = bytearray(frame("DISPENSE", command_id=0x1122334455667788))
    damaged[8] ^= 0x80
    assert "check is wrong" in look(SHOE, bytes(damaged))
    assert "no frame: 0561" in look(SHOE, b"\x05a\0")


def test_the_reader_has_its_own(look: Callable[[DeviceSpec, bytes], str]) -> None:
    """READER-3."""
    assert "message: CARD_READ" in look(READER, frame("CARD_READ", spec=READER, place=2))


def test_the_command_prints_it_with_the_spec_hashes(capsys: pytest.CaptureFixture[str]) -> None:
    """LINK-5.2."""
    assert run(["trace", "dissector"]) == 0
    out = capsys.readouterr().out
    assert out == dissector()
    assert SHOE.hash.hex() in out.splitlines()[1]
    assert all(json.dumps(name) in out for name in (*SHOE.messages, *READER.messages))


def test_it_is_lua(tmp_path: Path, require: Callable[[str, str], str]) -> None:
    compiler = require("luac5.4", "apt install lua5.4")
    script = tmp_path / "cardshoe.lua"
    script.write_text(dissector(), encoding="utf-8")
    assert subprocess.run([compiler, "-p", str(script)], capture_output=True, text=True).stderr == ""
