"""The rating of record: a pairwise composite logit, with error bars that hold for what it is fed.

Theory of operation.

*Model.* In a match, the version i on seat a comes before j on seat b with the probability
p = logistic(theta_i + gamma_a - theta_j - gamma_b); a shared rank counts as half a win of either.
The ranking of a match is taken as comparisons of all its pairs, each with the weight 2 / k: a
composite likelihood (Varin, Reid and Firth 2011). It needs no model of how the places of one match
depend on each other, and is nearly as sharp as Plackett and Luce's, but its curvature is no measure
of its error, because the comparisons of a match, and matches of one deal, are not independent.

*Scatter.* So what the scores really do is measured, with the block, all matches of one deal, as the
unit: phi is the sum of the squared scores of pairs over that of their informations; phi_version is
the same for the scores of versions against all that they met. Both start as for independent deals,
with the weight of a few blocks, and are far below it when deals are played on all rotations.

*Interactions.* Versions are not on one line: a pairing has a deviation of its own with the variance
t2 (see `dispersion` and `gains`). A pair's information saturates: it gets the weight

    w_ij = 1 / (1 + I_ij t2 / phi) / phi_version

The last factor brings the curvature to what the scores really tell, so that prior and data are
weighed rightly; without it the prior counts several times too much where deals are duplicate.

*Prior.* theta ~ N(0, sd^2), gamma ~ N(0, 1). A version with a predecessor has the prior mean of the
predecessor's estimate and the variance drift^2 plus the estimate's, but never its results; nor does
a successor's success change the predecessor. sd and drift are estimated: the mean squares of
estimates plus error variances, with a weak prior (empirical Bayes, by steps of EM).

*Covariance.* With H the curvature at the maximum and g_b the weighted scores of block b,

    V = H^-1 [ c D (sum_b g_b g_b') D + t2 / 4 K + prior precisions ] H^-1

the sandwich of Huber and White, clustered by block (Liang and Zeger 1986), where c = B / (B - e /
(k - 1)) makes up for the e parameters that were fitted, and D, diagonal with sqrt(n / (n - 2)) for
a version of n blocks, for how little is known of the scatter from few: the squared error bar is
that of Student's t. K is what interactions add. A version is taken to gain c_ij by each j that is
at its table, and j to lose as much, so that their own comparison shows d_ij = 2 c_ij with variance
t2, and those with third parties c_ij more. A block with the weighted informations of its
encounters as the Laplacian L_b and the gains C_b of those who are there has its scores shifted by
L_b C_b 1. The strength of a version is that against the field: what it gains over its table on
average over all tables, k C f / n with f who is in the field of n. So with L the sum of the L_b,

    K = the covariance of sum_b L_b C_b 1 - L k C f / n  for independent c of variance one,

which is nought when all pairs met equally: then nothing is left of the interactions but what was
asked for. Whoever meets the same few again and again has errors that more matches do not mend.

*Points.* Where the points of all matches are known, the same is done with scores by points, and
both estimates are joined (see `points`).

*Order.* Comparisons are sorted before anything is summed, and the fit starts from nothing. A log
therefore has one rating, to the last bit, however it was shuffled. A fit that starts from another
one ends within about a hundredth of an error bar of that, and sooner.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.covariance import Errors, sandwich
from ladder.rating.dispersion import Encounters, encounters
from ladder.rating.estimate import Estimate, estimate
from ladder.rating.fit import Fit, Variances
from ladder.rating.gains import Gains
from ladder.rating.log import Log
from ladder.rating.points import UNIT, joined, scored
from ladder.rating.prior import Prior


def fit(
    log: Log,
    start: Fit | None = None,
    *,
    predecessors: Mapping[int, int] | None = None,
    field: Sequence[int] | None = None,
) -> Fit:
    """Rate all versions of a log.

    `start` is an earlier fit of about the same log; it saves time. `predecessors` names the version
    that a version replaced. `field` are the versions against which strength is meant, such as those
    that are listed; all if None.
    """
    data = comparisons(log)
    met = encounters(data)
    gains = Gains.of(met, log.entrants)
    lineage, chosen = predecessors or {}, _field(log.entrants, field)

    def rated(scores: Comparisons, begin: Fit | None, unit: float) -> tuple[Fit, Errors]:
        prior = Prior.of(log.entrants, lineage, unit)
        found = estimate(scores, met, gains, prior, *_start(scores, begin))
        errors = Errors.of(scores, met, found, chosen)
        return _fit(scores, met, found, sandwich(errors, errors)), errors

    joint = start.joint if start else None
    places, errors = rated(data, joint.places if joint else start, 1.0)
    if (by_points := scored(data)) is None:
        return places
    points, other = rated(by_points, joint.points if joint else None, UNIT)
    n = log.entrants
    return joined(places, points, sandwich(errors, other)[:n, :n])


def _start(data: Comparisons, start: Fit | None) -> tuple[Variances, Floats]:
    """Return variances and parameters, (N + Q,), to begin with."""
    beta = np.zeros(data.entrants + data.seats)
    if start is None:
        return Variances(), beta
    beta[: len(start.theta)] = start.theta
    for size, columns in data.columns.items():
        beta[data.entrants :][columns] = start.gamma.get(size, 0.0)
    return start.variances, beta


def _field(entrants: int, field: Sequence[int] | None) -> Floats:
    """Return (N,) 1 for versions of the field, 0 for others."""
    chosen = np.zeros(entrants)
    chosen[list(range(entrants) if field is None else field)] = 1.0
    return chosen


def _fit(data: Comparisons, met: Encounters, found: Estimate, covariance: Floats) -> Fit:
    """Lay out the result by versions and seats."""
    n = data.entrants
    information = np.zeros((n, n))
    information[met.i, met.j] = information[met.j, met.i] = found.seen.information
    seats, errors = found.beta[n:], covariance[n:, n:]
    return Fit(
        theta=found.beta[:n],
        V=(covariance[:n, :n] + covariance[:n, :n].T) / 2,
        gamma={size: seats[columns] for size, columns in data.columns.items()},
        seat_covariance={s: errors[columns, columns] for s, columns in data.columns.items()},
        information=information,
        blocks=data.blocks,
        variances=found.variances,
    )
