"""A bot that always takes the first legal action."""

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Return the first legal action."""
    return position.actions[0]


if __name__ == "__main__":
    run(choose, name="first")
