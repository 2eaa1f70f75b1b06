"""Wrong options, configurations, ports, devices and journals: one paragraph each, and nothing is dealt.

`cardshoe demo` and `cardshoe run` alike: the exit status of `interfaces.md`, the value or the device named, no
traceback, nothing moved, the journal intact.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from demo_bench import Elsewhere, Ended, Inside, check, command, demo, elsewhere, run

PtyMaker = Callable[[], Any]

TOML = """
[table]
name = "T1"
mode = "bench"
game = "ultimate-texas-holdem"
journal = "journal"
[devices.shoe]
url = "{shoe}"
[devices.reader]
url = "{reader}"
{more}
"""


def one_paragraph(ended: Ended, status: int, *words: str) -> None:
    assert ended.status == status, (ended.out, ended.err)
    assert "Traceback" not in ended.err
    lines = [line for line in ended.err.splitlines() if line.strip()]
    assert len(lines) == 1, ended.err
    for word in words:
        assert word in lines[0], (word, lines[0])
    assert "accepted" not in ended.out


def _config(directory: Path, *, shoe: str = "", reader: str = "", more: str = "", text: str | None = None) -> Path:
    path = directory / "table.toml"
    path.write_text(text if text is not None else TOML.format(shoe=shoe, reader=reader, more=more))
    return path


@pytest.fixture
def inside(capfd: pytest.CaptureFixture[str]) -> Inside:
    return Inside(capfd)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    with elsewhere(tmp_path_factory.mktemp("world")) as running:
        yield running


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--game", "whist"), ("'whist'", "three-card-poker")),
        (("--method", "robot"), ("'robot'", "manual-shoe")),
        (("--speed", "0"), ("--speed is 0",)),
        (("--line", "usb"), ("'usb'",)),
        (("--shoe", "tcp://127.0.0.1:1"), ("--hands",)),
        (("--hands", "/nowhere", "--faults", "x"), ("--faults",)),
        (("--hands", "/nowhere"), ("devices.shoe",)),
        (("--faults", "/nowhere"), ("/nowhere",)),
        (("--journal", "/nowhere/journal"), ("/nowhere",)),
        (("--hands", "/nowhere", "--shoe", "sim://shoe"), ("sim://shoe",)),
        (("--hands", "/nowhere", "--shoe", "ftp://x"), ("ftp://x",)),
        (("--hands", "/nowhere", "--shoe", "tcp://a:1", "--reader", "tcp://a:1"), ("tcp://a:1",)),
    ],
    ids=lambda value: " ".join(value) if value and value[0].startswith("--") else "",
)
def test_wrong_options_of_the_demo(inside: Inside, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    one_paragraph(inside.demo("--rounds", 1, *options), 2, *words)


def test_an_unknown_option_and_a_wrong_number_are_usage_errors(inside: Inside) -> None:
    for wrong in (("--speeed", "3"), ("--rounds", "0"), ("--rounds", "x")):
        ended = inside.run("demo", *wrong)
        assert ended.status == 2
        assert wrong[0] in ended.err
        assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('serail = "x"', ("'devices.reader.serail'", "'serial'")),
        ("[timing]\ndispense_s = 3", ("'timing.dispense_s'",)),
        ("[timing]\nreply_ms = 1.5", ("timing.reply_ms", "1.5", "milliseconds")),
        ('[house]\ntrips_table = "Z"', ("trips_table", "Z")),
        ("[nonsense]", ("'nonsense'",)),
        ("= 3", ("TOML",)),
    ],
)
def test_wrong_configurations(inside: Inside, tmp_path: Path, more: str, words: tuple[str, ...]) -> None:
    config = _config(tmp_path, shoe="serial:///nowhere/a", reader="serial:///nowhere/b", more=more)
    one_paragraph(inside.run("run", "--config", config), 2, "table.toml", *words)
    assert not (tmp_path / "journal").exists()


def test_no_configuration_or_one_that_is_no_text(inside: Inside, tmp_path: Path) -> None:
    one_paragraph(inside.run("run", "--config", tmp_path / "none.toml"), 2, "none.toml")
    (tmp_path / "table.toml").write_bytes(b"\xff\xfe")
    one_paragraph(inside.run("run", "--config", tmp_path / "table.toml"), 2, "UTF-8")


def test_two_devices_on_one_port(inside: Inside, tmp_path: Path, world: Elsewhere) -> None:
    shoe = world.told["shoe_url"]
    one_paragraph(inside.run("run", "--config", _config(tmp_path, shoe=shoe, reader=shoe)), 2, shoe)


def test_shoe_and_reader_are_swapped(inside: Inside, tmp_path: Path, world: Elsewhere) -> None:
    config = _config(tmp_path, shoe=world.told["reader_url"], reader=world.told["shoe_url"])
    one_paragraph(inside.run("run", "--config", config), 3)
    assert inside.run("journal", "verify", tmp_path / "journal").status == 0


def test_another_shoe_than_the_one_that_was_named(inside: Inside, tmp_path: Path, world: Elsewhere) -> None:
    text = TOML.format(shoe=world.told["shoe_url"] + '"\nserial = "S-0815', reader=world.told["reader_url"], more="")
    one_paragraph(inside.run("run", "--config", _config(tmp_path, text=text)), 3, "S-0815")


def test_a_shoe_of_another_protocol_version(inside: Inside, tmp_path: Path) -> None:
    """LINK-5.3: another spec hash is refused, and the text says which of the two is to be changed."""
    with elsewhere(tmp_path, other_hash=True) as other:
        config = _config(tmp_path, shoe=other.told["shoe_url"], reader=other.told["reader_url"])
        one_paragraph(inside.run("run", "--config", config), 3, other.told["shoe_url"])
    assert inside.run("journal", "verify", tmp_path / "journal").status == 0


@pytest.mark.parametrize("url", ["serial:///nowhere/tty", "tcp://127.0.0.1:1", "tcp://no-such-host.invalid:1"])
def test_a_port_that_is_not_there(inside: Inside, tmp_path: Path, world: Elsewhere, url: str) -> None:
    """E29, E31: named, with what to do; the journal that was begun is whole."""
    one_paragraph(inside.run("run", "--config", _config(tmp_path, shoe=url, reader=world.told["reader_url"])), 3)
    assert inside.run("journal", "verify", tmp_path / "journal").status == 0
    one_paragraph(
        inside.demo("--rounds", 1, "--shoe", url, "--hands", world.control, "--journal", tmp_path / "other"), 3
    )


def test_a_usb_device_that_is_not_there(tmp_path: Path, world: Elsewhere) -> None:
    """In a process of its own: libusb keeps its descriptors as long as the process lives."""
    url = "usb://ffff:ffff/none"
    one_paragraph(run("run", "--config", _config(tmp_path, shoe=url, reader=world.told["reader_url"])), 3, url)


def test_a_file_in_place_of_a_port(inside: Inside, tmp_path: Path, world: Elsewhere) -> None:
    (tmp_path / "file").write_text("x")
    url = f"serial://{tmp_path / 'file'}"
    one_paragraph(
        inside.run("run", "--config", _config(tmp_path, shoe=url, reader=world.told["reader_url"])), 3, str(tmp_path)
    )


def test_a_port_that_is_not_permitted(tmp_path: Path, world: Elsewhere, new_pty: PtyMaker) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may open everything: that a port is refused cannot be shown here")
    path = new_pty().path
    os.chmod(path, 0)
    config = _config(tmp_path, shoe=f"serial://{path}", reader=world.told["reader_url"])
    one_paragraph(run("run", "--config", config), 3, path)


def test_a_port_in_use(tmp_path: Path, world: Elsewhere) -> None:
    """E30: a second table leaves the first one alone."""
    config = _config(tmp_path, shoe=world.told["shoe_url"], reader=world.told["reader_url"])
    first = subprocess.Popen(
        command("run", "--config", config),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    try:
        first.stdout.readline()
        one_paragraph(run("run", "--config", config), 4, "journal")
        options = ("--shoe", world.told["shoe_url"], "--hands", world.control)
        one_paragraph(demo("--rounds", 1, "--journal", tmp_path / "other", *options), 3, "in use")
        out, err = first.communicate('{"op": "open_round"}\n', timeout=30)
    finally:
        first.kill()
        first.communicate()
    assert first.returncode == 0, err
    assert '{"accepted": true}' in out
    check(tmp_path / "journal")


def test_a_port_that_only_makes_noise(inside: Inside, tmp_path: Path, world: Elsewhere) -> None:
    """E32: a thing that talks, but is no device of ours, is told from one that is silent."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_babble, args=(server,), daemon=True).start()
        url = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        config = _config(tmp_path, shoe=url, reader=world.told["reader_url"])
        one_paragraph(inside.run("run", "--config", config), 3, url)
        server.shutdown(socket.SHUT_RDWR)


def _babble(server: socket.socket) -> None:
    try:
        line, _ = server.accept()
        with line:
            while True:
                line.sendall(bytes(range(256)) * 4)
                line.recv(4096)
    except OSError:
        return


def test_a_silent_port(inside: Inside, tmp_path: Path, world: Elsewhere, new_pty: PtyMaker) -> None:
    config = _config(tmp_path, shoe=f"serial://{new_pty().path}", reader=world.told["reader_url"])
    one_paragraph(inside.run("run", "--config", config), 3)


def test_journals_that_are_not_this_tables(tmp_path: Path, world: Elsewhere) -> None:
    """Damaged, of another table, in use: exit 4 with its text, and the file is left as it was."""
    options = ("--rounds", 1, "--seed", 1, *world.options)
    assert demo(*options, "--journal", tmp_path / "journal").status == 0
    config = _config(tmp_path, shoe=world.told["shoe_url"], reader=world.told["reader_url"])
    one_paragraph(run("run", "--config", config), 4, "'Demo'", "'T1'")
    check(tmp_path / "journal")
    damaged = tmp_path / "damaged"
    damaged.write_bytes(b"not a journal at all" * 500)
    before = damaged.read_bytes()
    one_paragraph(demo(*options, "--journal", damaged), 4, str(damaged))
    assert damaged.read_bytes() == before
