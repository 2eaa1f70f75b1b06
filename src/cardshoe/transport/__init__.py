"""Transports: bytes in and out of serial ports, TCP connections, USB and memory. They know nothing of frames.

transport = await open_transport("serial:///dev/serial/by-id/usb-…")
transport.start(loop, on_bytes, on_lost)
"""

from cardshoe.transport.memory import Channel, MemoryTransport, memory_pair
from cardshoe.transport.opening import open_transport
from cardshoe.transport.ports import OnBytes, OnLost, Transport
from cardshoe.transport.tap import Passed, Tap, TraceFile
from cardshoe.transport.urls import DeviceUrl, SerialUrl, SimUrl, TcpUrl, UsbUrl, parse_device_url

__all__ = [
    "Channel",
    "DeviceUrl",
    "MemoryTransport",
    "OnBytes",
    "OnLost",
    "Passed",
    "SerialUrl",
    "SimUrl",
    "Tap",
    "TcpUrl",
    "TraceFile",
    "Transport",
    "UsbUrl",
    "memory_pair",
    "open_transport",
    "parse_device_url",
]
