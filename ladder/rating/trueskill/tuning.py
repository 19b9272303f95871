"""TrueSkill's parameters of a game, measured: the noise of a match, and the rate of ties."""

from scipy.special import ndtr

from ladder.model.settings import Tuning
from ladder.rating.fit import LOGIT, Fit
from ladder.rating.scale import SIGMA


def tuned(fit: Fit) -> Tuning:
    """Return the parameters that the matches of a fit show.

    TrueSkill gives newcomers the deviation SIGMA, so beta is SIGMA times the ratio of a
    performance's deviation to the spread of strengths.
    """
    return Tuning(SIGMA * LOGIT / fit.sd, float(2 * ndtr(fit.margin / 2**0.5) - 1))
