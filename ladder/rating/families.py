"""The prior of versions: those of one bot are a family, and most of them play alike.

Theory of operation. Of twenty versions that differ in a comment the luckiest looks strong. So a
version is taken to be as strong as the one that it replaced with the probability 1 - p; otherwise
both differ by a normal deviation with the variance D^2, the square of `DRIFT`. All versions of a
family share what their matches tell, as far as they are alike, in both directions.

*Links.* Each version is linked to its predecessor. Let the rest of the results say that both differ
by g with the error variance e. They differ with the probability

    P = p N(g; 0, e + D^2) / (p N(g; 0, e + D^2) + (1 - p) N(g; 0, e))

and then by h = g D^2 / (e + D^2). A normal prior of the difference with the variance q = e c / (1 -
c), c = P D^2 / (e + D^2), leads to the same mean, P h. So q is estimated for each link, and the
prior of all is one normal distribution. What it lacks, the variance P (1 - P) h^2 between both
cases, is added in the end.

*Tries.* Of k versions one is expected to differ from the others, however many there are: the best
of k is shrunk by k. A family whose versions do differ raises p, which is (1 + the sum of its P) /
(2 k).
"""

from collections.abc import Mapping

import numpy as np
from scipy.special import expit, logit

from ladder.rating.arrays import Floats, Ints, summed

DRIFT = 0.25
"""The standard deviation of the difference between a version and its predecessor, if they differ,
in deviations of a performance."""
_LEAST = 1e-5
"""The least q, so that matrices can be inverted."""
_LEAST_INFORMATION = 1e-6


class Prior:
    """The prior of N versions. Strengths are in deviations of a performance."""

    def __init__(self, entrants: int, predecessors: Mapping[int, int], sd: float) -> None:
        """Begin without results; `sd` is the spread of versions that replaced none."""
        self.sd = sd
        self.new = np.ones(entrants, np.bool_)
        self.new[list(predecessors)] = False
        self._entrants = entrants
        self._own, self._old = (
            np.array([*part], np.int64) for part in (predecessors, predecessors.values())
        )
        self._family = _roots(entrants, predecessors)[self._own]
        self._size = 1 + np.bincount(self._family, minlength=entrants)[self._family]
        self._q = DRIFT**2 / (self._size + 1)
        self._p = 1 / (self._size + 1)
        self._between = np.zeros(len(self._own))

    def precision(self) -> Floats:
        """Return the inverse of the prior's covariance, (N, N)."""
        found: Floats = np.diag(np.where(self.new, 1 / self.sd**2, 0.0))
        for one, other, sign in (
            (self._own, self._own, 1),
            (self._old, self._old, 1),
            (self._own, self._old, -1),
            (self._old, self._own, -1),
        ):
            np.add.at(found, (one, other), sign / self._q)
        return found

    def determined(self, covariance: Floats) -> float:
        """Return how many strengths the results determine, by their posterior covariance."""
        explained = float((self.new * np.diag(covariance)).sum()) / self.sd**2
        return self._entrants - explained - float(np.sum(self._variance(covariance) / self._q))

    def learn(self, mean: Floats, covariance: Floats) -> None:
        """Estimate by the posterior which versions differ from their predecessors."""
        if not len(self._own):
            return
        variance = self._variance(covariance)
        e = 1 / np.maximum(1 / variance - 1 / self._q, _LEAST_INFORMATION)
        g = e * (mean[self._own] - mean[self._old]) / variance
        kept = DRIFT**2 / (e + DRIFT**2)
        differ = expit(logit(self._p) + (np.log1p(-kept) + g**2 / e * kept) / 2)
        self._p = (1 + summed(self._family, differ, self._entrants)[self._family]) / (
            2 * self._size
        )
        c = differ * kept
        self._q = np.sqrt(self._q * np.maximum(e * c / (1 - c), _LEAST))  # by half, to converge
        self._between = differ * (1 - differ) * (g * kept) ** 2

    def doubted(self, covariance: Floats) -> Floats:
        """Return the posterior covariance with the doubt which versions differ."""
        if not len(self._own):
            return covariance
        along = (covariance[:, self._own] - covariance[:, self._old]) / self._variance(covariance)
        found: Floats = covariance + (along * self._between) @ along.T
        return found

    def _variance(self, covariance: Floats) -> Floats:
        """Return the variance of the difference of each link."""
        own, old = self._own, self._old
        found: Floats = covariance[own, own] + covariance[old, old] - 2 * covariance[own, old]
        return found


def _roots(entrants: int, predecessors: Mapping[int, int]) -> Ints:
    """Return the first version of each version's family."""
    found = np.arange(entrants)
    for version in predecessors:
        first = version
        while first in predecessors:
            first = predecessors[first]
        found[version] = first
    return found
