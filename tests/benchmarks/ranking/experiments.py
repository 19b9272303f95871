"""What is simulated and measured: the order, the error bars, when it is enough, and duels."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.special import ndtr

from ladder.rating.fit import Fit
from ladder.scheduling.ladder.optimal import Objective, optimal
from tests.benchmarks.ranking.duels import decided, gauntlets, mirrored
from tests.benchmarks.ranking.measures import kendall_tau, top_right
from tests.benchmarks.ranking.ours import rounds
from tests.benchmarks.ranking.peers import Peer, played_by
from tests.benchmarks.ranking.worlds import Floats, Ints, World
from tests.support.orders import p_top_set

TOP = 3
SURE = 0.95
NORMAL_95 = 1.959964
_AT_ONCE = 200
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class Order:
    """How right the order of S ladders was, over a grid of T numbers of matches."""

    grid: Ints
    tau: Floats
    """(S, T) Kendall's tau."""
    top: Floats
    """(S, T) 1 where the first three were the right ones."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is kept of one of our ladders."""

    truth: Floats
    """(N,)"""
    shown: Floats
    """(T, N) strengths over the grid."""
    checked: list[Fit]
    """The fits whose error bars are checked."""
    settled_at: float
    """Matches until the top was sure; inf if it was not by the end."""
    settled_right: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """How long our ladders play."""

    world: World
    aim: Objective
    matches: int
    """Until here in any case."""
    at_most: int
    """Until here if the top is not sure before."""
    checks: tuple[int, ...] = ()
    """After how many matches the error bars are checked."""

    @property
    def until_sure(self) -> bool:
        """Whether it is asked when the top is sure."""
        return self.at_most > self.matches

    @property
    def grid(self) -> Ints:
        """Where the order is measured: once a round."""
        return np.arange(self.world.entrants, self.matches + 1, self.world.entrants)


def watch(plan: Plan, seed: int) -> Seen:
    """Play one ladder."""
    ladder = plan.world.ladder(seed, plan.at_most // plan.world.seats + plan.world.entrants)
    played: list[int] = []
    fits: list[Fit] = []
    settled: tuple[float, bool] | None = None
    for matches, fit in rounds(ladder, optimal(plan.aim, mixed=True), seed):
        played.append(matches)
        fits.append(fit)
        if settled is None and plan.until_sure and _is_sure(fit):
            settled = matches, bool(top_right(fit.theta, ladder.strengths, TOP))
        if matches >= plan.at_most or (matches >= plan.matches and settled):
            break

    def at(grid: Sequence[int] | Ints) -> list[Fit]:
        index = np.searchsorted(played, grid, side="right") - 1
        return [fits[max(i, 0)] for i in index]

    return Seen(
        truth=ladder.strengths,
        shown=np.stack([fit.theta for fit in at(plan.grid)]),
        checked=at(plan.checks),
        settled_at=settled[0] if settled else float("inf"),
        settled_right=settled is not None and settled[1],
    )


def _is_sure(fit: Fit) -> bool:
    return not fit.provisional.any() and p_top_set(fit, TOP) >= SURE


def watch_all(plan: Plan, seeds: Sequence[int], jobs: int) -> list[Seen]:
    """Play a ladder of every seed, in `jobs` processes."""
    if jobs == 1:
        return [watch(plan, seed) for seed in seeds]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(partial(watch, plan), seeds, chunksize=1))


def order_of_ours(plan: Plan, seen: Sequence[Seen]) -> Order:
    """Measure the order of our ladders."""
    truth = np.stack([one.truth for one in seen])[:, None]
    shown = np.stack([one.shown for one in seen])
    return Order(plan.grid, kendall_tau(shown, truth), top_right(shown, truth, TOP))


def order_of_peer(peer: Peer, world: World, seeds: Sequence[int], matches: int) -> Order:
    """Play a peer's ladders, some hundred at a time, and measure their order."""
    taus, tops = [], []
    for first in range(0, len(seeds), _AT_ONCE):
        some = seeds[first : first + _AT_ONCE]
        ladders = [world.ladder(seed, matches) for seed in some]
        truth = np.stack([ladder.strengths for ladder in ladders])[:, None]
        shown = played_by(peer, ladders, some, matches, world.entrants)
        taus.append(kendall_tau(shown, truth))
        tops.append(top_right(shown, truth, TOP))
    grid = np.arange(world.entrants, matches + 1, world.entrants)
    return Order(grid, np.concatenate(taus), np.concatenate(tops))


@dataclass(frozen=True, slots=True)
class Honesty:
    """How often error bars were right."""

    strengths: float
    """Share of the 95 % intervals of strengths, against the mean of the field, with the truth."""
    ranks: float
    """Share of the 95 % intervals of ranks with the true rank."""
    claimed: list[tuple[float, float, int]]
    """For bins of P(A better than B): its mean, how often A was, and the number of pairs."""


def honesty(seen: Sequence[Seen]) -> Honesty:
    """Check the error bars of ladders, all of whose checks are alike.

    The simulation's strengths have another unit than the fits'. At each check one factor for all
    ladders turns them: that of the regression of the estimates on the truth.
    """
    covered, ranked_right, pairs = [], [], []
    for fits in zip(*(one.checked for one in seen), strict=True):
        theta = np.stack([fit.theta - fit.theta.mean() for fit in fits])
        truth = np.stack([one.truth - one.truth.mean() for one in seen])
        unit = (theta * truth).sum() / (truth * truth).sum()
        errors = np.abs(theta - unit * truth)
        covered.append(errors <= NORMAL_95 * np.stack([_deviations(fit) for fit in fits]))
        for fit, one in zip(fits, seen, strict=True):
            rank = 1 + np.argsort(np.argsort(-one.truth))
            low, high = fit.rank_intervals(SURE).T
            ranked_right.append((low <= rank) & (rank <= high))
            pairs.append(_pairs(fit, one.truth))
    return Honesty(
        strengths=float(np.mean(covered)),
        ranks=float(np.mean(ranked_right)),
        claimed=_binned(np.concatenate(pairs, axis=1)),
    )


def _deviations(fit: Fit) -> Floats:
    """Return (N,) deviations of the strengths against the mean of the field."""
    n = len(fit.theta)
    centre = np.eye(n) - 1 / n
    return np.sqrt(np.diag(centre @ fit.V @ centre))


def _pairs(fit: Fit, truth: Floats) -> Floats:
    """Return (2, pairs) the claimed probability of the likelier order, and whether it holds."""
    i, j = np.triu_indices(len(truth), 1)
    gap = fit.theta[i] - fit.theta[j]
    claimed = ndtr(np.abs(gap) / np.maximum(fit.deviations()[i, j], 1e-12))
    return np.stack([claimed, (gap > 0) == (truth[i] > truth[j])])


def _binned(pairs: Floats) -> list[tuple[float, float, int]]:
    claimed, right = pairs
    bins = []
    for low, high in pairwise(BINS):
        inside = (claimed >= low) & (claimed < high)
        if inside.any():
            bins.append(
                (float(claimed[inside].mean()), float(right[inside].mean()), int(inside.sum()))
            )
    return bins


@dataclass(frozen=True, slots=True)
class Duels:
    """How the duels of one design went."""

    type_one: float
    """Share of duels of equals in which A was called better."""
    power: float
    """Share of duels in which A is better and was called so."""
    matches: float
    """Mean length, of both kinds of duels together."""


def duels(world: World, gap: float, count: int, *, apart: bool, pairs: int) -> Duels:
    """Play duels of equals and of two that differ; `apart`: by two gauntlets."""
    design: Callable[[World, float, int, int, int], Floats] = gauntlets if apart else mirrored
    effect = float(design(world, gap, 400, 4000, 1).mean()) - 0.5
    equal = decided(design(world, 0.0, count, pairs, 2), effect)
    better = decided(design(world, gap, count, pairs, 3), effect)
    return Duels(
        type_one=float(np.mean(equal.better == 1)),
        power=float(np.mean(better.better == 1)),
        matches=float(np.mean([equal.matches, better.matches])),
    )
