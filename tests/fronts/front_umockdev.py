# ruff: noqa: E402 — the binding wants its version named before it is imported
"""The distribution's own libusb, with udev, on the device model: umockdev under LD_PRELOAD.

Owns the emulated /dev, /sys and usbfs calls, and the events of plugging. Runs with the distribution's Python, which has
umockdev's bindings; the worker is a child with CARDSHOE_LIBUSB=system. libusb polls without rest here, so this is for
what only udev shows: that its list of devices is right after a replug.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from typing import Any

import gi

gi.require_version("UMockdev", "1.0")

import usbdevfs as fs
from front_bench import Bench, BenchServer
from front_usb import Plugged, UsbFront
from gi.repository import GLib, UMockdev
from usb_model import Transfer

BUS = "/devices/pci0000:00/0000:00:14.0/usb1"


class UmockdevFront(UsbFront):
    """See the module. GLib's loop is the main thread's; the bench asks from another and the lock keeps them apart."""

    features = UsbFront.features - {"packets", "twins"}  # a second device starves while libusb polls the first

    def __init__(self, lock: threading.RLock) -> None:
        super().__init__(lock)
        self._testbed = UMockdev.Testbed.new()  # not Testbed(): that one has no directory
        self.root = self._testbed.get_root_dir()
        self._done: dict[int, list[Transfer]] = {}
        self._handlers: dict[int, Any] = {}

    def shown(self, plugged: Plugged) -> None:
        """A device with its node and its event."""
        vendor, product = struct.unpack_from("<HH", plugged.model.device_descriptor, 8)
        node, path = f"bus/usb/001/{plugged.number:03d}", f"{BUS}/1-{plugged.place}"
        lines = [
            f"P: {path}", f"N: {node}", f"E: DEVNAME=/dev/{node}", "E: DEVTYPE=usb_device", "E: SUBSYSTEM=usb",
            "E: BUSNUM=001", f"E: DEVNUM={plugged.number:03d}", "A: bConfigurationValue=1\\n",
            "A: bNumConfigurations=1", "A: busnum=1\\n", f"A: devnum={plugged.number}\\n", "A: speed=480\\n",
            f"A: idVendor={vendor:04x}", f"A: idProduct={product:04x}",
            f"H: descriptors={plugged.model.descriptors.hex().upper()}",
        ]  # fmt: skip
        handler = UMockdev.IoctlBase.new()
        handler.connect("handle-ioctl", lambda _, client: self._on_ioctl(plugged, client))
        self._handlers[plugged.number] = handler
        self._done[plugged.number] = []
        self._testbed.add_from_string("\n".join(lines) + "\n")
        self._testbed.attach_ioctl(f"/dev/{node}", handler)
        self._testbed.uevent(f"/sys{path}", "add")

    def hidden(self, plugged: Plugged) -> None:
        """The event, and the device gone."""
        path = f"/sys{BUS}/1-{plugged.place}"
        self._testbed.uevent(path, "remove")
        self._testbed.remove_device(path)

    def finish(self, plugged: Plugged, transfers: list[Transfer]) -> None:
        """Write results into the client's copy and let it reap them."""
        for transfer in transfers:
            urb, buffer, offset = transfer.tag
            if transfer.to_host and transfer.data:
                buffer.update(offset, transfer.data[: transfer.length])
            urb.update(fs.URB_STATUS, struct.pack("<i", transfer.status))
            urb.update(fs.URB_ACTUAL, struct.pack("<i", min(transfer.actual, transfer.length)))
            self._done[plugged.number].append(transfer)

    def _on_ioctl(self, plugged: Plugged, client: Any) -> bool:
        with self.lock:
            result = self._answer(plugged, client.get_request(), client.get_arg())
        if result is None:
            return False
        client.complete(*((result, 0) if result >= 0 else (-1, -result)))
        return True

    def _answer(self, plugged: Plugged, request: int, argument: Any) -> int | None:
        if request in {fs.REAPURB, fs.REAPURBNDELAY}:
            done = self._done[plugged.number]
            if not done:
                return -errno.EAGAIN  # never ENODEV here: libusb would wait for it for ever
            argument.resolve(0, 8).set_ptr(0, done.pop(0).tag[0])
            return 0
        if request == fs.DISCARDURB:
            address = struct.unpack("<Q", bytes(argument.retrieve()))[0]
            cut = plugged.schedule.cancel(lambda one: one.tag[0].client_addr == address, -errno.ENOENT)
            self.finish(plugged, [cut] if cut else [])
            return 0 if cut else -errno.EINVAL
        if plugged.schedule.gone:
            return -errno.ENODEV
        if request == fs.SUBMITURB:
            self._submit(plugged, argument)
            return 0
        return self._plain(plugged, request, argument)

    def _plain(self, plugged: Plugged, request: int, argument: Any) -> int | None:
        match request:
            case fs.GET_CAPABILITIES:
                argument.resolve(0, 4).update(0, struct.pack("<I", fs.CAPABILITIES))
            case fs.CONNECTINFO:
                argument.resolve(0, 8).update(0, struct.pack("<IB", plugged.number, 0))
            case fs.GET_SPEED:
                return plugged.model.speed
            case fs.GETDRIVER:
                return -errno.ENODATA
            case fs.CLEAR_HALT | fs.CLAIMINTERFACE | fs.RELEASEINTERFACE | fs.DISCONNECT_CLAIM:
                return 0
            case _:
                return 0 if request in fs.ACCEPTED else None
        return 0

    def _submit(self, plugged: Plugged, argument: Any) -> None:
        urb = argument.resolve(0, fs.URB_SIZE)
        raw = bytes(urb.retrieve())
        length = struct.unpack_from("<i", raw, fs.URB_LENGTH)[0]
        buffer = urb.resolve(fs.URB_BUFFER, length) if length else None
        content = bytes(buffer.retrieve()) if buffer else b""
        if raw[0] == fs.CONTROL_URB:
            setup, data = content[:8], content[8:]
            transfer = Transfer(0, struct.unpack_from("<H", setup, 6)[0], data, setup, tag=(urb, buffer, 8))
        else:
            transfer = Transfer(raw[1], length, content, tag=(urb, buffer, 0))
        if transfer.to_host:
            transfer.data = b""
        plugged.schedule.waiting.append(transfer)
        self.advance(plugged)


def main() -> int:
    """`umockdev-wrapper /usr/bin/python3 front_umockdev.py WORKER…`: the worker's exit status."""
    front, loop = UmockdevFront(threading.RLock()), GLib.MainLoop()
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(front)
        server = BenchServer(bench, f"{directory}/bench")
        told = {
            "UMOCKDEV_DIR": front.root,
            "LD_PRELOAD": "libumockdev-preload.so.0",
            "CARDSHOE_LIBUSB": "system",
            "FRONT_BENCH": server.address,
        }
        worker = subprocess.Popen(sys.argv[1:], env=os.environ | told)

        def going_on() -> bool:
            if worker.poll() is not None:
                loop.quit()
            return worker.poll() is None

        GLib.timeout_add(20, going_on)
        loop.run()
        bench.close()
        shutil.rmtree(front.root, ignore_errors=True)
        return int(worker.returncode)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
