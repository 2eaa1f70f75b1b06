"""Where the console listens, and by which names it may be called.

Owns the rule that a console is local unless it has a certificate. Pure.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cardshoe.errors import ConfigError
from cardshoe.games.quoting import quoted

DEFAULT_PORT: Final = 8350


@dataclass(frozen=True, slots=True)
class Address:
    """`host` is an IP address, `port` 0 a free one. `names`: further names by which browsers call this console."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    certificate: Path | None = None
    key: Path | None = None
    names: tuple[str, ...] = field(default=())

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        return ipaddress.ip_address(self.host).is_loopback

    @property
    def shown_host(self) -> str:
        """The host as it stands in a URL."""
        if self.names:
            return self.names[0]
        return f"[{self.host}]" if ":" in self.host else self.host


def read_address(
    text: str, *, certificate: Path | None = None, key: Path | None = None, names: tuple[str, ...] = ()
) -> Address:
    """Return the address in `HOST:PORT`. Raises `ConfigError` (`console-address`)."""
    host, colon, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    host = "127.0.0.1" if host == "localhost" else host
    try:
        ipaddress.ip_address(host)
    except ValueError as error:
        raise ConfigError(
            "console-address", f"The console's address {quoted(text)} is no IP-ADDRESS:PORT, such as 127.0.0.1:8350."
        ) from error
    if not colon or not (port.isascii() and port.isdigit()) or len(port) > 5 or int(port) > 65535:
        raise ConfigError(
            "console-address", f"The console's address {quoted(text)} has no port of 0 to 65535 after its last colon."
        )
    address = Address(host, int(port), certificate, key, names)
    if (certificate is None) != (key is None):
        raise ConfigError("console-address", "The console needs certificate and key, or neither of them.")
    if not address.local and certificate is None:
        raise ConfigError(
            "console-address",
            f"The console may listen at {host}, which other machines can reach, only with a certificate: set"
            " console.certificate and console.key, or listen at 127.0.0.1.",
        )
    return address


def hosts_of(address: Address, port: int) -> frozenset[str]:
    """Return every `Host` by which this console may be called, in lower case."""
    names = {name.lower() for name in address.names}
    if address.local:
        names |= {"localhost", "127.0.0.1", "[::1]"}
    else:
        names.add(f"[{address.host}]" if ":" in address.host else address.host)
    default = 443 if address.certificate is not None else 80
    return frozenset({f"{name}:{port}" for name in names} | (names if port == default else set()))
