"""One opener for every kind of device URL.

Owns the choice of the transport by the URL, and nothing else. Must not know frames, or what a simulated device is: who
may use one resolves `sim://` to its port before coming here; a live table does not, and is refused. Promise P10.
"""

from __future__ import annotations

from typing import assert_never

from cardshoe.errors import ConfigError
from cardshoe.transport.ports import WRITE_LIMIT_BYTES, Transport
from cardshoe.transport.serial_port import BAUD, open_serial
from cardshoe.transport.tcp import CONNECT_S, open_tcp
from cardshoe.transport.urls import DeviceUrl, SerialUrl, SimUrl, TcpUrl, UsbUrl, parse_device_url
from cardshoe.transport.usb_bulk import open_usb


async def open_transport(
    url: str | DeviceUrl,
    *,
    within_s: float = CONNECT_S,
    baud: int = BAUD,
    hold_dtr: bool = True,
    write_limit_bytes: int = WRITE_LIMIT_BYTES,
) -> Transport:
    """Open the device's port within `within_s` seconds and send nothing.

    `baud` and `hold_dtr` (keep DTR up, also after closing) count for serial ports only.
    Raises ConfigError `device-url` or `simulated-device-refused`, and DeviceError with the code that says what is wrong
    with the port.
    """
    device = parse_device_url(url) if isinstance(url, str) else url
    match device:
        case SerialUrl():
            return open_serial(device, baud=baud, hold_dtr=hold_dtr, write_limit_bytes=write_limit_bytes)
        case TcpUrl():
            return await open_tcp(device, within_s=within_s, write_limit_bytes=write_limit_bytes)
        case UsbUrl():
            return await open_usb(device, within_s=within_s, write_limit_bytes=write_limit_bytes)
        case SimUrl():
            raise ConfigError(
                "simulated-device-refused",
                f"{device} is a simulated device, and this opens real ones only. Give the URL of a device, or run "
                "`cardshoe demo`.",
            )
        case _:
            assert_never(device)
