"""The strengths that one kind of score shows, with the variances that its scatter shows.

The formulas are those of `composite`, which also says what they are for.
"""

from dataclasses import astuple, dataclass

import numpy as np

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import Comparisons
from ladder.rating.curvature import Curvature
from ladder.rating.dispersion import Encounters, Scatter, interaction, scatter
from ladder.rating.fit import Variances
from ladder.rating.gains import Gains
from ladder.rating.logit import Likelihood
from ladder.rating.prior import Prior

_LOOPS = 30
_SETTLED = 1e-3
"""The variances are settled when none changes by more than this part of itself."""
_SMALL = 1e-4
"""Or of this, which is nought as far as anybody could see."""
_BLOCKS_AS_INDEPENDENT = 5.0
"""So many blocks weighs the assumption that matches of one deal are independent."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A maximum of the penalised composite likelihood, and what its errors follow from."""

    beta: Floats
    """(N + Q,) strengths, then worths of seats."""
    weight: Floats
    """(P,) what one comparison of each pair weighs, besides its share of a match."""
    seen: Scatter
    curvature: Curvature
    variances: Variances


def estimate(
    data: Comparisons,
    met: Encounters,
    gains: Gains,
    prior: Prior,
    variances: Variances,
    beta: Floats,
) -> Estimate:
    """Find the maximum, and the variances; both begin with these, `beta` being (N + Q,)."""
    n, likelihood = data.entrants, Likelihood(data)
    errors = np.full(n, variances.sd**2)
    for _ in range(_LOOPS):
        before = variances
        weight = _weights(data, met, likelihood.probabilities(beta), variances)
        penalty = prior.penalty(variances, beta[:n], errors, data.seats)
        top = likelihood.maximise(weight[met.pair_of_cell] * data.cells.weight, penalty, beta)
        curvature = Curvature.of(top.hessian, penalty.precision, data.entrants)
        seen = scatter(data, met, top.p)
        beta, errors = top.beta, np.diag(curvature.inverse)[:n]
        sd, drift = prior.spread(beta[:n], errors)
        phi, phi_version = _effects(data, met, seen, curvature)
        leverage = curvature.leverage(met, weight * seen.information)
        expected = gains.squares(seen, weight, curvature.inverse[:n, :n])
        t2 = interaction(seen, met.count, leverage, weight, expected)
        variances = Variances(sd, drift, phi, phi_version, t2)
        if _settled(before, variances):
            break
    return Estimate(beta, weight, seen, curvature, variances)


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
    assumed = total * _BLOCKS_AS_INDEPENDENT / data.block_count * _spread(data, seen)
    squares = met.version_scores(seen.score, data.entrants).power(2).sum() / 2
    fitted = squares * curvature.unfitted(data)
    weight = total * (1 + _BLOCKS_AS_INDEPENDENT / data.block_count)
    phi = (seen.sum_of_squares.sum() + assumed * 2 / data.table) / weight
    return float(phi), float((fitted + assumed) / weight)


def _spread(data: Comparisons, seen: Scatter) -> float:
    """Return how much single scores vary: 1 if as wins and losses do, less by points or if shared.

    One comparison is taken to vary as much as these, or a few scores that can be fitted would seem
    not to vary at all.
    """
    wins_and_losses = float(seen.information.sum()) * 2 / data.table
    share = float((seen.residual**2).sum()) / wins_and_losses + 1 / len(seen.residual)
    return min(1.0, share)


def _settled(before: Variances, after: Variances) -> bool:
    """Say whether another round would change nothing that matters."""
    old, new = np.array(astuple(before)), np.array(astuple(after))
    return bool(np.all(np.abs(new - old) <= _SETTLED * np.maximum(np.maximum(new, old), _SMALL)))
