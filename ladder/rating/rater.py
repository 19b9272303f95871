"""The rating of record: TrueSkill over all matches, combined with points where known.

`trueskill.all_matches` gives the strengths by places. If points count and are known for all
matches, they are averaged with the strengths by `points`. The result is in logits: with all
seats alike, A comes before B with the probability 1 / (1 + exp(B - A)).

Schedulers pair bots of similar strength, so the distance of bots far apart is a sum of many short
ones. Real bots' probabilities deviate slightly from TrueSkill's curve, and these errors add up. So
all distances carry a common relative error, which does not affect the order.

*Newcomers.* The fit leaves out versions without any comparison, so they do not change the ratings
of others, to the last bit. A newcomer gets the prior: average strength, or, if it replaced another
version, about the strength of that one.

*Combination.* Points carry more information than places: bots that are nearly equal swap
places by luck, bots far apart do not. But a ladder asks who comes first, and some bots win by
little and lose by much. So strengths by places and by points are averaged, with a measured weight.

*Scale.* Strengths by points are brought to the spread of those by places: both sums of squares, of
estimates plus the variances of their errors, are made equal.

*Errors.* Errors by points are kappa times those by places, and both come from the same luck: their
correlation rho is that of the residuals of versions in blocks.

*Trust.* Let a version's strength by points deviate from its true strength with the variance s2. The
differences d of both estimates of N versions, about their mean, scatter by s2 and by their errors,
(1 + kappa^2 - 2 rho kappa) v for the mean variance v of those by places. So

    s2 = max(0, |d|^2 / (N - 1) - e + e sqrt(2 / (N - 1))),   e = (1 + kappa^2 - 2 rho kappa) v

with the standard error added, to be cautious.

*Share.* Points get the share q that minimises the error variance

    (1 - q)^2 v + 2 q (1 - q) rho kappa v + q^2 (kappa^2 v + s2)

As matches accumulate, v falls and s2 stays: if points mislead at all, only places count in the end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, ndtr

from ladder.model.settings import RatedBy
from ladder.rating.arrays import Floats, Ints
from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.condensed import Condensed, Sums
from ladder.rating.families import DRIFT, UNRELATED, Lineage, shared
from ladder.rating.fit import LOGIT, PROVISIONAL, Fit, Joint
from ladder.rating.points import PointStrengths, known_margins, least_squares, pulled
from ladder.rating.results import ABSENT, Log
from ladder.rating.trueskill.all_matches import Skills, skills

_STRETCH = 0.08
"""The relative error of distances, a standard deviation. Without it 81 % of the 95 % intervals of
the best four of sixteen real bots held after 3,200 matches by the optimal scheduler; with it 93
%."""


def rate(
    log: Log,
    past: Condensed | None = None,
    *,
    lineage: Lineage = UNRELATED,
    by: RatedBy = RatedBy.POINTS,
) -> Fit:
    """Rate all versions of a log, which goes on where the `past` ends.

    Versions without comparisons get the prior and change nothing for others.
    """
    every = comparisons(log, past)
    part = compared(every)
    fit = _rated(part.data(every), part.lineage(lineage), by)
    return part.whole(fit, lineage.predecessors)


def condense(
    log: Log,
    past: Condensed | None = None,
    *,
    lineage: Lineage = UNRELATED,
    by: RatedBy = RatedBy.POINTS,
) -> Condensed:
    """Return the past with a log added: what `rate` needs of both to rate what follows."""
    every = comparisons(log, past)
    part = compared(every)
    data = part.data(every)
    by_places, margins, by_points = _strengths(data, part.lineage(lineage), by)
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
    data: Comparisons, lineage: Lineage, by: RatedBy
) -> tuple[Skills, Floats | None, PointStrengths | None]:
    """Return the strengths by places; the margins, and the strengths by points, if they count."""
    before = data.past.sums
    first = lineage.first(data.entrants)
    by_places = skills(data.matches, data.past, first)
    residual = data.score - expit(LOGIT * data.gaps(by_places.mean))
    gain = data.gain(residual, (before.places_apart, before.places))
    if gain != 1:
        by_places = skills(data.matches, data.past, first, gain)
    margins = known_margins(data) if by is RatedBy.POINTS else None
    if margins is None:
        return by_places, None, None
    return by_places, margins, least_squares(data, margins, by_places.sd)


def _rated(data: Comparisons, lineage: Lineage, by: RatedBy) -> Fit:
    """Rate versions that all have comparisons."""
    by_places, _, by_points = _strengths(data, lineage, by)
    parts = [
        (weight, *_given(by_places.given(sd), by_points, data, lineage))
        for sd, weight in by_places.spreads
    ]
    mean = np.sum([weight * own for weight, own, _, _ in parts], axis=0)
    covariance = np.sum(
        [weight * (own + np.outer(m - mean, m - mean)) for weight, m, own, _ in parts], axis=0
    )
    *_, joint = parts[len(parts) // 2]
    return _fit(data, by_places, mean, covariance, joint)


def _given(
    places: Skills, points: PointStrengths | None, data: Comparisons, lineage: Lineage
) -> tuple[Floats, Floats, Joint | None]:
    """Return the strengths by one spread, the covariance of their errors, and what they are of."""
    if points is None:
        prior = places.sd**2
        return *shared(places.mean, places.covariance, places.sd, prior, lineage), None
    fit = _fit(data, places, places.mean, places.covariance)
    return combine(places, points, data, fit, lineage)


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
    information = np.zeros((n, n))
    np.add.at(information, (cells.i, cells.j), cells.weight * cells.count * p * (1 - p))
    p = expit(theta[:, None] - theta[None, :])
    information += data.past.weight * p * (1 - p)
    return information + information.T


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
    explained = float((laplacian * covariance).sum())
    return explained / learnt if learnt > 0 and explained > 0 else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The K of N versions that have comparisons, numbered for the fit."""

    known: Ints
    """(K,) the versions."""
    number: Ints
    """(N + 1,) the number of each version in the fit; `ABSENT` for the others and for the last
    entry."""

    def data(self, of: Comparisons) -> Comparisons:
        """Return the comparisons and matches, renumbered."""
        cells = replace(of.cells, i=self.number[of.cells.i], j=self.number[of.cells.j])
        matches = replace(of.matches, versions=self.number[of.matches.versions])
        return replace(
            of,
            entrants=len(self.known),
            cells=cells,
            matches=matches,
            blocks=of.blocks[self.known],
            past=of.past.of(self.known),
        )

    def lineage(self, every: Lineage) -> Lineage:
        """Return the links between versions in the fit, as numbers of the fit.

        They skip versions that are not in it.
        """
        found: tuple[dict[int, int], dict[int, int]] = {}, {}
        for version in self.known.tolist():
            old = _nearest(version, every.predecessors, self.number)
            kind = found[old is None]
            if old is None:
                old = _nearest(version, every.links, self.number)
            if old is not None:
                kind[int(self.number[version])] = int(self.number[old])
        return Lineage(*found)

    def whole(self, fit: Fit, predecessors: Mapping[int, int]) -> Fit:
        """Return the fit extended to all N versions, with the prior for the others."""
        n = len(self.number) - 1
        if len(self.known) == n:
            return fit
        square = np.ix_(self.known, self.known)
        covariance, information = np.zeros((n, n)), np.zeros((n, n))
        covariance[square], information[square] = fit.V, fit.information
        blocks = np.zeros(n, np.int64)
        blocks[self.known] = fit.blocks
        for new in np.flatnonzero(blocks == 0).tolist():
            old = _nearest(new, predecessors, self.number)
            inherited = fit.sd**2 if old is None else covariance[old, old] + (LOGIT * DRIFT) ** 2
            covariance[new, new] = inherited
        joint = fit.joint and replace(
            fit.joint,
            places=self.whole(fit.joint.places, predecessors),
            points=self._spread(fit.joint.points, predecessors),
        )
        return replace(
            fit,
            theta=self._spread(fit.theta, predecessors),
            V=covariance,
            information=information,
            blocks=blocks,
            joint=joint,
        )

    def _spread(self, values: Floats, predecessors: Mapping[int, int]) -> Floats:
        """Return (N,) values of all versions: a newcomer gets its predecessor's value, or zero."""
        found = np.append(values, 0.0)[self.number[:-1]]  # the last entry is for newcomers
        for new in np.flatnonzero(self.number[:-1] == ABSENT).tolist():
            old = _nearest(new, predecessors, self.number)
            if old is not None:
                found[new] = found[old]
        return found


def compared(data: Comparisons) -> Part:
    """Return the versions that have comparisons; all if none have."""
    n = data.entrants
    known = np.flatnonzero(data.blocks) if data.blocks.any() else np.arange(n)
    number = np.full(n + 1, ABSENT)
    number[known] = np.arange(len(known))
    return Part(known, number)


def _nearest(version: int, predecessors: Mapping[int, int], number: Ints) -> int | None:
    """Return a version's nearest predecessor that has comparisons; None if there is none."""
    old = predecessors.get(version)
    while old is not None and number[old] == ABSENT:
        old = predecessors.get(old)
    return old


_FEWEST = 3
"""Fewer versions do not show how places and points relate."""
_SHARPEST = 0.5
"""The least kappa: points carry at most four times the information of places."""


def combine(
    places: Skills, points: PointStrengths, data: Comparisons, fit: Fit, lineage: Lineage
) -> tuple[Floats, Floats, Joint]:
    """Combine the strengths of N versions by places and by points; `fit` is that by places.

    Return the strengths in standard deviations of a performance, (N,), the covariance of their
    errors, (N, N), and how they were combined. The relation of both is measured on versions that
    are not provisional, unless these are too few.
    """
    n = len(places.mean)
    known = data.blocks >= PROVISIONAL
    known = (known if known.sum() >= _FEWEST else np.ones(n, np.bool_)).astype(np.float64)
    share_of = known / known.sum()
    freedom = max(float(known.sum()) - 1, 1.0)

    def mean_square(values: Floats) -> float:
        return float(known @ (values - share_of @ values) ** 2) / freedom

    def mean_variance(of: Skills | PointStrengths) -> float:
        own = np.diag(of.covariance)
        return float(known @ own - known @ of.covariance @ share_of) / freedom

    v, by_points = mean_variance(places), mean_variance(points)
    spread = mean_square(places.mean) + v
    scale = float(np.sqrt(spread / (mean_square(points.mean) + by_points)))
    kappa = max(scale * float(np.sqrt(by_points / v)), _SHARPEST)
    rho = _correlation(places, points, data)
    apart = scale * points.mean - places.mean
    apart -= share_of @ apart
    e = max(1 + kappa**2 - 2 * rho * kappa, 0.0) * v
    stray = max(0.0, mean_square(apart) - e + e * float(np.sqrt(2 / freedom)))
    wanted = (1 - rho * kappa) * v / (e + stray) if e + stray > 0 else 0.0
    share = float(np.clip(wanted, 0.0, 1.0))
    factor = (1 - share) ** 2 + 2 * share * (1 - share) * rho * kappa + (share * kappa) ** 2
    joint = Joint(
        places=fit,
        points=LOGIT * scale * points.mean,
        share=share,
        stray=LOGIT * float(np.sqrt(stray)),
        gain=v / (factor * v + share**2 * stray),
    )
    mean, covariance = places.mean + share * apart, factor * places.covariance
    mean, covariance = shared(mean, covariance, places.sd, factor * places.sd**2, lineage)
    return mean, covariance + share**2 * stray * np.eye(n), joint


def _correlation(places: Skills, points: PointStrengths, data: Comparisons) -> float:
    """Return the correlation of the versions' residuals in blocks by places and by points."""
    cells = data.cells
    i, j = cells.i[data.cell], cells.j[data.cell]
    expected = ndtr((places.mean[i] - places.mean[j]) / np.sqrt(2))
    residuals, before = (data.score - expected, points.residual), data.past.sums
    one, other = (data.scores(residual, data.in_block) for residual in residuals)
    by_places, by_points = one @ one + before.places, other @ other + before.points
    size = float(np.sqrt(by_places * by_points))
    return max(float(one @ other + before.both) / size, 0.0) if size > 0 else 0.0
