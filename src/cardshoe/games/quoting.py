"""How a value that was given to us is quoted in an error: in full when short, cut when long, never failing."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 60


def quoted(value: object) -> str:
    """Return `value` as it would stand in JSON or Python source, at most `LONGEST` characters."""
    if isinstance(value, list | dict | tuple):
        return {list: "a list", dict: "an object", tuple: "a list"}[type(value)] + f" of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**LONGEST:
        return f"a whole number of {value.bit_length()} bits"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value[: LONGEST + 1] if isinstance(value, str) else value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
