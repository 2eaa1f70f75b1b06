"""Adapters, kernel drivers, sleep, latency, rights and rules, each on a computer made up for it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cardshoe.cli import doctor, doctor_hardware, run
from cardshoe.cli.doctor_checks import Check, Computer
from cardshoe.cli.doctor_hardware import adapters, hardware_checks, udev_rules
from cardshoe.transport.discovery import serial_ports


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(state=tmp_path, root=tmp_path, now=datetime(2026, 6, 1, tzinfo=UTC))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def usb_device(computer: Computer, **values: str) -> Path:
    """A device in a socket, with one vendor interface."""
    device = computer.root / "sys/bus/usb/devices/1-1"
    plain = {"idVendor": "1209", "idProduct": "0001", "serial": "S1", "product": "Shoe", "busnum": "1", "devnum": "4"}
    for key, value in {**plain, **values}.items():
        if value:
            write(device / key.replace("__", "/"), value)
    write(device.parent / "1-1:1.0/bInterfaceClass", "ff")
    return device


def adapter(computer: Computer, driver: str, **values: str) -> None:
    """An adapter with its port ttyUSB0."""
    device = usb_device(computer, idVendor="0403", idProduct="6001", product="FT232R", **values)
    interface = device / "1-1:1.0/ttyUSB0"
    interface.mkdir(parents=True)
    drivers = computer.root / "sys/bus/usb-serial/drivers" / driver
    drivers.mkdir(parents=True)
    (interface / "driver").symlink_to(drivers)
    tty = computer.root / "sys/class/tty/ttyUSB0"
    tty.mkdir(parents=True)
    (tty / "device").symlink_to(interface)
    write(computer.root / "dev/ttyUSB0", "")


def only(checks: list[Check], name: str) -> Check:
    (found,) = (check for check in checks if check.name.startswith(name))
    assert found.found
    assert found.ok or found.advice
    return found


@pytest.mark.parametrize(("latency", "ok"), [("16", False), ("2", True), ("1", True)])
def test_an_adapter_that_holds_answers_back_is_a_fault(computer: Computer, latency: str, ok: bool) -> None:
    """FR-42."""
    adapter(computer, "ftdi_sio")
    write(computer.root / "sys/bus/usb/devices/1-1/1-1:1.0/ttyUSB0/latency_timer", latency)
    check = only(list(adapters(computer, serial_ports(computer.root))), "adapter /dev/ttyUSB0")
    assert check.ok is ok
    assert "FT232R 0403:6001, driver ftdi_sio" in check.found
    assert ok or "latency_timer" in check.advice


@pytest.mark.parametrize(
    ("control", "delay", "ok"), [("auto", "2000", False), ("on", "2000", True), ("auto", "-1000", True), ("", "", True)]
)
def test_what_may_be_put_to_sleep_is_a_fault(computer: Computer, control: str, delay: str, ok: bool) -> None:
    """FR-39: an adapter and a USB device alike."""
    adapter(computer, "ch341", power__control=control, power__autosuspend_delay_ms=delay)
    check = only(list(adapters(computer, serial_ports(computer.root))), "adapter")
    assert check.ok is ok
    assert ok or "echo on" in check.advice
    for name in ("idVendor", "idProduct"):
        write(computer.root / "sys/bus/usb/devices/1-1" / name, {"idVendor": "1209", "idProduct": "0001"}[name])
    assert only(hardware_checks(computer), "usb device").ok is ok


def test_a_device_that_this_user_may_not_open_gets_the_rules(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FR-36."""
    usb_device(computer)
    write(computer.root / "dev/bus/usb/001/004", "")
    assert only(hardware_checks(computer), "usb device 1209:0001 S1").ok
    monkeypatch.setattr(doctor_hardware.os, "access", lambda *_: False)
    check = only(hardware_checks(computer), "usb device 1209:0001 S1")
    assert not check.ok
    assert "/dev/bus/usb/001/004" in check.found
    assert "--udev-rules" in check.advice


def test_a_kernel_driver_on_our_interface_is_named(computer: Computer) -> None:
    """FR-34: no fault, for it is taken over and given back."""
    device = usb_device(computer)
    drivers = computer.root / "sys/bus/usb/drivers/usbtest"
    drivers.mkdir(parents=True)
    (device.parent / "1-1:1.0/driver").symlink_to(drivers)
    check = only(hardware_checks(computer), "usb device")
    assert check.ok
    assert "usbtest" in check.found


def test_a_device_without_a_serial_number_is_a_fault(computer: Computer) -> None:
    """FR-06."""
    usb_device(computer, serial="")
    assert not only(hardware_checks(computer), "usb device 1209:0001 without").ok


def test_the_rules_are_missed_only_where_a_device_needs_them(computer: Computer) -> None:
    """FR-40."""
    assert udev_rules(computer, anything=False).ok
    assert udev_rules(computer, anything=False).advice
    assert not udev_rules(computer, anything=True).ok
    write(computer.root / "etc/udev/rules.d/60-cardshoe.rules", "# rules")
    assert udev_rules(computer, anything=True) == Check(
        "udev rules", True, "/etc/udev/rules.d/60-cardshoe.rules is there"
    )


CONFIG = """
[table]
name = "T"
mode = "bench"
game = "ultimate-texas-holdem"
journal = "j.sqlite"
[devices.shoe]
url = "serial://{shoe}"
[devices.reader]
url = "tcp://127.0.0.1:1"
"""


def test_the_ports_of_a_configuration_are_tried(
    pty_pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "all_checks", lambda _: [])
    monkeypatch.setattr(doctor, "hardware_checks", lambda _: [])
    path = tmp_path / "table.toml"
    path.write_text(CONFIG.format(shoe=pty_pair.path))
    assert run(["doctor", "--config", str(path)]) == 3
    out = capsys.readouterr().out
    assert f"ok   serial://{pty_pair.path} opens and stays" in out
    assert "FIX  tcp-refused: tcp://127.0.0.1:1" in out


def test_a_configuration_that_cannot_be_used_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--config", str(tmp_path / "none.toml")]) == 2
    assert "none.toml" in capsys.readouterr().err
    (tmp_path / "bad.toml").write_text("table = 1")
    assert run(["doctor", "--config", str(tmp_path / "bad.toml")]) == 2


@pytest.mark.parametrize(("value", "status"), [("system", (0, 1)), ("none of both", (1,))])
def test_the_choice_of_libusb_is_told(
    value: str, status: tuple[int, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(os.environ, "CARDSHOE_LIBUSB", value)
    monkeypatch.setattr("usb.backend.libusb1.get_backend", object)
    assert run(["doctor"]) in status
    out = capsys.readouterr().out
    assert ("of this computer" if value == "system" else "CARDSHOE_LIBUSB is 'none of both'") in out
