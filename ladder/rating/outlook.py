"""When a ladder knows enough, and what it would still take."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from enum import StrEnum

from scipy.special import expit

from ladder.rating.fit import Fit, Variances

_SEPARATE = 1.959963984540054
"""Two versions are told apart when the 95 % interval of their difference leaves out nought."""
_MOST = 1_000_000


class Aim(StrEnum):
    """What a ladder is to find out."""

    TOP = "top"
    """Which versions are the strongest few, in any order."""
    RANKING = "ranking"
    """Which of two neighbours in the ranking is the stronger one, for all neighbours."""


def certainty(
    fit: Fit,
    aim: Aim,
    among: Sequence[int] | None = None,
    *,
    top: int = 3,
    indifference: float = 0.0,
) -> float:
    """Return the probability that what the estimates say about the aim is right.

    A ladder may stop as soon as it is above a bound, and is right about as often as that says or
    more. It is 0 while one of the versions is provisional. `indifference`, in logits, is by how
    much an order may be wrong that still counts as right; bots that are equal need some.
    """
    chosen = range(len(fit.theta)) if among is None else among
    if any(fit.provisional[i] for i in chosen):
        return 0.0
    if aim is Aim.TOP:
        return fit.p_top_set(top, among, indifference)
    return fit.p_ranking(among, indifference)


def matches_to_separate(fit: Fit, i: int, j: int, table: int) -> int | None:
    """Return about how many more matches with both at a table for so many will tell them apart.

    It supposes that the estimates do not move, and that the others at the table change. None if no
    number up to `_MOST` would do: the versions are equal, or meeting each other does not tell,
    because pairings deviate from strengths and there is nobody else at the table.
    """
    gap = abs(float(fit.theta[i] - fit.theta[j]))
    variance = float(fit.V[i, i] + fit.V[j, j] - 2 * fit.V[i, j])
    if gap * gap >= _SEPARATE**2 * variance:
        return 0
    if not gap > 0:
        return None
    missing = (_SEPARATE / gap) ** 2 - 1 / variance
    p = float(expit(gap))
    return _first(lambda n: _told(fit.variances, n * p * (1 - p), 2 / table) >= missing)


def _told(variances: Variances, information: float, direct: float) -> float:
    """Return what matches tell of the difference of two: one over the variance of its error.

    The part `direct` of it comes from their own pairing and is limited by t2, the rest from what
    each does against others. Per match and whatever its size, both are p (1 - p) / phi_version.
    """
    own = direct * information
    own /= 1 + own * variances.t2 / variances.phi
    return (own + (1 - direct) * information) / variances.phi_version


def _first(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number from 1 that is enough, if all above it are."""
    found = bisect_left(range(_MOST), x=True, lo=1, key=enough)
    return found if found < _MOST else None
