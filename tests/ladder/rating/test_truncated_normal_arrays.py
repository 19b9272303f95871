"""The moments for arrays, against those for single numbers."""

import numpy as np
import pytest

from ladder.rating.trueskill.truncated_normal import above, within
from ladder.rating.trueskill.truncated_normal_arrays import drawn, won


def test_won() -> None:
    """However extreme an upset, the mean rises to zero and a positive variance is left."""
    means = np.array([-1e5, -200.0, -31.0, -29.0, -5.0, -1.0, 0.0, 1.0, 5.0, 40.0])

    v, left = won(means)

    for mean, one, rest in zip(means.tolist(), v.tolist(), left.tolist(), strict=True):
        assert (one, rest) == pytest.approx(above(-mean), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("margin", [1e-5, 1e-3, 0.02, 0.3, 2.0])
def test_drawn(margin: float) -> None:
    """The same holds for ties, with any margin."""
    means = np.array([0.0, 0.5, -4.0, 12.0, 31.0, -50.0, 1e4])

    v, left = drawn(means, np.full(len(means), margin))

    for mean, one, rest in zip(means.tolist(), v.tolist(), left.tolist(), strict=True):
        expected = within(-margin - mean, margin - mean)
        assert one == pytest.approx(expected[0], rel=1e-4, abs=1e-9)
        assert rest == pytest.approx(expected[1], rel=0.01)
