"""At its second and third decision, stays on core 0 and computes for 60 ms of CPU time."""

import os
import time

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Compute, then answer."""
    if position.seats < position.turn <= 3 * position.seats:
        os.sched_setaffinity(0, {0})
        until = time.process_time() + 0.060
        while time.process_time() < until:
            pass
    return position.random_action()


run(choose, name="worker")
