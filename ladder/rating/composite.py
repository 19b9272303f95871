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
t2 (see `dispersion`). A pair's information saturates: it gets the weight

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

*Order.* Comparisons are sorted before anything is summed, and the fit starts from nothing. A log
therefore has one rating, to the last bit, however it was shuffled. A fit that starts from another
one ends within about a hundredth of an error bar of that, and sooner.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple

import numpy as np

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.covariance import Curvature, sandwich
from ladder.rating.dispersion import Encounters, Scatter, encounters, interaction, scatter
from ladder.rating.fit import Fit, Variances
from ladder.rating.log import Log
from ladder.rating.logit import Likelihood
from ladder.rating.prior import Prior

_LOOPS = 30
_SETTLED = 1e-3
"""The variances are settled when none changes by more than this part of itself."""
_BLOCKS_AS_INDEPENDENT = 5.0
"""So many blocks weighs the assumption that matches of one deal are independent."""


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
    met, likelihood = encounters(data), Likelihood(data)
    prior = Prior.of(log.entrants, predecessors or {})
    variances = start.variances if start else Variances()
    beta, errors = _start(data, variances, start)
    for _ in range(_LOOPS):
        before = variances
        weight = _weights(data, met, likelihood.probabilities(beta), variances)
        penalty = prior.penalty(variances, beta[: data.entrants], errors, data.seats)
        top = likelihood.maximise(weight[met.pair_of_cell] * data.cells.weight, penalty, beta)
        curvature = Curvature.of(top.hessian, penalty.precision, data.entrants)
        seen = scatter(data, met, top.p)
        beta, errors = top.beta, np.diag(curvature.inverse)[: data.entrants]
        sd, drift = prior.spread(beta[: data.entrants], errors)
        phi, phi_version = _effects(data, met, seen, curvature)
        leverage = curvature.leverage(met, weight * seen.information)
        t2 = interaction(seen, met.count, leverage, weight)
        variances = Variances(sd, drift, phi, phi_version, t2)
        if _settled(before, variances):
            break
    covariance = sandwich(data, met, seen, weight, curvature, t2, _field(data.entrants, field))
    return _fit(data, met, seen, beta, covariance, variances)


def _start(data: Comparisons, variances: Variances, start: Fit | None) -> tuple[Floats, Floats]:
    """Return parameters and error variances of the strengths to begin with."""
    beta = np.zeros(data.entrants + data.seats)
    errors = np.full(data.entrants, variances.sd**2)
    if start is not None:
        known = len(start.theta)
        beta[:known], errors[:known] = start.theta, np.diag(start.V)
        for size, columns in data.columns.items():
            beta[data.entrants :][columns] = start.gamma.get(size, 0.0)
    return beta, errors


def _weights(data: Comparisons, met: Encounters, p: Floats, variances: Variances) -> Floats:
    """Return (P,) what one comparison of each pair weighs, besides its share of a match."""
    cells = data.cells
    information = np.bincount(
        met.pair_of_cell, cells.weight * cells.count * p * (1 - p), minlength=len(met.i)
    )
    return 1 / (1 + information * variances.t2 / variances.phi) / variances.phi_version


def _effects(
    data: Comparisons, met: Encounters, seen: Scatter, curvature: Curvature
) -> tuple[float, float]:
    """Return the design effects of pairs and of versions."""
    total = seen.information.sum()
    if not total > 0:
        return 1.0, 1.0
    assumed = total * _BLOCKS_AS_INDEPENDENT / data.block_count
    squares = met.version_scores(seen.score, data.entrants).power(2).sum() / 2
    fitted = squares * curvature.unfitted(data)
    phi = (seen.sum_of_squares.sum() + assumed * 2 / data.table) / (total + assumed)
    return float(phi), float((fitted + assumed) / (total + assumed))


def _settled(before: Variances, after: Variances) -> bool:
    """Say whether another round would change nothing that matters."""
    old, new = np.array(astuple(before)), np.array(astuple(after))
    return bool(np.all(np.abs(new - old) <= _SETTLED * np.maximum(new, old)))


def _field(entrants: int, field: Sequence[int] | None) -> Floats:
    """Return (N,) 1 for versions of the field, 0 for others."""
    chosen = np.zeros(entrants)
    chosen[list(range(entrants) if field is None else field)] = 1.0
    return chosen


def _fit(
    data: Comparisons,
    met: Encounters,
    seen: Scatter,
    beta: Floats,
    covariance: Floats,
    variances: Variances,
) -> Fit:
    """Lay out the result by versions and seats."""
    n = data.entrants
    information = np.zeros((n, n))
    information[met.i, met.j] = information[met.j, met.i] = seen.information
    seats, errors = beta[n:], covariance[n:, n:]
    return Fit(
        theta=beta[:n],
        V=covariance[:n, :n],
        gamma={size: seats[columns] for size, columns in data.columns.items()},
        seat_covariance={s: errors[columns, columns] for s, columns in data.columns.items()},
        information=information,
        blocks=data.blocks,
        variances=variances,
    )
