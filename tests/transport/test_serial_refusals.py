"""Serial ports that cannot be had, on real ptys: in use, denied, missing, no tty, gone meanwhile (promise P10)."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import subprocess
import sys
import termios
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serial
from transport_owner import Owner, until

from cardshoe.errors import DeviceError
from cardshoe.transport import SerialUrl
from cardshoe.transport.descriptor import DescriptorTransport
from cardshoe.transport.holders import lock_holders, openers
from cardshoe.transport.serial_port import open_serial


def opened(path: str, **settings: int) -> DescriptorTransport:
    return open_serial(SerialUrl(path), **settings)  # type: ignore[arg-type]


def refusal(path: str) -> DeviceError:
    with pytest.raises(DeviceError) as refused:
        opened(path)
    assert refused.value.exit_status == 3
    assert path in refused.value.text
    return refused.value


# Exclusivity

HOLD = """
    import sys, time
    from cardshoe.transport import SerialUrl
    from cardshoe.transport.serial_port import open_serial
    port = open_serial(SerialUrl(sys.argv[1]))
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def hold() -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Start a process that has a port open through our own transport."""
    started: list[subprocess.Popen[str]] = []

    def start(path: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(HOLD), path], stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_a_port_in_use_is_refused_and_names_its_holder(pty_pair, hold, tmp_path: Path) -> None:
    """FR-12, FR-22."""
    holder = hold(pty_pair.path)
    with open(tmp_path / "another", "w") as another:
        fcntl.flock(another, fcntl.LOCK_EX)
        error = refusal(pty_pair.path)
        assert [one.pid for one in lock_holders(pty_pair.path)] == [holder.pid]
    assert error.code == "port-busy"
    assert f"process {holder.pid}" in error.text
    assert holder.pid in [one.pid for one in openers(pty_pair.path)]
    holder.kill()
    holder.wait()
    opened(pty_pair.path).close()  # the lock died with its process


def test_the_first_owner_is_undisturbed_by_a_second_one(pty_pair) -> None:
    """FR-12: the second one is refused before it changes or reads anything."""

    async def main() -> None:
        owner = Owner(opened(pty_pair.path))
        for n in range(20):
            os.write(pty_pair.master, bytes([n]))
            error = refusal(pty_pair.path)
            assert error.code == "port-busy"
            assert "this process" in error.text
        await until(lambda: len(owner.received) == 20, "all bytes")
        assert owner.received == bytes(range(20))
        owner.transport.close()

    asyncio.run(main())


def test_a_child_process_does_not_inherit_the_port(pty_pair) -> None:
    """FR-22: a child that keeps the descriptor would keep the lock."""
    transport = opened(pty_pair.path)
    listed = subprocess.run(
        ["sh", "-c", "for f in /proc/self/fd/*; do readlink $f; done"], close_fds=False, capture_output=True, text=True
    )
    transport.close()
    assert pty_pair.path not in listed.stdout.split()


# Refusals


def test_each_wrong_path_has_its_own_refusal(tmp_path: Path) -> None:
    plain, dangling = tmp_path / "plain", tmp_path / "dangling"
    plain.write_bytes(b"")
    dangling.symlink_to(tmp_path / "nothing")
    assert refusal(str(tmp_path / "none")).code == "port-missing"
    assert refusal(str(plain / "below")).code == "port-missing"
    assert refusal(str(plain)).code == "port-not-a-tty"
    assert refusal(str(tmp_path)).code == "port-not-a-tty"
    assert refusal("/dev/null").code == "port-not-a-tty"
    link = refusal(str(dangling))
    assert link.code == "port-missing"
    assert "points to nothing" in link.text
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert refusal(str(loop)).code == "port-unusable"


DENIED = """
    import os, sys
    from cardshoe.errors import DeviceError
    from cardshoe.transport import SerialUrl
    from cardshoe.transport.serial_port import open_serial
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    try:
        open_serial(SerialUrl(sys.argv[1]))
    except DeviceError as error:
        print(error.code, error.text)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_without_permission_the_refusal_says_which_group_helps(pty_pair, tmp_path: Path) -> None:
    os.chmod(pty_pair.path, 0o660)

    def said(path: str) -> str:
        command = [sys.executable, "-c", textwrap.dedent(DENIED), path]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    text = said(pty_pair.path)
    assert text.startswith("port-denied")
    assert "mode 0660" in text
    assert "usermod -aG" in text
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "shoe").symlink_to(pty_pair.path)
    assert said(str(closed / "shoe")).startswith("port-denied")


def test_a_port_that_goes_while_it_is_opened_appeared_and_vanished(pty_pair, monkeypatch) -> None:
    """FR-41: it was there for the look, and gone for the opening."""
    real_open = serial.Serial.open

    def too_late(port: serial.Serial) -> None:
        pty_pair.close()
        real_open(port)

    monkeypatch.setattr(serial.Serial, "open", too_late)
    assert refusal(pty_pair.path).code == "port-vanished"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (serial.SerialException(errno.EACCES, "could not open port"), "port-denied"),
        (serial.SerialException(errno.EBUSY, "could not open port"), "port-busy"),
        (serial.SerialException(errno.EAGAIN, "could not lock"), "port-busy"),
        (serial.SerialException(errno.ENXIO, "no device behind the node"), "port-vanished"),
        (OSError(errno.EIO, "hung up while it was set up"), "port-vanished"),
        (termios.error(errno.EIO, "hung up while it was set up"), "port-vanished"),
        (termios.error(errno.ENOTTY, "Inappropriate ioctl"), "port-not-a-tty"),
        (OSError(errno.EMFILE, "Too many open files"), "port-no-descriptor"),
        (serial.SerialException("something without a number"), "port-unusable"),
    ],
)
def test_each_error_number_of_opening_has_its_meaning(pty_pair, monkeypatch, error: Exception, code: str) -> None:
    def fail(_: serial.Serial) -> None:
        raise error

    monkeypatch.setattr(serial.Serial, "open", fail)
    assert refusal(pty_pair.path).code == code
