"""One match in one order, against the package `trueskill` and against plain integration."""

import math
from itertools import pairwise

import numpy as np
import pytest
import trueskill

from ladder.rating.chain import above, rated, within

NODES, WEIGHTS = np.polynomial.legendre.leggauss(120)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("ties", [0.001, 0.1, 0.3])
def test_it_is_trueskill(k: int, ties: float) -> None:
    """Any match is rated as the package rates it, shared places and far upsets included."""
    random = np.random.default_rng(k)
    for spread in [8, 50] * 5:  # with upsets by 300 the package raises
        beta = float(random.uniform(4, 17))
        package = trueskill.TrueSkill(beta=beta, tau=0, draw_probability=ties, backend="scipy")
        means = random.normal(25, spread, k).tolist()
        deviations = random.uniform(0.5, 8.3, k).tolist()
        ranks = sorted(random.integers(1, k + 1, k).tolist())
        players = zip(means, deviations, strict=True)
        expected = package.rate([(trueskill.Rating(*player),) for player in players], ranks)

        margin = trueskill.calc_draw_margin(ties, 2, package)
        drawn = [a == b for a, b in pairwise(ranks)]
        found = rated(means, deviations, drawn, beta, margin)

        for (one,), (mean, deviation) in zip(expected, found, strict=True):
            assert (mean, deviation) == pytest.approx((one.mu, one.sigma), abs=1e-6)


def moments(low: float, high: float) -> tuple[float, float]:
    """Integrate over the part of the interval that counts, from its point nearest to nought."""
    nearest = min(max(low, 0.0), high)
    reach = min(12.0, 45 / max(abs(nearest), 1e-9))
    begin, end = max(low - nearest, -reach), min(high - nearest, reach)
    u = begin + (end - begin) * (NODES + 1) / 2
    density = WEIGHTS * np.exp(-u * (nearest + u / 2))
    mean = (density * u).sum() / density.sum()
    return float(nearest + mean), float((density * (u - mean) ** 2).sum() / density.sum())


@pytest.mark.parametrize("low", [-9.0, -1.0, 0.0, 3.0, 12.0, 29.9, 30.1, 200.0, 1e5])
def test_above_a_bound(low: float) -> None:
    """The moments above a bound are those of integration, however far out it is."""
    assert above(low) == pytest.approx(moments(low, math.inf), rel=2e-5)


@pytest.mark.parametrize("half", [1e-5, 1e-3, 0.02, 0.3, 2.0])
@pytest.mark.parametrize("middle", [0.0, 0.5, -4.0, 12.0, 31.0, -50.0, 1e4])
def test_within_bounds(middle: float, half: float) -> None:
    """The moments between two bounds are those of integration; far out, within a fiftieth."""
    mean, variance = moments(middle - half, middle + half)

    found = within(middle - half, middle + half)

    assert found[0] == pytest.approx(mean, rel=1e-4, abs=1e-9)
    assert found[1] == pytest.approx(variance, rel=0.02)


def test_upsets_beyond_all_precision() -> None:
    """A winner from a million deviations behind moves up, and both are surer than before."""
    (winner, w), (loser, v) = rated([0.0, 1e6], [1.0, 1.0], [False], 1.0, 0.1)

    assert 0 < winner <= loser + 1 < 1e6
    assert 0 < w < 1
    assert 0 < v < 1
