"""Somebody in the cable: a pty for the table, the device's own line behind it, and one trick.

    python man_in_the_middle.py --host LINK --device PATH --trick NAME [--record FILE] [--take FILE]

Prints a JSON line when it is ready. A line on standard input begins the trick; at the end of input it says what passed
as a JSON line and leaves. Knows only what stands on the line: no key, no product code, the frames after the prose.

Tricks: read · change (a bit of each frame of the device) · replay (its last frame once more) · replay-down (the
table's frames once more) · reorder (two frames of the device change places) · splice (frames of FILE, from another
session, among its own) · downgrade (HELLO asks for a clear session).
"""

from __future__ import annotations

import argparse
import json
import os
import select
import sys
import tty
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))

from sim_host import Protocol, uncobs, wire_frame

SEALED, HELLO = 0x81, 0x01
TRICKS = ("read", "change", "replay", "replay-down", "reorder", "splice", "downgrade")
SPLICED = 24


def content_of(frame: bytes) -> bytes:
    """What is in a frame (without its 00), b"" for what is none."""
    try:
        return uncobs(frame)
    except (AssertionError, IndexError):
        return b""


def is_sealed(frame: bytes) -> bool:
    """Whether a frame (without its 00) is of a sealed session."""
    return content_of(frame)[:1] == bytes((SEALED,))


class Side:
    """One direction: bytes come in, whole frames go out, as `change` makes them."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.frames: list[bytes] = []
        self.change: Callable[[bytes], list[bytes]] = lambda frame: [frame]
        self._rest = b""

    def pass_on(self, data: bytes) -> None:
        """Hand on what came, frame by frame."""
        *whole, self._rest = (self._rest + data).split(b"\0")
        out = b""
        for frame in whole:
            if frame:
                self.frames.append(frame)
            for made in self.change(frame) if frame else [frame]:
                out += made + b"\0"
        put(self.target, out)


def put(target: int, data: bytes) -> None:
    """Write all of it; what a full line does not take is lost, as on a real one."""
    try:
        os.write(target, data)
    except (BlockingIOError, OSError):
        return


class Middle:
    """The two lines and the trick."""

    def __init__(self, host: Path, device: str, trick: str, taken: list[bytes]) -> None:
        self.trick, self.taken = trick, taken
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        host.unlink(missing_ok=True)
        host.symlink_to(os.ttyname(self.slave))
        self.line = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.line)
        self.down, self.up = Side(self.line), Side(self.master)
        self.tricks = 0
        self._held: list[bytes] = []

    def begin(self) -> None:
        """Do it, or begin to do it."""
        sealed_up = [frame for frame in self.up.frames if is_sealed(frame)]
        match self.trick:
            case "change":
                self.up.change = self._turned
            case "replay":
                self._inject(self.up, sealed_up[-1:])
            case "replay-down":
                self._inject(self.down, [frame for frame in self.down.frames if is_sealed(frame)])
            case "reorder":
                self.up.change = self._exchanged
            case "splice":
                self._inject(self.up, [frame for frame in self.taken if is_sealed(frame)][:SPLICED])
            case "downgrade":
                self.down.change = self._greeting_made_clear
            case _:
                return

    def _inject(self, side: Side, frames: list[bytes]) -> None:
        self.tricks += len(frames)
        put(side.target, b"".join(b"\0" + frame + b"\0" for frame in frames))

    def _turned(self, frame: bytes) -> list[bytes]:
        if not is_sealed(frame):
            return [frame]
        self.tricks += 1
        last = frame[-1] ^ 0x80 or 0x7F  # the tag's last byte; never a 00
        return [frame[:-1] + bytes((last,))]

    def _exchanged(self, frame: bytes) -> list[bytes]:
        if not is_sealed(frame) or self.tricks:
            return [frame]
        if not self._held:
            self._held = [frame]
            return []
        self.tricks += 1
        return [frame, *self._held]

    def _greeting_made_clear(self, frame: bytes) -> list[bytes]:
        content = content_of(frame)
        if content[:1] != b"\1" or content[2] != HELLO:
            return [frame]
        self.tricks += 1
        protocol = Protocol("shoe")
        fields = {**protocol.unpack("HELLO", content[5:-4]), "security": 0}
        return [wire_frame(content[1], content[2], content[3], protocol.pack("HELLO", fields))[:-1]]

    def run(self) -> None:
        """Pass on until the end of standard input."""
        while True:
            ready, _, _ = select.select([self.master, self.line, 0], [], [])
            for one, side in ((self.master, self.down), (self.line, self.up)):
                if one in ready:
                    side.pass_on(read(one))
            if 0 in ready:
                if not os.read(0, 4096):
                    return
                self.begin()
                print(json.dumps({"tricks": self.tricks}), flush=True)


def read(line: int) -> bytes:
    """What has come, nothing from a line that nobody holds at its other end."""
    try:
        return os.read(line, 4096)
    except (BlockingIOError, OSError):
        return b""


def heard(side: Side) -> list[str]:
    """Return what passed on one side, frame by frame."""
    return [frame.hex() for frame in side.frames]


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", type=Path, required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--trick", choices=TRICKS, required=True)
    parser.add_argument("--take", type=Path)
    parser.add_argument("--record", type=Path)
    given = parser.parse_args()
    taken = [bytes.fromhex(line) for line in given.take.read_text().split()] if given.take else []
    middle = Middle(given.host, given.device, given.trick, taken)
    if given.trick == "downgrade":
        middle.begin()
    print(json.dumps({"ready": True}), flush=True)
    middle.run()
    if given.record:
        given.record.write_text("\n".join(frame.hex() for frame in middle.up.frames))
    told = {"tricks": middle.tricks, "up": heard(middle.up), "down": heard(middle.down)}
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
