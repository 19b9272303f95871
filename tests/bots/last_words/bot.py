"""Fails at its first decision with a traceback, after trying to clear the terminal."""

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Clear the screen, if somebody lets it, and fail."""
    print("\x1b[2J look here")
    raise LookupError(f"no idea on turn {position.turn}")


if __name__ == "__main__":
    run(choose, name="last-words")
