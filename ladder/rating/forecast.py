"""What it would still take to know who is the stronger one of two."""

import math

from scipy.special import expit, ndtri

from ladder.rating.fit import Fit

NEVER = 1_000_000
"""No more matches than this are ever foretold."""


def matches_to_separate(fit: Fit, i: int, j: int, sure: float) -> int:
    """Return about how many more matches with both at the table will tell them apart.

    They are told apart when one is stronger with the probability `sure`. It supposes that the
    estimates do not move, and that the others at the table change. `NEVER` if it takes more: the
    versions are equal.
    """
    wanted = float(ndtri(sure))
    gap = abs(float(fit.theta[i] - fit.theta[j]))
    variance = float(fit.V[i, i] + fit.V[j, j] - 2 * fit.V[i, j])
    if gap * gap >= wanted * wanted * variance:
        return 0
    if not gap > 0:
        return NEVER
    missing = (wanted / gap) ** 2 - 1 / variance
    p = float(expit(gap))
    # Of any size of table, a match tells so much of the difference of two who are there.
    return min(NEVER, max(1, math.ceil(missing * fit.phi / (p * (1 - p)))))
