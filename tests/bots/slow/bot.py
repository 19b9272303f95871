"""Thinks for 0.3 seconds about each of its first three decisions, and uses no core for it."""

import time

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Wait, and play."""
    if position.turn <= 3 * position.seats:
        time.sleep(0.3)
    return position.random_action()


run(choose, name="slow")
