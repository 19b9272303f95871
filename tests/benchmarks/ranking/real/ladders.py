"""Ladders of real bots: who meets plays a match of the bank that this ladder has not seen."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator, Philox

from ladder.rating.results import Log, MatchResult
from ladder.scheduling.ladder.balanced import History, Table
from ladder.scheduling.ladder.policy import Past, ResultBatches, Scheduler, Strengths, size_of_round
from referee.games.randomness import Stream
from tests.benchmarks.ranking.peers import HALITE, Field
from tests.benchmarks.ranking.real.bank import SEATS, Bank
from tests.benchmarks.ranking.trueskill_batch import MU, SIGMA

_HALITE = 2 << 64


@dataclass(eq=False)
class Draws:
    """The matches of one ladder, as its schedule asks for them."""

    bank: Bank
    seed: int
    index: Mapping[tuple[int, ...], int] = field(init=False)
    taken: dict[int, list[int]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Number the groups."""
        self.index = {tuple(group): g for g, group in enumerate(self.bank.groups.tolist())}

    def match(self, group: Sequence[int], number: int) -> MatchResult:
        """Return a match of these bots on a deal of its own, none twice before all were drawn."""
        members = tuple(sorted(group))
        g = self.index[members]
        left = self.taken.get(g)
        if not left:
            chance = Generator(Philox(key=self.seed * len(self.index) + g))
            left = chance.permutation(self.bank.ranks.shape[1] * SEATS).tolist()
            self.taken[g] = left
        block, rotation = divmod(left.pop(), SEATS)
        return MatchResult(
            block=number,
            versions=members,
            seats=self.bank.seat(g, block, rotation).tolist(),
            ranks=self.bank.ranks[g, block, rotation].tolist(),
            points=self.bank.points[g, block, rotation].tolist(),
        )


Rate = Callable[[Log, Strengths | None], Strengths]
"""From a log and what an earlier one said."""


def rounds(
    bank: Bank, seed: int, scheduler: Scheduler, rate: Rate | None
) -> Iterator[tuple[Log, Strengths | None]]:
    """Play for ever; yield the log and what is known, each time that this is looked at.

    Without a rate the scheduler knows nothing of the results.
    """
    n, draws = len(bank.names), Draws(bank, seed)
    log, history, looks = Log(n), History(), ResultBatches()
    known: Strengths | None = None
    unrated: list[Table] = []
    number = 0
    while True:
        count = size_of_round(n, SEATS)
        stream = Stream(str(seed), "scheduling", str(number))
        for table in scheduler(range(n), SEATS, Past(history, known, unrated), stream, count):
            log.append(draws.match([v for v in table if v is not None], len(log)))
            history.add(table)
            unrated.append(table)
        number += 1
        looks.add(count)
        if looks.last == number:
            if rate is not None:
                known, unrated = rate(log, known), []
            yield log, known


def halite(bank: Bank, seeds: Sequence[int], grid: Sequence[int]) -> list[list[np.ndarray]]:
    """Play ladders as Halite III did; return by ladder and number of matches mu - 3 sigma."""
    n, s = len(bank.names), len(seeds)
    draws = [Draws(bank, seed) for seed in seeds]
    chances = [Generator(Philox(key=seed + _HALITE)) for seed in seeds]
    known = Field(
        np.full((s, n), MU),
        np.full((s, n), SIGMA),
        np.zeros((s, n), np.int64),
        np.full((s, n), -1, np.int64),
    )
    shown: list[list[np.ndarray]] = [[] for _ in seeds]
    rows = np.arange(s)[:, None]
    for match in range(grid[-1]):
        chance = np.stack([one.random(n + 4) for one in chances])
        group = np.sort(HALITE.choose(known, SEATS, chance), axis=1)
        played = [draw.match(g, match) for draw, g in zip(draws, group.tolist(), strict=True)]
        ranks = np.array([result.ranks for result in played])
        mu, sigma = HALITE.rater.rate(known.mu[rows, group], known.sigma[rows, group], ranks)
        known.mu[rows, group], known.sigma[rows, group] = mu, sigma
        known.played[rows, group] += 1
        known.last[rows, group] = match
        if match + 1 in grid:
            for ladder, row in zip(shown, known.conservative, strict=True):
                ladder.append(row)
    return shown
