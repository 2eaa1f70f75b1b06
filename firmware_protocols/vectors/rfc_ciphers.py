"""The ciphers of sealed sessions, in plain Python after the RFCs: a third implementation, which arbitrates.

Owns X25519 (RFC 7748), ChaCha20-Poly1305 (RFC 8439), HKDF and HMAC with SHA-256 (RFC 5869, RFC 2104), Ed25519
(RFC 8032). It shares no code with the drivers, the simulator or any library that does the same. Slow and plain on
purpose, and **not for use with real secrets**: its time depends on them. A test holds it against the RFCs' own values.
"""

from __future__ import annotations

import hashlib
import hmac as _hmac

P = 2**255 - 19


def sha256(*parts: bytes) -> bytes:
    """SHA-256 of the joined parts."""
    return hashlib.sha256(b"".join(parts)).digest()


def hmac256(key: bytes, *parts: bytes) -> bytes:
    """HMAC-SHA-256 of the joined parts."""
    return _hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def hkdf(material: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """HKDF of RFC 5869: extract, then expand."""
    extracted = hmac256(salt or bytes(32), material)
    out, block = b"", b""
    for number in range(1, -(-length // 32) + 1):
        block = hmac256(extracted, block, info, bytes([number]))
        out += block
    return out[:length]


# --- X25519 (RFC 7748, section 5)


def x25519(secret: bytes, public: bytes) -> bytes:
    """The function X25519: 32 bytes of a scalar and of a u-coordinate give 32 bytes."""
    scalar = bytearray(secret)
    scalar[0] &= 248
    scalar[31] = scalar[31] & 127 | 64
    k = int.from_bytes(scalar, "little")
    x1 = int.from_bytes(public, "little") % 2**255 % P
    x2, z2, x3, z3, swap = 1, 0, x1, 1, 0
    for bit in reversed(range(255)):
        k_bit = k >> bit & 1
        if swap ^ k_bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = k_bit
        a, b = x2 + z2, x2 - z2
        aa, bb = a * a % P, b * b % P
        e = aa - bb
        c, d = x3 + z3, x3 - z3
        da, cb = d * a % P, c * b % P
        x3, z3 = (da + cb) ** 2 % P, x1 * (da - cb) ** 2 % P
        x2, z2 = aa * bb % P, e * (aa + 121_665 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def x25519_public(secret: bytes) -> bytes:
    """The public key of a secret: X25519 with the base point 9."""
    return x25519(secret, b"\x09" + bytes(31))


# --- ChaCha20 and Poly1305 (RFC 8439)


def _quarter(s: list[int], a: int, b: int, c: int, d: int) -> None:
    for one, other, third, shift in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[one] = s[one] + s[other] & 0xFFFFFFFF
        turned = s[third] ^ s[one]
        s[third] = (turned << shift | turned >> 32 - shift) & 0xFFFFFFFF


def chacha20_block(key: bytes, counter: int, nonce: bytes) -> bytes:
    """64 bytes of the key stream (section 2.3)."""
    words = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574]
    words += [int.from_bytes(key[at : at + 4], "little") for at in range(0, 32, 4)]
    words += [counter] + [int.from_bytes(nonce[at : at + 4], "little") for at in range(0, 12, 4)]
    s = list(words)
    for _ in range(10):
        for column in range(4):
            _quarter(s, column, column + 4, column + 8, column + 12)
        for diagonal in range(4):
            _quarter(s, diagonal, (diagonal + 1) % 4 + 4, (diagonal + 2) % 4 + 8, (diagonal + 3) % 4 + 12)
    return b"".join(((one + other) & 0xFFFFFFFF).to_bytes(4, "little") for one, other in zip(words, s, strict=True))


def chacha20(key: bytes, counter: int, nonce: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt (section 2.4)."""
    out = bytearray()
    for number, at in enumerate(range(0, len(data), 64)):
        stream = chacha20_block(key, counter + number, nonce)
        out += bytes(one ^ other for one, other in zip(data[at : at + 64], stream, strict=False))
    return bytes(out)


def poly1305(key: bytes, message: bytes) -> bytes:
    """The 16-byte tag under a key that is used once (section 2.5)."""
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at : at + 16] + b"\x01", "little")) * r % (2**130 - 5)
    return ((total + int.from_bytes(key[16:], "little")) % 2**128).to_bytes(16, "little")


def _tag(key: bytes, nonce: bytes, cipher: bytes, associated: bytes) -> bytes:
    padded = b"".join(part + bytes(-len(part) % 16) for part in (associated, cipher))
    lengths = len(associated).to_bytes(8, "little") + len(cipher).to_bytes(8, "little")
    return poly1305(chacha20_block(key, 0, nonce)[:32], padded + lengths)


def seal(key: bytes, nonce: bytes, plain: bytes, associated: bytes) -> bytes:
    """ChaCha20-Poly1305: cipher text and tag (section 2.8)."""
    cipher = chacha20(key, 1, nonce, plain)
    return cipher + _tag(key, nonce, cipher, associated)


def unseal(key: bytes, nonce: bytes, sealed: bytes, associated: bytes) -> bytes | None:
    """Return the plain text, None where the tag is wrong."""
    cipher, tag = sealed[:-16], sealed[-16:]
    if len(sealed) < 16 or _tag(key, nonce, cipher, associated) != tag:
        return None
    return chacha20(key, 1, nonce, cipher)


# --- Ed25519 (RFC 8032, section 5.1)

L = 2**252 + 27_742_317_777_372_353_535_851_937_790_883_648_493
D = -121_665 * pow(121_666, P - 2, P) % P
Point = tuple[int, int, int, int]


def _add(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(scalar: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point = _add(point, point)
        scalar >>= 1
    return total


def _recover_x(y: int, sign: int) -> int | None:
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - x2) % P or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


_BASE_Y = 4 * pow(5, P - 2, P) % P
_BASE_X = _recover_x(_BASE_Y, 0) or 0
BASE: Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % P)


def _compress(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decompress(raw: bytes) -> Point | None:
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    x = _recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def _expanded(secret: bytes) -> tuple[int, bytes]:
    raw = hashlib.sha512(secret).digest()
    scalar = int.from_bytes(raw[:32], "little") & (1 << 254) - 8 | 1 << 254
    return scalar, raw[32:]


def _scalar_of(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % L


def ed25519_public(secret: bytes) -> bytes:
    """The 32-byte public key."""
    return _compress(_times(_expanded(secret)[0], BASE))


def ed25519_sign(secret: bytes, message: bytes) -> bytes:
    """The 64-byte signature."""
    scalar, prefix = _expanded(secret)
    public = _compress(_times(scalar, BASE))
    r = _scalar_of(prefix, message)
    shown = _compress(_times(r, BASE))
    return shown + ((r + _scalar_of(shown, public, message) * scalar) % L).to_bytes(32, "little")


def ed25519_verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether the signature is right."""
    point, shown = _decompress(public), _decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if point is None or shown is None or s >= L:
        return False
    right = _add(shown, _times(_scalar_of(signature[:32], public, message), point))
    return _compress(_times(s, BASE)) == _compress(right)
