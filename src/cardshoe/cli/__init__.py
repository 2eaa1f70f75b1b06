"""The `cardshoe` command: one file a command, loaded when it is called, so that help stays quick."""
