"""The measured parameters of a game for TrueSkill."""

import numpy as np
import pytest

from ladder.rating.rater import rate
from ladder.rating.results import Log
from ladder.rating.scale import SIGMA
from ladder.rating.trueskill.tuning import tuned
from tests.ladder.rating.simulation import World


def test_tuned_to_a_game() -> None:
    """Beta and the rate of ties are those of the world, whose strengths spread half as far."""
    world = World(entrants=24)
    found = tuned(rate(world.rounds(2400, duplicate=False)))

    assert found.beta == pytest.approx(2 * SIGMA, rel=0.15)
    # Two equals tie within 1, with luck of 25 / 3 each.
    assert found.draw_probability == pytest.approx(0.068, abs=0.025)


def test_a_log_that_says_little() -> None:
    """Without matches the defaults hold; without luck or without skill, some of each is assumed."""
    assert tuned(rate(Log(4))).beta == pytest.approx(2.5 * SIGMA)
    sure = World(entrants=8)
    sure.skills *= 50
    assert tuned(rate(sure.rounds(400))).beta == pytest.approx(SIGMA / 2, rel=0.1)
    alike = World(entrants=24)
    alike.skills = np.zeros(24)
    assert tuned(rate(alike.rounds(2400))).beta > 2.5 * SIGMA
