"""/dev/bus/usb from user space: unmodified libusb through real open, ioctl and poll calls.

Owns the usbfs calls and what libusb reads under /sys/bus/usb. Needs mounts of its own, and a libusb built without udev;
the one of a distribution asks udev and does not see this.
"""

from __future__ import annotations

import errno
import os
import select
import shutil
import struct
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import usbdevfs as fs
from front_usb import Plugged, UsbFront
from fuse_wire import ClientMemory, FuseServer, Handle, Node, mount, own_mounts, unmount
from usb_model import Transfer

USB, SYSFS = "/dev/bus/usb", Path("/sys/bus/usb/devices")
BUS = 1
ROOT_NODE, BUS_NODE = 1, 2


@dataclass(eq=False)
class Urb:
    """Where the client keeps the request that a transfer belongs to."""

    memory: ClientMemory
    address: int
    buffer: int
    handle: Handle


@dataclass(eq=False)
class Opened:
    """What an open node has: its device, what is done and waits to be reaped, the claims it holds."""

    plugged: Plugged
    done: deque[Transfer]


class Usbfs(UsbFront):
    """See the module."""

    features = UsbFront.features | {"access", "kernel driver", "busy", "claims", "quick", "partial", "system"}

    def __init__(self, lock: Any) -> None:
        super().__init__(lock)
        own_mounts()
        os.makedirs(USB, exist_ok=True)
        mount("tmpfs", "/sys/bus", "tmpfs")
        SYSFS.mkdir(parents=True)
        self.server = UsbfsServer(self)

    def shown(self, plugged: Plugged) -> None:
        """A node, and its attributes."""
        node = 100 + plugged.number
        self.server.nodes[node] = Node(None, len(plugged.model.descriptors))
        children = self.server.nodes[BUS_NODE].children
        if children is not None:
            children[f"{plugged.number:03d}"] = node
        vendor, product = struct.unpack_from("<HH", plugged.model.device_descriptor, 8)
        attributes = {
            "busnum": BUS, "devnum": plugged.number, "speed": 480, "bConfigurationValue": 1, "bNumConfigurations": 1,
            "idVendor": f"{vendor:04x}", "idProduct": f"{product:04x}", "serial": plugged.model.serial_number,
            "product": "virtual shoe", "manufacturer": "cardshoe",
        }  # fmt: skip
        folder = SYSFS / f"1-{plugged.place}"
        folder.mkdir()
        for name, value in attributes.items():
            (folder / name).write_text(f"{value}\n")
        (folder / "descriptors").write_bytes(plugged.model.descriptors)

    def hidden(self, plugged: Plugged) -> None:
        """The node goes, and whoever sleeps on it wakes."""
        children = self.server.nodes[BUS_NODE].children
        if children is not None:
            children.pop(f"{plugged.number:03d}", None)
        shutil.rmtree(SYSFS / f"1-{plugged.place}")
        for handle in self.server.handles.values():
            if handle.state is not None and handle.state.plugged is plugged:
                self.server.wake(handle)

    def finish(self, plugged: Plugged, transfers: list[Transfer]) -> None:
        """Write results into the client's memory and let it reap them."""
        for transfer in transfers:
            urb: Urb = transfer.tag
            try:
                if transfer.to_host:
                    urb.memory.write(urb.buffer, transfer.data[: transfer.length])
                urb.memory.write(urb.address + fs.URB_STATUS, struct.pack("<i", transfer.status))
                urb.memory.write(urb.address + fs.URB_ACTUAL, struct.pack("<i", min(transfer.actual, transfer.length)))
            except OSError:
                continue  # the client has ended
            urb.handle.state.done.append(transfer)
            self.server.wake(urb.handle)

    def close(self) -> None:
        """Unmount."""
        unmount(USB)


class UsbfsServer(FuseServer):
    """The nodes under /dev/bus/usb."""

    def __init__(self, front: UsbFront) -> None:
        self._front = front
        super().__init__(USB, {ROOT_NODE: Node({f"{BUS:03d}": BUS_NODE}), BUS_NODE: Node({})}, front.lock)

    def on_open(self, handle: Handle) -> int:
        """Open one device."""
        if self._front.denied:
            return errno.EACCES
        plugged = next((one for one in self._front.plugged.values() if 100 + one.number == handle.node), None)
        if plugged is None:
            return errno.ENODEV
        handle.state = Opened(plugged, deque())
        return 0

    def on_release(self, handle: Handle) -> None:
        """What it claimed and what waits goes with it."""
        plugged = handle.state.plugged
        plugged.claims = {key: one for key, one in plugged.claims.items() if one is not handle}
        plugged.schedule.waiting = [one for one in plugged.schedule.waiting if one.tag.handle is not handle]

    def on_read(self, unique: int, handle: Handle, offset: int, size: int, flags: int) -> bytes:
        """Give the descriptors."""
        return bytes(handle.state.plugged.model.descriptors[offset : offset + size])

    def on_poll(self, handle: Handle) -> int:
        """Writable when something can be reaped."""
        gone = select.POLLERR | select.POLLHUP if handle.state.plugged.schedule.gone else 0
        return gone | (select.POLLOUT if handle.state.done else 0)

    def on_ioctl(self, handle: Handle, memory: ClientMemory, command: int, argument: int) -> int:
        """Carry out one usbfs call."""
        plugged: Plugged = handle.state.plugged
        if command in {fs.REAPURB, fs.REAPURBNDELAY}:
            return self._reap(handle, memory, argument)
        if command == fs.DISCARDURB:
            return self._discard(handle, plugged, argument)
        if plugged.schedule.gone:
            return -errno.ENODEV
        if command == fs.SUBMITURB:
            return self._submit(handle, plugged, memory, argument)
        return self._of_interface(handle, plugged, memory, command, argument)

    def _of_interface(self, handle: Handle, plugged: Plugged, memory: ClientMemory, command: int, argument: int) -> int:
        def number() -> int:
            return int(struct.unpack("<I", memory.read(argument, 4))[0])

        match command:
            case fs.GET_CAPABILITIES:
                memory.write(argument, struct.pack("<I", fs.CAPABILITIES))
            case fs.CONNECTINFO:
                memory.write(argument, struct.pack("<IB", plugged.number, 0))
            case fs.GET_SPEED:
                return plugged.model.speed
            case fs.CLEAR_HALT:
                plugged.model.clear_halt(number())
            case fs.CLAIMINTERFACE:
                return self._claim(handle, plugged, number())
            case fs.DISCONNECT_CLAIM:
                plugged.drivers.pop(number(), None)
                return self._claim(handle, plugged, number())
            case fs.RELEASEINTERFACE:
                return 0 if plugged.claims.pop(number(), None) else -errno.EINVAL
            case fs.GETDRIVER:
                return self._driver(plugged, memory, argument)
            case fs.IOCTL:
                return self._driver_order(plugged, *struct.unpack("<ii", memory.read(argument, 8)))
            case _:
                return 0 if command in fs.ACCEPTED else -errno.ENOTTY
        return 0

    def _claim(self, handle: Handle, plugged: Plugged, interface: int) -> int:
        if plugged.claims.get(interface, handle) is not handle or interface in plugged.drivers:
            return -errno.EBUSY
        plugged.claims[interface] = handle
        return 0

    def _driver(self, plugged: Plugged, memory: ClientMemory, argument: int) -> int:
        interface = struct.unpack("<I", memory.read(argument, 4))[0]
        name = "usbfs" if interface in plugged.claims else plugged.drivers.get(interface)
        if name is None:
            return -errno.ENODATA
        memory.write(argument + 4, name.encode() + b"\0")
        return 0

    def _driver_order(self, plugged: Plugged, interface: int, order: int) -> int:
        if order & 0xFFFFFFFF == fs.DISCONNECT:
            if interface not in plugged.drivers:
                return -errno.ENODATA
            plugged.detached[interface] = plugged.drivers.pop(interface)
            return 0
        if order & 0xFFFFFFFF == fs.CONNECT:
            if interface in plugged.drivers or interface in plugged.claims:
                return -errno.EBUSY
            if interface in plugged.detached:
                plugged.drivers[interface] = plugged.detached.pop(interface)
                return 1
            return 0
        return -errno.ENOTTY

    def _submit(self, handle: Handle, plugged: Plugged, memory: ClientMemory, address: int) -> int:
        raw = memory.read(address, fs.URB_SIZE)
        kind, endpoint = raw[0], raw[1]
        buffer, length = struct.unpack_from("<Qi", raw, fs.URB_BUFFER)
        setup = b""
        if kind == fs.CONTROL_URB:
            setup, buffer, endpoint = memory.read(buffer, 8), buffer + 8, 0
            length = struct.unpack_from("<H", setup, 6)[0]
        elif 1 not in plugged.claims:
            return -errno.EINVAL  # a kernel would claim it on the fly and complain: the product claims
        transfer = Transfer(endpoint, length, setup=setup, tag=Urb(memory, address, buffer, handle))
        if not transfer.to_host:
            transfer.data = memory.read(buffer, length)
        plugged.schedule.waiting.append(transfer)
        self._front.advance(plugged)
        return 0

    def _discard(self, handle: Handle, plugged: Plugged, address: int) -> int:
        def match(one: Transfer) -> bool:
            return one.tag.handle is handle and one.tag.address == address

        cut = plugged.schedule.cancel(match, -errno.ENOENT)
        if cut is None:
            return -errno.EINVAL
        self._front.finish(plugged, [cut])
        return 0

    def _reap(self, handle: Handle, memory: ClientMemory, argument: int) -> int:
        if handle.state.done:
            memory.write(argument, struct.pack("<Q", handle.state.done.popleft().tag.address))
            return 0
        return -errno.ENODEV if handle.state.plugged.schedule.gone else -errno.EAGAIN
