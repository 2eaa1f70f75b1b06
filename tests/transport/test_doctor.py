"""`cardshoe doctor`: each finding on a computer made up for it, and URLs tried on real ptys and sockets."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_usb_backend import FakeBackend
from transport_owner import GUARD_S

from cardshoe.cli import doctor, doctor_checks, run
from cardshoe.cli.doctor import probe
from cardshoe.cli.doctor_checks import Check, Computer
from cardshoe.errors import DeviceError
from cardshoe.transport import SerialUrl, TcpUrl, parse_device_url


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    root = tmp_path / "root"
    root.mkdir()
    return Computer(state=tmp_path / "state", root=root, now=datetime(2026, 6, 1, tzinfo=UTC))


def process(computer: Computer, pid: int, name: str) -> None:
    folder = computer.root / "proc" / str(pid)
    folder.mkdir(parents=True)
    (folder / "comm").write_text(f"{name}\n")


def well(check: Check) -> bool:
    """A failed check always says what to do."""
    assert check.ok or check.advice
    assert check.found
    return check.ok


def test_ports_are_listed_with_their_group_mode_and_holder(computer: Computer, pty_pair) -> None:
    by_id = computer.root / "dev/serial/by-id"
    by_id.mkdir(parents=True)
    (by_id / "usb-shoe").symlink_to(pty_pair.path)
    (computer.root / "dev/ttyACM0").symlink_to(pty_pair.path)
    (computer.root / "dev/ttyUSB3").symlink_to(computer.root / "gone")
    os.chmod(pty_pair.path, 0o620)
    shoe, acm, dangling = doctor_checks.ports(computer)
    assert shoe.name == f"port {by_id / 'usb-shoe'}"
    assert well(shoe)
    assert well(acm)
    assert "mode 0620" in shoe.found
    assert pty_pair.path in shoe.found
    assert not well(dangling)
    holder = subprocess.Popen(["sleep", "60"], stdin=pty_pair.slave)
    try:
        held = next(iter(doctor_checks.ports(computer)))
    finally:
        holder.kill()
        holder.wait()
    assert f"in use by sleep (process {holder.pid})" in held.found


def test_a_port_that_this_user_may_not_open_names_the_group(
    computer: Computer, pty_pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    (computer.root / "dev").mkdir()
    (computer.root / "dev/ttyACM0").symlink_to(pty_pair.path)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may open anything
    (check,) = doctor_checks.ports(computer)
    assert not well(check)
    assert f"usermod -aG {Path(pty_pair.path).group()}" in check.advice


def test_no_port_is_no_fault(computer: Computer) -> None:
    """A table whose devices are on the network has none."""
    (check,) = doctor_checks.ports(computer)
    assert well(check)
    assert "no serial port" in check.found


def test_a_modem_daemon_is_found_unless_a_rule_keeps_it_away(computer: Computer) -> None:
    """FR-40."""
    assert well(doctor_checks.modem_daemon(computer))
    process(computer, 77, "ModemManager")
    found = doctor_checks.modem_daemon(computer)
    assert not well(found)
    assert "process 77" in found.found
    assert "--udev-rules" in found.advice
    rules = computer.root / "etc/udev/rules.d"
    rules.mkdir(parents=True)
    (rules / "70-cardshoe.rules").write_text('ATTRS{idVendor}=="1209"\n')
    assert not doctor_checks.modem_daemon(computer).ok
    (rules / "70-cardshoe.rules").write_text('ATTRS{idVendor}=="1209", ENV{ID_MM_DEVICE_IGNORE}="1"\n')
    assert well(doctor_checks.modem_daemon(computer))


def test_a_braille_daemon_is_found(computer: Computer) -> None:
    """FR-41."""
    process(computer, 5, "brltty-x")
    assert well(doctor_checks.braille_daemon(computer))
    process(computer, 78, "brltty")
    found = doctor_checks.braille_daemon(computer)
    assert not well(found)
    assert "process 78" in found.found


@pytest.mark.parametrize(("soft", "ok"), [(64, False), (255, False), (256, True), (resource.RLIM_INFINITY, True)])
def test_too_few_open_files_are_a_fault(soft: int, ok: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, resource.RLIM_INFINITY))
    assert well(doctor_checks.open_files()) is ok


def test_core_dumps_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for soft, found in ((0, "off"), (resource.RLIM_INFINITY, "on")):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert doctor_checks.core_dumps().found == found


def test_a_folder_is_judged_by_space_and_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-45: the message names the folder."""
    assert well(doctor_checks.folder("state folder", tmp_path, 1))
    new = doctor_checks.folder("state folder", tmp_path / "a" / "b", 1)
    assert well(new)
    assert "not there yet" in new.found
    full = doctor_checks.folder("state folder", tmp_path, 1 << 60)
    assert not well(full)
    assert str(tmp_path) in full.found
    plain = tmp_path / "plain"
    plain.write_text("")
    assert not well(doctor_checks.folder("state folder", plain, 1))
    monkeypatch.setattr(doctor_checks, "LEAST_INODES", 1 << 62)
    assert doctor_checks.folder("state folder", tmp_path, 1).ok is (os.statvfs(tmp_path).f_files == 0)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert not well(doctor_checks.folder("state folder", tmp_path, 1))


def test_a_clock_that_was_never_set_is_a_fault(computer: Computer) -> None:
    """FR-44, P9."""
    old = Computer(state=computer.state, root=computer.root, now=datetime(2000, 1, 1, tzinfo=UTC))
    assert not well(doctor_checks.clock(old))
    unsure = doctor_checks.clock(computer)
    assert unsure.ok
    assert "time server" in unsure.advice
    (computer.root / "run/systemd/timesync").mkdir(parents=True)
    (computer.root / "run/systemd/timesync/synchronized").write_text("")
    assert doctor_checks.clock(computer).advice == ""


def test_packages_are_named_with_versions_or_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = doctor_checks.packages()
    assert well(found)
    assert "pyserial 3." in found.found
    needs = ["pyserial>=3.5", "no-such-package>=1", "other; extra == 'test'"]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: needs)
    missing = doctor_checks.packages()
    assert not well(missing)
    assert missing.found == "missing: no-such-package"


def test_usb_is_judged_by_its_library(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins: the library, once started, keeps its descriptors for good; the whole command has the real one."""
    monkeypatch.setattr("libusb_package.get_libusb1_backend", FakeBackend)
    without_nodes = doctor_checks.usb(computer)
    assert well(without_nodes)
    assert "no /dev/bus/usb" in without_nodes.found
    (computer.root / "dev/bus/usb").mkdir(parents=True)
    assert doctor_checks.usb(computer).advice == ""
    monkeypatch.setattr("libusb_package.get_libusb1_backend", lambda: None)
    assert not well(doctor_checks.usb(computer))


# Trying URLs


def test_a_port_that_opens_and_stays_is_well(pty_pair) -> None:
    found = asyncio.run(probe(SerialUrl(pty_pair.path)))
    assert (found.ok, found.code) == (True, None)
    assert found.text == f"serial://{pty_pair.path} opens and stays."


def test_bytes_that_nobody_asked_for_are_told() -> None:
    """FR-40."""

    async def main() -> doctor.Probe:
        server = await asyncio.start_server(babble, "127.0.0.1", 0)
        found = await probe(TcpUrl("127.0.0.1", server.sockets[0].getsockname()[1]))
        server.close()
        await server.wait_closed()
        await asyncio.sleep(0.01)
        return found

    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"AT\r\nAT\r\n")
        await reader.read()
        writer.close()

    found = asyncio.run(main())
    assert found.ok
    assert "8 bytes came unasked" in found.text


def test_a_port_lost_while_listening_is_told(pty_pair) -> None:
    async def main() -> doctor.Probe:
        asyncio.get_running_loop().call_later(0.05, pty_pair.hang_up)
        return await probe(SerialUrl(pty_pair.path))

    assert asyncio.run(main()).code == "port-vanished"


def test_a_port_that_appears_and_vanishes_is_told_from_one_that_is_missing(pty_pair, tmp_path: Path) -> None:
    """FR-41: there for a moment, three times."""
    link = tmp_path / "shoe"
    device = SerialUrl(str(link))

    async def flicker() -> None:
        for _ in range(3):
            link.symlink_to(pty_pair.path)
            await asyncio.sleep(0.1)
            link.unlink()
            await asyncio.sleep(0.1)

    async def main() -> doctor.Probe:
        found, _ = await asyncio.gather(probe(device, watch_s=0.8), flicker())
        return found

    found = asyncio.run(main())
    assert found.code == "port-vanished"
    assert "3 times" in found.text
    assert asyncio.run(probe(device, watch_s=0.05)).code == "port-missing"


def test_a_port_that_comes_late_is_waited_for(pty_pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-07."""
    monkeypatch.setattr(doctor, "STAYS_S", 0.1)
    link = tmp_path / "shoe"

    async def main() -> doctor.Probe:
        asyncio.get_running_loop().call_later(0.05, link.symlink_to, pty_pair.path)
        return await probe(SerialUrl(str(link)), watch_s=GUARD_S)

    assert asyncio.run(main()).ok


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "all_checks", lambda _: [Check("clock", True, "set")])
    monkeypatch.setattr(doctor, "hardware_checks", lambda _: [])


def test_exit_0_and_one_json_object_when_all_is_well(
    healthy: None, pty_pair, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", "--json", f"serial://{pty_pair.path}"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["ok"] is True
    assert out["checks"] == [{"name": "clock", "ok": True, "found": "set", "advice": ""}]
    assert [device["ok"] for device in out["devices"]] == [True]


def test_exit_1_when_a_check_failed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "all_checks", lambda _: [Check("clock", False, "2000", "Set it.")])
    monkeypatch.setattr(doctor, "hardware_checks", lambda _: [])
    assert run(["doctor"]) == 1
    assert capsys.readouterr().out.splitlines() == ["FIX  clock: 2000", "       Set it."]
    assert run(["doctor", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False


@pytest.mark.parametrize("url", ["nonsense", "sim://shoe", "serial://dev/ttyACM0"])
def test_exit_2_when_a_url_is_wrong(healthy: None, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", url]) == 2
    assert url in capsys.readouterr().err


def test_exit_3_when_a_port_cannot_be_had_and_the_others_are_still_tried(
    healthy: None, pty_pair, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert run(["doctor", f"tcp://127.0.0.1:{port}", f"serial://{pty_pair.path}"]) == 3
    out = capsys.readouterr().out
    assert f"FIX  tcp-refused: tcp://127.0.0.1:{port}" in out
    assert f"ok   serial://{pty_pair.path} opens" in out


def test_the_whole_command_runs_on_this_computer(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "from cardshoe.cli import main; main()",
        "doctor",
        "--json",
        "--state",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in {0, 1}, done.stderr
    out = json.loads(done.stdout)
    names = {check["name"] for check in out["checks"]}
    assert names >= {"clock", "python", "packages", "usb", "state folder", "open files"}
    assert (done.returncode == 0) is out["ok"]


def test_the_default_state_folder_follows_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert doctor.default_state() == tmp_path / "cardshoe"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert doctor.default_state() == tmp_path / ".local/state/cardshoe"


def test_a_usb_device_is_tried_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(_: object) -> None:
        raise DeviceError("usb-missing", "usb://1209:0001/S is not plugged in.")

    monkeypatch.setattr(doctor, "open_transport", refuse)
    assert asyncio.run(probe(parse_device_url("usb://1209:0001/S"))).code == "usb-missing"
