"""Who met whom: cross tables, of a whole tournament and of its groups."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Line
from ladder.scheduling.tournaments.round_robin import RoundRobin
from ladder.tournament import Course
from ladder.tournament_walk import in_group


@dataclass(frozen=True, slots=True)
class Pair:
    """How one entrant did against another."""

    score: Fraction
    """The mean of their meetings, from 0 to 1."""
    meetings: int


@dataclass(frozen=True, slots=True)
class Cross:
    """A table of entrants and what each scored against each other."""

    name: str
    """Of the group; empty if it is the whole tournament."""
    lines: Sequence[Line]
    pairs: Mapping[tuple[VersionId, VersionId], Pair]
    """Those that met, in both orders."""


def pairs_of(field: Field) -> dict[tuple[VersionId, VersionId], Pair]:
    """Return how every two that met did against each other, in both orders."""
    scored: Counter[tuple[VersionId, VersionId]] = Counter()
    met: Counter[tuple[VersionId, VersionId]] = Counter()
    for result in field.results:
        pairs = result.pairs()
        scored.update(pairs)
        met.update(pairs.keys())
    return {pair: Pair(Fraction(scored[pair]) / met[pair], met[pair]) for pair in met}


def groups_of(now: Course) -> list[Cross]:
    """Return the table of each group; none where there are no groups."""
    entrants: dict[str, dict[VersionId, None]] = {}
    meetings = [*(result.meeting for result in now.field.results), *now.pending, *now.walkovers]
    for meeting in meetings:
        if in_group(meeting.stage):
            entrants.setdefault(meeting.stage, {}).update(dict.fromkeys(meeting.entrants))
    found = []
    for name in sorted(entrants, key=lambda name: (len(name), name)):
        seeded = sorted(entrants[name], key=now.field.seed)
        part = now.field.of_stage(name, seeded)
        found.append(Cross(name, RoundRobin().table(part), pairs_of(part)))
    return found
