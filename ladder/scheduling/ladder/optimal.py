"""Optimal tables: groups whose results tell most about what is still open in the ranking.

Theory of operation. The rating of record has estimates theta with covariance V. The variance s^2 of
a difference theta_i - theta_j harms the aim with the weight

    L_ij = exp(-((a z)^2 + (d / s)^2) / 2) / s^3,   z = |theta_i - theta_j| / s

the derivative of the probability of a wrong order, without the factor of the gap so that a dead
heat counts, and narrowed by a: a few more blocks seldom reverse pairs that are further apart. Bots
closer than d are about equal, and need no further matches. The aim "top" counts only pairs across
its boundary. A table of a group adds the information J_ij to each of its pairs, and by the matrix
inversion lemma lowers the sum of L_ij s_ij^2 by about

    J_ij (Q_ii + Q_jj - 2 Q_ij),   Q = V L V  with L as a Laplacian.

A group grows from the best pair by adding the version that contributes most; V then falls as if the
table had been played, before the next group is chosen. The same goes for tables of earlier rounds
whose results V does not include yet. The m matches of a table of k weigh 2 / k each, so I_ij is (2
m / k) p (1 - p), and J_ij is I_ij / phi, with the design effect phi of the matches so far. As the
results of a pairing deviate from strengths with the variance t2, repeating it has diminishing
returns: J_ij falls with (1 + I_ij t2 / phi)^2, which spreads the opponents. Without that factor
every scheduler that chooses opponents settles on a wrong order if match-ups are not transitive.

With the default scheduler, `mixed`, rounds are balanced, and chance breaks up half of the tables:
their versions are seated anew for information. Optimal tables alone part bots that seem to be far
apart, so an early error lasts, and they measure long distances by short ones: on real bots up to a
third of the 95 % intervals then miss. And versions that need many matches would get all tables:
fifty copies of one bot once left only the balanced half to the others. So each version gets the
seats that it had at the broken tables, but for a minority of newcomers: until they have played
nearly as often as the others, or `_CAUGHT_UP` matches, they may take others' seats where that tells
more.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import median_low

import numpy as np
from scipy.special import expit

from ladder.scheduling.ladder.balanced import Authors, Table, VersionId
from ladder.scheduling.ladder.policy import (
    Floats,
    Ints,
    Past,
    Scheduler,
    Strengths,
    only_table,
    with_seats,
)
from ladder.scheduling.ladder.simple import balanced
from referee.games.randomness import Stream

FIRST_BLOCKS = 2
"""A version with fewer blocks is scheduled without regard to its estimate."""

SHARPNESS = 2.0
"""a: how close a pair must be for matches to be spent on it. Between 1.5 and 4 it makes little
difference; at 1, the derivative itself, a right order takes a sixth more matches."""
_EQUAL = 0.2
"""d, in logits: a bot that wins less than 55 % against another does not count as stronger."""
_STRAY = 0.1
"""The assumed deviation of pairings from strengths, in logits: a 52.5 % edge. If they do not
deviate, the spreading costs nothing measurable."""
_FEW = 64
"""Up to this number of versions, each group takes all earlier groups of the round into account."""
_SWEEPS = 8
"""With more versions, a round takes this many sweeps, each of disjoint groups."""
_DIGITS = 9
"""Gains are rounded to this number of digits, so that every machine plans the same."""

_OVER = 10.0
"""Taken from gains, of at most 1, for each of a pair that has had its share of the tables: it sits
at one more only where too few others are left."""

_NEWCOMERS = 3
"""How many times its share of the chosen tables a newcomer may get: with its balanced tables it
then plays twice as often as the others."""
_CAUGHT_UP = 24
"""Matches: who has as many is no newcomer, however many others have. The others need at most about
a tenth more matches for their next 150."""
_NEARLY = 0.75
"""Who has this part of the median number of matches is no newcomer either. So a crowd that is the
majority gets no more than its share."""

_EMPTY = -1
"""Fills up the row of a group."""


@dataclass(frozen=True, slots=True)
class Objective:
    """The question that the matches should answer."""

    top: int | None = None
    """How many best versions to find, in any order; None: the order of all."""


RANKING = Objective()
TOP = Objective(3)


def optimal(aim: Objective = RANKING, *, mixed: bool = False) -> Scheduler:
    """Return the scheduler for an objective; `mixed`: half of the tables are balanced."""

    def plan(
        entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
    ) -> list[Table]:
        if (tables := only_table(entrants, seats, past, stream, count)) is not None:
            return tables
        strengths = past.strengths
        size = past.group_size(entrants, seats)
        if strengths is None or size == 1 or _blocks(strengths, entrants).mean() < FIRST_BLOCKS:
            return balanced(entrants, seats, past, stream, count)
        even: list[Table] = []
        shares: Counter[VersionId] | None = None
        if mixed:
            broken: list[Table] = []
            for table in balanced(entrants, seats, past, stream, count)[:count]:
                (even if stream.below(2) else broken).append(table)
            shares = Counter(v for table in broken for v in table if v is not None)
            for newcomer in _newcomers(entrants, past):
                shares[newcomer] *= _NEWCOMERS
            past = _after(past, even)
        weight = 2 * past.matches_a_table / size
        search = _Search(aim, stream.shuffled(sorted(entrants)), size, strengths, weight, shares)
        search.keep_apart(past.authors)
        search.expect(past.unrated)
        return even + with_seats(search.groups(count - len(even)), seats, past, stream)

    return plan


def _newcomers(entrants: Sequence[VersionId], past: Past) -> list[VersionId]:
    """Return the versions that have played far less than the others, and little."""
    played = [past.history.played(v) * past.matches_a_table for v in entrants]
    enough = min(_CAUGHT_UP, _NEARLY * median_low(played))
    return [v for v, own in zip(entrants, played, strict=True) if own < enough]


def _after(past: Past, tables: Sequence[Table]) -> Past:
    """Return the past with these tables added, whose results are not known."""
    history = past.history.copy()
    for table in tables:
        history.add(table)
    return replace(past, history=history, unrated=[*past.unrated, *tables])


def _blocks(strengths: Strengths, entrants: Sequence[VersionId]) -> Floats:
    """Return the number of blocks of each entrant, (n,); 0 for versions newer than the rating."""
    known = len(strengths.blocks)
    return np.array([strengths.blocks[v] if v < known else 0 for v in entrants], float)


class _Search:
    """The search for one round's groups, among n versions renumbered from 0."""

    def __init__(
        self,
        aim: Objective,
        versions: Sequence[VersionId],
        size: int,
        strengths: Strengths,
        weight: float,
        shares: Mapping[VersionId, int] | None,
    ) -> None:
        self._versions = versions
        self._left = np.array([shares.get(v, 0) if shares else size**9 for v in versions])
        """(n,) how many of the tables are each version's share."""
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
        information = np.where(known & known[:, None], strengths.information[both], 0.0)
        self._known = np.ascontiguousarray(information)
        self._exhaustion = _STRAY**2 / strengths.phi
        p = expit(self._theta[:, None] - self._theta[None, :])
        self._table = weight * p * (1 - p)
        np.fill_diagonal(self._table, 0.0)
        self._phi = strengths.phi
        self._wanting = _blocks(strengths, versions)
        self._weights = _laplacian(_weights(aim, self._theta, self._variance))
        self._value = self._variance @ self._weights @ self._variance

    def keep_apart(self, authors: Authors) -> None:
        """Forbid groups with two versions of one author."""
        own = [authors.get(version, version) for version in self._versions]
        self._apart = np.array([[one == other for other in own] for one in own])

    def expect(self, tables: Sequence[Table]) -> None:
        """Update the state as if these tables, whose results are not known yet, had been played.

        Otherwise all rounds planned from the same results would choose the same groups.
        """
        index = {version: i for i, version in enumerate(self._versions)}
        here = _padded([[index[v] for v in table if v in index] for table in tables])
        self._play(here[np.count_nonzero(here != _EMPTY, axis=1) > 1])

    def groups(self, count: int) -> list[list[VersionId]]:
        """Return `count` groups of versions."""
        n = len(self._versions)
        at_once = 1 if n <= _FEW else min(n // self._size, -(-count // _SWEEPS))
        chosen: list[list[int]] = []
        while len(chosen) < count:
            sweep = self._sweep(min(at_once, count - len(chosen)))
            self._play(_padded(sweep))
            self._left -= np.bincount([v for group in sweep for v in group], minlength=n)
            chosen += sweep
        return [[self._versions[member] for member in group] for group in chosen]

    def _sweep(self, count: int) -> list[list[int]]:
        """Return up to `count` disjoint groups, the best first."""
        own = np.diag(self._value)
        gains = self._information(self._table, self._known) * (
            own[:, None] + own[None, :] - 2 * self._value
        )
        gains = np.round(gains / max(float(gains.max()), 1e-300), _DIGITS)
        over = self._left <= 0
        gains -= _OVER * (over[:, None] + 1.0 * over[None, :])
        gains[self._apart] = -np.inf
        groups: list[list[int]] = []
        for _ in range(count):
            group = self._grow(gains)
            if len(group) < self._size and groups:  # the rest must not meet: next sweep
                break
            groups.append(group)
            gains[group] = gains[:, group] = -np.inf
        return groups

    def _grow(self, gains: Floats) -> list[int]:
        """Return the group that begins with the best pair; a gain of -inf excludes a pair."""
        wanting = np.flatnonzero(self._wanting < FIRST_BLOCKS)
        rows = wanting[np.isfinite(gains[wanting]).any(axis=1)]
        first = int(np.argmax(gains[rows] if len(rows) else gains))
        row, partner = divmod(first, len(gains))
        group = [int(rows[row]) if len(rows) else row, partner]
        while len(group) < self._size and np.isfinite(gain := gains[group].sum(axis=0)).any():
            group.append(int(np.argmax(gain)))
        return group if np.isfinite(gains[group[0], group[1]]) else group[:1]

    def _information(self, table: Floats, known: Floats) -> Floats:
        """Return the information of one more table on pairs of which so much is `known`."""
        left: Floats = table / (1 + known * self._exhaustion) ** 2
        return left / self._phi

    def _met(self, groups: Ints) -> Ints:
        """Return how often two versions are in one of these groups, (n * n,)."""
        n, there = len(self._versions), groups != _EMPTY
        pairs = n * groups[:, :, None] + groups[:, None, :]
        chosen = pairs[there[:, :, None] & there[:, None, :]]
        return np.bincount(chosen, minlength=n * n)

    def _play(self, groups: Ints) -> None:
        """Update V, Q and I as if the tables of these groups, (G, W), had been played in order.

        `_EMPTY` fills the rows of smaller groups.
        """
        if not len(groups):
            return
        n, times = len(self._versions), self._met(groups)
        table, so_far, more = self._table.ravel(), self._known.ravel(), np.zeros(n * n)
        for before in range(int(times.max())):  # a pair tells less each time
            again = np.flatnonzero(times > before)
            more[again] += self._information(table[again], so_far[again])
            so_far[again] += table[again]
        added = more.reshape(n, n)
        flat = groups[groups != _EMPTY]
        self._wanting += np.bincount(flat, minlength=n)
        members = list(dict.fromkeys(flat.tolist()))
        news = _laplacian(added[np.ix_(members, members)])
        seen = self._variance[:, members]
        share = np.linalg.solve(np.eye(len(members)) + news @ seen[members], news)
        fall = seen @ share
        weighed = self._weights @ seen
        across = self._variance @ weighed @ fall.T
        self._value += fall @ (seen.T @ weighed) @ fall.T - across - across.T
        self._variance -= fall @ seen.T


def _weights(aim: Objective, theta: Floats, variance: Floats) -> Floats:
    """Return the weight of each difference's variance, (n, n)."""
    own = np.diag(variance)
    s = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * variance, 1e-12))
    z = np.abs(theta[:, None] - theta[None, :]) / s
    exponents = ((SHARPNESS * z) ** 2 + (_EQUAL / s) ** 2) / 2
    np.fill_diagonal(exponents, np.inf)
    weights: Floats = np.exp(exponents.min() - exponents) / s**3
    if aim.top is not None and aim.top < len(theta):
        place = np.argsort(np.argsort(-theta, kind="stable"), kind="stable")
        inside = place < aim.top
        weights = np.where(inside[:, None] != inside[None, :], weights, 0.0)
    return weights


def _laplacian(weights: Floats) -> Floats:
    """Return the matrix whose quadratic form is the weighted sum of squared differences."""
    result: Floats = np.diag(weights.sum(axis=1)) - weights
    return result


def _padded(groups: Sequence[Sequence[int]]) -> Ints:
    """Return groups as rows of an array, of the size of the largest."""
    width = max(map(len, groups), default=0)
    whole = ([*group, *[_EMPTY] * (width - len(group))] for group in groups)
    return np.fromiter(chain.from_iterable(whole), np.int64).reshape(len(groups), width)
