"""Rating curves: the rating of record as it was after a selection of rounds.

A past rating follows from the matches up to its round alone, so it never changes. The selected
rounds are each a quarter later than the one before: rating a ladder at some thirty rounds then
costs about as much as rating all of it five times. That takes minutes for a long ladder, so past
ratings are remembered for the user who shows it.
"""

import math
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.model.ratings import Strength, Tally
from ladder.model.settings import Settings
from ladder.results.older import Older, kept_older, key_of
from ladder.storage.db.database import Transaction
from ladder.storage.files import user_files
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches, tallies

if TYPE_CHECKING:
    from ladder.results.evidence import Evidence

_LATER = 1.25
"""The factor from one selected round to the next, which is at least the following one."""
_BEFORE = 0.8
"""Changes are shown since a look after at most this part of the rounds."""
_WORTH_S = 0.5
"""Looks that took longer than this are remembered."""
_KIND = "curves"


@dataclass(frozen=True, slots=True)
class Point:
    """A version's rating after some of its matches."""

    matches: int
    """How many it had played."""
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A version's ratings in order; the last one is the current one."""

    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Look:
    """The rating of record after a round."""

    round: int
    ratings: Mapping[int, tuple[float, float]]
    """mu and sigma by version id, for versions that had been compared."""
    played: Mapping[int, int]
    """How many matches each version had played, by its id."""


class Looks:
    """Past ratings of record of one ladder, remembered from reading to reading."""

    def __init__(self, ladder: Ladder) -> None:
        """Begin with what is remembered of a ladder."""
        self._ladder = ladder
        self._key = ""
        """The inputs of the looks, beside results that do not change."""
        self._made: list[Look] = []
        self._evidence: Evidence | None = None
        self.behind = False
        """Whether some looks were left to the next time."""

    def through(
        self, tx: Transaction, settings: Settings, last: int, patience_s: float = math.inf
    ) -> Sequence[Look]:
        """Return the looks up to round `last`, which must be over.

        After `patience_s` leave the rest to the next time.
        """
        key = key_of(tx, settings).hex()
        if key != self._key:
            self._key, self._made, self._evidence = key, self._remembered(tx, key), None
        if self._made and self._made[-1].round > last:
            self._made, self._evidence = [], None
        began, missing = time.monotonic(), self._missing(last)
        for number in missing:
            self._made.append(self._look(tx, settings, number))
            if time.monotonic() - began > patience_s:
                break
        self.behind = bool(self._missing(last))
        if missing and time.monotonic() - began > _WORTH_S:
            self._remember(tx)
        if not self.behind:
            self._evidence = None  # it takes memory
        return tuple(self._made)

    def _remember(self, tx: Transaction) -> None:
        looks = [(look.round, look.ratings, look.played) for look in self._made]
        end = matches.end_of_round(tx, self._made[-1].round)
        user_files.remember(
            _KIND, self._ladder.remembered_as, {"key": self._key, "end": end, "looks": looks}
        )

    def _remembered(self, tx: Transaction, key: str) -> list[Look]:
        """Return the looks that are remembered, if they are of this ladder as it is.

        It may be a backup that went on otherwise: then the last round ended at another time.
        """
        found = user_files.remembered(_KIND, self._ladder.remembered_as)
        try:
            made = [_look_of(*look) for look in found["looks"]]
            same = found["key"] == key and found["end"] == matches.end_of_round(tx, made[-1].round)
        except (TypeError, KeyError, ValueError, IndexError):
            return []
        return made if same else []

    def _missing(self, last: int) -> list[int]:
        after, found = self._made[-1].round if self._made else 0, []
        while (after := max(after + 1, int(after * _LATER))) <= last:
            found.append(after)
        return found

    def _look(self, tx: Transaction, settings: Settings, number: int) -> Look:
        """Rate the ladder as it was after a round."""
        from ladder.results.evidence import Evidence, may_have_played  # noqa: PLC0415 - needs scipy, slow

        before = self._made[-1] if self._made else Look(0, {}, {})
        if self._evidence is None:
            older = kept_older(tx, settings)
            known = older if older.through <= number else Older()
            self._evidence = Evidence(may_have_played(tx), settings, known)
        evidence = self._evidence
        evidence.read(tx, number)
        ranking = evidence.ranking(())
        mu, sigma = (values.tolist() for values in ranking.ratings())
        rated = {
            version.id: (mu[i], sigma[i])
            for i, version in enumerate(evidence.versions)
            if ranking.fit.blocks[i]
        }
        more = tallies.played(tx, before.round, number)
        versions = before.played.keys() | more.keys()
        played = {v: before.played.get(v, 0) + more.get(v, 0) for v in versions}
        return Look(number, rated, played)


def _look_of(number: int, ratings: dict[str, list[float]], played: dict[str, int]) -> Look:
    """Return a look as JSON has it."""
    rated = {int(version): (mu, sigma) for version, (mu, sigma) in ratings.items()}
    return Look(number, rated, {int(version): count for version, count in played.items()})


def look_before(looks: Sequence[Look], last: int) -> Look | None:
    """Return the latest look that a fifth of the rounds up to `last` followed; None if none did."""
    return next((look for look in reversed(looks) if look.round <= _BEFORE * last), None)


def curves(
    looks: Iterable[Look], tallies: Iterable[Tally], now: Mapping[int, Strength]
) -> dict[int, Curve]:
    """Return the curves of the versions that played, by their ids.

    `tallies` are of the public matches, `now` is the current rating of record. If a version played
    nothing between two looks, the later one counts.
    """
    found: defaultdict[int, dict[int, Point]] = defaultdict(dict)

    def note(version: int, played: int, mu: float, sigma: float) -> None:
        if played:
            found[version][played] = Point(played, mu, sigma)

    for look in looks:
        for version, rating in look.ratings.items():
            note(version, look.played.get(version, 0), *rating)
    for tally in tallies:
        if strength := now.get(tally.version.id):
            note(tally.version.id, tally.matches, strength.mu, strength.sigma)
    return {version: Curve(tuple(points.values())) for version, points in found.items()}
