"""An auditor's verifier of cardshoe journals: this one file, Python's standard library, nothing of the product.

Owns a second reading of what makes a journal whole: its own canonical form, its own chain, its own Ed25519 (RFC 8032).
It must not import anything of the product, so that it can be read, kept and run without trusting it. Implements
promise P6 for a person who has the file and, better, the public key and a head that was kept elsewhere.

    python3 verify.py JOURNAL [--public-key HEX] [--anchor FILE] [--json]

JOURNAL is the SQLite file of a table, or its JSON Lines export. Exit status 0: whole; 2: wrong usage; 4: not whole.

    text_n      = record n as JSON: keys sorted, no spaces, ASCII, whole numbers only
    digest_n    = SHA-256("cardshoe-journal-link-1" 00 | digest_(n-1) | length and bytes of signature_(n-1) | text_n)
    signature_n = Ed25519("cardshoe-journal-head-1" 00 | n, 8 bytes, big-endian | digest_n), or none
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SEALED = {"journal_created", "journal_opened", "head_signed", "journal_closed"}
FIELDS = {"seq", "kind", "round", "boot", "mono_us", "wall", "body"}
SCHEMA_SHA256 = {
    "8aa2e247702e05babab5635f58933702c94792e647ec69df914d0215edc930fe",
    "8e974073b41e4656447691de2e113d791ca2f74886aa7d6e5a41bbfe08a47ee6",
    "ca7eeb02b354e933be7faf39bc1c6872b068ee9ea8806997024c85cc22fb212c",
    "cc4312f0a4820dcf892dc101cdedf8e41283f81f4364cf4103794df8e88fa549",
}
Row = tuple[int, str, bytes, bytes]  # number, text, digest, signature
Head = tuple[int, bytes, bytes, bytes]  # number, digest, signature, public key


class NotWhole(Exception):
    """The journal cannot be trusted from record `first_bad` on; None: no single record is to blame."""

    def __init__(self, first_bad: int | None, why: str) -> None:
        super().__init__(why)
        self.first_bad = first_bad
        self.why = why


# --- Ed25519, RFC 8032 section 5.1: points in extended coordinates x = X/Z, y = Y/Z, xy = T/Z ------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
Point = tuple[int, int, int, int]
NEUTRAL: Point = (0, 1, 1, 0)


def _add(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(number: int, point: Point) -> Point:
    total = NEUTRAL
    while number:
        if number & 1:
            total = _add(total, point)
        point = _add(point, point)
        number >>= 1
    return total


def _x_of(y: int, odd: int) -> int | None:
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if odd else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P:
        return None
    return P - x if x & 1 != odd else x


def _point(text: bytes) -> Point | None:
    number = int.from_bytes(text, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    if y >= P:
        return None
    x = _x_of(y, odd)
    return None if x is None else (x, y, 1, x * y % P)


def _bytes_of(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = _x_of(BASE_Y, 0) or 0
BASE: Point = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def ed25519_verifies(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes) of `message` was made with the private key of `public_key` (32 bytes)."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, number = _point(public_key), int.from_bytes(signature[32:], "little")
    if key is None or number >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    factor = int.from_bytes(digest, "little") % ORDER
    minus_key: Point = (P - key[0], key[1], key[2], P - key[3])
    return _bytes_of(_add(_times(number, BASE), _times(factor, minus_key))) == signature[:32]


# --- the canonical form ----------------------------------------------------------------------------------------------

SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def canonical(value: object) -> str:
    """Return the one text of a JSON value. Raises ValueError for what no record holds."""
    if isinstance(value, str):
        return '"' + "".join(_character(each) for each in value) + '"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(each) for each in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in sorted(value)) + "}"
    raise ValueError(f"a record holds no {type(value).__name__}")


def _character(char: str) -> str:
    if char in SHORT:
        return SHORT[char]
    if " " <= char <= "~":
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(units[at : at + 2], 'big'):04x}" for at in range(0, len(units), 2))


# --- reading ---------------------------------------------------------------------------------------------------------


def rows_of_export(path: Path) -> Iterator[Row]:
    """Yield the rows of a JSON Lines export; each text is put together anew from the fields."""
    with path.open(encoding="ascii") as lines:
        for number, line in enumerate(lines, 1):
            try:
                fields: dict[str, Any] = json.loads(line)
                text = canonical({name: fields[name] for name in FIELDS})
                signature = bytes.fromhex(fields["signature"] or "")
                yield fields["seq"], text, bytes.fromhex(fields["digest"]), signature
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise NotWhole(number, f"Line {number} of the export is no record: {error!r}.") from error


def rows_of_database(path: Path) -> Iterator[Row]:
    """Yield the rows of the SQLite file, by a connection that cannot write; its pages and schema are checked last."""
    still = "" if beside(path, "-wal").exists() else "&immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{still}", uri=True)
    connection.text_factory = bytes
    read = 0
    try:
        connection.execute("BEGIN")
        for seq, text, digest, signature in connection.execute("SELECT * FROM records ORDER BY seq"):
            yield int(seq), _text(text), _blob(digest), _blob(signature)
            read += 1
        _require_sound(connection, read)
    except sqlite3.Error as error:
        raise NotWhole(read + 1 if read else None, f"The database cannot be read: {error}.") from error
    finally:
        connection.close()


def _require_sound(connection: sqlite3.Connection, read: int) -> None:
    if connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != b"ok":
        raise NotWhole(None, "SQLite finds the file damaged.")
    numbered = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'records'").fetchone()
    if read and (numbered is None or numbered[0] != read):
        counted = numbered[0] if numbered else 0
        raise NotWhole(min(read, counted) + 1, f"{counted} records were numbered, {read} are there.")
    statements = connection.execute("SELECT CAST(sql AS BLOB) FROM sqlite_master WHERE sql IS NOT NULL")
    found = {hashlib.sha256(sql).hexdigest() for (sql,) in statements if b"sqlite_sequence(" not in sql}
    if found != SCHEMA_SHA256:
        raise NotWhole(None, "Tables and triggers are not those that make a journal append-only.")


def _text(value: object) -> str:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else "\ufffd"


def _blob(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""


def beside(path: Path, end: str) -> Path:
    """Return the file beside the journal whose name ends in `end`."""
    return path.with_name(path.name + end)


def head_in(path: Path) -> Head:
    """Return the newest signed head in an anchor file. Raises NotWhole if there is none that holds."""
    heads: list[Head] = []
    for line in path.read_bytes().splitlines():
        try:
            fields = json.loads(line)
            stated = fields.pop("sum")
            if stated == hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]:
                parts = (bytes.fromhex(fields[name]) for name in ("head", "signature", "public_key"))
                heads.append((int(fields["seq"]), *parts))  # type: ignore[arg-type]
        except (ValueError, KeyError, TypeError, AttributeError):
            continue  # a line that was half written leaves the other
    if not heads:
        raise NotWhole(None, f"No head can be read in {path}.")
    newest = max(heads)
    if not head_holds(newest[3], newest[0], newest[1], newest[2]):
        raise NotWhole(None, f"The head in {path} is not signed with the key that it names.")
    return newest


# --- the verdict -----------------------------------------------------------------------------------------------------


def link(digest: bytes, signature: bytes, text: str) -> bytes:
    """Return the digest of `text` after a record with `digest` and `signature`."""
    before = b"cardshoe-journal-link-1\0" + digest + bytes([len(signature)]) + signature
    return hashlib.sha256(before + text.encode()).digest()


def head_holds(public_key: bytes, number: int, digest: bytes, signature: bytes) -> bool:
    """Whether `signature` vouches for the chain up to record `number`."""
    return ed25519_verifies(public_key, b"cardshoe-journal-head-1\0" + number.to_bytes(8, "big") + digest, signature)


class Walk:
    """The walk along the chain. `heads` were kept elsewhere; `key` is the auditor's, None: the journal's own."""

    def __init__(self, key: bytes | None, heads: list[Head]) -> None:
        self.key = key
        self.heads = heads
        self.records, self.digest, self.signature, self.signed_to = 0, bytes(32), b"", 0

    def step(self, row: Row) -> None:
        """Take the next row. Raises NotWhole."""
        number, (seq, text, digest, signature) = self.records + 1, row
        if seq != number:
            raise NotWhole(number, f"Record {number} is missing: {seq} follows {number - 1}.")
        if len(self.signature) > 255 or digest != link(self.digest, self.signature, text):
            raise NotWhole(number, f"Record {number} does not continue the chain.")
        record = _record(number, text)
        if number == 1:
            self._begin(record)
        self.records, self.digest, self.signature = number, digest, signature
        if signature or record["kind"] in SEALED:
            self._require(signature, "The head")
        for head in self.heads:
            if head[0] == number:
                if head[1] != digest:
                    self._fail(f"Record {number} is not the one that was signed: the tail was written anew.")
                self._require(head[2], "The head that was kept elsewhere")

    def end(self) -> None:
        """Check that nothing is cut off. Raises NotWhole."""
        if not self.records:
            raise NotWhole(1, "There is no record at all.")
        known = max((head[0] for head in self.heads), default=0)
        if known > self.records:
            raise NotWhole(self.records + 1, f"It was cut short: a signed head knows {known} records.")

    def _begin(self, record: dict[str, Any]) -> None:
        stated = record["body"].get("public_key")
        try:
            own = bytes.fromhex(stated) if isinstance(stated, str) else b""
        except ValueError:
            own = b""
        if record["kind"] != "journal_created" or len(own) != 32:
            raise NotWhole(1, "Record 1 is not the creation of a journal with its public key.")
        if self.key is not None and self.key != own:
            raise NotWhole(1, "The journal was made with another key than the one trusted.")
        self.key = own

    def _require(self, signature: bytes, what: str) -> None:
        if not head_holds(self.key or b"", self.records, self.digest, signature):
            self._fail(f"{what} at record {self.records} is not signed with the key of this journal.")
        self.signed_to = self.records

    def _fail(self, why: str) -> None:
        raise NotWhole(min(self.signed_to + 1, self.records), why)


def _record(number: int, text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
        plain = record.keys() == FIELDS and isinstance(record["body"], dict) and canonical(record) == text
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise NotWhole(number, f"Record {number} cannot be read: {error}.") from error
    if not plain:
        raise NotWhole(number, f"Record {number} is not in canonical form.")
    if record["seq"] != number:
        raise NotWhole(number, f"Record {number} says that it is record {record['seq']}.")
    return dict(record)


def examine(path: Path, key: bytes | None, heads: list[Head]) -> Walk:
    """Walk the journal or export at `path`. Raises NotWhole with the first record that cannot be trusted."""
    with path.open("rb") as file:
        start, size = file.read(100), file.seek(0, 2)
    is_database = start.startswith(b"SQLite format 3\0")
    if not is_database and not start.startswith(b"{"):
        raise NotWhole(None, f"{path} is neither a journal nor an export of one.")
    if is_database and (start[16:18] != b"\x10\x00" or size % 4096):  # its write-ahead file may hide that from SQLite
        raise NotWhole(None, f"{path} does not consist of whole pages of 4096 bytes.")
    if is_database and beside(path, ".anchor").exists():
        own = head_in(beside(path, ".anchor"))
        heads, key = [*heads, own], own[3] if key is None else key
    if is_database and not heads and _blank(beside(path, "-wal")):
        raise NotWhole(None, "The write-ahead file has lost its header, and no head tells what was in it.")
    walk = Walk(key, heads)
    for row in rows_of_database(path) if is_database else rows_of_export(path):
        walk.step(row)
    walk.end()
    return walk


def _blank(log: Path) -> bool:
    head = log.read_bytes()[:4] if log.exists() else b""
    return bool(head) and head not in (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")


def verdict(path: Path, key: bytes | None = None, heads: list[Head] | None = None) -> dict[str, object]:
    """Return `{"ok": true, "records", "head", "signed_to", "public_key"}` or `{"ok": false, "first_bad", "why"}`."""
    try:
        walk = examine(path, key, heads or [])
    except NotWhole as found:
        return {"ok": False, "first_bad": found.first_bad, "why": found.why}
    whole = {"ok": True, "records": walk.records, "head": walk.digest.hex()}
    return {**whole, "signed_to": walk.signed_to, "public_key": (walk.key or b"").hex()}


def main(arguments: list[str]) -> int:
    """Answer on standard output; return the exit status."""
    parser = argparse.ArgumentParser(prog="verify.py", description="Is this cardshoe journal whole?")
    parser.add_argument("journal", type=Path)
    parser.add_argument("--public-key", type=bytes.fromhex, help="64 hex digits that you hold")
    parser.add_argument("--anchor", type=Path, help="a signed head that was kept elsewhere")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    try:
        kept = [] if given.anchor is None else [head_in(given.anchor)]
        found = verdict(given.journal, given.public_key, kept)
    except NotWhole as error:
        found = {"ok": False, "first_bad": error.first_bad, "why": error.why}
    except OSError as error:
        parser.error(f"{error.filename} cannot be read: {error.strerror}")
    words = "whole" if found["ok"] else "NOT WHOLE"
    told = ", ".join(f"{name} {value}" for name, value in found.items() if name != "ok")
    sys.stdout.write((json.dumps(found) if given.json else f"{given.journal} is {words}: {told}") + "\n")
    return 0 if found["ok"] else 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
