"""Everybody meets everybody, and one against all.

At tables of two a round robin is the circle method: n - 1 rounds (n for odd n, with a bye each) in
which every two meet once. At larger tables no such plan exists for most n; rounds of full tables
are then made until every two have met, each table begun by the two that met least. Meetings may
differ by a few, so the table counts the mean score a meeting.

In a gauntlet the first seed sits at every table, and each other entrant meets it once. A last table
that is not full is filled up from the first one's opponents.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Line, Meeting, Tally, check
from ladder.scheduling.tournaments.tables import (
    DIRECT,
    FIRSTS,
    OPPONENTS,
    SEED,
    points_table,
)


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every two meet, `cycles` times over."""

    cycles: int = 1
    tie_breaks: tuple[str, ...] = (DIRECT, OPPONENTS, FIRSTS, SEED)

    def play_on(self, field: Field) -> list[Meeting]:  # noqa: ARG002 - as every format is asked
        """Return nothing: nobody is out, so a meeting may end level."""
        return []

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the next of the rounds that were fixed by the seeds."""
        check(field)
        rounds = list(rounds_of(field.entrants, field.seats))
        number = field.rounds
        if number >= len(rounds) * self.cycles:
            return []
        return [Meeting(number, group) for group in rounds[number % len(rounds)]]

    def table(self, field: Field) -> list[Line]:
        """Order by the mean score a meeting; byes count nothing."""
        return points_table(field, mean=True)


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The first seed against everybody, `cycles` times over."""

    cycles: int = 1
    tie_breaks: tuple[str, ...] = (SEED,)

    def play_on(self, field: Field) -> list[Meeting]:  # noqa: ARG002 - as every format is asked
        """Return nothing: nobody is out, so a meeting may end level."""
        return []

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the next table; a round has one, as the first seed sits there."""
        check(field)
        one, *others = field.entrants
        wanted = min(field.seats - 1, len(others))
        tables = -(-len(others) // wanted)
        number = field.rounds
        if number >= tables * self.cycles:
            return []
        start = number % tables * wanted
        group = [others[i % len(others)] for i in range(start, start + wanted)]
        return [Meeting(number, (one, *group))]

    def table(self, field: Field) -> list[Line]:
        """Put the first seed on top, then the others by what each scored against it."""
        tally = Tally(field)
        one, *others = field.entrants

        def against(entrant: VersionId) -> Fraction:
            return Fraction(tally.pairs[entrant, one]) / max(1, tally.met[entrant, one])

        mean = sum((1 - against(e) for e in others), Fraction()) / len(others)
        ordered = sorted(others, key=lambda e: (-against(e), field.seed(e)))
        scores = [(one, mean), *((e, against(e)) for e in ordered)]
        return [
            Line(
                place=i + 1,
                entrant=entrant,
                score=score,
                meetings=tally.meetings[entrant],
                byes=0,
                reached="",
                tie_breaks={SEED: Fraction(1 + field.seed(entrant))},
            )
            for i, (entrant, score) in enumerate(scores)
        ]


Group = tuple[VersionId, ...]


def rounds_of(entrants: Sequence[VersionId], seats: int) -> Iterator[list[Group]]:
    """Yield the rounds of one cycle."""
    if len(entrants) <= seats:
        yield [tuple(entrants)]
    elif seats == 2:  # noqa: PLR2004 - pairs have a plan of their own
        yield from _circle(entrants)
    else:
        yield from _covering(entrants, seats)


def _circle(entrants: Sequence[VersionId]) -> Iterator[list[Group]]:
    """Hold the first one and turn the others by one place a round; None is the bye."""
    ring: list[VersionId | None] = [*entrants, *[None] * (len(entrants) % 2)]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        facing = zip(ring[:half], reversed(ring[half:]), strict=True)
        yield [(a, b) for a, b in facing if a is not None and b is not None]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _covering(entrants: Sequence[VersionId], seats: int) -> Iterator[list[Group]]:
    """Make rounds until every two have met; each brings at least one new pair together."""
    met: Counter[frozenset[VersionId]] = Counter()
    meetings: Counter[VersionId] = Counter()
    pairs = [frozenset(pair) for pair in combinations(entrants, 2)]
    while any(not met[pair] for pair in pairs):
        groups = list(_covering_round(entrants, seats, met, meetings))
        for group in groups:
            met.update(map(frozenset, combinations(group, 2)))
            meetings.update(group)
        yield groups


def _covering_round(
    entrants: Sequence[VersionId],
    seats: int,
    met: Counter[frozenset[VersionId]],
    meetings: Counter[VersionId],
) -> Iterator[Group]:
    """Yield the tables of a round, each begun by the two that met least."""
    waiting = sorted(entrants, key=lambda e: meetings[e])
    for _ in range(len(entrants) // seats):
        group = _two_that_met_least(waiting, met, meetings)
        while len(group) < seats:
            group.append(_who_met_them_least(group, waiting, met, meetings))
        waiting = [e for e in waiting if e not in group]
        yield tuple(group)


def _two_that_met_least(
    waiting: Sequence[VersionId],
    met: Counter[frozenset[VersionId]],
    meetings: Counter[VersionId],
) -> list[VersionId]:
    def cost(pair: Group) -> Group:
        return met[frozenset(pair)], meetings[pair[0]] + meetings[pair[1]]

    best = min(combinations(waiting, 2), key=cost)
    return list(best)


def _who_met_them_least(
    group: Sequence[VersionId],
    waiting: Sequence[VersionId],
    met: Counter[frozenset[VersionId]],
    meetings: Counter[VersionId],
) -> VersionId:
    def cost(entrant: VersionId) -> Group:
        before = [met[frozenset((entrant, other))] for other in group]
        return sum(times > 0 for times in before), meetings[entrant], sum(before)

    return min((e for e in waiting if e not in group), key=cost)
