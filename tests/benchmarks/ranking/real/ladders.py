"""Ladders of real bots: who meets plays a match of the bank that this ladder has not seen."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator, Philox

from ladder.model.history import History
from ladder.rating.results import Log, MatchResult
from ladder.scheduling.ladder.policy import Past, ResultBatches, Scheduler, Strengths, size_of_round
from referee.games.randomness import Stream
from tests.benchmarks.ranking.peers import Field, Peer
from tests.benchmarks.ranking.real.bank import Bank, Floats
from tests.benchmarks.ranking.trueskill_batch import MU, SIGMA

_PEERS = 2 << 64
_DEFECTS = 3 << 64


@dataclass(eq=False)
class Draws:
    """The matches of one ladder, as its schedule asks for them."""

    bank: Bank
    seed: int
    whole_blocks: bool = False
    """Whether a table plays its deal on all rotations of the seats."""
    index: Mapping[tuple[int, ...], int] = field(init=False)
    taken: dict[int, list[int]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Number the groups."""
        self.index = {tuple(group): g for g, group in enumerate(self.bank.groups.tolist())}

    def table(self, group: Sequence[int], number: int) -> list[MatchResult]:
        """Return what these bots play; nothing is drawn twice before all was drawn."""
        members = tuple(sorted(group))
        g = self.index[members]
        left = self.taken.get(g)
        if not left:
            chance = Generator(Philox(key=self.seed * len(self.index) + g))
            every = self.bank.ranks.shape[1] * (1 if self.whole_blocks else self.bank.seats)
            left = self.taken[g] = chance.permutation(every).tolist()
        drawn = left.pop()
        if self.whole_blocks:
            return [self._match(g, members, drawn, turn, number) for turn in range(self.bank.seats)]
        block, rotation = divmod(drawn, self.bank.seats)
        return [self._match(g, members, block, rotation, number)]

    def _match(
        self, g: int, members: Sequence[int], block: int, rotation: int, number: int
    ) -> MatchResult:
        return MatchResult(
            block=number,
            versions=members,
            seats=self.bank.seat(g, block, rotation).tolist(),
            ranks=self.bank.ranks[g, block, rotation].tolist(),
            points=self.bank.points[g, block, rotation].tolist(),
        )


Rate = Callable[[Log], Strengths]
Defect = Callable[[MatchResult, Generator], MatchResult]
"""What a planted defect makes of a result."""


def rounds(
    draws: Draws, scheduler: Scheduler, rate: Rate | None, defect: Defect | None = None
) -> Iterator[Log]:
    """Play for ever; yield the log each time that it is looked at.

    Without a rate the scheduler knows nothing of the results. A defect changes every result.
    """
    bank, seed, duplicates = draws.bank, draws.seed, draws.whole_blocks
    n, chance = len(bank.names), Generator(Philox(key=seed + _DEFECTS))
    log, history, looks = Log(n), History(), ResultBatches()
    known: Strengths | None = None
    number = tables = 0
    while True:
        number, count = number + 1, size_of_round(n, bank.seats)
        looks.add(count)
        while looks.last < number:  # rounds between two looks are planned at once
            number, count = number + 1, count + size_of_round(n, bank.seats)
            looks.add(size_of_round(n, bank.seats))
        past = Past(history, known, matches_a_table=bank.seats if duplicates else 1)
        stream = Stream(str(seed), "scheduling", str(number))
        for table in scheduler(range(n), bank.seats, past, stream, count):
            results = draws.table([v for v in table if v is not None], tables)
            log.extend(defect(one, chance) for one in results) if defect else log.extend(results)
            history.add(table)
            tables += 1
        if rate is not None:
            known = rate(log)
        yield log


def of_peer(
    peer: Peer, bank: Bank, seeds: Sequence[int], grid: Sequence[int]
) -> list[list[Floats]]:
    """Play ladders as a peer does; return by ladder and number of matches the scores, (N,)."""
    n, s = len(bank.names), len(seeds)
    draws = [Draws(bank, seed) for seed in seeds]
    chances = [Generator(Philox(key=seed + _PEERS)) for seed in seeds]
    known = Field(
        np.full((s, n), MU),
        np.full((s, n), SIGMA),
        np.zeros((s, n), np.int64),
        np.full((s, n), -1, np.int64),
    )
    shown: list[list[Floats]] = [[] for _ in seeds]
    rows = np.arange(s)[:, None]
    for match in range(grid[-1]):
        chance = np.stack([one.random(n + 4) for one in chances])
        group = np.sort(peer.choose(known, bank.seats, chance), axis=1)
        played = [draw.table(g, match)[0] for draw, g in zip(draws, group.tolist(), strict=True)]
        ranks = np.array([result.ranks for result in played])
        mu, sigma = peer.rater.rate(known.mu[rows, group], known.sigma[rows, group], ranks)
        known.mu[rows, group], known.sigma[rows, group] = mu, sigma
        known.played[rows, group] += 1
        known.last[rows, group] = match
        if match + 1 in grid:
            scores = known.conservative if peer.cautious else known.mu
            for ladder, row in zip(shown, scores, strict=True):
                ladder.append(row.copy())
    return shown
