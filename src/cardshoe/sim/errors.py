"""What the simulator raises. Owns one class; knows nothing of the product's own errors (the command translates)."""

from __future__ import annotations


class SimError(Exception):
    """A world, fault, mutation or address that cannot be set up; the text names the value and what to do."""


class Impossible(Exception):
    """An act that the physical table does not allow now (an empty gate, no stub in the hand). Nothing has changed."""
