"""Never answers a request."""

import time

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Sleep for longer than anybody waits."""
    time.sleep(100_000)
    return position.random_action()


run(choose, name="sleeper")
