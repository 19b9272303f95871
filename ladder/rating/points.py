"""What points say of strengths beyond places: not only who was ahead, but by how much.

Theory of operation. The points of a match decide its places, and tell more: two that are nearly
equal change places by luck, and two that are far apart do not. So strengths are estimated twice,
from places and from points, by the same likelihood, and joined.

*Scores.* By points a comparison has the score y = logistic(m / (2 r)) in place of 1, 1/2 or 0, with
the margin m and its root mean square r at tables of that size: nearly a straight line, which bends
for margins that are extreme. Who forfeited is behind by r. A logit model takes any y between 0 and
1 (Papke and Wooldridge 1996); how little they scatter is measured, as it is for places.

*Scale.* Strengths by points are c times as large on the scale of places, c^2 being the ratio of how
far both spread: the sums of squares of the estimates plus the variances of their errors.

*Trust.* A ladder asks who comes first. A bot that wins by little and loses by much is stronger than
its points say. Let that be a normal deviation of each version with the variance s2. The differences
d of both estimates scatter by s2 and by the covariance D of their errors, so

    s2 = max(0, (|d|^2 - tr D + sqrt(2 tr D^2)) / (N - 1))

the last term being the standard error: deviations are taken to be as large as they may well be.

*Join.* theta = (1 - q) theta_places + q c theta_points, with the share q that makes the mean
variance of theta least, s2 included. At first q is near 1: points tell more. With more matches the
errors of both fall and s2 stays, so q goes to 0 if points mislead at all: in the end who comes
first is what counts. There is one share for all, since the best weights of every version for every
other, as the estimated covariances would have them, would be fitted to their noise.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from ladder.rating.arrays import Floats, summed
from ladder.rating.comparisons import Comparisons
from ladder.rating.fit import Fit, Joint, Variances

_SOFTNESS = 2.0
"""In root mean squares of the margins."""
UNIT = 1 / (1.702 * _SOFTNESS)
"""What is a logit of places about as large as by points: for normal margins, whose signs are as
likely as logistic ones of 1 / 1.702 of the width."""


def scored(data: Comparisons) -> Comparisons | None:
    """Return the comparisons scored by points; None if not all are known, or if all are equal."""
    known = np.isfinite(data.margin)
    if np.isnan(data.margin).any() or not known.any():
        return None
    tables = data.tables()
    count = np.bincount(tables, known)
    squares = summed(tables, np.where(known, data.margin, 0.0) ** 2, len(count))
    typical = np.sqrt(squares / np.maximum(count, 1))[tables]
    if not (typical > 0).all():
        return None
    margin = np.where(known, data.margin, np.sign(data.margin) * typical)
    return data.rescored(expit(margin / (_SOFTNESS * typical)))


def joined(places: Fit, points: Fit, both: Floats) -> Fit:
    """Join two fits of the same matches; `both` is the covariance of their errors, (N, N)."""
    n = len(places.theta)
    centre = np.eye(n) - 1 / n
    scale = np.sqrt(_spread(centre, places) / _spread(centre, points))
    errors = _Errors(centre, places.V, scale**2 * points.V, scale * both)
    apart = centre @ (places.theta - scale * points.theta)
    difference = errors.of_difference()
    stray = _stray(apart, difference)
    share = errors.best_share(difference, stray)
    covariance = errors.of_mixture(share, stray)
    gain = float(np.trace(centre @ places.V) / np.trace(centre @ covariance))
    return replace(
        places,
        theta=places.theta - share * apart,
        V=covariance,
        variances=_variances(places.variances, points.variances.t2 * scale**2, share, gain),
        joint=Joint(places, points, float(scale), share, float(np.sqrt(stray)), gain),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Errors:
    """Covariances of the errors of both estimates on the scale of places, each (N, N)."""

    centre: Floats
    """Takes the mean away."""
    places: Floats
    points: Floats
    both: Floats
    """Of places with points."""

    def of_difference(self) -> Floats:
        """Return D."""
        apart = self.places + self.points - self.both - self.both.T
        difference: Floats = self.centre @ apart @ self.centre
        return difference

    def best_share(self, difference: Floats, stray: float) -> float:
        """Return q for this D and s2."""
        least = np.trace(difference) + stray * (len(difference) - 1)
        share = np.trace(self.centre @ (self.places - self.both)) / least if least > 0 else 0.0
        return float(np.clip(share, 0.0, 1.0))

    def of_mixture(self, share: float, stray: float) -> Floats:
        """Return the covariance of what both are joined to with the share q and this s2."""
        across = share * (1 - share) * (self.both + self.both.T)
        strays = share**2 * stray * self.centre
        return (1 - share) ** 2 * self.places + across + share**2 * self.points + strays


def _variances(of: Variances, t2: float, share: float, gain: float) -> Variances:
    """Return those that are left when points, with this t2, have their share."""
    t = (1 - share) * np.sqrt(of.t2) + share * np.sqrt(t2)
    return replace(of, phi=of.phi / gain, phi_version=of.phi_version / gain, t2=float(t**2))


def _spread(centre: Floats, of: Fit) -> float:
    """Return how far the true strengths spread: a sum of squares."""
    return float(of.theta @ centre @ of.theta + np.trace(centre @ of.V))


def _stray(apart: Floats, errors: Floats) -> float:
    """Return s2."""
    left = max(len(apart) - 1, 1)
    moment = float(apart @ apart - np.trace(errors))
    error = float(np.sqrt(2 * (errors**2).sum()))
    return max(0.0, (moment + error) / left)
