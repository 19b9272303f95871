"""Rating curves: the rating of record as it was after a selection of rounds.

A past rating follows from the matches up to its round alone, so it never changes. The selected
rounds are each a quarter later than the one before: rating a ladder at some thirty rounds then
costs about as much as rating all of it five times.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ladder.model.matches import MatchLine
from ladder.model.ratings import Strength
from ladder.model.settings import RatedBy, Settings
from ladder.storage.database import Transaction

_LATER = 1.25
"""The factor from one selected round to the next, which is at least the following one."""


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


class Looks:
    """Past ratings of record of one ladder, remembered from reading to reading."""

    def __init__(self) -> None:
        """Begin before the first round."""
        self._of: tuple[str, RatedBy] | None = None
        self._made: list[Look] = []

    def through(self, tx: Transaction, settings: Settings, last: int) -> Sequence[Look]:
        """Return the looks up to round `last`, which must be over."""
        of = settings.ladder_id, settings.rated_by
        if of != self._of or (self._made and self._made[-1].round > last):
            self._of, self._made = of, []
        if missing := self._missing(last):
            self._made += _looked(tx, settings, missing)
        return tuple(self._made)

    def _missing(self, last: int) -> list[int]:
        after, found = self._made[-1].round if self._made else 0, []
        while (after := max(after + 1, int(after * _LATER))) <= last:
            found.append(after)
        return found


def _looked(tx: Transaction, settings: Settings, rounds: Iterable[int]) -> list[Look]:
    """Rate the ladder as it was after each of these rounds."""
    from ladder.results.evidence import Evidence, may_have_played  # noqa: PLC0415 - needs scipy, slow

    versions, found = may_have_played(tx), []
    evidence = Evidence(versions, settings)
    for number in rounds:
        evidence.read(tx, number)
        ranking = evidence.ranking(())
        mu, sigma = (values.tolist() for values in ranking.ratings())
        rated = {v.id: (mu[i], sigma[i]) for i, v in enumerate(versions) if ranking.fit.blocks[i]}
        found.append(Look(number, rated))
    return found


def curves(
    looks: Iterable[Look], finished: Sequence[MatchLine], now: Mapping[int, Strength]
) -> dict[int, Curve]:
    """Return the curves of the versions that played, by their ids.

    `finished` are the public matches in order, `now` is the current rating of record. If a version
    played nothing between two looks, the later one counts.
    """
    played, lines = Counter[int](), iter(finished)
    line = next(lines, None)
    found: defaultdict[int, dict[int, Point]] = defaultdict(dict)

    def note(version: int, mu: float, sigma: float) -> None:
        if count := played[version]:
            found[version][count] = Point(count, mu, sigma)

    for look in looks:
        while line is not None and line.round <= look.round:
            played.update(_versions(line))
            line = next(lines, None)
        for version, rating in look.ratings.items():
            note(version, *rating)
    while line is not None:
        played.update(_versions(line))
        line = next(lines, None)
    for version, strength in now.items():
        note(version, strength.mu, strength.sigma)
    return {version: Curve(tuple(points.values())) for version, points in found.items()}


def _versions(line: MatchLine) -> list[int]:
    """Return the versions with a result in a match; one that sat twice is there twice."""
    return [seat.version.id for seat in line.seats if seat.version and seat.result]
