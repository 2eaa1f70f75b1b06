"""Numbers of the kernel's usbfs interface on 64-bit machines, as libusb uses it."""

from __future__ import annotations


def _code(direction: int, number: int, size: int) -> int:
    return direction << 30 | size << 16 | ord("U") << 8 | number


SETINTERFACE = _code(2, 4, 8)
SETCONFIGURATION = _code(2, 5, 4)
GETDRIVER = _code(1, 8, 260)
SUBMITURB = _code(2, 10, 56)
DISCARDURB = _code(0, 11, 0)
REAPURB = _code(1, 12, 8)
REAPURBNDELAY = _code(1, 13, 8)
CLAIMINTERFACE = _code(2, 15, 4)
RELEASEINTERFACE = _code(2, 16, 4)
CONNECTINFO = _code(1, 17, 8)
IOCTL = _code(3, 18, 16)
DISCONNECT, CONNECT = _code(0, 22, 0), _code(0, 23, 0)
RESET = _code(0, 20, 0)
CLEAR_HALT = _code(2, 21, 4)
GET_CAPABILITIES = _code(2, 26, 4)
DISCONNECT_CLAIM = _code(2, 27, 264)
GET_SPEED = _code(0, 31, 0)

ACCEPTED = {SETINTERFACE, SETCONFIGURATION}
CAPABILITIES = 1 | 4 | 8  # zero packet, no packet-size limit, bulk scatter-gather

CONTROL_URB, ZERO_PACKET = 2, 0x40  # type in byte 0, endpoint in byte 1, flags at 8
URB_SIZE, URB_STATUS, URB_FLAGS, URB_BUFFER, URB_LENGTH, URB_ACTUAL = 56, 4, 8, 16, 24, 28
