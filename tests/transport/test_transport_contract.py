"""One contract for every transport (promises P9 and P10): the bodies do not know which one they hold."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from fake_usb_backend import PRODUCT, VENDOR, FakeBackend, FakeDevice
from transport_owner import Owner, settle, until

from cardshoe.errors import DeviceError
from cardshoe.transport import Tap, Transport, UsbUrl, memory_pair, open_transport
from cardshoe.transport.usb_bulk import open_usb

ALL_BYTES = bytes(range(256))


@dataclass
class Far:
    """The device's side of a transport, whatever it is made of."""

    transport: Transport
    send: Callable[[bytes], None]
    receive: Callable[[], bytes]
    unplug: Callable[[], None]
    loss: str
    deafen: Callable[[], None] = lambda: None
    """Make the device take nothing; with a kernel's buffer between it is enough not to read."""


async def over_pty(pair) -> Far:  # type: ignore[no-untyped-def]
    transport = await open_transport(f"serial://{pair.path}", write_limit_bytes=65536)

    def receive() -> bytes:
        try:
            return os.read(pair.master, 65536)
        except BlockingIOError:
            return b""

    return Far(transport, lambda data: _write_all(pair.master, data), receive, pair.hang_up, "port-vanished")


async def over_tcp(sockets: list[socket.socket]) -> Far:
    listening = socket.create_server(("127.0.0.1", 0))
    sockets.append(listening)
    transport = await open_transport(f"tcp://127.0.0.1:{listening.getsockname()[1]}", write_limit_bytes=65536)
    far, _ = listening.accept()
    far.setblocking(False)
    sockets.append(far)

    def receive() -> bytes:
        try:
            return far.recv(65536)
        except BlockingIOError:
            return b""

    return Far(transport, lambda data: _write_all(far.fileno(), data), receive, far.close, "tcp-lost")


async def over_memory() -> Far:
    near, far = memory_pair(write_limit_bytes=65536)
    inbox = bytearray()
    far.start(asyncio.get_running_loop(), inbox.extend, lambda _: None)

    def receive() -> bytes:
        taken = bytes(inbox)
        inbox.clear()
        return taken

    return Far(near, far.write, receive, far.close, "memory-lost")


async def over_usb() -> Far:
    device = FakeDevice()
    transport = await open_usb(
        UsbUrl(VENDOR, PRODUCT, device.serial_number), backend=FakeBackend(device), write_limit_bytes=65536
    )

    def receive() -> bytes:
        with device.changed:
            taken = bytes(device.from_host)
            device.from_host.clear()
        return taken

    return Far(transport, device.send, receive, device.unplug, "usb-lost", device.deafen)


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


KINDS = ["pty", "tcp", "memory", "usb", "tap over pty"]
Opener = Callable[[], "asyncio.Future[Far]"]


@pytest.fixture(params=KINDS)
def far_end(request: pytest.FixtureRequest, pty_pair) -> Iterator[Opener]:  # type: ignore[no-untyped-def]
    sockets: list[socket.socket] = []

    async def opener() -> Far:
        match request.param:
            case "pty":
                return await over_pty(pty_pair)
            case "tcp":
                return await over_tcp(sockets)
            case "memory":
                return await over_memory()
            case "usb":
                return await over_usb()
            case _:
                far = await over_pty(pty_pair)
                far.transport = Tap(far.transport)
                return far

    yield opener
    for one in sockets:
        one.close()


def run(far_end: Opener, body: Callable[[Far, Owner], object], *, start: bool = True) -> None:
    async def main() -> None:
        far = await far_end()
        owner = Owner(far.transport, start=start)
        try:
            await body(far, owner)  # type: ignore[misc]
        finally:
            owner.transport.close()

    asyncio.run(main())


def test_every_byte_value_passes_both_ways_and_in_order(far_end: Opener) -> None:
    async def body(far: Far, owner: Owner) -> None:
        sent = bytearray()
        for step in range(1, 40):
            piece = (ALL_BYTES * 2)[step : step + step * 7]
            sent += piece
            far.send(piece)
            owner.transport.write(piece)
        got = bytearray()

        def both() -> bool:
            got.extend(far.receive())
            return len(got) >= len(sent) and len(owner.received) >= len(sent)

        await until(both, "all bytes")
        assert bytes(got) == bytes(sent) == owner.received
        assert all(owner.chunks)

    run(far_end, body)


def test_a_loss_is_signalled_once_and_nothing_follows(far_end: Opener) -> None:
    async def body(far: Far, owner: Owner) -> None:
        far.unplug()
        await until(lambda: owner.losses, "the loss")
        owner.transport.write(b"into the void")
        await settle()
        assert owner.codes == [far.loss]
        assert owner.losses[0].exit_status == 3

    run(far_end, body)


def test_nothing_is_signalled_or_delivered_after_close(far_end: Opener) -> None:
    async def body(far: Far, owner: Owner) -> None:
        far.send(b"before")
        await until(lambda: owner.received == b"before", "the bytes")
        owner.transport.close()
        owner.transport.close()
        owner.transport.write(b"after")
        far.unplug()
        await settle()
        assert owner.losses == []
        assert owner.received == b"before"

    run(far_end, body)


def test_what_was_written_before_close_still_leaves(far_end: Opener) -> None:
    async def body(far: Far, owner: Owner) -> None:
        owner.transport.write(b"stop")
        owner.transport.close()
        got = bytearray()

        def arrived() -> bool:
            got.extend(far.receive())
            return bytes(got) == b"stop"

        await until(arrived, "the stop")

    run(far_end, body)


def test_it_has_one_owner(far_end: Opener) -> None:
    async def body(far: Far, owner: Owner) -> None:
        with pytest.raises(DeviceError) as refused:
            owner.start()
        assert refused.value.code == "transport-started"
        owner.transport.close()
        with pytest.raises(DeviceError) as closed:
            owner.start()
        assert closed.value.code == "transport-closed"

    run(far_end, body)


def test_bytes_written_before_the_start_are_sent(far_end: Opener) -> None:
    async def body(far: Far, owner: Owner) -> None:
        owner.transport.write(b"early")
        owner.start()
        got = bytearray()

        def arrived() -> bool:
            got.extend(far.receive())
            return bytes(got) == b"early"

        await until(arrived, "the early bytes")

    run(far_end, body, start=False)


def test_a_transport_never_started_gives_everything_back(far_end: Opener) -> None:
    async def body(far: Far, owner: Owner) -> None:
        owner.transport.close()  # the leak check is the assertion

    run(far_end, body, start=False)


def test_an_owner_may_close_from_inside_its_call_backs(far_end: Opener) -> None:
    async def main() -> None:
        far = await far_end()
        chunks: list[bytes] = []

        def close_at_once(data: bytes) -> None:
            chunks.append(data)
            far.transport.close()

        losses: list[DeviceError] = []
        far.transport.start(asyncio.get_running_loop(), close_at_once, losses.append)
        far.send(b"x")
        await until(lambda: chunks, "the byte")
        await settle()
        far.unplug()
        await settle()
        assert losses == []

    asyncio.run(main())


def test_too_much_waiting_to_be_written_is_a_loss_of_its_own(far_end: Opener) -> None:
    async def main() -> None:
        far = await far_end()
        owner = Owner(far.transport)
        far.deafen()
        for _ in range(400):
            for _ in range(2):
                far.transport.write(b"\x55" * 65536)  # nobody reads
            if owner.losses:
                break
            await asyncio.sleep(0)
        await until(lambda: owner.losses, "the loss")
        await settle()
        assert owner.codes == ["transport-overflow"]
        far.transport.close()

    asyncio.run(main())
