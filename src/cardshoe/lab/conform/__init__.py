"""Conformance of a device to link-v1 with shoe-v1 or reader-v1: what is asked, how it is judged, what is told.

The room has no dialogue of its own: the vectors of `firmware_protocols/vectors` are the one source, and the makers' own
tool there runs them. What is here brings a used device to where a dialogue begins, watches the line, and says of every
clause whether it was shown.
"""
