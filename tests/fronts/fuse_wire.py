"""A file system spoken raw over /dev/fuse: just enough for a file to pass for a device node.

Owns the mount, the requests and the caller's memory. Must not know what the device is: `on_…` methods give it meaning,
each called under `lock`. Needs root or a user namespace, and a 64-bit Linux.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import threading
from dataclasses import dataclass
from typing import Any

_libc = ctypes.CDLL(None, use_errno=True)
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE, MNT_DETACH = 2, 4, 0x4000, 0x40000, 2
CLONE_NEWNS = 0x20000

LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE = 1, 2, 3, 4, 14, 15, 16, 17, 18
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, ACCESS, INTERRUPT, DESTROY = 25, 26, 27, 28, 29, 34, 36, 38
IOCTL, POLL, BATCH_FORGET = 39, 40, 42
NOTIFY_POLL = 1
DIRECT_IO, STREAM = 1, 16
POLL_SCHEDULE_NOTIFY = 1
REQUEST_MAX = 1 << 20


def own_mounts() -> None:
    """Give this process mounts of its own; what it mounts is seen by its children only. Raises OSError."""
    if _libc.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "unshare")
    mount("none", "/", "", MS_REC | MS_PRIVATE)


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    """mount(2). Raises OSError."""
    given = options.encode() or None
    if _libc.mount(source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), given):
        code = ctypes.get_errno()
        raise OSError(code, f"mount {kind} on {target}: {os.strerror(code)}")


def unmount(target: str) -> None:
    """Take it away whoever uses it."""
    _libc.umount2(target.encode(), MNT_DETACH)


class _IoVec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class ClientMemory:
    """Memory of the process that made a call; we may look into it because it is our child."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def _move(self, call: Any, address: int, buffer: Any, length: int) -> None:
        here, there = _IoVec(ctypes.addressof(buffer), length), _IoVec(address, length)
        if call(self._pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) != length:
            raise OSError(errno.EFAULT, "memory of the caller")

    def read(self, address: int, length: int) -> bytes:
        """Bytes from there. Raises OSError."""
        buffer = ctypes.create_string_buffer(length)
        if length:
            self._move(_libc.process_vm_readv, address, buffer, length)
        return buffer.raw

    def write(self, address: int, data: bytes) -> None:
        """Bytes to there. Raises OSError."""
        if data:
            self._move(_libc.process_vm_writev, address, ctypes.create_string_buffer(data, len(data)), len(data))


@dataclass(eq=False)
class Node:
    """A file, or a directory with its children's numbers by name."""

    children: dict[str, int] | None = None
    size: int = 0


@dataclass(eq=False)
class Handle:
    """An open file. `poll_key` is set while someone sleeps in poll on it; `state` is the device's."""

    node: int
    poll_key: int | None = None
    state: Any = None


class FuseServer:
    """Nodes from 1, the root, on."""

    open_flags = DIRECT_IO

    def __init__(self, mountpoint: str, nodes: dict[int, Node], lock: Any) -> None:
        self.mountpoint, self.nodes, self.lock = mountpoint, nodes, lock
        self.handles: dict[int, Handle] = {}
        self._last_handle = 0
        self._descriptor = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={self._descriptor},rootmode=40000,user_id=0,group_id=0,allow_other"
        mount("cardshoe-front", mountpoint, "fuse", MS_NOSUID | MS_NODEV, options)
        threading.Thread(target=self._serve, daemon=True).start()

    # what a device makes of it

    def on_open(self, handle: Handle) -> int:
        """Return 0 or an error number."""
        return 0

    def on_read(self, unique: int, handle: Handle, offset: int, size: int, flags: int) -> bytes | int | None:
        """Return data, a negative error number, or None: `reply(unique, …)` will follow."""
        return b""

    def on_write(self, handle: Handle, data: bytes) -> int:
        """Return how many bytes were taken, or a negative error number."""
        return -errno.EROFS

    def on_ioctl(self, handle: Handle, memory: ClientMemory, command: int, argument: int) -> int:
        """Return the result, negative for an error."""
        return -errno.ENOTTY

    def on_poll(self, handle: Handle) -> int:
        """Return the events that are ready."""
        return 0

    def on_release(self, handle: Handle) -> None:
        """The last descriptor was closed."""

    def on_interrupt(self, unique: int) -> None:
        """The caller of a request that waits was interrupted."""

    # answers

    def reply(self, unique: int, result: bytes | int = b"") -> None:
        """Answer with a result or a negative error number."""
        if isinstance(result, int):
            self._send(unique, result, b"")
        else:
            self._send(unique, 0, result)

    def wake(self, handle: Handle) -> None:
        """Let whoever sleeps in poll look again."""
        if handle.poll_key is not None:
            key, handle.poll_key = handle.poll_key, None
            self._send(0, NOTIFY_POLL, struct.pack("<Q", key))

    def _send(self, unique: int, code: int, data: bytes) -> None:
        try:
            os.write(self._descriptor, struct.pack("<IiQ", 16 + len(data), code, unique) + data)
        except OSError as error:
            if error.errno != errno.ENOENT:  # the caller was interrupted meanwhile
                raise

    # requests

    def _serve(self) -> None:
        try:
            self._requests()
        finally:
            os.close(self._descriptor)  # a server that has died fails its callers instead of hanging them

    def _requests(self) -> None:
        while True:
            try:
                request = os.read(self._descriptor, REQUEST_MAX)
            except OSError as error:
                if error.errno in {errno.EINTR, errno.ENOENT, errno.EAGAIN}:
                    continue
                return  # unmounted
            _, opcode, unique, node, _, _, pid, _ = struct.unpack_from("<IIQQIIII", request)
            with self.lock:
                self._dispatch(opcode, unique, node, pid, request[40:])

    def _dispatch(self, opcode: int, unique: int, number: int, pid: int, body: bytes) -> None:
        if opcode == INTERRUPT:
            self.on_interrupt(*struct.unpack_from("<Q", body))
        elif opcode in {READ, WRITE, IOCTL, POLL, RELEASE}:
            self._of_file(opcode, unique, self.handles[struct.unpack_from("<Q", body)[0]], pid, body)
        elif opcode not in {FORGET, BATCH_FORGET}:  # these want no answer
            self.reply(unique, self._of_tree(opcode, number, body))

    def _of_tree(self, opcode: int, number: int, body: bytes) -> bytes | int:
        match opcode:
            case 26:  # INIT
                read_ahead = struct.unpack_from("<IIII", body)[2]
                return struct.pack("<IIIIHHIIHHI7I", 7, 31, read_ahead, 0, 16, 12, 65536, 1, 0, 0, 0, *[0] * 7)
            case 1:  # LOOKUP
                node = self.nodes.get(number)
                child = (node.children or {}).get(body.rstrip(b"\0").decode()) if node else None
                if child is None:
                    return -errno.ENOENT
                return struct.pack("<4QII", child, 0, 0, 0, 0, 0) + self._attributes(child)
            case 3 | 4:  # GETATTR, SETATTR
                return (
                    struct.pack("<QII", 0, 0, 0) + self._attributes(number) if number in self.nodes else -errno.ENOENT
                )
            case 14 | 27:  # OPEN, OPENDIR
                return self._opened(opcode, number)
            case 28:  # READDIR
                _, offset, size = struct.unpack_from("<QQI", body)
                return self._listing(number, offset, size)
            case 29:  # RELEASEDIR
                self.handles.pop(struct.unpack_from("<Q", body)[0], None)
                return b""
            case 17:  # STATFS
                return struct.pack("<5Q4I24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
            case _:
                return b"" if opcode in {FLUSH, DESTROY} else -errno.ENOSYS

    def _opened(self, opcode: int, number: int) -> bytes | int:
        handle = Handle(number)
        refused = self.on_open(handle) if opcode == OPEN else 0
        if refused:
            return -refused
        self._last_handle += 1
        self.handles[self._last_handle] = handle
        return struct.pack("<QII", self._last_handle, self.open_flags if opcode == OPEN else 0, 0)

    def _attributes(self, number: int) -> bytes:
        node = self.nodes[number]
        mode, links = (0o100666, 1) if node.children is None else (0o040755, 2)
        return struct.pack("<6Q10I", number, node.size, 0, 0, 0, 0, 0, 0, 0, mode, links, 0, 0, 0, 4096, 0)

    def _listing(self, number: int, offset: int, size: int) -> bytes:
        children = self.nodes[number].children or {}
        block = b""
        for index, name in enumerate([".", "..", *children][offset:], offset):
            raw = name.encode()
            entry = struct.pack("<QQII", children.get(name, number), index + 1, len(raw), 0) + raw
            entry += b"\0" * (-len(entry) % 8)
            if len(block) + len(entry) > size:
                break
            block += entry
        return block

    def _of_file(self, opcode: int, unique: int, handle: Handle, pid: int, body: bytes) -> None:
        match opcode:
            case 15:  # READ
                _, offset, size, _, _, flags = struct.unpack_from("<QQIIQI", body)
                result = self.on_read(unique, handle, offset, size, flags)
                if result is not None:
                    self.reply(unique, result)
            case 16:  # WRITE
                size = struct.unpack_from("<QQI", body)[2]
                taken = self.on_write(handle, body[40 : 40 + size])
                self.reply(unique, taken if taken < 0 else struct.pack("<II", taken, 0))
            case 39:  # IOCTL
                _, _, command, argument, _, _ = struct.unpack_from("<QIIQII", body)
                try:
                    result = self.on_ioctl(handle, ClientMemory(pid), command, argument)
                except OSError as error:
                    result = -(error.errno or errno.EFAULT)
                # Never out-bytes: the kernel would copy them over what a transfer has written meanwhile.
                self.reply(unique, struct.pack("<iIII", result, 0, 0, 0))
            case 40:  # POLL
                _, key, flags, _ = struct.unpack_from("<QQII", body)
                ready = self.on_poll(handle)
                if flags & POLL_SCHEDULE_NOTIFY:
                    handle.poll_key = key
                self.reply(unique, struct.pack("<II", ready, 0))
            case _:  # RELEASE
                self.on_release(handle)
                self.handles = {key: one for key, one in self.handles.items() if one is not handle}
                self.reply(unique)
