"""Bytes to messages and back, driven by the protocol files. Pure."""
