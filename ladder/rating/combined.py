"""Places and points together: TrueSkill's strengths, mended by what points say beyond places.

Theory of operation. Points tell more than places: two that are nearly equal change places by luck,
and two that are far apart do not. But a ladder asks who comes first, and some bots win by little
and lose by much. So strengths by places and by points are averaged, and how much points weigh is
measured.

*Scale.* Strengths by points are brought to the spread of those by places: both sums of squares, of
estimates plus the variances of their errors, are made equal.

*Errors.* Those by points are kappa times as large as those by places, and both come from the same
luck: their correlation rho is that of the residuals of each version in each block.

*Trust.* Let what points say of a version be off by a deviation of its own with the variance s2. The
differences d of both estimates of N versions, about their mean, scatter by s2 and by their errors,
(1 + kappa^2 - 2 rho kappa) v for the mean variance v of those by places. So

    s2 = max(0, |d|^2 / (N - 1) - e + e sqrt(2 / (N - 1))),   e = (1 + kappa^2 - 2 rho kappa) v

with the standard error added: deviations are taken to be as large as they may well be.

*Share.* Points have the share q that makes the error variance

    (1 - q)^2 v + 2 q (1 - q) rho kappa v + q^2 (kappa^2 v + s2)

least. As matches come in v falls and s2 stays: if points mislead at all, places alone count in the
end.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import Comparisons
from ladder.rating.fit import PROVISIONAL
from ladder.rating.points import PointStrengths
from ladder.rating.trueskill.all_matches import Skills

_FEWEST = 3
"""Of fewer versions nothing shows how places and points go together."""
_SHARPEST = 0.5
"""Points are taken to tell at most four times as much as places: few matches show anything."""


@dataclass(frozen=True, slots=True, eq=False)
class Combined:
    """Places and points averaged, in deviations of a performance."""

    mean: Floats
    """(N,)"""
    covariance: Floats
    """(N, N)"""
    share: float
    """Of points, from 0 to 1."""
    scale: float
    """So many deviations of a performance is a point worth."""
    stray: float
    """How far versions may come out before or behind what their points say: a standard deviation,
    raised by its standard error."""
    gain: float
    """So many times as many matches would be as sure without points."""


def combine(places: Skills, points: PointStrengths, data: Comparisons) -> Combined:
    """Average the strengths of N versions by places and by points.

    How both go together is measured on those that are not provisional, unless these are too few.
    """
    n = len(places.mean)
    known = data.blocks >= PROVISIONAL
    known = (known if known.sum() >= _FEWEST else np.ones(n, np.bool_)).astype(np.float64)
    share_of = known / known.sum()
    freedom = max(float(known.sum()) - 1, 1.0)

    def mean_square(values: Floats) -> float:
        return float(known @ (values - share_of @ values) ** 2) / freedom

    def mean_variance(of: Skills | PointStrengths) -> float:
        own = np.diag(of.covariance)
        return float(known @ own - known @ of.covariance @ share_of) / freedom

    v, by_points = mean_variance(places), mean_variance(points)
    spread = mean_square(places.mean) + v
    scale = float(np.sqrt(spread / (mean_square(points.mean) + by_points)))
    kappa = max(scale * float(np.sqrt(by_points / v)), _SHARPEST)
    rho = _correlation(places, points, data)
    apart = scale * points.mean - places.mean
    apart -= share_of @ apart
    e = max(1 + kappa**2 - 2 * rho * kappa, 0.0) * v
    stray = max(0.0, mean_square(apart) - e + e * float(np.sqrt(2 / freedom)))
    wanted = (1 - rho * kappa) * v / (e + stray) if e + stray > 0 else 0.0
    share = float(np.clip(wanted, 0.0, 1.0))
    factor = (1 - share) ** 2 + 2 * share * (1 - share) * rho * kappa + (share * kappa) ** 2
    return Combined(
        mean=places.mean + share * apart,
        covariance=factor * places.covariance + share**2 * stray * np.eye(n),
        share=share,
        scale=scale,
        stray=float(np.sqrt(stray)),
        gain=v / (factor * v + share**2 * stray),
    )


def _correlation(places: Skills, points: PointStrengths, data: Comparisons) -> float:
    """Return the correlation of the residuals by places and points of versions in blocks."""
    cells = data.cells
    i, j = cells.i[data.cell], cells.j[data.cell]
    expected = ndtr((places.mean[i] - places.mean[j]) / np.sqrt(2))
    residuals = (data.score - expected, points.residual)
    one, other = (data.scores(residual, data.in_block) for residual in residuals)
    size = float(np.sqrt((one @ one) * (other @ other)))
    return max(float(one @ other) / size, 0.0) if size > 0 else 0.0
