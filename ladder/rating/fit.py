"""The fit of a log: strengths with their uncertainty, and the probabilities that follow.

Strengths are on the logit scale: with all seats alike, A comes before B with the probability 1 / (1
+ exp(theta_B - theta_A)). The true strengths are normally distributed around the estimates with the
covariance V. Probabilities of ranks are estimated by counting in draws from that distribution, the
same draws every time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Philox
from scipy.special import expit, ndtr, ndtri

from ladder.rating.arrays import Bools, Floats, Ints

PROVISIONAL = 6
"""The error bar of a version with fewer blocks cannot be trusted."""
NEVER = 1_000_000
"""The largest forecast of matches."""

CAUTION = 1.15
"""Stopping as soon as a probability exceeds a bound favours moments when it is too high by chance.
So probabilities by which ladders stop assume errors that are larger by this factor."""
_DRAWS = 4000
_CELLS = 2_000_000
"""The most numbers drawn, so that a thousand versions do not take a minute."""


LOGIT = 1.702 / 2**0.5
"""Logits per standard deviation of a performance in TrueSkill: the difference of two performances
has sqrt(2) times that deviation, and the logistic function of 1.702 x is the normal one of x within
0.01."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """The fits by places and by points alone, and how they were combined."""

    places: "Fit"
    points: Floats
    """(N,) strengths by points, on the scale of places."""
    share: float
    """The weight of points, from 0 to 1; places get the rest."""
    stray: float
    """How far strengths may deviate from those by points, in logits: a standard deviation, raised
    by its standard error."""
    gain: float
    """How many times as many matches would be needed without points."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Strengths of N versions with their uncertainty. Do not change the arrays."""

    theta: Floats
    """(N,) strengths; about zero on average."""
    V: Floats
    """(N, N) covariance of the errors of theta."""
    information: Floats
    """(N, N) I_ij, the log's information on each pair if all comparisons were independent."""
    blocks: Ints
    """(N,) the number of blocks of each version."""
    sd: float
    """The prior standard deviation of strengths, estimated from the log."""
    margin: float
    """Performances that differ by less tie, in standard deviations of a performance."""
    phi: float
    """The design effect: the ratio of the errors' variance to what independent comparisons would
    leave."""
    joint: Joint | None = None
    """How places and points were combined; None if only places count."""

    @property
    def provisional(self) -> Bools:
        """(N,) whether a version has too few blocks to trust its error bar."""
        return self.blocks < PROVISIONAL

    def deviations(self) -> Floats:
        """Return the standard errors of the differences theta_i - theta_j, (N, N)."""
        own = np.diag(self.V)
        variance = own[:, None] + own[None, :] - 2 * self.V
        return np.sqrt(np.maximum(variance, 0.0))

    def p_better(self, i: int, j: int) -> float:
        """Return the probability that version i is stronger than version j."""
        variance = self.V[i, i] + self.V[j, j] - 2 * self.V[i, j]
        gap = self.theta[i] - self.theta[j]
        return float(ndtr(gap / np.sqrt(variance))) if variance > 0 else 0.5

    def matches_to_separate(self, i: int, j: int, sure: float) -> int:
        """Return about how many more matches with both at the table will separate two versions.

        They are separated when one is stronger with the probability `sure`. The forecast assumes
        that the estimates stay and that the other players vary. It is at most `NEVER`, which means
        that the versions are equal.
        """
        wanted = float(ndtri(sure))
        gap = abs(float(self.theta[i] - self.theta[j]))
        variance = float(self.V[i, i] + self.V[j, j] - 2 * self.V[i, j])
        if gap * gap >= wanted * wanted * variance:
            return 0
        if not gap > 0:
            return NEVER
        missing = (wanted / gap) ** 2 - 1 / variance
        p = float(expit(gap))
        # At a table of any size, a match gives this much information on the difference of two.
        return min(NEVER, max(1, math.ceil(missing * self.phi / (p * (1 - p)))))

    def rank_intervals(self, level: float = 0.95, among: Sequence[int] | None = None) -> Ints:
        """Return the interval of each version's rank at this level, (n, 2), from 1.

        Ranks count within `among`, by default all versions; rows are in its order.
        """
        drawn = self._draws(among)
        ranks = 1 + np.argsort(np.argsort(-drawn, axis=1), axis=1)
        tail = (1 - level) / 2
        low = np.quantile(ranks, tail, axis=0, method="lower")
        high = np.quantile(ranks, 1 - tail, axis=0, method="higher")
        return np.stack([low, high], axis=1).astype(np.int64)

    def p_top(self, k: int, among: Sequence[int] | None = None) -> Floats:
        """Return each version's probability of being among the k strongest, (n,)."""
        drawn = self._draws(among)
        best = np.argsort(-drawn, axis=1)[:, :k]
        return np.bincount(best.ravel(), minlength=drawn.shape[1]) / len(drawn)

    def order(self, among: Sequence[int] | None = None) -> Ints:
        """Return the versions, by default all, by descending theta."""
        chosen = np.arange(len(self.theta)) if among is None else np.asarray(among, np.int64)
        return chosen[np.argsort(-self.theta[chosen], kind="stable")]

    def groups(self, sure: float, among: Sequence[int] | None = None) -> list[int]:
        """Return how many versions are in each group that can be told apart, strongest first.

        With the probability `sure`, and with `CAUTION`, all versions of each group are stronger
        than all of the next.
        """
        order = self.order(among)
        true = self.theta[order] + CAUTION * (self._draws(order) - self.theta[order])
        weakest = np.minimum.accumulate(true, axis=1)[:, :-1]
        strongest = np.maximum.accumulate(true[:, ::-1], axis=1)[:, ::-1][:, 1:]
        apart = weakest > strongest
        surest = np.argsort(-apart.mean(axis=0), kind="stable")
        together = np.logical_and.accumulate(apart[:, surest], axis=1).mean(axis=0)
        ends = np.sort(surest[together >= sure]) + 1
        sizes: list[int] = np.diff([0, *ends, len(order)]).tolist()
        return sizes

    def doubts(
        self, ahead: Ints, behind: Ints, indifference: float, *, paired: bool = False
    ) -> "Doubts":
        """Return the doubts about an order: each of `ahead` before each of `behind`.

        With `paired`, each is only compared with the one at the same index. A version that is
        stronger than one ahead of it by no more than `indifference` does not count as wrong.
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
        """Return draws of the true strengths, (draws, n)."""
        chosen = np.arange(len(self.theta)) if among is None else np.asarray(among, np.int64)
        n = max(1, len(chosen))
        count = min(_DRAWS, max(500, _CELLS // n))
        numbers = _normal(count, n)
        values, vectors = np.linalg.eigh(self.V[np.ix_(chosen, chosen)])
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T  # unlike other roots, unique
        drawn: Floats = self.theta[chosen] + numbers[:, : len(chosen)] @ root
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class Doubts:
    """The doubts about an order of versions, from draws of their true strengths."""

    room: Floats
    """(draws,) by how much a draw's errors can be scaled before the order is wrong."""
    ahead: Ints
    """(draws,) the first version that would be wrongly ahead,"""
    behind: Ints
    """(draws,) and the version behind it."""

    @property
    def chance(self) -> float:
        """The probability that the order is right, with `CAUTION`."""
        return float(np.mean(self.room >= CAUTION))

    def times(self, sure: float) -> float:
        """Return how many times as many matches would settle the order; 1 if it is settled.

        That assumes that the estimates stay and that all errors shrink alike.
        """
        enough = float(np.quantile(self.room, 1 - sure, method="lower"))
        return max(1.0, (CAUTION / enough) ** 2) if enough > 0 else np.inf

    def worst(self) -> tuple[int, int] | None:
        """Return the pair most often in the wrong order, the one ahead first; None if none is."""
        wrong = self.room < CAUTION
        if not wrong.any():
            return None
        pairs = np.stack([self.ahead[wrong], self.behind[wrong]], axis=1)
        found, count = np.unique(pairs, axis=0, return_counts=True)
        i, j = found[int(np.argmax(count))].tolist()
        return i, j


@lru_cache(maxsize=4)
def _normal(count: int, n: int) -> Floats:
    """Return standard normal numbers, (count, n), the same on every machine and version."""
    bits = Philox(key=0).random_raw(count * n)
    numbers: Floats = ndtri((bits // 2**11 + 0.5) / 2.0**53).reshape(count, n)
    numbers.flags.writeable = False
    return numbers
