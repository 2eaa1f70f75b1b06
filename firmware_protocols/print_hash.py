"""Print the spec hashes of the device protocols (LINK-5.2), as they stand in link-v1.md section 10."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def spec_hash(device: str) -> str:
    """Return the SHA-256 of the canonical JSON of `device` (such as `shoe-v1`) over link-v1, in hex."""
    link, own = (tomllib.loads((HERE / f"{name}.toml").read_text()) for name in ("link-v1", device))
    canonical = json.dumps({"device": own, "link": link}, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


if __name__ == "__main__":
    for name in ("shoe-v1", "reader-v1"):
        print(f"    {name} over link-v1   {spec_hash(name)}")
