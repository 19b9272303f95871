"""Fails at its first decision with a traceback that would clear a terminal."""

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Fail."""
    raise LookupError(f"no idea on turn {position.turn}: \x1b[2J")


if __name__ == "__main__":
    run(choose, name="last-words")
