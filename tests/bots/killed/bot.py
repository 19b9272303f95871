"""Is killed by SIGKILL when it is asked, as by a kernel that is out of memory."""

import os
import signal

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """End without a word."""
    os.kill(os.getpid(), signal.SIGKILL)
    return position.random_action()


run(choose, name="killed")
