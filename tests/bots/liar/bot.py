"""Breaks the rules: says that its own domain is an opponent's."""

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Return an action that is legal but for its opponent."""
    return position.random_action()._replace(opponent=position.seat)


run(choose, name="liar")
