"""The rating of record of a ladder: its stored results as a log, and what follows from them.

All versions that ever played are rated, retired ones too: they link the others. Whole blocks count
only, and not those of which a match was given up. Rating always starts from nothing, so it depends
on the results alone, to the last bit, not on when or how often one looked.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.special import expit

from ladder.errors import StoreError
from ladder.models import RatedSeat, Strength, Version
from ladder.rating.fit import Doubts, Fit
from ladder.rating.log import Log, Result
from ladder.rating.outlook import matches_to_separate
from ladder.rating.rater import rate
from ladder.rating.tuning import tuned
from ladder.settings import SURE, TOP, Aim, Tuning
from ladder.store import bots, matches
from ladder.store.database import Transaction

INDIFFERENCE = 0.2
"""Logits: whoever wins less than 55 % against another counts as no stronger than that one."""
EQUALS = "where neither of two wins more than 55 % against the other, either may be first"
"""What a right answer is."""
_LEVEL = 1.96
"""So many deviations to either side hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Versions with their strengths."""

    versions: Sequence[Version]
    """In the order of submission; the fit's indices are theirs."""
    listed: Sequence[int]
    """Indices of those that are listed, in the order of submission."""
    fit: Fit
    _doubts: dict[Aim, Doubts] = field(default_factory=dict, repr=False)
    """What was worked out of them."""

    @property
    def established(self) -> Sequence[int]:
        """Indices of the listed versions that are not provisional; of all if all are.

        These are what all are measured against: who comes or goes before it is known moves nobody.
        """
        return [i for i in self.listed if not self.fit.provisional[i]] or self.listed

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

        Who is hardly weaker than another may be put before it; so equals are not compared forever.
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

    def answer(self, aim: Aim) -> str:
        """Return how sure the question of an aim is answered."""
        what = "the order" if aim is Aim.RANKING else f"the top {self.top}"
        return f"{what} is right with P = {self.chance(aim):.3f}"

    def provisional(self) -> int:
        """Return of how many listed versions too little is known to trust their error bars."""
        return int(np.count_nonzero(self.fit.provisional[list(self.listed)]))

    def is_settled(self, aim: Aim) -> bool:
        """Say whether the question of an aim is answered as surely as is wanted."""
        return not self.provisional() and self.chance(aim) >= SURE

    def strengths(self, matches_a_block: int) -> dict[int, Strength]:
        """Return what is known of every version, by its id.

        `matches_a_block` tells how the matches to come are played.
        """
        order = self.order()
        ranks = self._intervals(self.listed) | self._intervals(self.established)
        after = dict(pairwise(order))
        return {
            version.id: self._strength(i, ranks.get(i), after.get(i), matches_a_block)
            for i, version in enumerate(self.versions)
        }

    def _intervals(self, among: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Return the intervals of the ranks of some versions among each other."""
        if not among:
            return {}
        found = self.fit.rank_intervals(0.95, among)
        return {i: (int(a), int(b)) for i, (a, b) in zip(among, found, strict=True)}

    def _strength(
        self,
        i: int,
        ranks: tuple[int, int] | None,
        following: int | None,
        matches_a_block: int,
    ) -> Strength:
        above, error = self._above_average(i)
        low, mean, high = expit([above - _LEVEL * error, above, above + _LEVEL * error])
        better = None if following is None else self.fit.p_better(i, following)
        more = None
        if following is not None:
            more = self._until_separated(i, following, matches_a_block)
        return Strength(
            chance=float(mean),
            low=float(low),
            high=float(high),
            logit=above,
            error=error,
            ranks=ranks,
            better_than_next=better,
            until_separated=more,
            blocks=int(self.fit.blocks[i]),
            provisional=bool(self.fit.provisional[i]),
        )

    def _above_average(self, i: int) -> tuple[float, float]:
        """Return how far a version is above the mean of the established, and the error of that."""
        weights = np.zeros(len(self.versions))
        weights[i] = 1.0
        if self.established:
            weights[list(self.established)] -= 1 / len(self.established)
        variance = float(weights @ self.fit.V @ weights)
        return float(weights @ self.fit.theta), math.sqrt(max(variance, 0.0))

    def _until_separated(self, i: int, j: int, matches_a_block: int) -> int | None:
        """Return about how many whole blocks' matches make the order sure; None if it is.

        None, too, if one of them has not been rated: from the prior alone nothing follows.
        """
        if not min(self.fit.blocks[i], self.fit.blocks[j]):
            return None
        more = matches_to_separate(self.fit, i, j, SURE)
        return matches_a_block * math.ceil(more / matches_a_block) if more else None


class Evidence:
    """The results of a ladder, read as they come in."""

    def __init__(self, versions: Sequence[Version], seats: int) -> None:
        """Begin without a result.

        `versions` are all that may have played, in the order of submission, at tables of so many
        seats.
        """
        self.versions = versions
        self._seats = seats
        self._index = {version.id: i for i, version in enumerate(versions)}
        self._log = Log(len(versions))
        self._blocks = 0
        self._through = 0

    @property
    def log(self) -> Log:
        """All that was read; its versions are the indices of `versions`."""
        return self._log

    @property
    def through(self) -> int:
        """The last round that was read."""
        return self._through

    def read(self, tx: Transaction, through: int | None = None) -> None:
        """Add the rounds up to one, which must be over; if None, all blocks that are complete.

        After the latter nothing can be added.
        """
        for block in matches.rated_results(tx, self._through, through):
            self._log.extend(self._result(match) for match in block if match)
            self._blocks += 1
        if through is not None:
            self._through = max(self._through, through)

    def ranking(self, listed: Sequence[Version]) -> Ranking:
        """Rate all, and list these."""
        indices = sorted(self._index[version.id] for version in listed)
        rated = rate(self._log, predecessors=self._predecessors())
        return Ranking(self.versions, indices, rated)

    def _result(self, match: Sequence[RatedSeat]) -> Result:
        if unknown := {seat.version for seat in match} - self._index.keys():
            raise StoreError(f"the database is damaged: there is no version {min(unknown)} to rate")
        return Result(
            block=self._blocks,
            versions=[self._index[seat.version] for seat in match],
            seats=[seat.seat for seat in match],
            ranks=[seat.rank for seat in match],
            crashed=[seat.crashed for seat in match],
            points=[seat.points for seat in match],
            table=self._seats,
        )

    def _predecessors(self) -> Mapping[int, int]:
        """Return whom each version replaced, as far as it replaced one."""
        last: dict[str, int] = {}
        found = {}
        for version in sorted(self.versions, key=lambda v: (v.bot, v.number)):
            i = self._index[version.id]
            if version.bot in last:
                found[i] = last[version.bot]
            last[version.bot] = i
        return found


def may_have_played(tx: Transaction) -> list[Version]:
    """Return all versions that were not rejected, in the order of submission."""
    return [version for version in bots.all_versions(tx).values() if version.rejected is None]


def current(tx: Transaction, seats: int) -> Ranking:
    """Return the rating of record by all that is stored, with the active versions listed."""
    return _evidence(tx, seats).ranking(bots.active(tx))


def measured(tx: Transaction, seats: int) -> Tuning | None:
    """Return what the stored results say of the game to the live rating; None without any."""
    found = _evidence(tx, seats).ranking(bots.active(tx)).fit
    return tuned(found) if found.blocks.any() else None


def _evidence(tx: Transaction, seats: int) -> Evidence:
    evidence = Evidence(may_have_played(tx), seats)
    evidence.read(tx)
    return evidence
