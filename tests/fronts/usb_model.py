"""USB devices that carry a byte stream, and the queue of transfers that every USB front end shares.

Owns descriptors, standard requests, packets, halts and the faults of an endpoint. Must not know who carries the
transfers, what the bytes mean, or threads: the front end holds one lock around all of it. LINK-1.2: borders of packets
mean nothing, so the faults cut them as a device may.

IN data leaves in packets. A transfer ends with a packet shorter than the endpoint's size, or when it is full: a device
that stops after full packets without a zero-length one leaves the host waiting, as on a real bus.
"""

from __future__ import annotations

import errno
import struct
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

VENDOR_ID = 0x1209  # 1209:0001 and 1209:0002 are reserved for private tests
BULK_PRODUCT, ACM_PRODUCT = 0x0001, 0x0002
HIGH_SPEED = 3  # the kernel's number; usbfs and USB/IP use it too
PACKET = 512  # the only bulk packet size that a kernel takes at high speed without complaint
BULK_OUT, BULK_IN, INTERRUPT_IN = 0x01, 0x81, 0x82
CLEAR_FEATURE, SET_CONFIGURATION, GET_DESCRIPTOR = 1, 9, 6


class Handshake(Enum):
    """What an endpoint answers when it has no data to give."""

    NAK = auto()  # not now: the host asks again
    STALL = auto()  # halted, or refused
    BABBLE = auto()  # more than the host has room for


@dataclass(eq=False)
class Trouble:
    """What an endpoint or a packet suffers; everything is off at first."""

    cut: int | None = None
    """IN data leaves in packets of so many bytes: all of them short ones."""

    empty_packets: bool = False
    """A zero-length packet before each one with data."""

    no_zero_packet: bool = False
    """Full packets are not followed by a zero-length one, as careless firmware does."""

    halted: set[int] = field(default_factory=set)
    """Endpoints that are halted until the host clears them."""

    broken: set[int] = field(default_factory=set)
    """Endpoints that stay halted whatever the host does."""

    babble: bool = False
    """The next IN packet is longer than the host's buffer."""

    deaf: bool = False
    """OUT packets are not taken."""


class UsbModel:
    """Standard requests and descriptors; a device adds its interfaces and endpoints."""

    speed = HIGH_SPEED

    def __init__(self, product: int, device_class: int, interfaces: list[bytes], strings: list[str]) -> None:
        self.device_descriptor = struct.pack(
            "<BBHBBBBHHHBBBB", 18, 1, 0x0200, device_class, 0, 0, 64, VENDOR_ID, product, 0x0100, 1, 2, 3, 1
        )
        body = b"".join(interfaces)
        count = len({one[2] for one in descriptors_of(body) if one[1] == 4})
        self.config_descriptor = struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), count, 1, 0, 0x80, 50) + body
        self.strings = {0: bytes([4, 3, 9, 4])} | {n: _string(text) for n, text in enumerate(strings, 1)}
        self.serial_number = strings[2]
        self.trouble = Trouble()
        self.packets: dict[int, deque[bytes]] = {BULK_IN: deque(), INTERRUPT_IN: deque()}
        self.on_data: Callable[[], None] = lambda: None  # the front end: look at the IN endpoints again
        self.to_device: Callable[[bytes], None] = lambda _: None

    @property
    def descriptors(self) -> bytes:
        """Device and configuration, as usbfs and sysfs show them."""
        return self.device_descriptor + self.config_descriptor

    def control(self, setup: bytes, data: bytes) -> bytes | Handshake:
        """Answer one control transfer: data for IN, b"" for an accepted OUT."""
        kind, request, value, index, length = struct.unpack("<BBHHH", setup)
        if kind & 0x60:
            return self.own_request(kind, request, value, data)[:length]
        if kind & 0x80 == 0:
            if request == CLEAR_FEATURE and kind == 2 and value == 0:
                self.clear_halt(index)
            return b""
        if request == GET_DESCRIPTOR:
            tables = {1: self.device_descriptor, 2: self.config_descriptor, 3: self.strings.get(value & 0xFF)}
            found = tables.get(value >> 8)
            return Handshake.STALL if found is None else found[:length]
        return {0: b"\0\0", 8: b"\x01", 10: b"\0"}.get(request, Handshake.STALL)

    def own_request(self, kind: int, request: int, value: int, data: bytes) -> Any:
        """Class and vendor requests."""
        raise NotImplementedError

    def clear_halt(self, endpoint: int) -> None:
        """The host clears an endpoint."""
        self.trouble.halted.discard(endpoint)

    def out(self, endpoint: int, data: bytes) -> Handshake | None:
        """Take one OUT transfer, or say why not."""
        if endpoint in self.trouble.halted | self.trouble.broken or endpoint != BULK_OUT:
            return Handshake.STALL
        if self.trouble.deaf:
            return Handshake.NAK
        self.to_device(data)
        return None

    def inp(self, endpoint: int) -> bytes | Handshake:
        """Give the next IN packet."""
        if endpoint in self.trouble.halted | self.trouble.broken or endpoint not in self.packets:
            return Handshake.STALL
        if self.trouble.babble and endpoint == BULK_IN:
            self.trouble.babble = False
            return Handshake.BABBLE
        waiting = self.packets[endpoint]
        return waiting.popleft() if waiting else Handshake.NAK

    def from_device(self, data: bytes) -> None:
        """The machine behind it sends bytes."""
        size = self.trouble.cut or PACKET
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        if len(pieces[-1]) == PACKET and not self.trouble.no_zero_packet:
            pieces.append(b"")
        for piece in pieces:
            if self.trouble.empty_packets:
                self.packets[BULK_IN].append(b"")
            self.packets[BULK_IN].append(piece)
        self.on_data()


class BulkDevice(UsbModel):
    """A vendor interface with bulk OUT 01 and bulk IN 81, beside a HID interface that is not ours."""

    def __init__(self, serial_number: str, *, interface_class: int = 0xFF) -> None:
        other = struct.pack("<9B", 9, 4, 0, 0, 0, 3, 0, 0, 0)
        ours = struct.pack("<9B", 9, 4, 1, 0, 2, interface_class, 1, 1, 0)
        ends = b"".join(struct.pack("<BBBBHB", 7, 5, end, 2, PACKET, 0) for end in (BULK_OUT, BULK_IN))
        super().__init__(BULK_PRODUCT, 0, [other, ours + ends], ["cardshoe", "virtual shoe", serial_number])

    def own_request(self, kind: int, request: int, value: int, data: bytes) -> Any:
        """None are known: an empty answer."""
        return b""


class AcmDevice(UsbModel):
    """A CDC-ACM port: what the kernel makes a ttyACM of. `log` keeps what the host did to the line."""

    DCD, DSR, FRAMING, PARITY, OVERRUN = 1, 2, 16, 32, 64

    def __init__(self, serial_number: str) -> None:
        control = struct.pack("<9B", 9, 4, 0, 0, 1, 2, 2, 1, 0)
        functional = bytes([5, 0x24, 0, 0x10, 1, 5, 0x24, 1, 0, 1, 4, 0x24, 2, 6, 5, 0x24, 6, 0, 1])
        notify = struct.pack("<BBBBHB", 7, 5, INTERRUPT_IN, 3, 16, 4)
        data = struct.pack("<9B", 9, 4, 1, 0, 2, 10, 0, 0, 0)
        ends = b"".join(struct.pack("<BBBBHB", 7, 5, end, 2, PACKET, 0) for end in (BULK_OUT, BULK_IN))
        association = bytes([8, 11, 0, 2, 2, 2, 1, 0])
        super().__init__(
            ACM_PRODUCT,
            2,
            [association + control + functional + notify, data + ends],
            ["cardshoe", "virtual serial shoe", serial_number],
        )
        self.line_coding = struct.pack("<IBBB", 9600, 0, 0, 8)
        self.log: list[list[Any]] = []

    def own_request(self, kind: int, request: int, value: int, data: bytes) -> Any:
        """Line coding, modem lines, break."""
        match kind, request:
            case 0xA1, 0x21:
                return self.line_coding
            case 0x21, 0x20:
                self.line_coding = data
                self.log.append(["line", *struct.unpack("<IBBB", data)])
            case 0x21, 0x22:
                self.log.append(["dtr", value & 1, "rts", value >> 1 & 1])
                self.line_state(self.DSR | self.DCD if value & 1 else 0)
            case 0x21, 0x23:
                self.log.append(["break", value])
            case _:
                return b""
        return b""

    def line_state(self, bits: int) -> None:
        """Tell the host of modem lines and errors."""
        self.packets[INTERRUPT_IN].append(bytes([0xA1, 0x20, 0, 0, 0, 0, 2, 0]) + struct.pack("<H", bits))
        self.on_data()

    def line_error(self) -> None:
        """One framing, one parity and one overrun error."""
        self.line_state(self.DSR | self.DCD | self.FRAMING | self.PARITY | self.OVERRUN)


def _string(text: str) -> bytes:
    body = text.encode("utf-16-le")
    return bytes([2 + len(body), 3]) + body


def descriptors_of(block: bytes) -> Iterator[bytes]:
    """The descriptors in a block, one by one."""
    while block:
        yield block[: block[0]]
        block = block[block[0] :]


@dataclass(eq=False)
class Transfer:
    """One transfer on its way; `tag` is whatever the front end needs to report it."""

    endpoint: int  # with its direction bit; 0 for control
    length: int
    data: bytes = b""
    setup: bytes = b""
    tag: Any = None
    status: int = 0
    actual: int = 0

    @property
    def to_host(self) -> bool:
        """Tell its direction."""
        return bool((self.setup[0] if self.setup else self.endpoint) & 0x80)


class Schedule:
    """Transfers waiting for a device: in order on each endpoint. The caller holds its lock around every method."""

    def __init__(self, device: UsbModel) -> None:
        self.device = device
        self.waiting: list[Transfer] = []
        self.gone = False
        self._running = self._again = False

    def run(self) -> list[Transfer]:
        """Complete what can be completed. A device that answers at once calls back into here: that is one more pass."""
        self._again = True
        if self._running:
            return []
        self._running, finished = True, list[Transfer]()
        try:
            while self._again:
                self._again = False
                finished += self._pass()
        finally:
            self._running = False
        return finished

    def _pass(self) -> list[Transfer]:
        finished, blocked = list[Transfer](), set[int]()
        for transfer in list(self.waiting):
            if transfer.endpoint in blocked:
                continue
            if self._attempt(transfer):
                finished.append(transfer)
            else:
                blocked.add(transfer.endpoint)
        self.waiting = [one for one in self.waiting if one not in finished]
        return finished

    def _attempt(self, transfer: Transfer) -> bool:
        if self.gone:
            transfer.status = -errno.ESHUTDOWN
            return True
        if transfer.setup:
            return self._control(transfer)
        if not transfer.to_host:
            refused = self.device.out(transfer.endpoint, transfer.data)
            transfer.actual = 0 if refused else len(transfer.data)
            return self._ended(transfer, refused)
        return self._inp(transfer)

    def _control(self, transfer: Transfer) -> bool:
        result = self.device.control(transfer.setup, transfer.data)
        if isinstance(result, Handshake):
            return self._ended(transfer, result)
        if transfer.to_host:
            transfer.data, transfer.actual = result, len(result)
        else:
            transfer.actual = len(transfer.data)
        return True

    def _inp(self, transfer: Transfer) -> bool:
        while True:
            packet = self.device.inp(transfer.endpoint)
            if isinstance(packet, Handshake):
                return self._ended(transfer, packet)
            transfer.data += packet
            transfer.actual = len(transfer.data)
            if len(packet) < self._size(transfer.endpoint) or transfer.actual >= transfer.length:
                return True

    def _size(self, endpoint: int) -> int:
        return PACKET if endpoint == BULK_IN else 16

    @staticmethod
    def _ended(transfer: Transfer, refused: Handshake | None) -> bool:
        match refused:
            case Handshake.NAK:
                return False
            case Handshake.STALL:
                transfer.status = -errno.EPIPE
            case Handshake.BABBLE:
                transfer.status = -errno.EOVERFLOW
            case None:
                transfer.status = 0
        return True

    def cancel(self, match: Callable[[Transfer], bool], status: int) -> Transfer | None:
        """Take the first waiting transfer that matches; what it has got so far stays in it."""
        for transfer in self.waiting:
            if match(transfer):
                self.waiting.remove(transfer)
                transfer.status = status
                return transfer
        return None
