"""How the strength of one version comes about: what it did, whom it met, what the prior did.

The fit balances, for each version, what its results say against what is believed before any:

    sum over its comparisons of w (y - p) = (theta - prior mean) / prior variance

Left alone, the results would put it where the left side is nought while all others stay where they
are: its *performance*. The rest of the way to the strength is the prior's doing.
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize
from scipy.special import expit

from ladder.rating.fit import Fit
from ladder.rating.residuals import Residuals

_FARTHEST = 10.0
"""Logits; who wins or loses everything would perform beyond any number."""


@dataclass(frozen=True, slots=True)
class Account:
    """How one version came to its strength; logits are above the mean of the listed versions."""

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
    """With the prior."""


def account(of: Residuals, fit: Fit, listed: list[int], version: int) -> Account | None:
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
    variances = fit.variances
    weight = cells.weight[mine] / (
        1 + fit.information[version, others] * variances.t2 / variances.phi
    )
    base = np.log(p) - np.log1p(-p) - theta[version]

    def left(strength: float) -> float:
        return float(np.sum(weight * (score - count * expit(strength + base))))

    middle = float(np.mean(theta[listed])) if listed else 0.0
    low, high = theta[version] - _FARTHEST, theta[version] + _FARTHEST
    found = None if left(low) <= 0 or left(high) >= 0 else optimize.brentq(left, low, high)
    return Account(
        version=version,
        blocks=int(of.data.blocks[version]),
        comparisons=int(count.sum()),
        ahead=float(score.sum() / count.sum()),
        opponents=float(np.sum(count * theta[others]) / count.sum()) - middle,
        performance=None if found is None else float(found) - middle,
        logit=float(theta[version]) - middle,
    )
