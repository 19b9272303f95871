"""How the strength of one version comes about: what it did, whom it met, what the prior did.

Left alone, its results would put a version where its chances in all its comparisons add up to what
it won, while all others stay where they are: its *performance*. The rest of the way to the strength
is the doing of the prior, which holds versions together, and of TrueSkill's weighing the neighbours
in a ranking only: two places more say nothing about those in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize
from scipy.special import expit

from ladder.rating.diagnostics.residuals import Residuals
from ladder.rating.fit import Fit

_FARTHEST = 10.0
"""Logits; who wins or loses everything would perform beyond any number."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one version came to its strength; logits are above the mean of the reference."""

    version: int
    blocks: int
    """In how many it was compared."""
    comparisons: int
    """How often it was compared with another one."""
    ahead: float
    """The part in which it came first, a shared rank counting half."""
    opponents: float
    """The mean logit of those with whom it was compared."""
    performance: float | None
    """The logit by its results alone; None if it won or lost everything."""
    logit: float
    """As rated."""


def explain(of: Residuals, fit: Fit, reference: Sequence[int], version: int) -> Explanation | None:
    """Return the account of a version; None if it was never compared."""
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
