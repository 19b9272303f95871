"""The rating of record: TrueSkill over all matches, combined with points where known.

`trueskill.all_matches` gives the strengths by places. If points count and are known for all
matches, `combined` averages them with the strengths by `points`. The result is in logits: with all
seats alike, A comes before B with the probability 1 / (1 + exp(B - A)).

Schedulers pair bots of similar strength, so the distance of bots far apart is a sum of many short
ones. Real bots' probabilities deviate slightly from TrueSkill's curve, and these errors add up. So
all distances carry a common relative error, which does not affect the order.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.special import expit, ndtr

from ladder.model.settings import RatedBy
from ladder.rating.arrays import Floats
from ladder.rating.combined import combine
from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.condensed import Condensed, Sums
from ladder.rating.fit import LOGIT, Fit, Joint
from ladder.rating.newcomers import compared
from ladder.rating.points import PointStrengths, known_margins, least_squares, pulled
from ladder.rating.results import Log
from ladder.rating.trueskill.all_matches import Skills, skills

_STRETCH = 0.08
"""The relative error of distances, a standard deviation. Without it 81 % of the 95 % intervals of
the best four of sixteen real bots held after 3,200 matches by the optimal scheduler; with it 93
%."""


def rate(
    log: Log,
    past: Condensed | None = None,
    *,
    predecessors: Mapping[int, int] | None = None,
    by: RatedBy = RatedBy.POINTS,
) -> Fit:
    """Rate all versions of a log; `predecessors` maps a version to the one it replaced.

    The log goes on where the `past` ends. Versions without comparisons get the prior and change
    nothing for others.
    """
    every, lineage = comparisons(log, past), predecessors or {}
    part = compared(every)
    return part.whole(_rated(part.data(every), part.lineage(lineage), by), lineage)


def condense(
    log: Log,
    past: Condensed | None = None,
    *,
    predecessors: Mapping[int, int] | None = None,
    by: RatedBy = RatedBy.POINTS,
) -> Condensed:
    """Return the past with a log added: what `rate` needs of both to rate what follows."""
    every = comparisons(log, past)
    part = compared(every)
    data = part.data(every)
    by_places, margins, by_points = _strengths(data, part.lineage(predecessors or {}), by)
    own = Condensed(
        precision=np.triu(by_places.precision) + np.triu(by_places.precision, 1).T,
        pull=by_places.pull,
        met=data.past.met + _met(data),
        weight=data.past.weight + _weights(data),
        margins=data.past.margins,
        blocks=data.blocks,
        sums=data.past.sums + _sums(data, by_places, margins, by_points),
    )
    if margins is not None:
        own = replace(own, margins=own.margins + pulled(data, margins))
    return own.among(log.entrants, part.known)


def _strengths(
    data: Comparisons, lineage: Mapping[int, int], by: RatedBy
) -> tuple[Skills, Floats | None, PointStrengths | None]:
    """Return the strengths by places; the margins, and the strengths by points, if they count."""
    before = data.past.sums
    by_places = skills(data.matches, data.past, lineage)
    residual = data.score - expit(LOGIT * data.gaps(by_places.mean))
    gain = data.gain(residual, (before.places_apart, before.places))
    if gain != 1:
        by_places = skills(data.matches, data.past, lineage, gain)
    margins = known_margins(data) if by is RatedBy.POINTS else None
    if margins is None:
        return by_places, None, None
    return by_places, margins, least_squares(data, margins, lineage, by_places.sd)


def _rated(data: Comparisons, lineage: Mapping[int, int], by: RatedBy) -> Fit:
    """Rate versions that all have comparisons."""
    by_places, _, by_points = _strengths(data, lineage, by)
    places = _fit(data, by_places, by_places.mean, by_places.covariance)
    if by_points is None:
        return places
    return _fit(data, by_places, *combine(by_places, by_points, data, places))


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
    p = expit(theta[:, None] - theta[None, :])
    told += data.past.weight * p * (1 - p)
    return told + told.T


def _weights(data: Comparisons) -> Floats:
    """Return (N, N) the sum of the weights of the comparisons of i and j, i < j."""
    cells = data.cells
    found = np.zeros((data.entrants, data.entrants))
    np.add.at(found, (cells.i, cells.j), cells.weight * cells.count)
    return found


def _met(data: Comparisons) -> Floats:
    """Return (N, N) how often i and j both finished a match, i < j."""
    cells, whole = data.cells, ~np.isinf(data.margin)
    found = np.zeros((data.entrants, data.entrants))
    np.add.at(found, (cells.i[data.cell][whole], cells.j[data.cell][whole]), 1.0)
    return found


def _sums(
    data: Comparisons, places: Skills, margins: Floats | None, points: PointStrengths | None
) -> Sums:
    """Return the sums over the comparisons, without those of the past."""
    finite = ~np.isinf(data.margin)
    expected = ndtr(data.gaps(places.mean) / np.sqrt(2))
    by_places, residual = data.score - expected, data.score - expit(LOGIT * data.gaps(places.mean))
    apart, together = data.squares(residual)
    found = Sums(
        matches=len(data.matches.block),
        blocks=data.block_count,
        pairs=float(np.count_nonzero(finite)),
        ties=float(np.count_nonzero(finite & (data.score == 0.5))),  # noqa: PLR2004 - a tie
        comparisons=len(data.score),
        unknown=float(np.count_nonzero(np.isnan(data.margin))),
        places_apart=apart,
        places=together,
    )
    if margins is None or points is None:
        return found
    weight = data.cells.weight[data.cell] / 2
    apart, together = data.squares(points.residual)
    one, other = (data.scores(each, data.in_block) for each in (by_places, points.residual))
    return replace(
        found,
        margins=float(np.sum(margins**2)),
        weighted_margins=float(weight @ margins**2),
        finite=float(np.count_nonzero(np.isfinite(data.margin))),
        finite_margins=float(np.sum(data.margin[np.isfinite(data.margin)] ** 2)),
        points_apart=apart,
        points=together,
        both=float(one @ other),
    )


def _design_effect(information: Floats, covariance: Floats, sd: float) -> float:
    """Return the divisor of the information that explains the errors, given the prior."""
    laplacian = np.diag(information.sum(axis=1)) - information
    learnt = len(laplacian) - float(np.trace(covariance)) / sd**2
    told = float((laplacian * covariance).sum())
    return told / learnt if learnt > 0 and told > 0 else 1.0
