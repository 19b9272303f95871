"""TrueSkill for free-for-all matches with ties: the `trueskill` package with its failures guarded.

Every match is rated from the ratings before it, in the order in which it was scheduled. What is
guarded, each measured or known of version 0.4.5:

- *Order among equals.* The package lines the players up by rank and compares neighbours only, so
  equal places come out differently by who is named first. Here a match is rated once for every
  order of its equal places and the results are averaged: equals are treated alike, and the order
  of the arguments does not matter to the last bit.
- *Far upsets.* When a player wins from very far behind, the package runs out of precision and
  raises, or gives no number. Then the means are drawn together around their middle, by half again
  and again until it succeeds, and the changes that result are added to the true means. A gap that
  needs this is so wide that its exact size no longer matters. Deviations never grow: with tau = 0
  a match can only add knowledge.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, permutations, product

import trueskill

from ladder.models import Place, Rating

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA
"""Twice the package's default. At the default, which is made for games with little luck, a card
game's ratings stop getting better after some hundred matches: they follow the last lucky deals."""
TAU = 0.0
"""A version never changes, so its strength does not drift."""
DRAW_PROBABILITY = 0.10
"""How often neighbours in a ranking share their place. Counted in 1,300 matches of Courtisans among
the sample bots: 0.03, 0.07, 0.10 and 0.15 with 2, 3, 4 and 5 seats."""

_HALVINGS = 64
"""Enough to bring any two floating-point means that differ together."""


class TrueSkill:
    """Rates matches, one after the other."""

    initial = Rating(MU, SIGMA)

    def __init__(self) -> None:
        """Make an environment of its own; the package's global one is never touched."""
        self._environment = trueskill.TrueSkill(
            mu=MU, sigma=SIGMA, beta=BETA, tau=TAU, draw_probability=DRAW_PROBABILITY
        )

    def rate(self, places: Sequence[Place], ratings: Mapping[int, Rating]) -> dict[int, Rating]:
        """Return the new ratings of a match's versions; those it lacks start as `initial`.

        A match of fewer than two rated versions changes nothing.
        """
        before = {p.version: ratings.get(p.version, self.initial) for p in places}
        if len(places) < 2:  # noqa: PLR2004 - a comparison needs two
            return before
        orders = list(_orders(places))
        outcomes = [self._rate_in_order(order, before) for order in orders]
        return {v: _mean([outcome[v] for outcome in outcomes]) for v in before}

    def _rate_in_order(
        self, order: Sequence[Place], before: Mapping[int, Rating]
    ) -> dict[int, Rating]:
        """Rate one line-up, drawing the means together as far as needed."""
        means = [before[p.version].mu for p in order]
        middle = math.fsum(means) / len(means)
        for halving in range(_HALVINGS):
            shrunk = means if not halving else [middle + (m - middle) / 2**halving for m in means]
            if (after := self._try(order, shrunk, before)) is not None:
                return after
        return dict(before)

    def _try(
        self, order: Sequence[Place], means: Sequence[float], before: Mapping[int, Rating]
    ) -> dict[int, Rating] | None:
        """Ask the package; None if it cannot tell."""
        groups = [
            (self._environment.create_rating(mean, before[p.version].sigma),)
            for p, mean in zip(order, means, strict=True)
        ]
        try:
            rated = self._environment.rate(groups, ranks=[p.rank for p in order])
        except (ArithmeticError, ValueError):
            return None
        after: dict[int, Rating] = {}
        for place, mean, (new,) in zip(order, means, rated, strict=True):
            old = before[place.version]
            rating = Rating(new.mu + (old.mu - mean), min(old.sigma, new.sigma))
            if not (math.isfinite(rating.mu) and 0 < rating.sigma < math.inf):
                return None
            after[place.version] = rating
        return after


def _orders(places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield every line-up by rank, equal places in every order, the versions' own order first."""
    by_rank = sorted(places, key=lambda p: (p.rank, p.version))
    equals = [list(group) for _, group in groupby(by_rank, key=lambda p: p.rank)]
    for arrangement in product(*(permutations(group) for group in equals)):
        yield [place for group in arrangement for place in group]


def _mean(ratings: Sequence[Rating]) -> Rating:
    """Average exactly rounded sums, which do not depend on the order of the summands."""
    if len(ratings) == 1:
        return ratings[0]
    return Rating(
        math.fsum(r.mu for r in ratings) / len(ratings),
        math.fsum(r.sigma for r in ratings) / len(ratings),
    )
