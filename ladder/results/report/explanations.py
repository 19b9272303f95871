"""Explains the strength of a version: its results, its opponents, and the prior.

The *performance* of a version is the strength at which its expected score over all comparisons
equals its actual score, with all others unchanged. The difference to its rated strength comes from
the prior, which shrinks strengths, and from TrueSkill, which compares only neighbours in a ranking.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ladder.rating.fit import Fit
from ladder.results.diagnostics.residuals import Residuals

_FARTHEST = 10.0
"""In logits; a version that wins or loses everything has no finite performance."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a version's strength; logits are relative to the reference's mean."""

    version: int
    blocks: int
    """The number of blocks with comparisons."""
    comparisons: int
    """The number of comparisons."""
    ahead: float
    """The share of comparisons that it won; ties count half."""
    opponents: float
    """The mean logit of its opponents."""
    performance: float | None
    """The performance in logits; None if it won or lost everything."""
    logit: float
    """The rated strength."""


def explain(of: Residuals, fit: Fit, reference: Sequence[int], version: int) -> Explanation | None:
    """Return the explanation of a version's strength; None without comparisons."""
    cells, theta = of.data.cells, fit.theta
    first, second = cells.i == version, cells.j == version
    mine = first | second
    if not mine.any():
        return None
    others = np.where(first, cells.j, cells.i)[mine]
    count = cells.count[mine].astype(np.float64)
    score = np.where(first, cells.score, cells.count - cells.score)[mine]
    p = np.where(first, of.p, 1 - of.p)[mine]
    weight = cells.weight[mine]
    base = np.log(p) - np.log1p(-p) - theta[version]

    def left(strength: float) -> float:
        return float(np.sum(weight * (score - count * expit(strength + base))))

    middle = float(np.mean(theta[list(reference)])) if reference else 0.0
    low, high = theta[version] - _FARTHEST, theta[version] + _FARTHEST
    from scipy import optimize  # noqa: PLC0415 - slow to import

    found = None if left(low) <= 0 or left(high) >= 0 else optimize.brentq(left, low, high)
    return Explanation(
        version=version,
        blocks=int(of.data.blocks[version]),
        comparisons=int(count.sum()),
        ahead=float(score.sum() / count.sum()),
        opponents=float(np.sum(count * theta[others]) / count.sum()) - middle,
        performance=None if found is None else float(found) - middle,
        logit=float(theta[version]) - middle,
    )
