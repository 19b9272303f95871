"""Bots of OpenSpiel's games for the benchmark on real play: near equilibrium, and further from it.

A bot plays the average policy of counterfactual regret minimisation after some sweeps, and in a
share of its decisions at random.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

_SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0)
_SWEEPS = 20


@dataclass(frozen=True, slots=True)
class Style:
    """How a bot plays."""

    name: str
    game: str
    """As OpenSpiel calls it."""
    aimless: float
    """The share of decisions that are random."""

    def choose(self, state: Any, chance: Random) -> Any:
        """Return the action that the bot takes."""
        actions = state.legal_actions()
        if chance.random() < self.aimless:
            return chance.choice(actions)
        node = state.plain.node
        odds = _policy(self.game).action_probabilities(node)
        return chance.choices(actions, [odds.get(action, 0.0) for action in node.legal_actions()])[
            0
        ]


@cache
def _policy(game: str) -> Any:
    import pyspiel  # noqa: PLC0415 - only where it is installed

    solver = pyspiel.CFRSolver(pyspiel.load_game(game))
    for _ in range(_SWEEPS):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def styles(game: str) -> Sequence[Style]:
    """Return the bots of a game, from the best to chance alone."""
    return [Style(f"aimless {share:.2f}", game, share) for share in _SHARES]
