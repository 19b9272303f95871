"""What a log says of its versions' strengths, and how sure that is.

Strengths are on the logit scale: with all seats alike, A comes before B with the probability
1 / (1 + exp(theta_B - theta_A)). Around the
estimates the truth lies as a normal distribution with the covariance V, and all that is said of
ranks follows from it, by counting in draws. The draws are the same every time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ladder.rating.arrays import Bools, Floats, Ints
from ladder.rating.draws import normal

PROVISIONAL = 6
"""A version with fewer blocks than this has no error bar that can be trusted."""

CAUTION = 1.15
"""Who stops as soon as a probability is above a bound stops where it is too high by chance. So
probabilities that ladders stop by are taken from errors that are larger by this factor."""
_DRAWS = 4000
_CELLS = 2_000_000
"""No more numbers than this are drawn, so that a thousand versions do not take a minute."""


LOGIT = 1.702 / 2**0.5
"""What is a deviation of one performance in TrueSkill is so many logits: the difference of two is
spread sqrt(2) as wide, and the logistic function of 1.702 x is the normal one of x within 0.01."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """What places and points say each on their own, and how they were averaged."""

    places: "Fit"
    points: Floats
    """(N,) strengths by points, on the scale of places."""
    share: float
    """The weight of points, from 0 to 1; places have the rest."""
    stray: float
    """How far versions may come out before or behind what their points say, in logits: a standard
    deviation, raised by its standard error."""
    gain: float
    """So many times as many matches would be as sure without points."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Strengths of N versions with their uncertainty. Arrays are not to be changed."""

    theta: Floats
    """(N,) strengths; about zero on average."""
    V: Floats
    """(N, N) covariance of the errors of theta."""
    information: Floats
    """(N, N) I_ij, what the log tells of each pair if all comparisons were independent."""
    blocks: Ints
    """(N,) in how many blocks each version was."""
    sd: float
    """The standard deviation of strengths before any match, as the log shows it."""
    margin: float
    """Performances share a place that differ by less, in deviations of a performance."""
    phi: float
    """The design effect: errors are, squared, so many times as large as comparisons of all pairs
    would leave them if they were independent."""
    joint: Joint | None = None
    """What was averaged; None if places are all that counts."""

    @property
    def provisional(self) -> Bools:
        """(N,) whether a version has too few blocks for its error bar to be trusted."""
        return self.blocks < PROVISIONAL

    def deviations(self) -> Floats:
        """Return (N, N) standard deviations of the differences theta_i - theta_j."""
        own = np.diag(self.V)
        variance = own[:, None] + own[None, :] - 2 * self.V
        return np.sqrt(np.maximum(variance, 0.0))

    def p_better(self, i: int, j: int) -> float:
        """Return the probability that version i is stronger than version j."""
        variance = self.V[i, i] + self.V[j, j] - 2 * self.V[i, j]
        gap = self.theta[i] - self.theta[j]
        return float(ndtr(gap / np.sqrt(variance))) if variance > 0 else 0.5

    def rank_intervals(self, level: float = 0.95, among: Sequence[int] | None = None) -> Ints:
        """Return (n, 2) lowest and highest rank, from 1, that each version has with this level.

        Ranks count within `among`, all versions if None; the rows are in its order.
        """
        drawn = self._draws(among)
        ranks = 1 + np.argsort(np.argsort(-drawn, axis=1), axis=1)
        tail = (1 - level) / 2
        low = np.quantile(ranks, tail, axis=0, method="lower")
        high = np.quantile(ranks, 1 - tail, axis=0, method="higher")
        return np.stack([low, high], axis=1).astype(np.int64)

    def p_top(self, k: int, among: Sequence[int] | None = None) -> Floats:
        """Return (n,) the probability of each version to be among the k strongest."""
        drawn = self._draws(among)
        best = np.argsort(-drawn, axis=1)[:, :k]
        return np.bincount(best.ravel(), minlength=drawn.shape[1]) / len(drawn)

    def p_top_set(
        self, k: int, among: Sequence[int] | None = None, indifference: float = 0.0
    ) -> float:
        """Return the probability that the k of highest theta are the k strongest, in any order.

        They count as that if no other is stronger than one of them by more than `indifference`.
        Being watched until it is high enough, it is cautious: see `CAUTION`.
        """
        drawn = self._ordered_draws(among)
        if k >= drawn.shape[1]:
            return 1.0
        gaps = drawn[:, :k].min(axis=1) - drawn[:, k:].max(axis=1)
        return float(np.mean(gaps >= -indifference))

    def p_ranking(self, among: Sequence[int] | None = None, indifference: float = 0.0) -> float:
        """Return the probability that each version is stronger than the next one by theta.

        Neighbours count as that if the second is not stronger by more than `indifference`.
        Cautious, as `p_top_set` is.
        """
        drawn = self._ordered_draws(among)
        return float(np.mean(np.all(np.diff(drawn, axis=1) <= indifference, axis=1)))

    def _draws(self, among: Sequence[int] | None) -> Floats:
        """Return (draws, n) possible true strengths."""
        chosen = np.arange(len(self.theta)) if among is None else np.asarray(among, np.int64)
        n = max(1, len(chosen))
        count = min(_DRAWS, max(500, _CELLS // n))
        numbers = normal(count, n)
        values, vectors = np.linalg.eigh(self.V[np.ix_(chosen, chosen)])
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T  # has no signs to choose
        drawn: Floats = self.theta[chosen] + numbers[:, : len(chosen)] @ root
        return drawn

    def _ordered_draws(self, among: Sequence[int] | None) -> Floats:
        """Return the draws with the versions in the order of theta, the highest first."""
        chosen = np.arange(len(self.theta)) if among is None else np.asarray(among, np.int64)
        order = np.argsort(-self.theta[chosen], kind="stable")
        means = self.theta[chosen]
        drawn = self._draws(among)
        drawn -= means  # in place: of 1,000 versions they take 16 MB
        drawn *= CAUTION
        drawn += means
        return drawn[:, order]
