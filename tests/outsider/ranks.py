"""Ranks, and how sure they are, as docs/rating-formulas.md has them."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from normal import STANDARD, below, draws, logistic, of, square_root, times, variance_between
from rating import FEWEST, Rating
from strengths import LOGIT

MEAN, BETA = 25, 25 / 3
SURE, CAUTION, NEVER = 0.95, 1.15, 1_000_000
DRAWS, LEAST_DRAWS, CELLS = 4000, 500, 2_000_000


class Ranking:
    """Versions in order, with all that the standings say of their strength."""

    def __init__(
        self,
        rating: Rating,
        listed: Sequence[int],
        founders: Sequence[int],
        names: Sequence[str],
    ) -> None:
        self._rating = rating
        self._shaky = shaky = [blocks < FEWEST for blocks in rating.blocks]
        self.ratings = _ratings(rating, founders)
        self.order = sorted(listed, key=lambda i: (shaky[i], -rating.theta[i], names[i]))
        established = [i for i in listed if not shaky[i]]
        self._ranks = self._intervals(listed)
        if established:
            self._ranks |= self._intervals(established)
        self._groups = self._grouped(established)

    def row(self, i: int, matches_a_block: int) -> dict[str, Any]:
        """What a line of the standings says."""
        shaky, rating = self._shaky[i], self.ratings[i]
        after = dict(pairwise(self.order)).get(i)
        if after is not None and self._shaky[after] != shaky:
            after = None
        low, high = self._ranks[i]
        return {
            **rating,
            "conservative": rating["mu"] - 3 * rating["sigma"],
            "rank_low": low,
            "rank_high": high,
            "better_than_next": None if after is None else self._better(i, after),
            "matches_to_separate": (
                None if after is None else self._to_separate(i, after, matches_a_block)
            ),
            "group": None if shaky else self._groups[i],
            "blocks": self._rating.blocks[i],
            "provisional": shaky,
        }

    def _gap(self, i: int, j: int) -> tuple[float, float]:
        """By how much a version is stronger, and the variance of that."""
        rating = self._rating
        return rating.theta[i] - rating.theta[j], variance_between(rating.errors, i, j)

    def _better(self, i: int, j: int) -> float:
        gap, variance = self._gap(i, j)
        return below(gap / math.sqrt(variance)) if variance > 0 else 0.5

    def _to_separate(self, i: int, j: int, matches_a_block: int) -> int | None:
        gap, variance = self._gap(i, j)
        wanted = STANDARD.inv_cdf(SURE)
        settled = gap**2 >= wanted**2 * variance
        if settled or not (self._rating.blocks[i] and self._rating.blocks[j]):
            return None
        matches = NEVER
        if gap:
            p = logistic(abs(gap))
            missing = (wanted / gap) ** 2 - 1 / variance
            matches = min(NEVER, max(1, math.ceil(missing * self._rating.effect / (p * (1 - p)))))
        return -(-matches // matches_a_block) * matches_a_block

    def _drawn(self, chosen: Sequence[int]) -> list[list[float]]:
        """The deviations of drawn strengths from the estimates."""
        n = max(1, len(chosen))
        count = min(DRAWS, max(LEAST_DRAWS, CELLS // n))
        root = square_root(of(self._rating.errors, chosen, chosen))
        return [times(root, numbers[: len(chosen)]) for numbers in draws(count, n)]

    def _intervals(self, among: Sequence[int]) -> dict[int, tuple[int, int]]:
        ranks: list[list[int]] = [[] for _ in among]
        for drawn in self._drawn(among):
            strengths = [self._rating.theta[i] + x for i, x in zip(among, drawn, strict=True)]
            order = sorted(range(len(among)), key=lambda n: -strengths[n])
            for rank, n in enumerate(order, start=1):
                ranks[n].append(rank)
        found = {}
        for i, own in zip(among, map(sorted, ranks), strict=True):
            last, tail = len(own) - 1, (1 - 0.95) / 2
            found[i] = own[math.floor(tail * last)], own[math.ceil((1 - tail) * last)]
        return found

    def _grouped(self, established: Sequence[int]) -> dict[int, int]:
        """The group of each established version."""
        theta = self._rating.theta
        order = sorted(established, key=lambda i: -theta[i])
        apart = []
        for drawn in self._drawn(order):
            true = [theta[i] + CAUTION * x for i, x in zip(order, drawn, strict=True)]
            apart.append([min(true[:cut]) > max(true[cut:]) for cut in range(1, len(true))])
        often = [sum(column) for column in zip(*apart, strict=True)]
        cuts, enough = set[int](), SURE * len(apart)
        for cut in sorted(range(len(often)), key=lambda cut: -often[cut]):
            apart = [own for own in apart if own[cut]]
            if len(apart) < enough:
                break
            cuts.add(cut)
        return {i: 1 + sum(cut < n for cut in cuts) for n, i in enumerate(order)}


def _ratings(rating: Rating, founders: Sequence[int]) -> list[dict[str, float]]:
    """Mu and sigma of each version."""
    unit, theta, errors = BETA / LOGIT, rating.theta, rating.errors
    anchor = [i for i in founders if rating.blocks[i] >= FEWEST]
    anchor = anchor or [i for i in founders if rating.blocks[i]]
    found = []
    for i, own in enumerate(theta):
        centre, variance = 0.0, errors[i][i]
        if anchor:
            centre = sum(theta[j] for j in anchor) / len(anchor)
            variance -= 2 * sum(errors[i][j] for j in anchor) / len(anchor)
            variance += sum(errors[j][k] for j in anchor for k in anchor) / len(anchor) ** 2
        sigma = unit * math.sqrt(max(variance, 0.0))
        found.append({"mu": MEAN + unit * (own - centre), "sigma": sigma})
    return found
