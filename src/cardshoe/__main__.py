"""`python -m cardshoe` is the `cardshoe` command."""

from cardshoe.cli import main

main()
