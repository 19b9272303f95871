"""Exits with status 3 when it is asked for its second decision."""

import sys

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Exit, but for the first decision."""
    if position.turn > position.seats:
        sys.exit(3)
    return position.random_action()


run(choose, name="crasher")
