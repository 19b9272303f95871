"""Is killed by a real-time signal, which has a number but no name, when it is asked."""

import os
import signal

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """End by signal 40."""
    os.kill(os.getpid(), signal.SIGRTMIN + 6)
    return position.random_action()


run(choose, name="killed_oddly")
