"""Messages along a match are those of the package `trueskill`, to the last bit."""

import math
import random
from collections.abc import Callable
from itertools import pairwise

import pytest
import trueskill

from ladder.model.ratings import Rating
from ladder.rating.trueskill import chain
from ladder.rating.trueskill.truncated_normal import above, within

NEARLY_ONE = math.nextafter(1.0, 0.0)


class Package(trueskill.TrueSkill):  # type: ignore[misc]
    """The package with moments that stay precise at extreme upsets."""

    def v_win(self, diff: float, draw_margin: float) -> float:
        """Return by how much the difference's mean rises, given that it exceeds the margin."""
        return above(draw_margin - diff)[0]

    def w_win(self, diff: float, draw_margin: float) -> float:
        """Return by which part its variance falls."""
        return min(1 - above(draw_margin - diff)[1], NEARLY_ONE)

    def v_draw(self, diff: float, draw_margin: float) -> float:
        """Return by how much the difference's mean rises, given that it is within the margin."""
        return within(-draw_margin - diff, draw_margin - diff)[0]

    def w_draw(self, diff: float, draw_margin: float) -> float:
        """Return by which part its variance falls."""
        return min(1 - within(-draw_margin - diff, draw_margin - diff)[1], NEARLY_ONE)


def compare(matches: int, seed: int) -> None:
    """Rate matches, usual and wild ones, by both."""
    rng = random.Random(seed)
    for _ in range(matches):
        players, ties = rng.randint(2, 6), rng.choice([0.001, 0.1, 0.3])
        package = Package(beta=rng.uniform(1, 17), tau=0.0, draw_probability=ties)
        far = rng.choice([0, 0, 5])
        before = [
            Rating(rng.gauss(25, 8) * 10 ** rng.uniform(-far, far), 10 ** rng.uniform(-1 - far, 1))
            for _ in range(players)
        ]
        ranks = sorted(rng.randint(1, players) for _ in range(players))

        alone = [(trueskill.Rating(rating.mu, rating.sigma),) for rating in before]
        expected = [Rating(one.mu, one.sigma) for (one,) in package.rate(alone, ranks)]
        tied = [rank == following for rank, following in pairwise(ranks)]
        margin = trueskill.calc_draw_margin(ties, 2, package)
        found = chain.rate(before, tied, package.beta**2, margin)

        assert repr(found) == repr(expected)  # also the sign of a zero


def test_it_is_the_package_to_the_last_bit() -> None:
    """Wins, ties and upsets of two to six players are rated as by the package."""
    compare(300, seed=1)


@pytest.mark.proof
def test_it_is_the_package_in_many_matches(proof_cases: Callable[[int], int]) -> None:
    """The same holds for a hundred thousand matches."""
    compare(proof_cases(100_000), seed=2)
