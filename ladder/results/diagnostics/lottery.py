"""The maximal lottery: whom the results of pairs alone would put first.

A lottery over the versions is maximal if it is behind no version on average (Fishburn 1984): the
best mixed strategy of the game in which a pair's payoff is how much more often one came before the
other. A version that is ahead of every other one has it all; in a cycle it is shared. So it shows
where the first of an order owes its place to whom it met.

*Noise.* The lottery is chosen after the results, among all sets of versions. So its lead over the
version that the order puts first is compared with the bound for any weights within a set of its
size (Scheffe), and all sets of this size and all versions share `ALARM` (Bonferroni).
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from scipy import special

from ladder.rating.arrays import Floats
from ladder.results.diagnostics.cycles import ALARM, Excesses
from ladder.results.diagnostics.residuals import Residuals

_LEAST = 0.01
"""A smaller share of the lottery is rounding."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A lottery that comes before the version that the order puts first."""

    first: int
    """The version that the order puts first."""
    shares: dict[int, float]
    """The lottery, by version, the largest share first."""
    ahead: float
    """How often the lottery comes before it, at equal seats."""


def disagreement(of: Residuals, theta: Floats) -> Disagreement | None:
    """Return how the lottery disagrees with the order by strengths `theta`; None within noise."""
    met, n = of.met, len(theta)
    if not len(met.i):
        return None
    _, excess, variance = Excesses(of).of_field()
    gap, error = theta[:, None] - theta[None, :], np.full((n, n), np.inf)
    gap[met.i, met.j] += excess
    gap[met.j, met.i] -= excess
    known = np.where(variance > 0, variance, np.inf)  # equal results of few blocks tell no error
    error[met.i, met.j] = error[met.j, met.i] = known
    first = int(np.argmax(theta))
    margin = special.expit(gap) - 0.5
    weights = _maximal(margin)
    chosen = np.flatnonzero(weights > _LEAST)
    if first in chosen:
        return None
    shares = weights[chosen] / weights[chosen].sum()
    ahead, slope = float(shares @ margin[chosen, first]), 0.25 - margin[chosen, first] ** 2
    noise = float((shares * slope) ** 2 @ error[chosen, first])
    allowance = ALARM / n / comb(n - 1, len(chosen))
    if not (ahead > 0 and ahead**2 >= special.chdtri(len(chosen), allowance) * noise):
        return None
    order = np.argsort(-shares, kind="stable")
    return Disagreement(first, {int(chosen[at]): float(shares[at]) for at in order}, 0.5 + ahead)


def _maximal(margin: Floats) -> Floats:
    """Return the weights, (N,), that are behind no version on average; margins are (N, N)."""
    n = len(margin)
    from scipy import optimize  # noqa: PLC0415 - slow to import

    found = optimize.linprog(
        np.append(np.zeros(n), -1.0),  # the most of the least lead
        A_ub=np.hstack([-margin.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        bounds=[*[(0, None)] * n, (None, None)],
    )
    weights: Floats = found.x[:n]
    return weights
