"""Our own ladder on simulated results: the rating of record and any scheduler, round by round."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ladder.model.history import History
from ladder.rating.fit import Fit
from ladder.rating.rater import rate
from ladder.rating.results import Log, MatchResult
from ladder.scheduling.ladder.policy import Past, ResultBatches, Scheduler, size_of_round
from referee.games.randomness import Stream
from tests.benchmarks.ranking.worlds import SimulatedLadder, ranked

if TYPE_CHECKING:
    from ladder.scheduling.ladder.balanced import Table


def rounds(
    ladder: SimulatedLadder,
    scheduler: Scheduler,
    seed: int,
    present: Callable[[int], Sequence[int]] | None = None,
) -> Iterator[tuple[int, Fit]]:
    """Play blocks for ever; yield the number of matches and what they say after each look.

    `present` tells who plays after a number of blocks, by default all.
    """
    world = ladder.world
    log, history, looks = Log(world.entrants), History(), ResultBatches()
    known: Fit | None = None
    unrated: list[Table] = []
    block = number = 0
    while True:
        stream = Stream(str(seed), "scheduling", str(number))
        playing = present(block) if present else range(world.entrants)
        count = size_of_round(len(playing), world.seats)
        past = Past(history, known, unrated, matches_a_table=world.seats)
        for table in scheduler(playing, world.seats, past, stream, count):
            log.extend(_block(ladder, block, [v for v in table if v is not None]))
            history.add(table)
            unrated.append(table)
            block += 1
        number += 1
        looks.add(count)
        if looks.last == number:
            known, unrated = rate(log), []
            yield block * world.seats, known


def _block(ladder: SimulatedLadder, block: int, group: Sequence[int]) -> list[MatchResult]:
    """Play a deal over all rotations of the seats."""
    k = len(group)
    results = []
    for rotation in range(k):
        seated = [group[(seat - rotation) % k] for seat in range(k)]
        performances = ladder.performances(block, rotation, np.array(seated))
        ranks = ranked(performances[None])[0].tolist()
        points = (performances + ladder.strays[seated]).tolist() if ladder.world.pointed else ()
        results.append(MatchResult(block, seated, range(k), ranks, points=points))
    return results
