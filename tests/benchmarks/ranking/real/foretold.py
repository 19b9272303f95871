"""How well ratings foretell matches that they have not seen, by the log loss of places.

The loss of a pair of bots is that of who came before whom in matches held out, in nats; a tie
counts half for each. It is averaged over all pairs, so it is the loss at a table drawn at random.
"All are equal" loses ln 2 in any field.

*Others.* Bradley-Terry takes all pairs of a match as if they were independent, Plackett-Luce takes
a match as a sequence of choices of who comes next. Both get a normal prior whose width foretells
best in cross-validation: without one they foretell worse than "all are equal" from few matches.
"""

from collections.abc import Callable
from functools import partial
from itertools import combinations
from math import log

import numpy as np
from numpy.random import Generator, Philox
from scipy.special import expit, ndtr

from ladder.rating.results import Log, Matches
from tests.benchmarks.ranking.real.bank import Floats, Ints

EQUAL = log(2)
"""The loss of "all are equal"."""
_WIDTHS = (0.03, 0.06, 0.125, 0.25, 0.5, 1.0)
"""Logits: the standard deviations of strengths that others' priors are chosen from."""
_FOLDS = 5
_STEPS = 30
_CLOSE = 1e-6
_LEAST = 1e-9


def outcomes(of: Log) -> Floats:
    """Return (N, N) how often i came before j; ties count half."""
    return _outcomes(of.matches(), of.entrants)


def _outcomes(of: Matches, entrants: int) -> Floats:
    before = np.zeros((entrants, entrants))
    for a, b in combinations(range(of.versions.shape[1]), 2):
        i, j = of.versions[:, a], of.versions[:, b]
        score = (1 - np.sign(of.ranks[:, a] - of.ranks[:, b])) / 2
        np.add.at(before, (i, j), score)
        np.add.at(before, (j, i), 1 - score)
    return before


def loss(chance: Floats, held_out: Floats) -> float:
    """Return the loss of (N, N) the chances that i comes before j, given the `outcomes`."""
    i, j = np.triu_indices(len(chance), 1)
    won, lost = held_out[i, j], held_out[j, i]
    p = np.clip(chance[i, j], _LEAST, 1 - _LEAST)
    each = -(won * np.log(p) + lost * np.log(1 - p)) / (won + lost)
    return float(each.mean())


def chances(theta: Floats, covariance: Floats | None = None) -> Floats:
    """Return (N, N) the chances that i comes before j, for strengths in logits and their errors."""
    gap = theta[:, None] - theta[None, :]
    if covariance is None:
        return np.asarray(expit(gap))
    own = np.diag(covariance)
    variance = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0)
    return np.asarray(expit(gap / np.sqrt(1 + np.pi / 8 * variance)))


def normal_chances(mu: Floats, sigma: Floats, beta: float) -> Floats:
    """Return the same for TrueSkill's strengths, each with the deviation of its error."""
    variance = sigma[:, None] ** 2 + sigma[None, :] ** 2 + 2 * beta**2
    return np.asarray(ndtr((mu[:, None] - mu[None, :]) / np.sqrt(variance)))


Slope = Callable[[Floats], tuple[Floats, Floats]]
"""The gradient of the log likelihood at strengths (N,), and (N, N) its negated Hessian."""


def bradley_terry(played: Log) -> Floats:
    """Return (N,) strengths in logits."""
    return _validated(played, _pairs)


def plackett_luce(played: Log) -> Floats:
    """Return (N,) strengths in logits; ties are broken by chance."""
    return _validated(played, _choices)


def _validated(played: Log, slope_of: Callable[[Matches, int], Slope]) -> Floats:
    """Return the strengths with the width of the prior that foretells best."""
    matches, n = played.matches(), played.entrants
    fold = Generator(Philox(key=0)).permutation(len(matches.block)) % _FOLDS
    losses = np.zeros(len(_WIDTHS))
    for one in range(_FOLDS):
        slope, held_out = slope_of(matches[fold != one], n), _outcomes(matches[fold == one], n)
        for k, width in enumerate(_WIDTHS):
            losses[k] -= (held_out * np.log(chances(_maximum(slope, n, width)))).sum()
    return _maximum(slope_of(matches, n), n, _WIDTHS[int(losses.argmin())])


def _maximum(slope: Slope, n: int, width: float) -> Floats:
    """Return the likeliest strengths by Newton's method."""
    theta = np.zeros(n)
    for _ in range(_STEPS):
        gradient, curvature = slope(theta)
        step = np.linalg.solve(curvature + np.eye(n) / width**2, gradient - theta / width**2)
        theta = theta + step
        if np.abs(step).max() < _CLOSE:
            break
    return theta


def _pairs(matches: Matches, n: int) -> Slope:
    before = _outcomes(matches, n)

    def slope(theta: Floats) -> tuple[Floats, Floats]:
        p, met = chances(theta), before + before.T
        return (before - met * p).sum(axis=1), _laplacian(met * p * (1 - p))

    return slope


def _choices(matches: Matches, n: int) -> Slope:
    chance = Generator(Philox(key=1)).random(matches.ranks.shape)
    order = np.argsort(matches.ranks + chance / 2, axis=1)
    best_first = np.take_along_axis(matches.versions, order, axis=1)
    return partial(_slope_of_choices, best_first, n)


def _slope_of_choices(best_first: Ints, n: int, theta: Floats) -> tuple[Floats, Floats]:
    gradient, shared = np.zeros(n), np.zeros((n, n))
    for stage in range(best_first.shape[1] - 1):
        left = best_first[:, stage:]
        p = np.exp(theta[left])
        p /= p.sum(axis=1, keepdims=True)
        np.add.at(gradient, left[:, 0], 1.0)
        np.subtract.at(gradient, left, p)
        for a, b in combinations(range(left.shape[1]), 2):
            np.add.at(shared, (left[:, a], left[:, b]), p[:, a] * p[:, b])
    return gradient, _laplacian(shared + shared.T)


def _laplacian(weight: Floats) -> Floats:
    found: Floats = np.diag(weight.sum(axis=1)) - weight
    return found
