"""Search by playouts, for any game: many candidates, a stream of worlds, a budget."""

import time
from collections.abc import Callable, Iterator, Mapping
from math import ceil, log2
from typing import Any, TypeVar

Candidate = TypeVar("Candidate")
World = TypeVar("World")


class Budget:
    """What one decision may spend: wall time from now on, and a number of nodes unless it is 0."""

    def __init__(self, seconds: float, nodes: int = 0) -> None:
        """Start the clock."""
        self._start = time.monotonic()
        self._seconds = seconds
        self._nodes = nodes
        self._searched = 0

    @property
    def spent(self) -> float:
        """How much is spent, as a share; from 1 on the decision is due.

        With a number of nodes the clock decides only when the time is up.
        """
        used = time.monotonic() - self._start
        if used >= self._seconds:
            return 1
        return self._searched / self._nodes if self._nodes else used / self._seconds

    def spend(self, nodes: int) -> None:
        """Count searched nodes, such as the turns of a playout."""
        self._searched += nodes


def best_of(
    priors: Mapping[Candidate, float],
    worlds: Iterator[World],
    play_out: Callable[[World, Candidate], float],
    budget: Budget,
) -> Candidate:
    """Return the candidate whose playouts end best on average, given a first total of each.

    Sequential halving: all are tried in the same worlds, and after an equal share of the budget
    the worse half of those left goes.
    """
    totals = dict(priors)
    left = sorted(totals, key=totals.__getitem__, reverse=True)
    rounds = ceil(log2(len(left)))
    for number in range(1, rounds + 1):
        while budget.spent < number / rounds:
            world, results = next(worlds), []
            for candidate in left:
                results.append(play_out(world, candidate))
                if budget.spent >= 1:
                    break
            else:
                for candidate, result in zip(left, results, strict=True):
                    totals[candidate] += result
        left.sort(key=totals.__getitem__, reverse=True)
        del left[(len(left) + 1) // 2 :]
    return left[0]


class Playouts:
    """Judges actions as a bot that searches does."""

    def __init__(
        self,
        world: Callable[[Any], Any],
        policy: Callable[[Any], Any],
        play_out: Callable[[Any, Any, str], float],
    ) -> None:
        """Play out in the bot's own worlds, made from states of the rules, by its policy there.

        `play_out` returns the share of rivals beaten by an action; the same text gives the same.
        """
        self._world = world
        self._policy = policy
        self._play_out = play_out

    def choose(self, state: Any, chances: str) -> Any:  # noqa: ARG002 -- a policy is sure
        """Return the action that the policy thinks best."""
        return self._policy(self._world(state)).best()

    def worth(self, state: Any, action: Any, chances: str) -> float:
        """Return how many rivals the seat to act may expect to beat by an action."""
        world = self._world(state)
        return float((world.seats - 1) * self._play_out(world, action, chances))
