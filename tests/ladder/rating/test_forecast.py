"""Forecasts of matches, against the matches it takes."""

import numpy as np
import pytest

from ladder.rating.forecast import NEVER, matches_to_separate
from ladder.rating.rater import rate
from tests.ladder.rating.simulation import World, with_newcomers


def test_enough_matches_separate() -> None:
    """The forecast number of matches brings the error of a difference to the required size."""
    ratios = []
    for seed in range(6):
        world = World(seed=seed, entrants=12)
        before = rate(world.rounds(300))
        i, j = 5, 7
        missing = matches_to_separate(before, i, j, 0.975)
        if not missing or missing > 1500:
            continue
        for _ in range(round(missing / 4)):
            others = [v for v in range(12) if v not in (i, j)]
            group = [i, j, *world.random.choice(others, 2, replace=False).tolist()]
            world.play(world.random.permutation(group).tolist())
        gap = abs(before.theta[i] - before.theta[j])
        ratios.append(1.96 * rate(world.log).deviations()[i, j] / gap)

    assert len(ratios) >= 3
    assert np.exp(np.log(ratios).mean()) == pytest.approx(1, abs=0.15)


def test_separate_already() -> None:
    """Separated versions need no more matches."""
    assert matches_to_separate(rate(World().rounds(800)), 0, 11, 0.975) == 0


def test_equals_are_never_separated() -> None:
    """No number of matches separates equal versions, nor versions without results."""
    world = World(entrants=4)

    assert matches_to_separate(rate(with_newcomers(world.rounds(40), 2)), 4, 5, 0.95) == NEVER
