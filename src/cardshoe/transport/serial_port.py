"""Serial ports: opened raw and exclusively by pyserial, then run by the loop.

Owns the opening of a tty (115200 8N1, raw, no flow control), the naming of every way in which that fails, and the
giving back without a call that can wait. Must not know frames. Field reports FR-01, FR-03, FR-06, FR-12, FR-15, FR-16,
FR-22, FR-40 and FR-41; promises P9 and P10.

Two settings are not pyserial's own. VMIN is 1, so that an empty read means hang-up and nothing else; with pyserial's
VMIN 0 an idle port and a dead one look alike. HUPCL is cleared where DTR is held, so that closing does not drop DTR and
the next opening does not reset a board that takes its edge for a reset.

The lock is an flock: it keeps out every program that asks, and dies with the process (FR-22). TIOCEXCL would also keep
out those that do not ask, but stays on a tty that a third program holds open, and would lock a restart out.
"""

from __future__ import annotations

import errno
import fcntl
import grp
import os
import pwd
import stat
import struct
import termios
import time
from typing import Final

import serial

from cardshoe.errors import DeviceError
from cardshoe.transport.descriptor import DescriptorTransport
from cardshoe.transport.holders import lock_holders, openers
from cardshoe.transport.ports import WRITE_LIMIT_BYTES
from cardshoe.transport.urls import SerialUrl

BAUD: Final = 115200

LINGER_S: Final = 0.025
"""The longest that closing waits for the last bytes to leave the UART: the time of one largest frame."""

VANISHED_WITHIN_S: Final = 2.0
"""A port lost so soon after it was opened was taken by the system, not by a hand (FR-41)."""

_BUSY: Final = {errno.EAGAIN, errno.EBUSY}  # the refused lock; a port that its opener marked as exclusive
_NO_DESCRIPTOR: Final = {errno.EMFILE, errno.ENFILE}
_GONE: Final = {errno.ENOENT, errno.ENXIO, errno.ENODEV, errno.EIO}


def open_serial(
    url: SerialUrl, *, baud: int = BAUD, hold_dtr: bool = True, write_limit_bytes: int = WRITE_LIMIT_BYTES
) -> DescriptorTransport:
    """Open and configure the port; does not wait.

    `hold_dtr` keeps DTR and RTS up while open and afterwards; False drops both right after opening. Raises DeviceError
    `port-missing`, `port-busy`, `port-denied`, `port-not-a-tty`, `port-vanished`, `port-no-descriptor` or
    `port-unusable`.
    """
    path = url.path
    _look(path)
    fd = _open_descriptor(path, baud=baud, hold_dtr=hold_dtr)
    opened = time.monotonic()

    def name_loss(error: OSError | None) -> DeviceError:
        return _lost(path, error, after_s=time.monotonic() - opened)

    def release(*, lost: bool) -> None:
        give_back(fd, lost=lost)

    return DescriptorTransport(
        url=str(url), fd=fd, name_loss=name_loss, release=release, write_limit_bytes=write_limit_bytes
    )


def _look(path: str) -> None:
    """Refuse what is not there or cannot be a port, before anything is opened: opening has side effects (FR-03).

    A regular file may be a port that a program serves (FUSE); opening an ordinary one does nothing, and it is no tty.
    """
    try:
        mode = os.stat(path).st_mode
    except PermissionError as error:
        raise _denied(path) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _missing(path) from error
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    if not (stat.S_ISCHR(mode) or stat.S_ISREG(mode)):
        raise _not_a_tty(path)


def _open_descriptor(path: str, *, baud: int, hold_dtr: bool) -> int:
    port = serial.Serial()
    port.port, port.baudrate, port.exclusive = path, baud, True
    port.timeout, port.inter_byte_timeout = 0, 0  # the second makes VMIN 1
    port.dtr = port.rts = hold_dtr
    try:
        port.open()
    except (OSError, termios.error) as error:
        raise _explain(path, error) from error
    try:
        if hold_dtr:
            _keep_dtr_at_close(port.fileno())
        # A duplicate shares the lock and the settings; pyserial closes its own and the pipes it made.
        return os.dup(port.fileno())
    except (OSError, termios.error) as error:
        raise _explain(path, error) from error
    finally:
        port.close()


def _keep_dtr_at_close(fd: int) -> None:
    attributes = termios.tcgetattr(fd)
    attributes[2] &= ~termios.HUPCL
    termios.tcsetattr(fd, termios.TCSANOW, attributes)


def give_back(fd: int, *, lost: bool) -> None:
    """Close a tty within LINGER_S.

    The kernel's own close waits up to 30 s for output to leave (FR-16): what has not left by then is thrown away first.
    """
    try:
        if not lost and not _drained(fd):
            termios.tcflush(fd, termios.TCOFLUSH)
    except (OSError, termios.error):
        lost = True  # the port died while it was being closed, which is what was wanted
    try:
        os.close(fd)
    except OSError:
        return  # Linux has given the descriptor back even where close reports the device's last error


def _drained(fd: int) -> bool:
    deadline = time.monotonic() + LINGER_S
    while True:
        waiting: int = struct.unpack("i", fcntl.ioctl(fd, termios.TIOCOUTQ, b"\0\0\0\0"))[0]
        if waiting == 0:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.001)


# What went wrong, for people


def _explain(path: str, error: Exception) -> DeviceError:
    """Name the reason for which the port could not be opened or set up."""
    number = _errno(error)
    if number in _BUSY:
        return _busy(path)
    if number in {errno.EACCES, errno.EPERM}:
        return _denied(path)
    if number in {errno.ENOTTY, errno.EINVAL}:
        return _not_a_tty(path)
    if number in _NO_DESCRIPTOR:
        return DeviceError(
            "port-no-descriptor",
            f"{path} cannot be opened: {os.strerror(number or 0)}. Allow this process more open files (`ulimit -n`, "
            "LimitNOFILE of its service), or stop the program that holds them; it is tried again.",
        )
    if number in _GONE:
        return vanished(path, "it was there, and gone when it was opened")
    return _unusable(path, str(error))


def _errno(error: Exception) -> int | None:
    """Find the number: pyserial keeps it only sometimes; a termios error has it as its first argument."""
    for candidate in (error, error.__cause__, error.__context__):
        number = getattr(candidate, "errno", None)
        if number is None and isinstance(candidate, termios.error) and candidate.args:
            number = candidate.args[0]
        if isinstance(number, int):
            return number
    return None


def _missing(path: str) -> DeviceError:
    link = " (the link is there, and points to nothing)" if os.path.islink(path) else ""
    return DeviceError(
        "port-missing",
        f"there is no port {path}{link}. Plug the device in and switch it on; `cardshoe doctor` lists the ports that "
        "are there. Names under /dev/serial/by-id stay the same when a device is plugged in elsewhere.",
    )


def _busy(path: str) -> DeviceError:
    found = lock_holders(path) or openers(path)
    who = ", ".join(str(holder) for holder in found[:3]) if found else "another program (not visible from here)"
    return DeviceError(
        "port-busy", f"{path} is in use by {who}. Stop that program, or give this one another port, and connect again."
    )


def _denied(path: str) -> DeviceError:
    user = _user_name()
    try:
        node = os.stat(path)
    except OSError:
        where = f"the folder of {path} may not be entered"
        return DeviceError("port-denied", f"{where} by {user}. Ask the administrator for access, and connect again.")
    group, mode = _group_name(node.st_gid), stat.S_IMODE(node.st_mode)
    return DeviceError(
        "port-denied",
        f"{user} may not open {path}: it belongs to group {group}, mode {mode:04o}. Add the user to the group "
        f"(`sudo usermod -aG {group} {user}`), log in again, and connect again.",
    )


def _user_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"user {os.geteuid()}"


def _group_name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def _not_a_tty(path: str) -> DeviceError:
    return DeviceError(
        "port-not-a-tty",
        f"{path} is no serial port. Give the path of a tty, such as /dev/ttyACM0 or a name under /dev/serial/by-id.",
    )


def vanished(path: str, when: str) -> DeviceError:
    """The diagnosis of a port that does not stay (FR-41); `when` says what was seen."""
    return DeviceError(
        "port-vanished",
        f"{path} appeared and vanished: {when}. Another part of the system takes the adapter (the braille daemon "
        "brltty takes CH340 and CP210x chips), or its cable or power is loose. Run `cardshoe doctor`, remove brltty or "
        "mend the cable, plug in again.",
    )


def _unusable(path: str, why: str) -> DeviceError:
    return DeviceError(
        "port-unusable",
        f"{path} could not be opened: {why}. Unplug the device, plug it in again and connect again; if it happens "
        "again, run `cardshoe doctor`.",
    )


def _lost(path: str, error: OSError | None, *, after_s: float) -> DeviceError:
    cause = "hang-up" if error is None else (error.strerror or str(error))
    if after_s < VANISHED_WITHIN_S:
        return vanished(path, f"lost {after_s:.1f} s after it was opened ({cause})")
    return DeviceError(
        "port-lost",
        f"the device on {path} is gone ({cause}): unplugged, reset or without power. Nothing more is sent to it. Check "
        "cable and power; it is connected again when it comes back.",
    )
