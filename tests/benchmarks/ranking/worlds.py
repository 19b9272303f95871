"""Simulated ladders: bots of known strength, and luck that depends on the schedule alone.

A bot's performance in a match is its skill, plus what its seat is worth, plus the luck of the seat
in this deal, plus the luck of the match; the better performance comes before the others. Skills
lie on the quantiles of a normal distribution. The luck of a ladder is a table of numbers, drawn by
Philox keyed by the ladder's seed; its rows are the deals in the order in which they are dealt, so
two policies that play the same ladder share its luck deal by deal, whatever they do in between.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import NDArray
from scipy.special import ndtri

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SKILL_SD = 25 / 6
LUCK_SD = 25 / 3
"""Of all luck in one performance. The best of 20 beats a bot of the middle in 3 of 4 matches."""
SEAT_SD = 1.5
SHARED = 1.0
"""Performances that lie closer than this, each to the next, share a rank."""

_FIELD = 1 << 64
"""Opens a stream of its own for what the bots are, beside that of the luck."""


@dataclass(frozen=True)
class World:
    """A field of bots and the luck of their game."""

    name: str
    entrants: int = 20
    seats: int = 4
    deal_share: float = 0.6
    """How much of the variance of luck belongs to the deal: rho."""
    matchup_sd: float = 0.0
    """Deviation of what a bot gains against one opponent and loses against another: sdK."""

    pointed: bool = True
    """Whether the points of a match, which are the performances, are known beside the places."""
    stray_sd: float = 0.0
    """How far a bot's points are above or below its performances, always by the same."""
    drawn: bool = False
    """Whether each ladder draws skills of its own instead of the quantiles."""

    @cached_property
    def skills(self) -> Floats:
        """(N,) the quantiles, the best first."""
        quantiles = (np.arange(self.entrants) + 0.5) / self.entrants
        skills: Floats = SKILL_SD * ndtri(quantiles)[::-1]
        return skills

    @cached_property
    def seat_worth(self) -> Floats:
        """(k,) what each seat is worth; zero on average."""
        worth: Floats = SEAT_SD * ndtri((np.arange(self.seats) + 0.5) / self.seats)
        return worth

    def ladder(self, seed: int, deals: int) -> "SimulatedLadder":
        """Return the ladder of this seed, for at most `deals` deals."""
        cells = self.seats * (1 + self.seats)
        raw = Philox(key=seed).random_raw(deals * cells)
        luck = ndtri((raw // 2**11 + 0.5) / 2.0**53).reshape(deals, 1 + self.seats, self.seats)
        luck[:, 0] *= LUCK_SD * np.sqrt(self.deal_share)
        luck[:, 1:] *= LUCK_SD * np.sqrt(1 - self.deal_share)
        field = Generator(Philox(key=seed + _FIELD))
        upper = np.triu(field.normal(size=(self.entrants, self.entrants)), 1) * self.matchup_sd
        skills = field.normal(size=self.entrants) * SKILL_SD if self.drawn else self.skills
        strays = field.normal(size=self.entrants) * self.stray_sd
        return SimulatedLadder(self, luck[:, :1] + luck[:, 1:], skills, upper - upper.T, strays)


@dataclass(frozen=True)
class SimulatedLadder:
    """What one seed decides."""

    world: World
    luck: Floats
    """(deals, k rotations, k seats) luck of each seat in each match of a deal."""
    skills: Floats
    """(N,)"""
    matchups: Floats
    """(N, N) what i gains against j, antisymmetric."""
    strays: Floats
    """(N,) how far the points of each are above its performances."""

    @cached_property
    def strengths(self) -> Floats:
        """(N,) the truth: by how much each is ahead of its table, on average over all tables.

        The mean gain counts k / (k - 1) times: what it gains, those that it is compared with lose.
        """
        n, k = self.world.entrants, self.world.seats
        strengths: Floats = self.skills + self.matchups.sum(axis=1) / n * k / (k - 1)
        return strengths

    def performances(self, deal: int, rotation: int, group: Ints) -> Floats:
        """Return those of the versions of a group, in the order of their seats."""
        gains = self.matchups[np.ix_(group, group)].sum(axis=1) / (len(group) - 1)
        luck = self.luck[deal, rotation]
        performances: Floats = self.skills[group] + gains + self.world.seat_worth + luck
        return performances


def ranked(performance: Floats) -> Ints:
    """Return the ranks, from 1, in each row of performances; those that lie close are shared."""
    order = np.argsort(-performance, axis=1, kind="stable")
    rows = np.arange(len(order))[:, None]
    falls = -np.diff(performance[rows, order], axis=1) >= SHARED
    places = np.arange(1, performance.shape[1])
    first = np.maximum.accumulate(np.where(falls, places, 0), axis=1)
    ranks = np.ones_like(order)
    ranks[rows, order[:, 1:]] = 1 + first
    return ranks
