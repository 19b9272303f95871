"""The ranking that a fit gives: ratings, ranks, and how sure their order is.

*Scale.* Ratings are shown on TrueSkill's scale, mu with the deviation sigma, and that stays what it
is: a performance has the deviation `BETA`, and `MU` is the mean of the founders, the versions of
the ladder's first round, as soon as they are no more provisional. They stay the same when
other bots come or go: a founder that retires keeps its results. Errors are those of the distance
from their mean.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

import numpy as np

from ladder.model.bots import Version
from ladder.model.ratings import MU, Strength
from ladder.model.settings import SURE, TOP, Aim
from ladder.rating.arrays import Floats
from ladder.rating.fit import LOGIT, Doubts, Fit
from ladder.rating.scale import BETA
from ladder.results.standings import in_groups

INDIFFERENCE = 0.2
"""Logits: a bot that wins less than 55 % against another counts as no stronger than that one."""
EQUALS = "where neither of two wins more than 55 % against the other, either may be first"
"""The definition of a right answer."""
A_LOGIT = BETA / LOGIT
"""So much higher is a rating for each logit."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Versions with their strengths."""

    versions: Sequence[Version]
    """In the order of submission; the fit's indices are theirs."""
    listed: Sequence[int]
    """Indices of those that are listed, in the order of submission."""
    fit: Fit
    founders: Collection[int] = ()
    """Indices of the versions of the first round."""
    families: Collection[Sequence[int]] = ()
    """Indices of the versions of each author, in the order of submission."""
    _doubts: dict[Aim, Doubts] = field(default_factory=dict, repr=False)
    """Those worked out already."""

    @property
    def established(self) -> Sequence[int]:
        """Indices of the listed versions that are not provisional; of all if all are.

        Their ranks count among themselves: a provisional version does not change them.
        """
        return [i for i in self.listed if not self.fit.provisional[i]] or self.listed

    @property
    def reference(self) -> Sequence[int]:
        """Indices of the versions whose mean is `MU`; none before two were compared."""
        known = [i for i in self.founders if not self.fit.provisional[i]]
        return known or [i for i in self.founders if self.fit.blocks[i]]

    def order(self) -> list[int]:
        """Return the indices of the listed versions, the strongest first, provisional ones last."""

        def key(i: int) -> tuple[bool, float, str]:
            return bool(self.fit.provisional[i]), -float(self.fit.theta[i]), self.versions[i].bot

        return sorted(self.listed, key=key)

    @property
    def top(self) -> int:
        """How many are the best: three, or all but the last if there are fewer."""
        return max(1, min(TOP, len(self.established) - 1))

    def chance(self, aim: Aim) -> float:
        """Return how probable it is that the question of an aim is answered rightly.

        A version may be put before one that is hardly stronger; so equals are not compared forever.
        """
        return self.doubts(aim).chance

    def doubts(self, aim: Aim) -> Doubts:
        """Return what speaks against the answer to the question of an aim."""
        if aim not in self._doubts:
            order = self.fit.order(self.established)
            paired = aim is Aim.RANKING or len(order) <= 1
            first, last = (order[:-1], order[1:]) if paired else np.split(order, [self.top])
            self._doubts[aim] = self.fit.doubts(first, last, INDIFFERENCE, paired=paired)
        return self._doubts[aim]

    def most_open(self, aim: Aim) -> str:
        """Return what holds the answer to the question of an aim up; empty if nothing does."""
        worst = self.doubts(aim).worst()
        if worst is None:
            return ""
        first, second = (self.versions[i].bot for i in worst)
        return f"most open between {first} and {second}"

    def settled(self, aim: Aim) -> str:
        """Return what is settled once the question of an aim is answered."""
        sizes = [len(group) for group in self.groups()]
        of_all = f": {in_groups(sizes)}" if aim is Aim.RANKING and sum(sizes) > 1 else ""
        return f"{self.answer(aim)}{of_all}; {EQUALS}"

    def answer(self, aim: Aim) -> str:
        """Return how sure the question of an aim is answered."""
        what = "the order" if aim is Aim.RANKING else f"the top {self.top}"
        return f"{what} is right with P = {self.chance(aim):.3f}"

    def groups(self) -> list[list[int]]:
        """Return the established versions in groups that can be told apart, the strongest first."""
        best_first = iter(self.fit.order(self.established).tolist())
        sizes = self.fit.groups(SURE, self.established)
        return [list(islice(best_first, size)) for size in sizes]

    def provisional(self) -> int:
        """Return of how many listed versions too little is known to trust their error bars."""
        return int(np.count_nonzero(self.fit.provisional[list(self.listed)]))

    def is_settled(self, aim: Aim) -> bool:
        """Return whether the question of an aim is answered as surely as is wanted."""
        return not self.provisional() and self.chance(aim) >= SURE

    def strengths(self, matches_a_block: int) -> dict[int, Strength]:
        """Return what is known of every version, by its id.

        `matches_a_block` is that of the matches to come.
        """
        ranks = self._intervals(self.listed)
        if self.established != self.listed:
            ranks |= self._intervals(self.established)
        after = dict(self._neighbours())
        group = {i: number for number, own in enumerate(self.groups(), start=1) for i in own}
        mu, sigma = self.ratings()
        tries = {i: (n, len(of)) for of in self.families for n, i in enumerate(of, start=1)}
        return {
            version.id: Strength(
                mu=float(mu[i]),
                sigma=float(sigma[i]),
                ranks=ranks.get(i),
                better_than_next=self.fit.p_better(i, after[i]) if i in after else None,
                until_separated=(
                    self._until_separated(i, after[i], matches_a_block) if i in after else None
                ),
                group=None if self.fit.provisional[i] else group.get(i),
                blocks=int(self.fit.blocks[i]),
                provisional=bool(self.fit.provisional[i]),
                attempt=tries.get(i, (1, 1))[0],
                tries=tries.get(i, (1, 1))[1],
            )
            for i, version in enumerate(self.versions)
        }

    def ratings(self) -> tuple[Floats, Floats]:
        """Return (N,) mu and sigma of every version."""
        known, theta, covariance = self.reference, self.fit.theta, self.fit.V
        if not known:
            return MU + A_LOGIT * theta, A_LOGIT * np.sqrt(np.diag(covariance))
        shared = covariance[:, known].mean(axis=1)
        variance = np.diag(covariance) - 2 * shared + shared[known].mean()
        above = theta - theta[known].mean()
        return MU + A_LOGIT * above, A_LOGIT * np.sqrt(np.maximum(variance, 0.0))

    def _neighbours(self) -> list[tuple[int, int]]:
        """Return who is listed right before whom, but not who is the first provisional one."""
        shaky = self.fit.provisional
        return [(i, j) for i, j in pairwise(self.order()) if shaky[i] == shaky[j]]

    def _intervals(self, among: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Return the intervals of the ranks of some versions among each other."""
        if not among:
            return {}
        found = self.fit.rank_intervals(0.95, among)
        return {i: (int(a), int(b)) for i, (a, b) in zip(among, found, strict=True)}

    def _until_separated(self, i: int, j: int, matches_a_block: int) -> int | None:
        """Return about how many whole blocks' matches make the order sure; None if it is.

        None, too, if one of them has not been rated: from the prior alone nothing follows.
        """
        if not min(self.fit.blocks[i], self.fit.blocks[j]):
            return None
        more = self.fit.matches_to_separate(i, j, SURE)
        return matches_a_block * math.ceil(more / matches_a_block) if more else None
