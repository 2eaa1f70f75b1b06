"""A broken promise: which one, when, and what was seen. Owns nothing else."""

from __future__ import annotations

from typing import Final

PROMISES: Final = {
    "P1": "never two stacks, never none",
    "P2": "persist, then act; persist, then tell",
    "P3": "in order, or not at all",
    "P4": "no hidden card leaves",
    "P5": "an alarm blocks",
    "P6": "what happened can be proved",
    "P9": "time is monotonic, nothing waits for ever",
    "money": "what is staked is lost or returned, and won as the rules say",
    "fault": "the program itself never fails",
}


class Broken(Exception):
    """The run ends here. `promise` is a key of PROMISES, `at_s` virtual seconds."""

    def __init__(self, promise: str, text: str, at_s: float) -> None:
        super().__init__(f"{promise} at {at_s:.3f} s: {text}")
        self.promise = promise
        self.text = text
        self.at_s = at_s
