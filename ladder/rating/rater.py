"""The rating of record: TrueSkill over all matches, combined with points where known.

`trueskill.all_matches` gives the strengths by places. If points count and are known for all
matches, `combined` averages them with the strengths by `points`. The result is in logits: with all
seats alike, A comes before B with the probability 1 / (1 + exp(B - A)).

Schedulers pair bots of similar strength, so the distance of bots far apart is a sum of many short
ones. Real bots' probabilities deviate slightly from TrueSkill's curve, and these errors add up. So
all distances carry a common relative error, which does not affect the order.
"""

from collections.abc import Mapping

import numpy as np
from scipy.special import expit

from ladder.model.settings import RatedBy
from ladder.rating.arrays import Floats
from ladder.rating.combined import combine
from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.fit import LOGIT, Fit, Joint
from ladder.rating.newcomers import compared
from ladder.rating.points import known_margins, least_squares
from ladder.rating.results import Log
from ladder.rating.trueskill.all_matches import Skills, skills

_STRETCH = 0.08
"""The relative error of distances, a standard deviation. Without it 81 % of the 95 % intervals of
the best four of sixteen real bots held after 3,200 matches by the optimal scheduler; with it 93
%."""


def rate(
    log: Log, *, predecessors: Mapping[int, int] | None = None, by: RatedBy = RatedBy.POINTS
) -> Fit:
    """Rate all versions of a log; `predecessors` maps a version to the one it replaced.

    Versions without comparisons get the prior and change nothing for others.
    """
    every, lineage = comparisons(log), predecessors or {}
    part = compared(every)
    return part.whole(_rated(part.data(every), part.lineage(lineage), by), lineage)


def _rated(data: Comparisons, lineage: Mapping[int, int], by: RatedBy) -> Fit:
    """Rate versions that all have comparisons."""
    by_places = skills(data.matches, data.entrants, lineage)
    gain = data.gain(data.score - expit(LOGIT * data.gaps(by_places.mean)))
    if gain != 1:
        by_places = skills(data.matches, data.entrants, lineage, gain)
    places = _fit(data, by_places, by_places.mean, by_places.covariance)
    margins = known_margins(data) if by is RatedBy.POINTS else None
    if margins is None:
        return places
    by_points = least_squares(data, margins, lineage, by_places.sd)
    both = combine(by_places, by_points, data)
    joint = Joint(
        places=places,
        points=LOGIT * both.scale * by_points.mean,
        share=both.share,
        stray=LOGIT * both.stray,
        gain=both.gain,
    )
    return _fit(data, by_places, both.mean, both.covariance, joint)


def _fit(
    data: Comparisons, of: Skills, mean: Floats, covariance: Floats, joint: Joint | None = None
) -> Fit:
    """Return the fit in logits."""
    theta, errors, sd = LOGIT * mean, LOGIT**2 * covariance, LOGIT * of.sd
    information = _information(data, theta)
    phi = _design_effect(information, errors, sd)
    apart = _STRETCH * (theta - theta.sum() / max(len(theta), 1))
    return Fit(
        theta=theta,
        V=errors + np.outer(apart, apart),
        information=information,
        blocks=data.blocks,
        sd=sd,
        margin=of.margin,
        phi=phi,
        joint=joint,
    )


def _information(data: Comparisons, theta: Floats) -> Floats:
    """Return (N, N) the information on each pair if all comparisons were independent."""
    cells, n = data.cells, data.entrants
    p = expit(theta[cells.i] - theta[cells.j])
    told = np.zeros((n, n))
    np.add.at(told, (cells.i, cells.j), cells.weight * cells.count * p * (1 - p))
    return told + told.T


def _design_effect(information: Floats, covariance: Floats, sd: float) -> float:
    """Return the divisor of the information that explains the errors, given the prior."""
    laplacian = np.diag(information.sum(axis=1)) - information
    learnt = len(laplacian) - float(np.trace(covariance)) / sd**2
    told = float((laplacian * covariance).sum())
    return told / learnt if learnt > 0 and told > 0 else 1.0
