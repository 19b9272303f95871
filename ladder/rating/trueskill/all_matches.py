"""TrueSkill over all matches at once: strengths independent of the order of the results.

Theory of operation.

*Model.* TrueSkill for players without teams (Herbrich, Minka and Graepel 2007). A version has a
strength s ~ N(0, sd^2). In a match it performs p ~ N(s, 1): the standard deviation of a
performance, TrueSkill's beta, is the unit here. A version placed before another performed better by
more than a margin; tied versions performed within the margin of each other. Each version is
compared with all on its own place and on the next, so that ties are treated alike. Versions that
forfeit share the last place, without an order among them.

*Messages.* A comparison only bounds the difference d of two performances. Expectation propagation
(Minka 2001) replaces the bound by a normal factor that gives d the same mean and variance, given
all other factors. TrueSkill passes such messages along one match and goes on to the next. Here all
matches stay open, and all factors are updated at once: all factors together give one normal
distribution of all strengths, with their covariances, and that gives each factor anew, until they
converge. Without ties the factor graph of one match is a chain, and the result equals TrueSkill's.
New factors are damped with old ones: those of three-way ties would otherwise oscillate.

*Estimated parameters.* sd^2, and with it the ratio of skill to luck, is the sum of the squared
strengths over how many strengths the results determine (empirical Bayes, MacKay's step: EM would
still be far away when the strengths stop moving). Its prior sd^(w - 1) / (1 + (sd / usual)^2)^w
grows from zero, so that no luck makes all bots equal, and falls beyond the usual spread. One that
counted a typical version (inverse gamma) kept sd far from zero where bots are about equal. The
margin is the one that predicts the observed share of ties, with some usual pairs.

*Unknown spread.* Few results leave sd open, and the less it is, the more strengths are shrunk. So
they are averaged over what sd may be. Its logarithm is about normal, around the most probable value
and with the curvature there; three points stand for it (Gauss-Hermite quadrature).

*Moments.* An outcome adds v to the mean and multiplies the variance by 1 - w, in TrueSkill's terms
and in standard deviations. The functions below return 1 - w, which keeps its precision however
unlikely the outcome was.

*Order.* The matches are sorted by content before anything is summed, and the messages start empty.
So the ratings depend on the results alone, to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import erfcx, ndtr

from ladder.rating.arrays import Bools, Floats, Ints, inverse, summed
from ladder.rating.condensed import Condensed
from ladder.rating.results import ABSENT, Matches
from ladder.rating.scale import MARGIN

_SWEEPS = 60
_CLOSE = 0.005
"""The sweeps end when all strengths move by less than this part of their errors."""
_NEW = 0.7
"""The weight of new messages against old ones."""
_FAINT = 1e-9
"""The initial precision of messages."""
_USUAL_SD = 0.4
_WEIGHT_OF_SD = 1.5
"""w, in versions. At 1 intervals in dense fields were too narrow, at 2 they were foretold worse."""
_LEAST_CURVATURE = 0.25
"""Of the logarithm of sd^2: it is known at least within a deviation of two."""
_QUADRATURE = ((-np.sqrt(3), 1 / 6), (0.0, 2 / 3), (np.sqrt(3), 1 / 6))
"""Points of the standard normal distribution and their weights."""
_NARROWEST, _WIDEST = 0.02, 2.0
"""Bounds of the spread, for logs with little data, or in which the same versions always win."""
_USUAL_TIES = 0.05
_WEIGHT_OF_TIES = 20.0
"""The weight of the usual share of ties, in pairs."""
_LEAST_MARGIN = 1e-4
_SAMPLE = 5000
"""About how many matches, up to twice as many, estimate the share of ties for a margin."""


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """P comparisons of performances in M matches of at most W versions."""

    match: Ints
    """(P,)"""
    ahead: Ints
    """(P,) the column of the better placed version, or of either in a tie."""
    behind: Ints
    """(P,)"""
    shared: Bools
    """(P,) whether both are tied."""


@dataclass(frozen=True, slots=True, eq=False)
class Skills:
    """The normal distribution of N strengths, in standard deviations of a performance."""

    mean: Floats
    """(N,)"""
    covariance: Floats
    """(N, N)"""
    sd: float
    """The prior standard deviation of strengths."""
    margin: float
    """Performances that differ by less tie."""
    precision: Floats
    """(N, N) the messages' information on the strengths, those of older results included."""
    pull: Floats
    """(N,) the messages' precision times their means, likewise."""
    gain: float
    """The factor of the messages' information."""
    spreads: Sequence[tuple[float, float]]
    """The possible prior standard deviations, with the weight of each; the middle is `sd`."""

    def given(self, sd: float) -> "Skills":
        """Return the strengths by another prior, under the same messages."""
        variance = np.full(len(self.mean), sd**2)
        mean, covariance = _by_prior(self.precision, self.pull, variance, self.gain)
        return replace(self, mean=mean, covariance=covariance, sd=sd)


def _by_prior(
    precision: Floats, pull: Floats, variance: Floats, gain: float
) -> tuple[Floats, Floats]:
    """Return the means and covariance by messages and a prior around zero."""
    covariance = inverse(gain * precision + np.diag(1 / variance))
    return covariance @ (gain * pull), covariance


def compared(matches: Matches) -> Compared:
    """Return the comparisons of the matches."""
    present = matches.versions != ABSENT
    level = _levels(matches, present & ~matches.crashed)
    parts: list[tuple[Ints, Ints, Ints, Bools]] = []
    for a, b in combinations(range(level.shape[1]), 2):
        known = present[:, a] & present[:, b] & (matches.versions[:, a] != matches.versions[:, b])
        below = level[:, b] - level[:, a]
        chosen = np.flatnonzero(
            known & (np.abs(below) <= 1) & ~(matches.crashed[:, a] & matches.crashed[:, b])
        )
        swap = below[chosen] < 0
        ahead, behind = np.where(swap, b, a), np.where(swap, a, b)
        parts.append((chosen, ahead, behind, below[chosen] == 0))
    nothing = np.zeros(0, np.int64)
    parts.append((nothing, nothing, nothing, nothing > 0))
    return Compared(*map(np.concatenate, zip(*parts, strict=True)))


def _levels(matches: Matches, finished: Bools) -> Ints:
    """Return how many places are before each version, (M, W); versions that forfeit are last."""
    ranks = matches.ranks
    first = finished.copy()  # one version of each place
    for a, b in combinations(range(ranks.shape[1]), 2):
        first[:, b] &= ~(finished[:, a] & (ranks[:, a] == ranks[:, b]))
    better = (ranks[:, :, None] > ranks[:, None, :]) | matches.crashed[:, :, None]
    found: Ints = np.sum(better & first[:, None, :], axis=2)
    return found


class _Graph:
    """The factor graph of all matches, with one performance per version and match.

    Matches are the last axis of all arrays, so that all are computed at once.
    """

    def __init__(self, matches: Matches, past: Condensed) -> None:
        self.past = past
        self.n = entrants = len(past.pull)
        self.pairs = pairs = compared(matches)
        self.size, self.width = matches.versions.shape
        # Absent versions become version n, which no comparison touches.
        self.version = np.where(matches.versions == ABSENT, entrants, matches.versions).T.copy()
        ahead, behind = pairs.ahead * self.size, pairs.behind * self.size
        across = (
            ahead * self.width + behind + pairs.match,
            behind * self.width + ahead + pairs.match,
        )
        own = (end * (self.width + 1) + pairs.match for end in (ahead, behind))
        self.corners = np.stack([*own, *across])
        self.ends = np.stack([ahead + pairs.match, behind + pairs.match])
        self.cells = (self.version[:, None] * (entrants + 1) + self.version).ravel()
        self.unit = np.eye(self.width)[:, :, None]
        self.shared = np.flatnonzero(pairs.shared)
        self.pi = np.full(len(pairs.match), _FAINT)
        self.tau = np.zeros(len(pairs.match))

    def posterior(self, variance: Floats, gain: float) -> tuple[Floats, Floats]:
        """Return the means and covariance of the strengths under the current messages.

        `variance`, (N,), is that of the prior. `gain` multiplies the information of a match.
        """
        n, shape = self.n, (self.width, self.size)
        precisions = np.concatenate([self.pi, self.pi, -self.pi, -self.pi])
        precisions = summed(self.corners.ravel(), precisions, self.width**2 * self.size)
        self.noise = _inverted(precisions.reshape(self.width, *shape) + self.unit)
        leaning = np.concatenate([self.tau, -self.tau])
        leaning = summed(self.ends.ravel(), leaning, self.width * self.size).reshape(shape)
        self.pull = np.einsum("ijm,jm->im", self.noise, leaning)
        precision = summed(self.cells, (self.unit - self.noise).ravel(), (n + 1) ** 2)
        self.information = precision.reshape(n + 1, n + 1)[:n, :n] + self.past.precision
        self.leant = summed(self.version.ravel(), self.pull.ravel(), n + 1)[:n] + self.past.pull
        return _by_prior(self.information, self.leant, variance, gain)

    def pass_messages(self, mean: Floats, covariance: Floats, margin: float) -> None:
        """Update each factor, given all others."""
        padded = np.zeros((self.n + 1, self.n + 1))
        padded[: self.n, : self.n] = covariance
        strengths = padded.ravel()[self.cells].reshape(self.width, self.width, self.size)
        spread = np.einsum("ijm,jkm->ikm", strengths, self.noise)
        spread = (self.noise + np.einsum("ijm,jkm->ikm", self.noise, spread)).ravel()
        centre = np.append(mean, 0.0)[self.version]
        centre = (np.einsum("ijm,jm->im", self.noise, centre) + self.pull).ravel()
        a, b, c, d = (spread[corner] for corner in self.corners)
        variance, gap = a + b - c - d, centre[self.ends[0]] - centre[self.ends[1]]
        pi, tau = (
            1 / variance - self.pi,
            gap / variance - self.tau,
        )  # the cavity: without this factor
        root = np.sqrt(pi)
        v, left = self._moments(tau / root, margin * root)
        self.pi += _NEW * (pi * (1 - left) / left - self.pi)
        self.tau += _NEW * ((tau + root * v) / left - tau - self.tau)

    def _moments(self, mean: Floats, margin: Floats) -> tuple[Floats, Floats]:
        v, left = won(mean - margin)
        at = self.shared
        v[at], left[at] = drawn(mean[at], margin[at])
        return v, np.maximum(left, np.finfo(float).tiny)


def _inverted(matrices: Floats) -> Floats:
    """Invert symmetric positive definite matrices, (W, W, M), in place, and return them."""
    for k in range(len(matrices)):
        pivot, column = matrices[k, k].copy(), matrices[:, k].copy()
        row = matrices[k] / pivot
        matrices -= column[:, None] * row
        matrices[k], matrices[:, k] = row, -column / pivot
        matrices[k, k] = 1 / pivot
    return matrices


class _Ties:
    """The observed share of ties, and the margin that predicts it."""

    def __init__(self, matches: Matches, past: Condensed) -> None:
        n = len(past.pull)
        finished = (matches.versions != ABSENT) & ~matches.crashed
        sample = np.zeros(len(finished), np.bool_)
        sample[:: max(1, len(finished) // _SAMPLE)] = True
        pairs, seen, count = [np.zeros(0, np.int64)], 0, 0
        for a, b in combinations(range(finished.shape[1]), 2):
            both = finished[:, a] & finished[:, b]
            count += int(np.count_nonzero(both))
            seen += int(np.count_nonzero(both & (matches.ranks[:, a] == matches.ranks[:, b])))
            versions = matches.versions[both & sample]
            pairs.append(versions[:, a] * n + versions[:, b])
        ties, every = seen + past.sums.ties, count + past.sums.pairs
        self.share = (ties + _WEIGHT_OF_TIES * _USUAL_TIES) / (every + _WEIGHT_OF_TIES)
        found, of_each = np.unique(np.concatenate(pairs), return_counts=True)
        i, j = np.nonzero(past.met)
        self.i = np.concatenate([found // max(n, 1), i])
        self.j = np.concatenate([found % max(n, 1), j])
        own = of_each * (count / max(int(of_each.sum()), 1))
        self.count = np.concatenate([own, past.met[i, j]])

    def margin(self, mean: Floats, margin: float) -> float:
        """Return a better margin, by a step of Newton's method."""
        gap = np.append(mean[self.i] - mean[self.j], 0.0)
        count = np.append(self.count, _WEIGHT_OF_TIES)
        high, low = (margin - gap) / np.sqrt(2), (-margin - gap) / np.sqrt(2)
        share = np.average(ndtr(high) - ndtr(low), weights=count)
        slope = np.average(np.exp(-(high**2) / 2) + np.exp(-(low**2) / 2), weights=count)
        step = (self.share - share) / slope * np.sqrt(4 * np.pi)
        return float(np.clip(margin + step, max(margin / 2, _LEAST_MARGIN), 2 * margin))


def _spread(mean: Floats, variance: Floats, before: float) -> float:
    """Return a better estimate of the spread of strengths than the one `before`."""
    determined = float((1 - variance / before**2).sum())
    usual = 2 / (before**-2 + _USUAL_SD**-2)
    squares = float((mean**2).sum()) + _WEIGHT_OF_SD * usual
    spread = np.sqrt(squares / (max(determined, 0.0) + _WEIGHT_OF_SD))
    return float(np.clip(spread, _NARROWEST, _WIDEST))


def _spreads(mean: Floats, covariance: Floats, sd: float) -> list[tuple[float, float]]:
    """Return what the spread may be, and the weight of each value; `sd` is the most probable."""
    m, left, wide = mean / sd, covariance / sd**2, (sd / _USUAL_SD) ** 2
    of_results = np.sum(left**2) - np.trace(left) - m @ m + 2 * m @ left @ m
    curvature = float(_WEIGHT_OF_SD * wide / (1 + wide) ** 2 - of_results / 2)
    deviation = 1 / np.sqrt(max(curvature, _LEAST_CURVATURE))
    return [(sd * float(np.exp(x * deviation / 2)), weight) for x, weight in _QUADRATURE]


def skills(matches: Matches, past: Condensed, first: Bools, gain: float = 1.0) -> Skills:
    """Return the strengths that follow from sorted matches and the `past`, of N versions.

    The spread is that of the `first` ones, (N,): later versions of the same bots add nothing to it.
    `gain` is the information of a match relative to an independent one: matches that share a deal
    may inform more or less.
    """
    entrants = len(past.pull)
    graph, ties = _Graph(matches, past), _Ties(matches, past)
    sd, margin, mean = _USUAL_SD, MARGIN, np.zeros(entrants)
    for sweep in range(_SWEEPS):
        before = mean
        mean, covariance = graph.posterior(np.full(entrants, sd**2), gain)
        variance = np.diag(covariance)
        graph.pass_messages(mean, covariance, margin)
        sd = _spread(mean[first], variance[first], sd)
        margin = ties.margin(mean, margin)
        if sweep and np.max(np.abs(mean - before) / np.sqrt(variance), initial=0.0) < _CLOSE:
            break
    spreads = _spreads(mean[first], covariance[first][:, first], sd)
    return Skills(mean, covariance, sd, margin, graph.information, graph.leant, gain, spreads)


_FAR = 30.0
"""Beyond this many standard deviations series take over, as differences lose precision."""
_NARROW = 1e-2
"""Over a margin this narrow the density is linear."""
_STEEP = 40.0
"""If the log density falls this far within the margin, only the near end counts."""
_ROOT_2 = np.sqrt(2.0)
_HAZARD = np.sqrt(2 / np.pi)


def won(mean: Floats) -> tuple[Floats, Floats]:
    """Return v and 1 - w of variables of this mean and deviation 1, given that they exceed 0."""
    near = np.maximum(mean, -_FAR)
    v = _HAZARD / erfcx(-near / _ROOT_2)
    left = 1 - v * (v + near)
    beyond = np.flatnonzero(mean < -_FAR)
    far = mean[beyond]
    y = 1 / (far * far)
    v[beyond] = -far * (1 + y * (1 - y * (2 - 10 * y)))
    left[beyond] = y * (1 - y * (6 - 50 * y))
    return v, np.clip(left, 0.0, 1.0)


def drawn(mean: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Return v and 1 - w of variables of this mean and deviation 1, given |variable| < margin."""
    gap = np.abs(mean)
    low, high = gap - margin, gap + margin
    reach = 2 * margin * np.maximum(gap, 1.0)
    narrow, far = reach < _NARROW, low > _FAR
    fall, left = _near(np.where(narrow | far, -1.0, low), np.where(narrow | far, 1.0, high))
    for there, moments in (
        (far, _exponential(np.maximum(gap, 1.0), margin, np.clip(reach, _NARROW, _STEEP))),
        (far & (reach > _STEEP), won(-low)),
        (narrow, (gap * (1 - margin**2 / 3), margin**2 / 3)),
    ):
        fall, left = (
            np.where(there, new, old) for new, old in zip(moments, (fall, left), strict=True)
        )
    return -np.sign(mean) * fall, np.clip(left, 0.0, 1.0)


def _near(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the mean and variance of a standard normal variable between two bounds."""
    mass = np.sqrt(2 * np.pi) * (ndtr(-low) - ndtr(-high))
    at_low, at_high = np.exp(-low * low / 2), np.exp(-high * high / 2)
    mean = (at_low - at_high) / mass
    return mean, 1 - mean * mean + (low * at_low - high * at_high) / mass


def _exponential(gap: Floats, margin: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """Return the same for bounds `margin` around a gap so large that the density is exponential."""
    rest = 2 * margin / np.expm1(reach)
    return gap - margin + 1 / gap - rest, 1 / gap**2 - rest * (rest + 2 * margin)
