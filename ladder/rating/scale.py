"""The scale of ratings: TrueSkill's.

The scale never moves: `ladder.results.ranking` says what is at `MU`.
"""

MU = 25.0
SIGMA = MU / 3
BETA = MU / 3
"""The standard deviation of a performance: twice TrueSkill's default, as luck matters more in card
games. Of two bots whose ratings differ by that much the better one comes first in 76 of 100
matches."""
