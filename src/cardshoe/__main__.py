"""`python -m cardshoe` is the `cardshoe` command."""

import signal

# Ctrl-C while the program is being loaded ends it like any program, without a word; then it is a command's to take.
_taken = signal.signal(signal.SIGINT, signal.SIG_DFL)

from cardshoe.cli import main  # noqa: E402 — what is loaded is what may be interrupted

signal.signal(signal.SIGINT, _taken)
main()
