"""Plays any legal action, each equally likely. The bot to start from."""

from courtyard_kit.miracles import Action, Position, run


def choose(position: Position) -> Action:
    """Return any legal action."""
    return position.random_action()


if __name__ == "__main__":
    run(choose, name="random")
