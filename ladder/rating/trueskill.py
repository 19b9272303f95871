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
- *Crashes.* Several that forfeit would be a draw to the package, though nothing was compared. Each
  of them is rated as the only one that came last, and the others by the mean of these outcomes.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations, product

import numpy as np
import trueskill

from ladder.models import Place, Rating
from ladder.rating.log import ABSENT, Log

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA
"""Of a ladder that has not been measured: twice the package's default. At the default, which is
made for games with little luck, a card game's ratings stop getting better after some hundred
matches: they follow the last lucky deals."""
TAU = 0.0
"""A version never changes, so its strength does not drift."""
DRAW_PROBABILITY = 0.10
"""How often neighbours in a ranking share their place. Counted in 1,300 matches of Courtisans among
the sample bots: 0.03, 0.07, 0.10 and 0.15 with 2, 3, 4 and 5 seats."""

_HALVINGS = 64
"""Enough to bring any two floating-point means that differ together."""
_LOGIT = 1.702
"""The logistic function of 1.702 x is the normal distribution function of x, within 0.01."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the package has to be told of a game, here as `tuned` measures it."""

    beta: float = BETA
    """Standard deviation of how well a bot of given strength plays in a match."""
    draw_probability: float = DRAW_PROBABILITY
    """How often neighbours in a ranking share their place."""


UNMEASURED = Tuning()


def tuned(log: Log, sd: float) -> Tuning:
    """Measure a log in which strengths have this standard deviation, in logits.

    Newcomers are given SIGMA for it, so the noise is beta = 1.702 SIGMA / (sqrt(2) sd): 10.03 / sd.
    It is kept between a half and four times SIGMA, for logs that say little.
    """
    beta = _LOGIT * SIGMA / (math.sqrt(2) * sd) if sd > 0 else math.inf
    return Tuning(min(max(beta, SIGMA / 2), SIGMA * 4), _draws(log))


def _draws(log: Log) -> float:
    """Count how often neighbours share their place; a few as usual are added to those seen."""
    matches = log.matches()
    finished = (matches.versions != ABSENT) & ~matches.crashed
    ranks = np.sort(np.where(finished, matches.ranks, np.iinfo(np.int64).max), axis=1)
    seen = finished.sum(axis=1, keepdims=True) > np.arange(1, ranks.shape[1])[None, :]
    shared = (ranks[:, 1:] == ranks[:, :-1]) & seen
    usual = 20.0
    return float((shared.sum() + usual * DRAW_PROBABILITY) / (seen.sum() + usual))


class TrueSkill:
    """Rates matches, one after the other."""

    initial = Rating(MU, SIGMA)

    def __init__(self, tuning: Tuning = UNMEASURED) -> None:
        """Make an environment of its own; the package's global one is never touched."""
        self._environment = trueskill.TrueSkill(
            mu=MU,
            sigma=SIGMA,
            beta=tuning.beta,
            tau=TAU,
            draw_probability=tuning.draw_probability,
        )

    def rate(self, places: Sequence[Place], ratings: Mapping[int, Rating]) -> dict[int, Rating]:
        """Return the new ratings of a match's versions; those it lacks start as `initial`.

        A match without two versions of which one did not crash changes nothing.
        """
        before = {p.version: ratings.get(p.version, self.initial) for p in places}
        orders = [order for compared in _compared(places) for order in _orders(compared)]
        outcomes = [self._rate_in_order(order, before) for order in orders]
        return {
            v: _mean([outcome[v] for outcome in outcomes if v in outcome] or [old], old.sigma)
            for v, old in before.items()
        }

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
        return {place.version: before[place.version] for place in order}

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


def _compared(places: Sequence[Place]) -> list[list[Place]]:
    """Return the line-ups that a match is rated as: those who did not crash, and one who did."""
    finished = [p for p in places if not p.crashed]
    last = 1 + max((p.rank for p in finished), default=0)
    crashed = [Place(p.version, last) for p in places if p.crashed]
    line_ups = [[*finished, place] for place in crashed] or [finished]
    return [places for places in line_ups if len(places) > 1]


def _orders(places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield every line-up by rank, equal places in every order, the versions' own order first."""
    by_rank = sorted(places, key=lambda p: (p.rank, p.version))
    equals = [list(group) for _, group in groupby(by_rank, key=lambda p: p.rank)]
    for arrangement in product(*(permutations(group) for group in equals)):
        yield [place for group in arrangement for place in group]


def _mean(ratings: Sequence[Rating], most: float) -> Rating:
    """Average exactly rounded sums, which do not depend on the order of the summands.

    The mean of deviations that are all `most` may be rounded above it, and is kept from that.
    """
    if len(ratings) == 1:
        return ratings[0]
    return Rating(
        math.fsum(r.mu for r in ratings) / len(ratings),
        min(math.fsum(r.sigma for r in ratings) / len(ratings), most),
    )
