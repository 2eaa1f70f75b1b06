"""A UART from user space: a file that answers termios and modem lines, for what a pty cannot show.

Owns the tty calls, the modem lines, the error counters and the paced line; unmodified pyserial opens it. The kernel
answers FIONREAD for a regular file by itself, so `in_waiting` is always 0: a driver must not need it.
"""

from __future__ import annotations

import errno
import os
import select
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from front_bench import Front
from fuse_wire import DIRECT_IO, STREAM, ClientMemory, FuseServer, Handle, Node, own_mounts, unmount

TCGETS, TCSETS, TCSETSW, TCSETSF, TCSBRK, TCFLSH, TIOCEXCL = 0x5401, 0x5402, 0x5403, 0x5404, 0x5409, 0x540B, 0x540C
TIOCOUTQ, TIOCMGET, TIOCMBIS, TIOCMBIC, TIOCMSET = 0x5411, 0x5415, 0x5416, 0x5417, 0x5418
TCSBRKP, TIOCSBRK, TIOCCBRK, TIOCGICOUNT = 0x5425, 0x5427, 0x5428, 0x545D
TERMIOS_BYTES = 36
DTR, RTS, CTS, CD, DSR = 0x002, 0x004, 0x020, 0x040, 0x100
SPEEDS = {13: 9600, 14: 19200, 15: 38400, 4097: 57600, 4098: 115200, 4099: 230400, 4103: 1000000}
CBAUD, CSIZE, PARENB, PARODD, CSTOPB, HUPCL = 0o10017, 0o60, 0o400, 0o1000, 0o100, 0o2000
COUNTERS = {"frame": 6, "overrun": 7, "parity": 8, "break": 9}
PLAIN = struct.pack("<4I", 0, 0, 4098 | 0o60 | 0o200 | HUPCL, 0) + bytes(20)


def line_format(termios: bytes) -> str:
    """`115200 8N1`."""
    flags = struct.unpack_from("<4I", termios)[2]
    parity = "N" if not flags & PARENB else "O" if flags & PARODD else "E"
    return f"{SPEEDS.get(flags & CBAUD, 0)} {5 + ((flags & CSIZE) >> 4)}{parity}{2 if flags & CSTOPB else 1}"


@dataclass(eq=False)
class Uart:
    """One port: what the host set, and what waits for it."""

    node: int
    put: Callable[[bytes], None]
    opened: Callable[[], None]
    termios: bytes = PLAIN
    lines: int = 0
    counters: list[int] = field(default_factory=lambda: [0] * 11)
    incoming: bytearray = field(default_factory=bytearray)
    readers: list[tuple[int, int]] = field(default_factory=list)
    """Requests that wait in read: number and size."""

    log: list[list[Any]] = field(default_factory=list)
    gone: bool = False
    users: int = 0

    def take(self, size: int) -> bytes:
        """The next bytes for the host."""
        data = bytes(self.incoming[:size])
        del self.incoming[:size]
        return data


class TtyFront(Front):
    """See the module."""

    features = frozenset({"line", "busy", "modem", "twins"})

    def __init__(self, lock: Any) -> None:
        super().__init__(lock)
        own_mounts()
        self._directory = tempfile.mkdtemp(prefix="front-")
        self.uarts: dict[str, Uart] = {}
        self._nodes = 1
        self._server = TtyServer(self, self._directory)

    def plug(self, name: str, serial_number: str, put: Callable[[bytes], None], opened: Callable[[], None]) -> None:
        """A fresh port of the same name."""
        if name in self.uarts:
            return
        self._nodes += 1
        self.uarts[name] = Uart(self._nodes, put, opened)
        self._server.nodes[self._nodes] = Node()
        self._tree()[f"tty-{name}"] = self._nodes

    def unplug(self, name: str) -> None:
        """Hang up: readers come back, the node is gone."""
        uart = self.uarts.pop(name, None)
        if uart is None:
            return
        uart.gone = True
        self._tree().pop(f"tty-{name}")
        self.stir(uart)

    def _tree(self) -> dict[str, int]:
        children = self._server.nodes[1].children
        assert children is not None
        return children

    def deliver(self, name: str, data: bytes) -> None:
        """Into the receive buffer."""
        uart = self.uarts.get(name)
        if uart is not None and uart.users:
            uart.incoming += data
            self.stir(uart)

    def stir(self, uart: Uart) -> None:
        """Answer who waits in read, wake who waits in poll."""
        while uart.readers and (uart.incoming or uart.gone):
            unique, size = uart.readers.pop(0)
            self._server.reply(unique, uart.take(size))
        if uart.incoming or uart.gone:
            for handle in self._server.handles.values():
                if handle.state is uart:
                    self._server.wake(handle)

    def where(self, name: str) -> str:
        """By the path in the mount."""
        return f"serial://{self._directory}/tty-{name}"

    def request(self, what: str, device: str, values: dict[str, Any]) -> dict[str, Any]:
        """What the device sees of the line; errors on it."""
        uart = self.uarts[device]
        match what:
            case "line":
                return {
                    "format": line_format(uart.termios),
                    "dtr": bool(uart.lines & DTR),
                    "rts": bool(uart.lines & RTS),
                    "log": uart.log,
                }
            case "line error":
                uart.counters[COUNTERS[values["kind"]]] += 1
                self.deliver(device, b"\0")
            case _:
                return super().request(what, device, values)
        return {}

    def close(self) -> None:
        """Unmount."""
        unmount(self._directory)
        os.rmdir(self._directory)


class TtyServer(FuseServer):
    """The ports as files."""

    open_flags = DIRECT_IO | STREAM

    def __init__(self, front: TtyFront, directory: str) -> None:
        self._front = front
        super().__init__(directory, {1: Node({})}, front.lock)

    def on_open(self, handle: Handle) -> int:
        """DTR and RTS rise, as the kernel raises them."""
        uart = next((one for one in self._front.uarts.values() if one.node == handle.node), None)
        if uart is None:
            return errno.ENXIO
        handle.state = uart
        uart.users += 1
        if uart.users == 1:
            uart.incoming.clear()
            self._set_lines(uart, uart.lines | DTR | RTS)
        uart.opened()
        return 0

    def on_release(self, handle: Handle) -> None:
        """They fall with the last closing where HUPCL is set."""
        uart: Uart = handle.state
        uart.users -= 1
        if uart.users == 0 and struct.unpack_from("<4I", uart.termios)[2] & HUPCL:
            self._set_lines(uart, uart.lines & ~(DTR | RTS))

    def on_read(self, unique: int, handle: Handle, offset: int, size: int, flags: int) -> bytes | int | None:
        """Give what is there, refuse, or wait."""
        uart: Uart = handle.state
        if uart.incoming or uart.gone:
            return uart.take(size)
        if flags & os.O_NONBLOCK:
            return -errno.EAGAIN
        uart.readers.append((unique, size))
        return None

    def on_interrupt(self, unique: int) -> None:
        """Let go of a reader."""
        for uart in self._front.uarts.values():
            if any(unique == waiting for waiting, _ in uart.readers):
                uart.readers = [one for one in uart.readers if one[0] != unique]
                self.reply(unique, -errno.EINTR)

    def on_write(self, handle: Handle, data: bytes) -> int:
        """Bytes to the device."""
        uart: Uart = handle.state
        if uart.gone:
            return -errno.EIO
        uart.put(data)
        return len(data)

    def on_poll(self, handle: Handle) -> int:
        """Readable with bytes in the buffer or when hung up."""
        uart: Uart = handle.state
        gone = select.POLLIN | select.POLLHUP | select.POLLERR if uart.gone else 0
        return select.POLLOUT | gone | (select.POLLIN if uart.incoming else 0)

    def on_ioctl(self, handle: Handle, memory: ClientMemory, command: int, argument: int) -> int:
        """Carry out one tty call."""
        uart: Uart = handle.state
        if uart.gone:
            return -errno.EIO
        if command in {TCSETS, TCSETSW, TCSETSF}:
            uart.termios = memory.read(argument, TERMIOS_BYTES)
            uart.log.append(["line", line_format(uart.termios)])
        elif command in {TIOCMBIS, TIOCMBIC, TIOCMSET}:
            bits = struct.unpack("<I", memory.read(argument, 4))[0]
            wanted = {TIOCMBIS: uart.lines | bits, TIOCMBIC: uart.lines & ~bits, TIOCMSET: bits}
            self._set_lines(uart, wanted[command])
        elif command in {TIOCSBRK, TIOCCBRK, TCSBRKP} or (command == TCSBRK and argument == 0):
            uart.log.append(["break", command != TIOCCBRK])
        elif command == TCFLSH:
            if argument in {0, 2}:
                uart.incoming.clear()
        elif command not in {TCSBRK, TIOCEXCL}:  # TCSBRK with an argument only waits for the output to leave
            return self._told(uart, memory, command, argument)
        return 0

    @staticmethod
    def _told(uart: Uart, memory: ClientMemory, command: int, argument: int) -> int:
        answers = {
            TCGETS: lambda: uart.termios,
            TIOCMGET: lambda: struct.pack("<I", uart.lines),
            TIOCGICOUNT: lambda: struct.pack("<11i", *uart.counters),
            TIOCOUTQ: lambda: struct.pack("<i", 0),
        }
        if command not in answers:
            return -errno.ENOTTY
        memory.write(argument, answers[command]())
        return 0

    @staticmethod
    def _set_lines(uart: Uart, wanted: int) -> None:
        changed = wanted & (DTR | RTS)
        if changed != uart.lines & (DTR | RTS):
            uart.log.append(["dtr", bool(changed & DTR), "rts", bool(changed & RTS)])
        uart.lines = changed | (DSR | CD if changed & DTR else 0) | (CTS if changed & RTS else 0)
