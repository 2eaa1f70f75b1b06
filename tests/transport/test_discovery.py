"""What could be a device, on computers made up for it: names that stay, what is above, what stands against it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_usb_backend import PRODUCT, VENDOR, FakeBackend, FakeDevice
from usb.core import USBError

from cardshoe.cli import devices, run
from cardshoe.cli.device_identity import Answer, ask_who
from cardshoe.cli.devices import Found, Watching, rules
from cardshoe.errors import DeviceError
from cardshoe.transport import discovery
from cardshoe.transport.discovery import Candidate, find_candidates, serial_ports, usb_interfaces


def computer(root: Path, target: str, *, name: str = "ttyACM0") -> Path:
    """A port of a USB device, with its name by id."""
    usb = root / "sys/devices/usb1/1-1"
    (usb / "1-1:1.0").mkdir(parents=True)
    told = {"idVendor": "1209", "idProduct": "0002", "serial": "S1", "product": "Shoe", "manufacturer": "Acme"}
    for key, value in told.items():
        (usb / key).write_text(value + "\n")
    tty = root / "sys/class/tty" / name
    tty.mkdir(parents=True)
    (tty / "device").symlink_to(usb / "1-1:1.0")
    (root / "dev/serial/by-id").mkdir(parents=True)
    (root / "dev" / name).symlink_to(target)
    return root


def test_a_port_has_the_name_that_stays_and_what_is_above_it(pty_pair, tmp_path: Path) -> None:
    """FR-06."""
    root = computer(tmp_path, "/dev/null")
    (root / "dev/ttyACM0").unlink()
    (root / "dev/ttyACM0").write_text("")
    (root / "dev/serial/by-id/usb-Acme_Shoe_S1-if00").symlink_to(root / "dev/ttyACM0")
    (found,) = serial_ports(root)
    assert found.url == "serial:///dev/serial/by-id/usb-Acme_Shoe_S1-if00"
    assert found.node == "/dev/ttyACM0"
    assert (found.ids, found.serial_number, found.product, found.maker) == ((0x1209, 2), "S1", "Shoe", "Acme")
    assert found.ours
    assert found.trouble == ""


def test_a_port_without_usb_is_listed_by_its_node_and_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/ttyUSB3").write_text("")
    (found,) = serial_ports(tmp_path)
    assert (found.url, found.ids, found.ours) == ("serial:///dev/ttyUSB3", None, False)


def test_a_name_that_points_to_nothing_is_gone(tmp_path: Path) -> None:
    (tmp_path / "dev/serial/by-id").mkdir(parents=True)
    (tmp_path / "dev/serial/by-id/usb-X").symlink_to(tmp_path / "dev/ttyACM9")
    (found,) = serial_ports(tmp_path)
    assert found.trouble == "it is gone"


def test_interfaces_are_those_with_bulk_both_ways() -> None:
    shoe, mouse = FakeDevice("S1", address=1), FakeDevice("M1", address=2)
    mouse.interface_class = 0x03
    (found,) = usb_interfaces(FakeBackend(shoe, mouse))
    assert found.url == f"usb://{VENDOR:04x}:{PRODUCT:04x}/S1"
    assert (found.node, found.maker, found.ours) == ("/dev/bus/usb/001/001", "cardshoe", True)
    assert shoe.calls["open"] == shoe.calls["close"]
    assert shoe.calls["claim"] == 0, "nothing is taken by looking"


def test_a_device_that_may_not_be_opened_is_listed_with_its_trouble() -> None:
    """FR-36."""
    shoe = FakeDevice()
    shoe.fail("open", 13)
    (found,) = usb_interfaces(FakeBackend(shoe))
    assert found.trouble == "this user may not open it"
    shoe.fail("control", 5)
    (found,) = usb_interfaces(FakeBackend(shoe))
    assert found.trouble == "its strings cannot be read"


def test_without_libusb_there_are_serial_ports_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> object:
        raise USBError("no access")

    monkeypatch.setattr(discovery, "fresh_backend", refuse)
    assert find_candidates(tmp_path) == []


ONE = Candidate("serial:///dev/ttyACM0", "/dev/ttyACM0", "serial", ids=(0x1209, 2))


def test_who_is_asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """FR-03: a stranger's device and one in use are left alone."""
    asked: list[str] = []

    async def ask(url: str) -> Answer:
        asked.append(url)
        return Answer(None, "idle", None)

    stranger = Candidate("serial:///dev/ttyUSB0", "", "serial")
    held = Candidate("usb://1209:0001/S", "", "usb", ids=(0x1209, 1), trouble="in use by x")
    monkeypatch.setattr(devices, "find_candidates", lambda: [ONE, stranger, held])
    monkeypatch.setattr(devices, "ask_who", ask)
    for words, wanted in (([], [ONE.url]), (["--quiet"], []), (["--ask"], [ONE.url, stranger.url])):
        asked.clear()
        assert run(["devices", "--json", *words]) == 0
        told = json.loads(capsys.readouterr().out)["devices"]
        assert asked == wanted
        assert [one["url"] for one in told] == [ONE.url, stranger.url, held.url]
        assert told[2]["health"]["text"] == "in use by x"
    assert run(["devices", "--ask", "--quiet"]) == 2
    assert run(["devices"]) == 0
    assert "ttyUSB0" in capsys.readouterr().out


def test_watching_tells_what_comes_and_goes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def ask(url: str) -> Answer:
        return Answer(None, "", DeviceError("device-silent", "nothing answered"))

    async def main() -> None:
        monkeypatch.setattr(devices, "ask_who", ask)
        watching = Watching(lambda _: True)
        for seen, wanted in (([ONE], ["here"]), ([ONE], []), ([], ["gone"])):
            changes = await watching.turn(seen)
            assert [what for what, _ in changes] == wanted
            devices._tell(changes, as_json=False)

    asyncio.run(main())
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("here  serial:///dev/ttyACM0")
    assert "device-silent" in out[0]
    assert out[1].startswith("gone")


def test_nobody_answers_on_a_port_without_a_device(pty_pair) -> None:
    answer = asyncio.run(ask_who(f"serial://{pty_pair.path}", answer_s=0.05))
    assert answer.identity is None
    assert answer.error is not None
    assert answer.error.code == "device-silent"
    assert asyncio.run(ask_who("serial:///dev/none")).error.code == "port-missing"


def test_a_fault_is_no_health() -> None:
    identity = SimpleNamespace(device_kind=1, model="M", serial="S", firmware="1", spec_hash=b"\1" * 32, boot_counter=3)
    found = Found(ONE, Answer(identity, "faulted, fault jam", None))  # type: ignore[arg-type]
    assert not found.ok
    assert found.plain()["identity"]["kind"] == "shoe"
    assert found.plain()["health"] == {"ok": False, "code": None, "text": "faulted, fault jam"}


def test_the_rules_come_with_the_product_and_hold_together(capsys: pytest.CaptureFixture[str]) -> None:
    """FR-39, FR-40, FR-42: one line a rule, every known product named, the jump has its label."""
    assert run(["devices", "--udev-rules"]) == 0
    text = capsys.readouterr().out
    assert text == rules()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in lines:
        parts = [part.strip() for part in line.split(", ")]
        assert all(part.count('"') == 2 and ("=" in part) for part in parts), line
    for vendor, product in discovery.KNOWN_IDS:
        assert f'"{vendor:04x}"' in text
        assert f"{product:04x}" in text
    assert 'GOTO="cardshoe_end"' in text
    assert lines[-1] == 'LABEL="cardshoe_end"'
