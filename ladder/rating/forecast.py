"""How many more matches it takes to tell which of two versions is stronger."""

import math

from scipy.special import expit, ndtri

from ladder.rating.fit import Fit

NEVER = 1_000_000
"""The largest forecast."""


def matches_to_separate(fit: Fit, i: int, j: int, sure: float) -> int:
    """Return about how many more matches with both at the table will separate two versions.

    They are separated when one is stronger with the probability `sure`. The forecast assumes that
    the estimates stay and that the other players vary. It is at most `NEVER`, which means that the
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
    # At a table of any size, a match gives this much information on the difference of two players.
    return min(NEVER, max(1, math.ceil(missing * fit.phi / (p * (1 - p)))))
