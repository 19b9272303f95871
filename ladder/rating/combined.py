"""Strengths by places and by points, combined.

Theory of operation. Points carry more information than places: bots that are nearly equal swap
places by luck, bots far apart do not. But a ladder asks who comes first, and some bots win by
little and lose by much. So strengths by places and by points are averaged, with a measured weight.

*Scale.* Strengths by points are brought to the spread of those by places: both sums of squares, of
estimates plus the variances of their errors, are made equal.

*Errors.* Errors by points are kappa times those by places, and both come from the same luck: their
correlation rho is that of the residuals of versions in blocks.

*Trust.* Let a version's strength by points deviate from its true strength with the variance s2. The
differences d of both estimates of N versions, about their mean, scatter by s2 and by their errors,
(1 + kappa^2 - 2 rho kappa) v for the mean variance v of those by places. So

    s2 = max(0, |d|^2 / (N - 1) - e + e sqrt(2 / (N - 1))),   e = (1 + kappa^2 - 2 rho kappa) v

with the standard error added, to be cautious.

*Share.* Points get the share q that minimises the error variance

    (1 - q)^2 v + 2 q (1 - q) rho kappa v + q^2 (kappa^2 v + s2)

As matches accumulate, v falls and s2 stays: if points mislead at all, only places count in the end.
"""

import numpy as np
from scipy.special import ndtr

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import Comparisons
from ladder.rating.fit import LOGIT, PROVISIONAL, Fit, Joint
from ladder.rating.points import PointStrengths
from ladder.rating.trueskill.all_matches import Skills

_FEWEST = 3
"""Fewer versions do not show how places and points relate."""
_SHARPEST = 0.5
"""The least kappa: points carry at most four times the information of places."""


def combine(
    places: Skills, points: PointStrengths, data: Comparisons, fit: Fit
) -> tuple[Floats, Floats, Joint]:
    """Combine the strengths of N versions by places and by points; `fit` is that by places.

    Return the strengths in standard deviations of a performance, (N,), the covariance of their
    errors, (N, N), and how they were combined. The relation of both is measured on versions that
    are not provisional, unless these are too few.
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
    joint = Joint(
        places=fit,
        points=LOGIT * scale * points.mean,
        share=share,
        stray=LOGIT * float(np.sqrt(stray)),
        gain=v / (factor * v + share**2 * stray),
    )
    covariance = factor * places.covariance + share**2 * stray * np.eye(n)
    return places.mean + share * apart, covariance, joint


def _correlation(places: Skills, points: PointStrengths, data: Comparisons) -> float:
    """Return the correlation of the versions' residuals in blocks by places and by points."""
    cells = data.cells
    i, j = cells.i[data.cell], cells.j[data.cell]
    expected = ndtr((places.mean[i] - places.mean[j]) / np.sqrt(2))
    residuals, before = (data.score - expected, points.residual), data.past.sums
    one, other = (data.scores(residual, data.in_block) for residual in residuals)
    by_places, by_points = one @ one + before.places, other @ other + before.points
    size = float(np.sqrt(by_places * by_points))
    return max(float(one @ other + before.both) / size, 0.0) if size > 0 else 0.0
