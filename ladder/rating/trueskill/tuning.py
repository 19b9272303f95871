"""What TrueSkill has to know of a game, measured: how much luck it has, and how many ties."""

from scipy.special import ndtr

from ladder.model.settings import Tuning
from ladder.rating.fit import LOGIT, Fit
from ladder.rating.scale import SIGMA


def tuned(fit: Fit) -> Tuning:
    """Measure the matches of a fit.

    Newcomers are given SIGMA for the spread of strengths, so the deviation of a performance is as
    much larger as it is larger than that spread.
    """
    return Tuning(SIGMA * LOGIT / fit.sd, float(2 * ndtr(fit.margin / 2**0.5) - 1))
