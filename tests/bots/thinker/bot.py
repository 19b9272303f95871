"""Thinks about its first decision for as many seconds as its argument says."""

import sys
import time

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Wait, and play."""
    if position.turn <= position.seats:
        time.sleep(float(sys.argv[1]))
    return position.random_action()


run(choose, name="thinker")
