"""Is A better than B? Mirrored pairs at one table against two separate gauntlets, simulated.

Each design plays until the sequential test of our duels decides, at alpha = beta = 0.05. The effect
that a design is to find is what it would measure in the long run, so that neither is helped by a
wrong guess.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, Philox

from ladder.scheduling.duel.sequential import DuelAnswer, SequentialTest, verdict
from tests.benchmarks.ranking.worlds import (
    LUCK_SD,
    SKILL_SD,
    Floats,
    World,
    ranked,
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How the duels of one design ended, S of them."""

    better: Floats
    """(S,) 1 where A was called better, 0 where it was not, nan where the cap came first."""
    matches: Floats
    """(S,) how many were played."""


def mirrored(world: World, gap: float, duels: int, pairs: int, seed: int) -> Floats:
    """Return (duels, pairs) A's scores: half the seats each, one deal, then the other way round."""
    k = world.seats
    score = np.zeros((duels, pairs))
    chance = Generator(Philox(key=seed))
    deal = chance.normal(size=(duels, pairs, k)) * LUCK_SD * np.sqrt(world.deal_share)
    for turned in (False, True):
        own = LUCK_SD * np.sqrt(1 - world.deal_share) * chance.normal(size=(duels, pairs, k))
        of_a = (np.arange(k) % 2 == 0) != turned
        performance = deal + own + world.seat_worth + np.where(of_a, gap, 0.0)
        ranks = ranked(performance.reshape(-1, k)).reshape(duels, pairs, k)
        ahead = np.sign(ranks[..., ~of_a][..., None, :] - ranks[..., of_a][..., :, None])
        score += (1 + ahead.mean(axis=(-1, -2))) / 4
    return score


def gauntlets(world: World, gap: float, duels: int, pairs: int, seed: int) -> Floats:
    """Return (duels, pairs) what A scored in a match against the field, less what B did in another.

    Halved and raised by a half, so that equals score 1/2; each match has a deal of its own.
    """
    k = world.seats
    chance = Generator(Philox(key=seed))
    scores = []
    for own in (gap, 0.0):
        field = SKILL_SD * chance.normal(size=(duels, pairs, k))
        seat = chance.integers(k, size=(duels, pairs))[..., None]
        np.put_along_axis(field, seat, own, axis=-1)
        performance = field + world.seat_worth + LUCK_SD * chance.normal(size=field.shape)
        ranks = ranked(performance.reshape(-1, k)).reshape(duels, pairs, k)
        behind = np.sign(ranks - np.take_along_axis(ranks, seat, axis=-1)).sum(axis=-1)
        scores.append((1 + behind / (k - 1)) / 2)
    ahead: Floats = (1 + scores[0] - scores[1]) / 2
    return ahead


def decided(scores: Floats, effect: float) -> Ended:
    """Test each row of scores of two matches each, 1/2 against 1/2 + effect, to its end."""
    plan = SequentialTest(effect=effect, alpha=0.05, beta=0.05, cap=scores.shape[1])
    found = [verdict(row, plan) for row in scores]
    worth = {DuelAnswer.BETTER: 1.0, DuelAnswer.NOT_BETTER: 0.0}
    return Ended(
        better=np.array([worth.get(one.answer, np.nan) for one in found]),
        matches=np.array([2.0 * one.pairs for one in found]),
    )
