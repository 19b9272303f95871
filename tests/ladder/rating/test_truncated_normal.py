"""The moments of truncated normals, against numerical integration."""

import math

import numpy as np
import pytest

from ladder.rating.trueskill.all_matches import drawn, won

NODES, WEIGHTS = np.polynomial.legendre.leggauss(120)


def moments(low: float, high: float) -> tuple[float, float]:
    """Integrate over the relevant part of the interval, from its point nearest to zero."""
    nearest = min(max(low, 0.0), high)
    reach = min(12.0, 45 / max(abs(nearest), 1e-9))
    begin, end = max(low - nearest, -reach), min(high - nearest, reach)
    u = begin + (end - begin) * (NODES + 1) / 2
    density = WEIGHTS * np.exp(-u * (nearest + u / 2))
    mean = (density * u).sum() / density.sum()
    return float(nearest + mean), float((density * (u - mean) ** 2).sum() / density.sum())


def test_won() -> None:
    """However extreme an upset, the mean rises to zero and a positive variance is left."""
    means = np.array([-1e5, -200.0, -31.0, -29.0, -12.0, -5.0, -1.0, 0.0, 1.0, 5.0, 40.0])

    v, left = won(means)

    for mean, one, rest in zip(means.tolist(), v.tolist(), left.tolist(), strict=True):
        assert (one, rest) == pytest.approx(moments(-mean, math.inf), rel=2e-5, abs=1e-9)


@pytest.mark.parametrize("margin", [1e-5, 1e-3, 0.02, 0.3, 2.0])
def test_drawn(margin: float) -> None:
    """The same holds for ties, with any margin; far out the variance within a fiftieth."""
    means = np.array([0.0, 0.5, -4.0, 12.0, 31.0, -50.0, 1e4])

    v, left = drawn(means, np.full(len(means), margin))

    for mean, one, rest in zip(means.tolist(), v.tolist(), left.tolist(), strict=True):
        expected = moments(-margin - mean, margin - mean)
        assert one == pytest.approx(expected[0], rel=1e-4, abs=1e-9)
        assert rest == pytest.approx(expected[1], rel=0.02)
