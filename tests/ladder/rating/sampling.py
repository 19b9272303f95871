"""Tolerances for proofs that run on a sample of their cases."""

import math


def slack(cases: int, full: int, deviation: float) -> float:
    """Return how much further out than a mean of the `full` number one of fewer cases may lie.

    `deviation` is the standard deviation of one case. The slack is three standard errors of the
    mean less those of the full number, so that the full proof keeps its bound.
    """
    return 3 * deviation * (1 / math.sqrt(cases) - 1 / math.sqrt(full))


def share_slack(cases: int, full: int, share: float) -> float:
    """Return the tolerance for a share of cases."""
    return slack(cases, full, math.sqrt(share * (1 - share)))
