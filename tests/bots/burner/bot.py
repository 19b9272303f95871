"""At its second decision, keeps all cores busy with children and itself waits for one in vain."""

import os

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Let the children compute, at the lowest priority of all."""
    if position.turn > position.seats:
        for _ in range(12):
            if os.fork() == 0:
                while True:
                    pass
        os.nice(19)
        while True:
            pass
    return position.random_action()


run(choose, name="burner")
