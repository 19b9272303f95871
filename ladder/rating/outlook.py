"""What it would still take to know who is the stronger one of two."""

from bisect import bisect_left

from scipy.special import expit, ndtri

from ladder.rating.fit import Fit, Variances

NEVER = 1_000_000
"""No more matches than this are ever foretold."""


def matches_to_separate(fit: Fit, i: int, j: int, table: int, sure: float) -> int:
    """Return about how many more matches with both at a table for so many will tell them apart.

    They are told apart when one is stronger with the probability `sure`. It supposes that the
    estimates do not move, and that the others at the table change. `NEVER` if it takes more: the
    versions are equal, or meeting each other does not tell, because pairings deviate from strengths
    and there is nobody else at the table.
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

    def enough(matches: int) -> bool:
        return _told(fit.variances, matches * p * (1 - p), 2 / table) >= missing

    return bisect_left(range(NEVER), x=True, lo=1, key=enough)


def _told(variances: Variances, information: float, direct: float) -> float:
    """Return what matches tell of the difference of two: one over the variance of its error.

    The part `direct` of it comes from their own pairing and is limited by t2, the rest from what
    each does against others. Per match and whatever its size, both are p (1 - p) / phi_version.
    """
    own = direct * information
    own /= 1 + own * variances.t2 / variances.phi
    return (own + (1 - direct) * information) / variances.phi_version
