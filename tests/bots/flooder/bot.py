"""Prints on stdout and stderr without end, while it plays as it should."""

import sys
import threading

from courtyard_kit.courtisans import Position, run


def flood() -> None:
    """Fill stdout and stderr, even if they are read."""
    while True:
        print("x" * 100_000)
        print("y" * 100_000, file=sys.stderr)


threading.Thread(target=flood, daemon=True).start()
run(Position.random_action, name="flooder")
