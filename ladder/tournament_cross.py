"""Who met whom: cross tables, of a whole tournament and of its groups."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Line
from ladder.scheduling.tournaments.groups import Groups
from ladder.tournament import Course


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
    going_on: Mapping[VersionId, str] = field(default_factory=dict)
    """Who goes on from a group that is over, and what told it from the first who does not."""


def pairs_of(past: Field) -> dict[tuple[VersionId, VersionId], Pair]:
    """Return how every two that met did against each other, in both orders."""
    scored: Counter[tuple[VersionId, VersionId]] = Counter()
    met: Counter[tuple[VersionId, VersionId]] = Counter()
    for result in past.results:
        pairs = result.pairs()
        scored.update(pairs)
        met.update(pairs.keys())
    return {pair: Pair(Fraction(scored[pair]) / met[pair], met[pair]) for pair in met}


def groups_of(form: Groups, now: Course) -> list[Cross]:
    """Return the table of each group."""
    over = not form.in_groups(now.field)
    return [
        Cross(
            group.name,
            group.lines,
            pairs_of(now.field.of_stage(group.name, [line.entrant for line in group.lines])),
            group.going_on if over else {},
        )
        for group in form.tables(now.field)
    ]
