"""The maximal lottery disagrees with an order only where results do, by more than luck."""

from collections.abc import Sequence

import numpy as np
import pytest

from ladder.rating.arrays import Floats
from ladder.rating.rater import rate
from ladder.results.diagnostics.lottery import Disagreement, _maximal, disagreement
from ladder.results.diagnostics.residuals import residuals
from tests.ladder.rating.simulation import World


def upset(group: Sequence[int]) -> Floats:
    """Let 6 beat 7, the best, which gains against all others."""
    gains = {6: 3.0, 7: -6.0} if {6, 7} <= {*group} else {7: 8.0}
    return np.array([gains.get(version, 0.0) for version in group])


def found_in(world: World, matches: int) -> Disagreement | None:
    """Return how a world's matches disagree with their order."""
    log = world.rounds(matches, duplicate=False)
    fit = rate(log)
    return disagreement(residuals(log, fit), fit.theta)


def test_the_maximal_lottery() -> None:
    """A version ahead of all others has it all; rock, paper and scissors share it."""
    order = np.array([[0, 0.1, 0.2], [-0.1, 0, 0.3], [-0.2, -0.3, 0]])
    cycle = np.array([[0, 0.2, -0.1], [-0.2, 0, 0.2], [0.1, -0.2, 0]])

    assert _maximal(order) == pytest.approx([1, 0, 0])
    assert _maximal(cycle) == pytest.approx([0.4, 0.2, 0.4])


@pytest.mark.sweep
@pytest.mark.parametrize("matchup_sd", [0.0, 2.0])
def test_an_order_is_not_doubted(matchup_sd: float) -> None:
    """Nothing is said where strengths explain the results."""
    for seed in range(4):
        assert found_in(World(entrants=8, matchup_sd=matchup_sd, seed=seed), 800) is None


def test_a_first_that_loses_to_another_is_named() -> None:
    """If the first of the order loses to a version that is ahead of all, that one is named."""
    found = found_in(World(entrants=8, helping=upset), 1600)

    assert found is not None
    assert (found.first, next(iter(found.shares))) == (7, 6)
    assert found.ahead > 0.5
