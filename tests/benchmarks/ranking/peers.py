"""How other ladders choose who plays and rate the results, for many simulated ladders at once.

Each is told here as its code does it; all play independent deals, and all rate by TrueSkill with
the settings that they ship. A policy sees what its ladder sees: counts, times and its own ratings.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, Philox

from tests.benchmarks.ranking.trueskill_batch import MU, SIGMA, Environment
from tests.benchmarks.ranking.worlds import Floats, Ints, SimulatedLadder, ranked

_CHOICES = 2 << 64
"""Opens a stream of its own for a policy's choices, beside that of the luck."""


@dataclass
class Field:
    """What S ladders of a peer know, after the same number of matches each."""

    mu: Floats
    """(S, N)"""
    sigma: Floats
    """(S, N)"""
    played: Ints
    """(S, N) matches of each version."""
    last: Ints
    """(S, N) number of the match that each version played last; -1 if none."""
    matches: int = 0

    @property
    def conservative(self) -> Floats:
        """(S, N) what the standings are sorted by."""
        return self.mu - 3 * self.sigma


Choose = Callable[[Field, int, Floats], Ints]
"""From the field, the seats and (S, N + 4) uniform numbers: (S, k) who plays the next match."""


@dataclass(frozen=True)
class Peer:
    """A policy: whom it matches, and how it rates."""

    name: str
    choose: Choose
    rater: Environment
    cautious: bool = True
    """Whether standings are sorted by mu - 3 sigma, and not by mu."""


def halite(field: Field, seats: int, chance: Floats) -> Ints:
    """Choose as the coordinator of Halite III: a seed bot, then opponents of about its mu.

    Of the seeds 25 % are one of the 15 longest idle bots of those under 400 games (if there are
    any), 65 % one of the 20 with about the fewest games, 10 % the longest idle bot. Opponents are
    drawn from the n nearest by mu, n = 5 / (0.01 + u) ^ 0.65.
    """
    n = field.mu.shape[1]
    rows = np.arange(len(field.mu))
    kind, pick, reach = chance[:, n : n + 3].T
    waited = np.argsort(field.last + chance[:, :n] / 2, axis=1)
    few = field.played[rows[:, None], waited] < 400
    newcomers = np.take_along_axis(waited, np.argsort(~few, axis=1, kind="stable"), axis=1)
    newcomer = newcomers[rows, (pick * np.minimum(15, few.sum(axis=1))).astype(np.int64)]
    curve = (1 + chance[:, :n]) / (field.played + 1)
    fewest = np.argsort(-curve, axis=1)[rows, (pick * min(20, n)).astype(np.int64)]
    seed = np.where(kind < 0.90, fewest, waited[:, 0])
    seed = np.where((kind < 0.25) & few.any(axis=1), newcomer, seed)
    distance = np.abs(field.mu - field.mu[rows, seed][:, None])
    distance[rows, seed] = np.inf
    nearness = np.argsort(np.argsort(distance, axis=1, kind="stable"), axis=1, kind="stable")
    limit = np.maximum(5 / (0.01 + reach) ** 0.65, seats - 1).astype(np.int64)
    key = np.where(nearness < limit[:, None], chance[:, :n], 2.0)
    key[rows, seed] = -1.0
    return np.argsort(key, axis=1, kind="stable")[:, :seats]


def psyleague(field: Field, seats: int, chance: Floats) -> Ints:
    """Choose as psyleague: a bot under 200 games while there are any, the others at random."""
    rows = np.arange(len(field.mu))
    key = chance[:, : field.mu.shape[1]].copy()
    new = field.played < 200
    first = np.argmin(np.where(new, key, 2.0), axis=1)
    key[rows, first] = np.where(new.any(axis=1), -1.0, key[rows, first])
    return np.argsort(key, axis=1)[:, :seats]


def at_random(field: Field, seats: int, chance: Floats) -> Ints:
    """Choose any bots."""
    return np.argsort(chance[:, : field.mu.shape[1]], axis=1)[:, :seats]


def swiss(field: Field, seats: int, chance: Floats) -> Ints:
    """Choose one of those who played least, and the nearest by mu of those who played as little."""
    rows = np.arange(len(field.mu))
    jitter = chance[:, : field.mu.shape[1]] / 2
    first = np.argmin(field.played + jitter, axis=1)
    distance = np.abs(field.mu - field.mu[rows, first][:, None])
    behind = field.played - field.played.min(axis=1, keepdims=True)
    key = behind * 1e6 + distance
    key[rows, first] = -1.0
    return np.argsort(key, axis=1)[:, :seats]


HALITE = Peer("Halite", halite, Environment(tau=0.008, draw_probability=0.001))
PSYLEAGUE = Peer("psyleague", psyleague, Environment(tau=0.002, draw_probability=0.0001))
RANDOM = Peer("random", at_random, Environment())
SWISS = Peer("Swiss", swiss, Environment(beta=SIGMA, tau=0.0))
"""With the noise of a card game and no drift, which is the best that TrueSkill does here."""
PEERS = (HALITE, PSYLEAGUE, SWISS, RANDOM)


def played_by(
    peer: Peer, ladders: Sequence[SimulatedLadder], seeds: Sequence[int], matches: int, every: int
) -> Floats:
    """Play these matches in each ladder; return (S, matches / every, N) what the tables show."""
    world = ladders[0].world
    n, k, s = world.entrants, world.seats, len(ladders)
    luck = np.stack([ladder.luck[:matches, 0] for ladder in ladders])
    matchups = np.stack([ladder.matchups for ladder in ladders])
    skills = np.stack([ladder.skills for ladder in ladders])
    chances = [Generator(Philox(key=seed + _CHOICES)) for seed in seeds]
    field = Field(
        np.full((s, n), MU),
        np.full((s, n), SIGMA),
        np.zeros((s, n), np.int64),
        np.full((s, n), -1, np.int64),
    )
    shown, rows = [], np.arange(s)[:, None]
    for match in range(matches):
        if match % 256 == 0:
            uniform = np.stack([chance.random((256, n + 4)) for chance in chances], axis=1)
        chance = uniform[match % 256]
        group = _seated(peer.choose(field, k, chance), chance[:, -1] * 1e6 % 1)
        gains = matchups[rows[:, :, None], group[:, :, None], group[:, None, :]].sum(2) / (k - 1)
        performance = skills[rows, group] + gains + world.seat_worth + luck[:, match]
        mu, sigma = peer.rater.rate(
            field.mu[rows, group], field.sigma[rows, group], ranked(performance)
        )
        field.mu[rows, group], field.sigma[rows, group] = mu, sigma
        field.played[rows, group] += 1
        field.last[rows, group] = match
        if (match + 1) % every == 0:
            shown.append(field.conservative)
    return np.stack(shown, axis=1)


def _seated(group: Ints, chance: Floats) -> Ints:
    """Turn each group by chance, so that the first one chosen sits anywhere."""
    k = group.shape[1]
    turn = (chance * k).astype(np.int64)[:, None]
    rows = np.arange(len(group))[:, None]
    turned: Ints = group[rows, (np.arange(k) + turn) % k]
    return turned
