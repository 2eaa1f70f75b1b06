"""Write spec.h: the numbers of link-v1 and shoe-v1 for a program in C, from the TOML files beside this directory.

    python make_spec.py            writes spec.h
    python make_spec.py --check    exit status 1 when spec.h is not what the TOML files say

Owns the C names: MSG_ (type), SIZE_ (bytes of the payload), the enums, limits, times, faults and the spec hash
(LINK-5.2). Knows nothing of the firmware that uses them.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
SEVERITIES = ["note", "advise", "hold", "void", "lockout"]


def load(name: str) -> dict[str, Any]:
    """Return a TOML file of the protocol."""
    return tomllib.loads((HERE.parent / f"{name}.toml").read_text(encoding="utf-8"))


def size_of(fields: list[str]) -> int:
    """Bytes of the payload that these fields make."""
    kinds = [field.partition(":")[2] for field in fields]
    return sum(SIZES[k] if k in SIZES else int(k.removeprefix("bytes").removeprefix("text")) for k in kinds)


def define(name: str, value: int) -> str:
    """One number; unsigned, and long where an int of 16 bits could not hold it."""
    return f"#define {name.upper()} {value}{'ul' if value > 0xFFFF else 'u'}"


def messages(link: dict[str, Any], shoe: dict[str, Any]) -> list[str]:
    """MSG_ and SIZE_ of every message; an event's size has the fields that all events begin with."""
    lines = [define("event_head", size_of(link["event"]["fields"]))]
    for row in link["message"] + shoe["message"]:
        fields = list(row["fields"])
        if row["name"] == "STATUS":
            fields += shoe["status"]["fields"]
        if row["kind"] == "event":
            fields = link["event"]["fields"] + fields
        lines += [define(f"msg_{row['name']}", row["type"]), define(f"size_{row['name']}", size_of(fields))]
    return lines


def tables(spec: dict[str, Any], names: list[str]) -> list[str]:
    """The enums, and the tables of numbers called `names`."""
    lines = [define(f"{enum}_{name}", value) for enum, rows in spec["enum"].items() for name, value in rows.items()]
    return lines + [define(f"{table}_{k}", v) for table in names for k, v in spec[table].items() if isinstance(v, int)]


def faults() -> list[str]:
    """FAULT_ codes, and FAULT_TABLE(ROW) with code, severity and whether the motor stops (SHOE-8.2)."""
    rows = load("faults")["fault"]
    lines = [define(f"severity_{name}", number) for number, name in enumerate(SEVERITIES)]
    lines += [define(f"fault_{row['name']}", row["code"]) for row in rows]
    body = []
    for row in rows:
        stops = int(row["motor"] not in ("goes on", "none"))
        body.append(f"  ROW(FAULT_{row['name'].upper()}, SEVERITY_{row['severity'].upper()}, {stops})")
    return [*lines, "#define FAULT_TABLE(ROW) \\", " \\\n".join(body)]


def text() -> str:
    """The whole of spec.h."""
    link, shoe = load("link-v1"), load("shoe-v1")
    canonical = json.dumps({"device": shoe, "link": link}, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    digest = hashlib.sha256(canonical.encode("ascii")).digest()
    quarters = [", ".join(f"0x{byte:02X}" for byte in digest[at : at + 16]) for at in (0, 16)]
    lines = ["/* Written by make_spec.py from ../link-v1.toml, ../shoe-v1.toml and ../faults.toml. Do not edit. */"]
    lines += [
        "#ifndef SPEC_H",
        "#define SPEC_H",
        "",
        "#define SPEC_HASH \\",
        f"  {quarters[0]}, \\",
        f"  {quarters[1]}",
        "",
    ]
    lines += [*messages(link, shoe), ""]
    ranges = link["ranges"]
    lines += [
        define(f"ranges_{n}_{end}", ranges[n][i])
        for n in ("command", "event")
        for i, end in ((0, "first"), (1, "last"))
    ]
    lines += [define("reply_bit", ranges["reply_bit"]), ""]
    lines += [*tables(link, ["frame", "timing", "events"]), "", *tables(shoe, ["limits", "flags", "named"]), ""]
    return "\n".join([*lines, *faults(), "", "#endif", ""])


def main() -> int:
    """The command line; returns the exit status."""
    target = HERE / "spec.h"
    if "--check" not in sys.argv[1:]:
        target.write_text(text(), encoding="ascii")
        return 0
    if target.is_file() and target.read_text(encoding="ascii") == text():
        return 0
    sys.stderr.write(f"{target} is not what the TOML files say: run make_spec.py and commit what it writes.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
