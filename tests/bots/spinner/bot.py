"""At its second decision, computes on core 0 without an end."""

import os

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Compute."""
    if position.turn > position.seats:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {0})
        while True:
            pass
    return position.random_action()


run(choose, name="spinner")
