"""Device URLs: one spelling selects hardware or simulation, the same everywhere (promise P10).

    serial:///dev/serial/by-id/usb-…     a tty, by absolute path (three slashes)
    tcp://host:port                      a TCP port; IPv6 addresses in brackets
    usb://VID:PID/SERIAL                 a vendor interface with bulk endpoints; four hexadecimal digits each
    sim://NAME                           a simulated device; resolved by demo, tests and bench, never by a live table

Owns the spelling and its errors; pure. Must not know how any of them is opened. Paths and serial numbers are taken as
they are written: there is no percent-encoding, no query and no fragment.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

from cardshoe.errors import ConfigError

FORMS: Final = "serial:///dev/…, tcp://host:port, usb://VID:PID/SERIAL or sim://NAME"

_HOST_NAME: Final = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*\.?")
_USB: Final = re.compile(r"([0-9A-Fa-f]{4}):([0-9A-Fa-f]{4})/(.+)")


@dataclass(frozen=True, slots=True)
class SerialUrl:
    """A tty by its absolute path."""

    path: str

    def __str__(self) -> str:
        return f"serial://{self.path}"


@dataclass(frozen=True, slots=True)
class TcpUrl:
    """A TCP port; `host` is a name or an address, IPv6 without its brackets."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"tcp://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class UsbUrl:
    """A USB device by vendor, product and serial number string."""

    vendor_id: int
    product_id: int
    serial_number: str

    def __str__(self) -> str:
        return f"usb://{self.vendor_id:04x}:{self.product_id:04x}/{self.serial_number}"


@dataclass(frozen=True, slots=True)
class SimUrl:
    """A simulated device; what the name means is decided by whoever resolves it."""

    name: str

    def __str__(self) -> str:
        return f"sim://{self.name}"


DeviceUrl = SerialUrl | TcpUrl | UsbUrl | SimUrl


def parse_device_url(text: str) -> DeviceUrl:
    """Read a device URL. Raises ConfigError `device-url`, quoting the value and saying how it is written."""
    if not text or not text.isprintable() or text != text.strip():
        raise _wrong(text, f"it is empty, or has spaces around it or a control character in it; write {FORMS}")
    scheme, separator, rest = text.partition("://")
    if not separator:
        raise _wrong(text, _without_scheme(text))
    match scheme:
        case "serial":
            return _serial(text, rest)
        case "tcp":
            return _tcp(text, rest)
        case "usb":
            return _usb(text, rest)
        case "sim":
            return _sim(text, rest)
        case _:
            raise _wrong(text, f"{scheme!r} is no kind of device; write {FORMS}")


def _wrong(text: str, why: str) -> ConfigError:
    return ConfigError("device-url", f"device URL {text!r}: {why}.")


def _without_scheme(text: str) -> str:
    if text.startswith("/"):
        return f"a path needs its kind; write serial://{text}"
    if re.fullmatch(r"[^/]+:[0-9]{1,5}", text):
        return f"a host and port need their kind; write tcp://{text}"
    return f"the kind is missing; write {FORMS}"


def _serial(text: str, rest: str) -> SerialUrl:
    if not rest.startswith("/"):
        raise _wrong(text, f"the path must be absolute, with three slashes; write serial:///{rest or 'dev/ttyACM0'}")
    if rest.endswith("/"):
        raise _wrong(text, "this names a directory; name the port in it")
    return SerialUrl(rest)


def _tcp(text: str, rest: str) -> TcpUrl:
    host, separator, port = rest.rpartition(":")
    if not separator or not host:
        raise _wrong(text, "host or port is missing; write tcp://host:port")
    if not re.fullmatch(r"[0-9]{1,5}", port) or not 1 <= int(port) <= 65535:
        raise _wrong(text, f"port {port!r} is no number from 1 to 65535")
    if host.startswith("[") and host.endswith("]"):
        return TcpUrl(_ipv6(text, host[1:-1]), int(port))
    if ":" in host:
        raise _wrong(text, "an IPv6 address goes in brackets; write tcp://[address]:port")
    if len(host) > 253 or not _HOST_NAME.fullmatch(host):
        raise _wrong(text, f"{host!r} is no host name or address")
    return TcpUrl(host, int(port))


def _ipv6(text: str, address: str) -> str:
    try:
        ipaddress.IPv6Address(address)
    except ValueError as error:
        raise _wrong(text, f"{address!r} is no IPv6 address") from error
    return address


def _usb(text: str, rest: str) -> UsbUrl:
    found = _USB.fullmatch(rest)
    if found is None:
        raise _wrong(text, "write usb://VID:PID/SERIAL with four hexadecimal digits each and the serial number")
    return UsbUrl(int(found[1], 16), int(found[2], 16), found[3])


def _sim(text: str, rest: str) -> SimUrl:
    if not rest:
        raise _wrong(text, "the simulated device has no name; write sim://NAME")
    return SimUrl(rest)
