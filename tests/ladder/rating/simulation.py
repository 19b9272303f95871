"""A simulated world of bots of known strength, whose matches test the raters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from ladder.rating.arrays import Floats
from ladder.rating.results import ABSENT, Log, MatchResult

Helping = Callable[[Sequence[int]], Floats]

LOGIT = 1.702 / (2**0.5 * 25 / 3)
"""Logits per unit of skill, roughly: 1 / (1 + exp(-1.702 x)) is close to Phi(x)."""


def no_help(group: Sequence[int]) -> Floats:
    """Return a group's gains if no bot helps another."""
    return np.zeros(len(group))


@dataclass
class World:
    """Bots whose performance is skill + seat + luck of the deal on that seat + luck of the match.

    The units are those of the ranking benchmark: all luck has the standard deviation 25 / 3, and
    who is less than 1 behind shares the rank.
    """

    entrants: int = 12
    seats: int = 4
    deal_share: float = 0.6
    matchup_sd: float = 0.0
    seat_worth: Sequence[float] = ()
    pointed: bool = False
    """Whether a match also has points: the performances."""
    stray_sd: float = 0.0
    """How far the points of a version are above or below its performances."""
    helping: Helping = no_help
    """The gain of each member of a group from the others' presence, in units of skill."""
    seed: int = 0
    log: Log = field(init=False)
    skills: Floats = field(init=False)
    strengths: Floats = field(init=False)
    """How far each is ahead of its table on average; about zero over all."""

    def __post_init__(self) -> None:
        """Draw the matchup gains of all pairs."""
        self.random = np.random.default_rng(self.seed)
        self.log = Log(self.entrants)
        self.skills = 25 / 6 * ndtri((np.arange(self.entrants) + 0.5) / self.entrants)
        upper = np.triu(self.random.normal(size=(self.entrants, self.entrants)), 1)
        self._gains = self.matchup_sd * (upper - upper.T)
        self._strays = self.stray_sd * np.random.default_rng(self.seed).permutation(
            ndtri((np.arange(self.entrants) + 0.5) / self.entrants)
        )
        # The opponents lose what one gains, so a gain counts k / (k - 1) times.
        gain = self._gains.sum(axis=1) / self.entrants * self.seats / (self.seats - 1)
        self.strengths = self.skills + gain - (self.skills + gain).mean()
        self._block = 0

    def play(self, group: Sequence[int], *, duplicate: bool = True) -> None:
        """Play all rotations of a group, with one deal or a deal each."""
        k = len(group)
        worth = np.array(self.seat_worth or [0.0] * k)
        deal = self._luck(k, self.deal_share)
        for rotation in range(k):
            sitting = [*group[rotation:], *group[:rotation]]
            luck = deal + self._luck(k, 1 - self.deal_share)
            gains = self._gains[np.ix_(sitting, sitting)].sum(axis=1) / (k - 1)
            performance = self.skills[sitting] + gains + worth + luck + self.helping(sitting)
            points = (performance + self._strays[sitting]).tolist() if self.pointed else ()
            ranks = ranked(performance)
            self.log.append(MatchResult(self._block, sitting, range(k), ranks, points=points))
            if not duplicate:
                self._block += 1
                deal = self._luck(k, self.deal_share)
        self._block += duplicate

    def rounds(self, matches: int, *, duplicate: bool = True) -> Log:
        """Play rounds in which nearly everyone sits once, in random groups."""
        while len(self.log) < matches:
            order = self.random.permutation(self.entrants).tolist()
            for first in range(0, self.entrants - self.seats + 1, self.seats):
                self.play(order[first : first + self.seats], duplicate=duplicate)
        return self.log

    def _luck(self, k: int, share: float) -> Floats:
        drawn: Floats = 25 / 3 * share**0.5 * self.random.normal(size=k)
        return drawn


def ranked(performance: Floats) -> list[int]:
    """Return ranks; a performance less than 1 behind the next better one ties with it."""
    ranks, rank = [0] * len(performance), 1
    order = np.argsort(-performance).tolist()
    for place, who in enumerate(order):
        if place and performance[order[place - 1]] - performance[who] >= 1:
            rank = place + 1
        ranks[who] = rank
    return ranks


def shuffled(log: Log, seed: int) -> Log:
    """Return the log with its matches, and their players, in another order."""
    random = np.random.default_rng(seed)
    matches = log.matches()
    results = []
    for row in random.permutation(len(log)):
        members = random.permutation(np.flatnonzero(matches.versions[row] != ABSENT))
        results.append(
            MatchResult(
                int(matches.block[row]),
                matches.versions[row, members].tolist(),
                matches.seats[row, members].tolist(),
                matches.ranks[row, members].tolist(),
                matches.crashed[row, members].tolist(),
                int(matches.table[row]),
                () if np.isnan(points := matches.points[row, members]).any() else points.tolist(),
            )
        )
    return Log(log.entrants, results)


def with_newcomers(log: Log, count: int = 1) -> Log:
    """Return a log of the same matches that has room for more versions."""
    wider = Log(log.entrants + count)
    wider._matches = log.matches()
    return wider
