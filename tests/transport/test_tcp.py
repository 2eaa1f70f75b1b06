"""TCP connections on real sockets: options, refusals, deadlines, and how a peer can go (promises P9 and P10)."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import subprocess
from collections.abc import Iterator

import pytest
from transport_owner import Owner, settle, until

from cardshoe.errors import DeviceError
from cardshoe.transport import TcpUrl, tcp
from cardshoe.transport.tcp import open_tcp


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def port_of(server: socket.socket) -> int:
    return int(server.getsockname()[1])


def refusal(url: TcpUrl, **settings: float) -> DeviceError:
    with pytest.raises(DeviceError) as refused:
        asyncio.run(open_tcp(url, **settings))  # type: ignore[arg-type]
    assert str(url) in refused.value.text
    assert refused.value.exit_status == 3
    return refused.value


def test_the_connection_does_not_delay_and_watches_its_peer(listening: socket.socket) -> None:
    async def main() -> None:
        transport = await open_tcp(TcpUrl("127.0.0.1", port_of(listening)))
        ours = socket.socket(fileno=os.dup(transport._fd))
        assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert 0 < ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) <= 10
        assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) > 0
        assert not os.get_inheritable(transport._fd)
        assert not os.get_blocking(transport._fd)
        ours.close()
        transport.close()

    asyncio.run(main())


@pytest.mark.parametrize("abort", [False, True])
def test_a_peer_that_goes_is_one_loss(listening: socket.socket, abort: bool) -> None:
    async def main() -> None:
        owner = Owner(await open_tcp(TcpUrl("127.0.0.1", port_of(listening))))
        far, _ = listening.accept()
        if abort:
            far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            far.sendall(b"last words")
        far.close()
        await until(lambda: owner.losses, "the loss")
        await settle()
        assert owner.codes == ["tcp-lost"]
        assert ("reset" in owner.losses[0].text) is abort
        assert owner.received == (b"" if abort else b"last words")
        owner.transport.close()

    asyncio.run(main())


def test_a_name_is_resolved(listening: socket.socket) -> None:
    async def main() -> None:
        (await open_tcp(TcpUrl("localhost", port_of(listening)))).close()

    asyncio.run(main())


def test_nothing_listening_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = port_of(server)
    error = refusal(TcpUrl("127.0.0.1", port))
    assert error.code == "tcp-refused"
    assert str(port) in error.text


def test_a_host_that_never_answers_is_given_up_at_the_deadline() -> None:
    """A full queue drops the request, as a host that is switched off does."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        with socket.create_connection(server.getsockname()):
            error = refusal(TcpUrl("127.0.0.1", port_of(server)), within_s=0.15)
    assert error.code == "tcp-timeout"
    assert "0.15 s" in error.text


def test_a_cancelled_connection_leaves_nothing_open() -> None:
    async def main(url: TcpUrl) -> None:
        connecting = asyncio.ensure_future(open_tcp(url))
        await asyncio.sleep(0.02)
        connecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connecting

    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        with socket.create_connection(server.getsockname()):
            asyncio.run(main(TcpUrl("127.0.0.1", port_of(server))))


def test_an_unknown_name_and_an_unreachable_host_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    async def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", unknown)
    error = refusal(TcpUrl("shoe.invalid", 1))
    assert error.code == "tcp-unknown-host"
    assert "'shoe.invalid'" in error.text

    async def nowhere(*_: object) -> None:
        raise OSError(113, os.strerror(113))

    monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_connect", nowhere)
    assert refusal(TcpUrl("192.0.2.1", 1)).code == "tcp-unreachable"


def test_a_socket_connected_to_itself_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel may choose the very port that is asked for; it then connects without anybody listening."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = port_of(server)

    def bind_too(connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        connection.bind(("127.0.0.1", port))

    monkeypatch.setattr(tcp, "_set_options", bind_too)
    assert refusal(TcpUrl("127.0.0.1", port)).code == "tcp-refused"


def test_all_addresses_of_a_name_are_tried(listening: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        dead = port_of(server)
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)) for port in (dead, port_of(listening))]

    async def two(*_: object, **__: object) -> object:
        return found

    async def main() -> None:
        monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", two)
        (await open_tcp(TcpUrl("shoe", 1))).close()

    asyncio.run(main())


def test_a_child_process_does_not_inherit_the_connection(listening: socket.socket) -> None:
    async def main() -> None:
        transport = await open_tcp(TcpUrl("127.0.0.1", port_of(listening)))
        target = os.readlink(f"/proc/self/fd/{transport._fd}")
        listed = subprocess.run(
            ["sh", "-c", "for f in /proc/self/fd/*; do readlink $f; done"],
            close_fds=False,
            capture_output=True,
            text=True,
        )
        transport.close()
        assert target not in listed.stdout

    asyncio.run(main())
