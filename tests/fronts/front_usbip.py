"""The device model on the USB/IP wire: what a real kernel attaches as hardware.

Owns the server's side of the protocol (import, submit, unlink) for each plugged device. Unplugging ends the connection,
as pulling a plug ends a bus. USB/IP has no authentication: the loopback address only.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import struct
import threading
from typing import Any

from front_usb import Plugged, UsbFront
from usb_model import Transfer

VERSION, IMPORT, IMPORTED = 0x0111, 0x8003, 0x0003
SUBMIT, UNLINK, SUBMITTED, UNLINKED = 1, 2, 3, 4
HEADER = struct.Struct("!IIIII")  # command, sequence, device id, direction (1: to the host), endpoint
COMMAND_BYTES = 48


def receive(line: socket.socket, length: int) -> bytes:
    """All of it. Raises EOFError."""
    data = b""
    while len(data) < length:
        part = line.recv(length - len(data))
        if not part:
            raise EOFError
        data += part
    return data


class UsbIpFront(UsbFront):
    """See the module. `acm`: the devices are serial ports.

    A transfer that is cut off loses on this wire what it had got (no "partial"), and emulation is slow (no "quick").
    """

    def __init__(self, lock: threading.RLock, *, acm: bool) -> None:
        super().__init__(lock)
        self.acm = acm
        if acm:
            self.features = frozenset({"twins", "guest", "busy", "acm", "system"})
        else:
            self.features = UsbFront.features | {"guest", "busy", "system"}
        self._clients: dict[int, socket.socket] = {}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def hidden(self, plugged: Plugged) -> None:
        """Pull the plug."""
        client = self._clients.pop(plugged.number, None)
        if client is not None:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def where(self, name: str) -> str:
        """By number, or by the name that udev gives a serial port."""
        if self.acm:
            return f"serial:///dev/serial/by-id/usb-cardshoe_virtual_serial_shoe_{self._serials[name]}-if00"
        return super().where(name)

    def finish(self, plugged: Plugged, transfers: list[Transfer]) -> None:
        """Answer what is done."""
        client = self._clients.get(plugged.number)
        for transfer in transfers:
            payload = transfer.data[: transfer.length] if transfer.to_host else b""
            actual = len(payload) if transfer.to_host else transfer.actual
            head = HEADER.pack(SUBMITTED, transfer.tag, 0, 0, 0)
            head += struct.pack("!iiiii8x", transfer.status, actual, 0, 0, 0)
            if client is not None:
                with contextlib.suppress(OSError):
                    client.sendall(head + payload)

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(EOFError, OSError), client:
            _, request, _, busid = struct.unpack("!HHI32s", receive(client, 40))
            with self.lock:
                plugged = self._at(busid.rstrip(b"\0").decode()) if request == IMPORT else None
                if plugged is None:
                    client.sendall(struct.pack("!HHI", VERSION, IMPORTED, 1))
                    return
                client.sendall(struct.pack("!HHI", VERSION, IMPORTED, 0) + self._record(plugged))
                self._clients[plugged.number] = client
            while True:
                self._command(plugged, client, receive(client, COMMAND_BYTES))

    def _at(self, busid: str) -> Plugged | None:
        return next((one for one in self.plugged.values() if f"1-{one.place}" == busid), None)

    @staticmethod
    def _record(plugged: Plugged) -> bytes:
        d, c = plugged.model.device_descriptor, plugged.model.config_descriptor
        busid = f"1-{plugged.place}".encode()
        place = (b"/sys/devices/virtual/" + busid, busid, 1, plugged.number, plugged.model.speed)
        ids = struct.unpack_from("<HHH", d, 8)
        return struct.pack("!256s32sIII", *place) + struct.pack("!HHHBBBBBB", *ids, d[4], d[5], d[6], c[5], d[17], c[4])

    def _command(self, plugged: Plugged, client: socket.socket, raw: bytes) -> None:
        kind, sequence, _, to_host, endpoint = HEADER.unpack_from(raw)
        if kind == SUBMIT:
            length = struct.unpack_from("!i", raw, 24)[0]
            data = receive(client, length) if length and not to_host else b""
            setup = raw[40:48] if endpoint == 0 else b""
            address = endpoint | (0x80 if endpoint and to_host else 0)
            with self.lock:
                plugged.schedule.waiting.append(Transfer(address, length, data, setup, tag=sequence))
                self.advance(plugged)
        elif kind == UNLINK:
            victim = struct.unpack_from("!I", raw, 20)[0]
            with self.lock:
                self._unlink(plugged, client, sequence, victim)

    def _unlink(self, plugged: Plugged, client: socket.socket, sequence: int, victim: int) -> None:
        def match(one: Transfer) -> bool:
            return bool(one.tag == victim)

        cut: Any = plugged.schedule.cancel(match, -errno.ECONNRESET)
        answer = HEADER.pack(UNLINKED, sequence, 0, 0, 0)
        client.sendall(answer + struct.pack("!i24x", cut.status if cut else 0))
