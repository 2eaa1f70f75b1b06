"""TCP connections to devices: bounded connect, no delay, keep-alive, and the loss of the peer.

Owns the connecting and the socket's options; the bytes are moved by `descriptor`. Must not know frames. Promises P9,
P10.

The connection deadline covers resolving the name, too. A name is resolved on a thread of the loop's default executor
(an address needs none); where the resolver itself hangs, that thread ends by the resolver's own time-out.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import socket
from typing import Any, Final

from cardshoe.errors import DeviceError
from cardshoe.transport.descriptor import DescriptorTransport
from cardshoe.transport.ports import WRITE_LIMIT_BYTES
from cardshoe.transport.urls import TcpUrl

CONNECT_S: Final = 3.0

# A silent peer is found by the link's heartbeat long before; these only free the socket of a dead one.
_KEEPALIVE: Final = ((socket.TCP_KEEPIDLE, 5), (socket.TCP_KEEPINTVL, 2), (socket.TCP_KEEPCNT, 3))
_USER_TIMEOUT_MS: Final = 10_000

_Address = tuple[socket.AddressFamily, tuple[Any, ...]]


async def open_tcp(
    url: TcpUrl, *, within_s: float = CONNECT_S, write_limit_bytes: int = WRITE_LIMIT_BYTES
) -> DescriptorTransport:
    """Connect within `within_s` seconds.

    Raises DeviceError `tcp-refused`, `tcp-timeout`, `tcp-unknown-host` or `tcp-unreachable`.
    """
    try:
        async with asyncio.timeout(within_s):
            connection = await _connect(url)
    except TimeoutError as error:
        raise DeviceError(
            "tcp-timeout",
            f"{url} did not answer within {within_s:g} s. Check that the device is switched on, that the address is "
            "right and that no firewall is between.",
        ) from error
    except ConnectionRefusedError as error:
        raise _refused(url) from error
    except socket.gaierror as error:
        raise DeviceError(
            "tcp-unknown-host",
            f"{url}: the host name {url.host!r} cannot be resolved ({error.strerror}). Check its spelling, or give the "
            "address itself.",
        ) from error
    except OSError as error:
        raise DeviceError(
            "tcp-unreachable",
            f"{url} cannot be reached ({error.strerror or error}). Check the network cable and the address.",
        ) from error

    def name_loss(error: OSError | None) -> DeviceError:
        return _lost(url, error)

    def release(*, lost: bool) -> None:
        del lost  # closing never waits: the kernel sends what it has taken
        connection.close()

    return DescriptorTransport(
        url=str(url), fd=connection.fileno(), name_loss=name_loss, release=release, write_limit_bytes=write_limit_bytes
    )


async def _connect(url: TcpUrl) -> socket.socket:
    loop = asyncio.get_running_loop()
    addresses = await _addresses(loop, url)
    refusal: OSError | None = None
    for family, address in addresses:
        with contextlib.ExitStack() as stack:
            connection = stack.enter_context(socket.socket(family, socket.SOCK_STREAM | socket.SOCK_CLOEXEC))
            connection.setblocking(False)
            _set_options(connection)
            try:
                await loop.sock_connect(connection, address)
            except OSError as error:
                refusal = error
                continue
            if connection.getsockname() == connection.getpeername():
                # The kernel may give a connecting socket the very port it asks for: nobody else is there.
                refusal = ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
                continue
            stack.pop_all()
            return connection
    raise refusal or socket.gaierror(socket.EAI_NONAME, "no address")


async def _addresses(loop: asyncio.AbstractEventLoop, url: TcpUrl) -> list[_Address]:
    try:
        address = ipaddress.ip_address(url.host)
    except ValueError:
        found = await loop.getaddrinfo(url.host, url.port, type=socket.SOCK_STREAM)
        return [(family, where) for family, _, _, _, where in found]
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    return [(family, (str(address), url.port))]


def _set_options(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _KEEPALIVE:
        connection.setsockopt(socket.IPPROTO_TCP, option, value)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _USER_TIMEOUT_MS)


def _refused(url: TcpUrl) -> DeviceError:
    return DeviceError(
        "tcp-refused",
        f"{url} refuses the connection: nothing listens on port {url.port} there. Start the device, or correct the "
        "port.",
    )


def _lost(url: TcpUrl, error: OSError | None) -> DeviceError:
    cause = "closed by the other side" if error is None else (error.strerror or str(error))
    return DeviceError(
        "tcp-lost",
        f"the connection to {url} is gone ({cause}). Nothing more is sent to it. Check the device and the network; it "
        "is connected again when it answers.",
    )
