"""The scale on which ratings are shown: that of TrueSkill.

It never moves: see `ladder.results.ranking` for what stands at `MU`.
"""

MU = 25.0
SIGMA = MU / 3
BETA = MU / 3
"""The deviation of a performance, twice that of games with little luck, as a card game has much: so
near strengths are told apart. Of two bots whose ratings differ by that much the better one
comes first in 76 of 100 matches."""
