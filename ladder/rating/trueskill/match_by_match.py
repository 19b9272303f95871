"""TrueSkill for free-for-all matches with ties, match by match in scheduled order.

`chain` rates a match in one order of places as the package `trueskill` does, with the moments of
`truncated_normal`, which hold for any upset, in place of the package's. Added to it:

- *Order among equals.* The package compares only neighbours, so the result for tied players depends
  on their order. Here a match is rated once for every order of its ties and the results are
  averaged, so the order of the arguments does not matter, to the last bit.
- *Crashes.* Several forfeits would count as a draw, though nothing was compared. Each forfeiting
  version is rated as the only one in last place, and the others by the mean of these outcomes.

A version never changes, so its strength does not drift: there is no tau.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise, permutations, product

import trueskill

from ladder.model.ratings import RatedSeat, Rating
from ladder.model.settings import Tuning
from ladder.rating.scale import MU, SIGMA
from ladder.rating.trueskill import chain
from referee.games import game_named

_Place = tuple[int, int]
"""A rank and the id of the version that has it."""


def first_tuning(game: str, seats: int) -> Tuning:
    """Return the parameters of a game with which a new ladder begins.

    Beta is twice TrueSkill's default. With the default, meant for games with little luck, a card
    game's ratings stop improving after some hundred matches: they follow the latest lucky deals.
    The best values depend on the players: see `tuning`.
    """
    ties = game_named(game).ties
    return Tuning(draw_probability=ties.get(seats, Tuning().draw_probability))


class TrueSkill:
    """Rates matches one by one."""

    initial = Rating(MU, SIGMA)

    def __init__(self, tuning: Tuning) -> None:
        """Rate with these parameters of the game."""
        self._variance = tuning.beta**2
        self.margin: float = trueskill.calc_draw_margin(
            tuning.draw_probability, 2, trueskill.TrueSkill(beta=tuning.beta)
        )

    def rate(self, seats: Sequence[RatedSeat], ratings: Mapping[int, Rating]) -> dict[int, Rating]:
        """Return the new ratings of a match's versions; unrated versions start at `initial`.

        A match changes nothing unless it has two versions and one of them did not crash.
        """
        before = {s.version: ratings.get(s.version, self.initial) for s in seats}
        orders = [order for compared in _compared(seats) for order in _orders(compared)]
        outcomes = [self._rate_in_order(order, before) for order in orders]
        return {
            v: _mean([outcome[v] for outcome in outcomes if v in outcome] or [old], old.sigma)
            for v, old in before.items()
        }

    def _rate_in_order(
        self, order: Sequence[_Place], before: Mapping[int, Rating]
    ) -> dict[int, Rating]:
        """Rate one line-up, and keep rounding from raising a deviation."""
        old = [before[version] for _, version in order]
        tied = [rank == following for (rank, _), (following, _) in pairwise(order)]
        new = chain.rate(old, tied, self._variance, self.margin)
        return {
            version: Rating(rating.mu, min(rating.sigma, r.sigma))
            for (_, version), r, rating in zip(order, old, new, strict=True)
        }


def _compared(seats: Sequence[RatedSeat]) -> list[list[_Place]]:
    """Return the line-ups to rate: all versions that did not crash, with each one that did."""
    finished = [(s.result.rank, s.version) for s in seats if not s.result.crashed]
    last = 1 + max((rank for rank, _ in finished), default=0)
    crashed = [(last, s.version) for s in seats if s.result.crashed]
    line_ups = [[*finished, place] for place in crashed] or [finished]
    return [places for places in line_ups if len(places) > 1]


def _orders(places: Sequence[_Place]) -> Iterator[list[_Place]]:
    """Yield the line-up by rank, with ties in every order, the order of version ids first."""
    equals = [list(group) for _, group in groupby(sorted(places), key=lambda place: place[0])]
    for arrangement in product(*(permutations(group) for group in equals)):
        yield [place for group in arrangement for place in group]


def _mean(ratings: Sequence[Rating], most: float) -> Rating:
    """Return the average from exactly rounded sums, which do not depend on the summands' order.

    The mean deviation is at most `most`, also after rounding.
    """
    if len(ratings) == 1:
        return ratings[0]
    return Rating(
        math.fsum(r.mu for r in ratings) / len(ratings),
        min(math.fsum(r.sigma for r in ratings) / len(ratings), most),
    )
