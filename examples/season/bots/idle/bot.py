"""Tries a few legal actions, and keeps the one after which its own domain is worth most."""

from courtyard_kit.courtisans import Action, Family, Position, Side, run

TRIED = 1
"""How many actions it tries, drawn at random."""


def worth(position: Position, action: Action) -> float:
    """Return what the own domain scores if the game ends after an action."""
    table = position.table_after(action.table, action.side)
    above = position.expected_weights(card for card in table if card.side is Side.ABOVE)
    below = position.expected_weights(card for card in table if card.side is Side.BELOW)
    own = position.expected_weights(position.domain_after(position.seat, action.own_domain))
    return sum(own[f] * max(-1, min(1, above[f] - below[f])) for f in Family)


def choose(position: Position) -> Action:
    """Return the best of the actions that it tries."""
    actions = position.distinct_actions
    drawn = position.rng.sample(range(len(actions)), min(TRIED, len(actions)))
    return max((actions[number] for number in drawn), key=lambda each: worth(position, each))


if __name__ == "__main__":
    run(choose, name="idle")
