"""The scale of ratings: an environment of the package `trueskill`."""

import warnings

from ladder.model.ratings import MU, SIGMA

with warnings.catch_warnings():
    # The package has an odd escape: Python 3.12 and newer say so where they compile it.
    warnings.simplefilter("ignore", SyntaxWarning)
    import trueskill

ENVIRONMENT = trueskill.TrueSkill(
    mu=MU, sigma=SIGMA, beta=25.0 / 3, tau=0.0, draw_probability=0.056372
)
"""Beta is twice TrueSkill's default, as luck matters more in card games, and a version never
changes, so its strength does not drift. Equals tie as often as a margin of a tenth of beta says."""
BETA: float = ENVIRONMENT.beta
"""The standard deviation of a performance. Of two bots whose ratings differ by that much the better
one comes first in 76 of 100 matches."""
MARGIN = round(trueskill.calc_draw_margin(ENVIRONMENT.draw_probability, 2, ENVIRONMENT) / BETA, 6)
"""Performances that differ by less tie, in betas. Rounded, as machines differ in last digits."""
