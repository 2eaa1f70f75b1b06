"""What a device means: typed drivers over the link. Pure."""
