"""cardshoe: the controller of a casino table game dealt from an automated shoe."""

__version__ = "0.1.0"
