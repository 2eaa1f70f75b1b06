"""The simulated devices and the physical table: a second implementation, written from the prose of the protocols.

Owns one world: the shoe, the table reader, the cards and the dealer's hands. Must not know anything else of cardshoe:
it shares no code with the drivers (promise P8), so that a mistake in one is not repeated in the other.
"""
