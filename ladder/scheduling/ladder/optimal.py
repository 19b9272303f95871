"""The default scheduler: groups whose results say most about what is still open in the ranking.

Theory of operation. The rating of record has estimates theta with covariance V. How much the aim
suffers from the variance s^2 of a difference theta_i - theta_j is weighed by

    L_ij = exp(-((a z)^2 + (d / s)^2) / 2) / s^3,   z = |theta_i - theta_j| / s

the derivative of the chance of a wrong order, with the gap left out so that a dead heat counts,
and narrowed by a: a few blocks more seldom turn what is further apart. Bots that are nearer to each
other than d are about equal, and what is known that closely is not asked again. The aim "top"
counts pairs across its boundary alone. A table of a group adds the information J_ij to each of its
pairs, and by the matrix inversion lemma lowers the sum of L_ij s_ij^2 by about

    J_ij (Q_ii + Q_jj - 2 Q_ij),   Q = V L V  with L as a Laplacian.

A group is grown from the best pair by who adds most; V then falls as if its table had been played,
and the next group is sought. So it does for tables of earlier rounds that V does not know yet. The
m matches of a table of k weigh 2 / k each, so I_ij is (2 m / k) p (1 - p), and J_ij is I_ij / phi:
phi says what the rating has learnt of such matches so far. What a pair can tell runs out when
pairings deviate from strengths, with the variance t2: J_ij falls with (1 + I_ij t2 / phi)^2, which
spreads the opponents. Without that factor every scheduler that chooses opponents settles on a wrong
order, if rock beats scissors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from ladder.scheduling.ladder.balanced import Authors, Table, VersionId
from ladder.scheduling.ladder.policy import (
    Floats,
    Past,
    Scheduler,
    Strengths,
    only_table,
    with_seats,
)
from ladder.scheduling.ladder.simple import balanced
from referee.games.randomness import Stream

FIRST_BLOCKS = 2
"""Before a version has so many, its estimate is not asked."""

SHARPNESS = 2.0
"""a: how close to a tie a pair must be for matches to be spent on it. Between 1.5 and 4 there is
little to choose; at 1, the derivative itself, a right order takes a sixth more matches."""
_EQUAL = 0.2
"""d: logits, as one that wins less than 55 % against another counts as no stronger."""
_STRAY = 0.1
"""Pairings are taken to deviate from strengths by so many logits, a 52.5 % edge. To spread them so
far costs nothing that could be measured where they do not."""
_FEW = 64
"""So many versions or fewer: each group is sought in view of all others of the round."""
_SWEEPS = 8
"""With more, groups are sought this many times a round, disjoint ones each time."""
_DIGITS = 9
"""Gains that agree to so many digits are equal: another machine's rounding plans the same."""

_Pairs = tuple[Any, ...]
"""An index of pairs of versions."""
_ALL: _Pairs = (slice(None), slice(None))


@dataclass(frozen=True, slots=True)
class Objective:
    """Which questions the matches are to answer."""

    top: int | None = None
    """Who the so many best are, in any order; None: the order of all."""


RANKING = Objective()
TOP = Objective(3)


def optimal(aim: Objective = RANKING) -> Scheduler:
    """Return the scheduler for an aim."""

    def plan(
        entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
    ) -> list[Table]:
        if (tables := only_table(entrants, seats, past, stream, count)) is not None:
            return tables
        strengths = past.strengths
        size = past.group_size(entrants, seats)
        if strengths is None or size == 1 or _blocks(strengths, entrants).mean() < FIRST_BLOCKS:
            return balanced(entrants, seats, past, stream, count)
        weight = 2 * past.matches_a_table / size
        search = _Search(aim, stream.shuffled(sorted(entrants)), size, strengths, weight)
        search.keep_apart(past.authors)
        search.expect(past.unrated)
        return with_seats(search.groups(count), seats, past, stream)

    return plan


def _blocks(strengths: Strengths, entrants: Sequence[VersionId]) -> Floats:
    """Return in how many blocks each entrant was; versions newer than the rating were in none."""
    known = len(strengths.blocks)
    return np.array([strengths.blocks[v] if v < known else 0 for v in entrants], float)


class _Search:
    """The search for one round's groups, among n versions that are numbered anew from 0."""

    def __init__(
        self,
        aim: Objective,
        versions: Sequence[VersionId],
        size: int,
        strengths: Strengths,
        weight: float,
    ) -> None:
        self._versions = versions
        self._size = size
        self._apart = np.eye(len(versions), dtype=bool)
        """(n, n) whether two versions must not meet."""
        known = np.array([v < len(strengths.theta) for v in versions])
        index = np.where(known, versions, 0)
        both = np.ix_(index, index)
        self._theta = np.where(known, strengths.theta[index], 0.0)
        spread = float(np.var(self._theta)) + float(np.diag(strengths.V).max())
        self._variance = np.where(known & known[:, None], strengths.V[both], 0.0)
        self._variance[~known, ~known] = spread
        self._told = np.where(known & known[:, None], strengths.information[both], 0.0)
        self._exhaustion = _STRAY**2 / strengths.phi
        p = expit(self._theta[:, None] - self._theta[None, :])
        self._table = weight * p * (1 - p)
        np.fill_diagonal(self._table, 0.0)
        self._phi = strengths.phi
        self._wanting = _blocks(strengths, versions)
        self._weights = _laplacian(_weights(aim, self._theta, self._variance))
        self._value = self._variance @ self._weights @ self._variance

    def keep_apart(self, authors: Authors) -> None:
        """Let no two of one author meet."""
        own = [authors.get(version, version) for version in self._versions]
        self._apart = np.array([[one == other for other in own] for one in own])

    def expect(self, tables: Sequence[Table]) -> None:
        """Let all be as if these tables had been played, whose results are not known yet.

        Without that the rounds of one look at the results would all ask the same.
        """
        index = {version: i for i, version in enumerate(self._versions)}
        here = [[index[version] for version in table if version in index] for table in tables]
        if groups := [group for group in here if len(group) > 1]:
            self._play(groups)

    def groups(self, count: int) -> list[list[VersionId]]:
        """Return so many groups of versions."""
        n = len(self._versions)
        at_once = 1 if n <= _FEW else min(n // self._size, -(-count // _SWEEPS))
        chosen: list[list[int]] = []
        while len(chosen) < count:
            sweep = self._sweep(min(at_once, count - len(chosen)))
            self._play(sweep)
            chosen += sweep
        return [[self._versions[member] for member in group] for group in chosen]

    def _sweep(self, count: int) -> list[list[int]]:
        """Return so many disjoint groups, the best first."""
        own = np.diag(self._value)
        gains = self._information() * (own[:, None] + own[None, :] - 2 * self._value)
        gains = np.round(gains / max(float(gains.max()), 1e-300), _DIGITS)
        gains[self._apart] = -np.inf
        groups: list[list[int]] = []
        for _ in range(count):
            group = self._grow(gains)
            if len(group) < self._size and groups:  # who is left must not meet: next sweep
                break
            groups.append(group)
            gains[group] = gains[:, group] = -np.inf
        return groups

    def _grow(self, gains: Floats) -> list[int]:
        """Return the group that begins with the best pair; what is -inf is taken."""
        wanting = (self._wanting < FIRST_BLOCKS) & np.isfinite(gains).any(axis=1)
        rows = np.flatnonzero(wanting) if wanting.any() else np.arange(len(gains))
        row, partner = np.unravel_index(np.argmax(gains[rows]), (len(rows), len(gains)))
        group = [int(rows[row]), int(partner)]
        while len(group) < self._size and np.isfinite(gain := gains[group].sum(axis=0)).any():
            group.append(int(np.argmax(gain)))
        return group if np.isfinite(gains[group[0], group[1]]) else group[:1]

    def _information(self, pairs: _Pairs = _ALL) -> Floats:
        """Return what a table tells of each pair, (n, n) of all, in view of what is known of it."""
        left: Floats = self._table[pairs] / (1 + self._told[pairs] * self._exhaustion) ** 2
        return left / self._phi

    def _play(self, groups: Sequence[Sequence[int]]) -> None:
        """Let V, Q and I be as if the tables of these groups had been played, in this order."""
        told = np.zeros_like(self._table)
        for group in groups:
            pairs = np.ix_(group, group)
            told[pairs] += self._information(pairs)
            self._told[pairs] += self._table[pairs]
            self._wanting[list(group)] += 1
        members = list(dict.fromkeys(member for group in groups for member in group))
        news = _laplacian(told[np.ix_(members, members)])
        seen = self._variance[:, members]
        share = np.linalg.solve(np.eye(len(members)) + news @ seen[members], news)
        fall = seen @ share
        weighed = self._weights @ seen
        across = self._variance @ weighed @ fall.T
        self._value += fall @ (seen.T @ weighed) @ fall.T - across - across.T
        self._variance -= fall @ seen.T


def _weights(aim: Objective, theta: Floats, variance: Floats) -> Floats:
    """Return (n, n) how much the aim suffers from the variance of each difference."""
    own = np.diag(variance)
    s = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * variance, 1e-12))
    z = np.abs(theta[:, None] - theta[None, :]) / s
    told = ((SHARPNESS * z) ** 2 + (_EQUAL / s) ** 2) / 2
    np.fill_diagonal(told, np.inf)
    weights: Floats = np.exp(told.min() - told) / s**3
    if aim.top is not None and aim.top < len(theta):
        place = np.argsort(np.argsort(-theta, kind="stable"), kind="stable")
        inside = place < aim.top
        weights = np.where(inside[:, None] != inside[None, :], weights, 0.0)
    return weights


def _laplacian(weights: Floats) -> Floats:
    """Return the matrix whose quadratic form is the weighted sum of squared differences."""
    result: Floats = np.diag(weights.sum(axis=1)) - weights
    return result
