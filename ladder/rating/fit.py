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

    def order(self, among: Sequence[int] | None = None) -> Ints:
        """Return the versions, all if None, those of highest theta first."""
        chosen = np.arange(len(self.theta)) if among is None else np.asarray(among, np.int64)
        return chosen[np.argsort(-self.theta[chosen], kind="stable")]

    def doubts(
        self, ahead: Ints, behind: Ints, indifference: float, *, paired: bool = False
    ) -> "Doubts":
        """Return what speaks against an order: each of `ahead` before each of `behind`.

        With `paired` it is each before the one at the same place only. A version that is stronger
        than one before it by no more than `indifference` does no harm.
        """
        if not paired:
            ahead, behind = np.repeat(ahead, len(behind)), np.tile(behind, len(ahead))
        if not len(ahead):
            return Doubts(np.full(1, np.inf), np.zeros(1, np.int64), np.zeros(1, np.int64))
        chosen = np.union1d(ahead, behind)
        off = self._draws(chosen) - self.theta[chosen]
        i, j = np.searchsorted(chosen, ahead), np.searchsorted(chosen, behind)
        room = np.full(len(off), np.inf)
        first = np.zeros(len(off), np.int64)
        for pair, gap in enumerate((self.theta[ahead] - self.theta[behind]).tolist()):
            turned = off[:, j[pair]] - off[:, i[pair]]
            own = np.full(len(off), np.inf)
            np.divide(gap + indifference, turned, out=own, where=turned > 0)
            first = np.where(own < room, pair, first)
            room = np.minimum(own, room)
        return Doubts(room, ahead[first], behind[first])

    def _draws(self, among: Sequence[int] | Ints | None) -> Floats:
        """Return (draws, n) possible true strengths."""
        chosen = np.arange(len(self.theta)) if among is None else np.asarray(among, np.int64)
        n = max(1, len(chosen))
        count = min(_DRAWS, max(500, _CELLS // n))
        numbers = normal(count, n)
        values, vectors = np.linalg.eigh(self.V[np.ix_(chosen, chosen)])
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T  # has no signs to choose
        drawn: Floats = self.theta[chosen] + numbers[:, : len(chosen)] @ root
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class Doubts:
    """What speaks against an order of versions, counted in draws of their true strengths."""

    room: Floats
    """(draws,) how many times as large the errors of a draw can be before an order is wrong."""
    ahead: Ints
    """(draws,) which version would be the first to be wrongly put before another,"""
    behind: Ints
    """(draws,) and before which."""

    @property
    def chance(self) -> float:
        """The probability, with `CAUTION`, that the order is right."""
        return float(np.mean(self.room >= CAUTION))

    def times(self, sure: float) -> float:
        """Return so many times as many matches would make the order sure; 1 if it is.

        It supposes that the estimates do not move, and that all errors fall alike.
        """
        enough = float(np.quantile(self.room, 1 - sure, method="lower"))
        return max(1.0, (CAUTION / enough) ** 2) if enough > 0 else np.inf

    def worst(self) -> tuple[int, int] | None:
        """Return the two that are most often in the wrong order, the one ahead first, if any."""
        wrong = self.room < CAUTION
        if not wrong.any():
            return None
        pairs = np.stack([self.ahead[wrong], self.behind[wrong]], axis=1)
        found, count = np.unique(pairs, axis=0, return_counts=True)
        i, j = found[int(np.argmax(count))].tolist()
        return i, j
