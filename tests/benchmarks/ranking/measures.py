"""What is measured of a ladder's order: Kendall's tau, the top, and when they are reached."""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator, Philox

from tests.benchmarks.ranking.worlds import Floats, Ints

BOOTSTRAPS = 1000


def kendall_tau(shown: Floats, truth: Floats) -> Floats:
    """Return tau over the last axis; what is shown equal counts half, the truth has no ties."""
    n = shown.shape[-1]
    upper = np.triu_indices(n, 1)
    agree = np.sign(shown[..., upper[0]] - shown[..., upper[1]])
    right = np.sign(truth[..., upper[0]] - truth[..., upper[1]])
    taus: Floats = (agree * right).mean(axis=-1)
    return taus


def top_right(shown: Floats, truth: Floats, top: int = 3) -> Floats:
    """Return 1 where the first `top` are the right ones, in any order, else 0."""
    best = np.sort(np.argsort(-shown, axis=-1, kind="stable")[..., :top], axis=-1)
    right = np.sort(np.argsort(-truth, axis=-1, kind="stable")[..., :top], axis=-1)
    hits: Floats = np.all(best == right, axis=-1).astype(float)
    return hits


def crossing(matches: Floats, values: Floats, level: float) -> float:
    """Return after how many matches the mean over the seeds, values (S, T), reaches a level.

    A mean over five neighbouring measurements is followed, as single ones are noisy; inf if never.
    """
    mean = np.pad(values.mean(axis=0), 2, mode="edge")
    smooth = np.convolve(mean, np.full(5, 0.2), mode="valid")
    reached = np.flatnonzero(smooth >= level)
    if not len(reached):
        return float("inf")
    at = int(reached[0])
    if at == 0:
        return float(matches[0])
    part = (level - smooth[at - 1]) / (smooth[at] - smooth[at - 1])
    return float(matches[at - 1] + part * (matches[at] - matches[at - 1]))


def bootstrapped(
    seeds: int, statistic: Callable[[Ints], float], level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of a statistic of seeds, drawn again and again with repetition.

    Its ends are values that occurred; one is inf where what is measured was often never reached.
    """
    chance = Generator(Philox(key=0))
    values = [statistic(chance.integers(seeds, size=seeds)) for _ in range(BOOTSTRAPS)]
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail], method="inverted_cdf")
    return float(low), float(high)
