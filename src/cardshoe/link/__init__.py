"""The host's side of link-v1 as a pure machine. Pure."""
