"""The moments of truncated normals, against numerical integration."""

import math

import numpy as np
import pytest

from ladder.rating.trueskill.truncated_normal import above, within

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


@pytest.mark.parametrize("low", [-9.0, -1.0, 0.0, 3.0, 12.0, 29.9, 30.1, 200.0, 1e5])
def test_above_a_bound(low: float) -> None:
    """The moments above a bound agree with integration, however far out it is."""
    assert above(low) == pytest.approx(moments(low, math.inf), rel=2e-5)


@pytest.mark.parametrize("half", [1e-5, 1e-3, 0.02, 0.3, 2.0])
@pytest.mark.parametrize("middle", [0.0, 0.5, -4.0, 12.0, 31.0, -50.0, 1e4])
def test_within_bounds(middle: float, half: float) -> None:
    """The moments between two bounds agree with integration; far out, within a fiftieth."""
    mean, variance = moments(middle - half, middle + half)

    found = within(middle - half, middle + half)

    assert found[0] == pytest.approx(mean, rel=1e-4, abs=1e-9)
    assert found[1] == pytest.approx(variance, rel=0.02)
