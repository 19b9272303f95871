"""What TrueSkill has to know of a game, measured: how much luck it has, and how many ties."""

import math

import numpy as np

from ladder.rating.log import ABSENT, Log
from ladder.rating.trueskill import SIGMA
from ladder.settings import Tuning

_LOGIT = 1.702
"""The logistic function of 1.702 x is the normal distribution function of x, within 0.01."""


def tuned(log: Log, sd: float) -> Tuning:
    """Measure a log in which strengths have this standard deviation, in logits.

    Newcomers are given SIGMA for it, so the noise is beta = 1.702 SIGMA / (sqrt(2) sd): 10.03 / sd.
    It is kept between a half and four times SIGMA, for logs that say little.
    """
    beta = _LOGIT * SIGMA / (math.sqrt(2) * sd) if sd > 0 else math.inf
    return Tuning(min(max(beta, SIGMA / 2), SIGMA * 4), _draws(log))


def _draws(log: Log) -> float:
    """Count how often neighbours share their place; a few as usual are added to those seen."""
    matches = log.matches()
    finished = (matches.versions != ABSENT) & ~matches.crashed
    ranks = np.sort(np.where(finished, matches.ranks, np.iinfo(np.int64).max), axis=1)
    seen = finished.sum(axis=1, keepdims=True) > np.arange(1, ranks.shape[1])[None, :]
    shared = (ranks[:, 1:] == ranks[:, :-1]) & seen
    usual = 20.0
    return float((shared.sum() + usual * Tuning().draw_probability) / (seen.sum() + usual))
