"""Groups: round robins whose best play a knockout.

There are as few groups as the group size allows, and their sizes differ by at most one. The seeds
are dealt to them back and forth, and change places so that forbidden pairs are in different groups,
and as few bots of one author in a group as possible. After the round robins the best of each group
go on; if a group is not larger than the number that should go on, all but the last. They are seeded
into the bracket by their place in the group, then by their original seed, and entrants of one group
are placed to meet as late as possible: the first of a group meets a second of another. Forbidden
pairs meet even later, and bots of one author as late as that allows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.apart import Apart, of_one_name, pairs_at, weighed
from ladder.scheduling.tournament.formats.base import (
    Field,
    Line,
    Meeting,
    StageKind,
    Totals,
    check,
    places,
)
from ladder.scheduling.tournament.formats.bracket import slots_apart, spread
from ladder.scheduling.tournament.formats.knockout import Draw, Knockout
from ladder.scheduling.tournament.formats.pairing import parted
from ladder.scheduling.tournament.formats.round_robin import RoundRobin
from ladder.scheduling.tournament.formats.tables import DIRECT, FIRSTS, OPPONENTS, SEED


@dataclass(frozen=True, slots=True)
class Group:
    """A group with its table."""

    name: str
    lines: Sequence[Line]
    going_on: Mapping[VersionId, str]
    """The versions that currently go on, best first, with the criterion against `behind`."""
    behind: Line | None = None
    """The first that is out."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Round robins in groups of at most `size`, whose `advancing` best play a knockout."""

    size: int = 4
    advancing: int = 2
    round_robin: RoundRobin = RoundRobin()  # noqa: RUF009 -- it is frozen
    knockout: Knockout = Knockout()  # noqa: RUF009 -- it is frozen
    tie_breaks: tuple[str, ...] = (DIRECT, OPPONENTS, FIRSTS, SEED)
    has_winner: bool = True

    def play_on(self, field: Field) -> list[Meeting]:
        """Return the meetings of the knockout's last round that need another deal."""
        if self.in_groups(field):
            return []
        return self.knockout.play_on(self.part_of_knockout(field)[1])

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the next meetings of all groups, or of the knockout after the groups."""
        check(field)
        if meetings := self._next_of_groups(field):
            return meetings
        draw, part = self.part_of_knockout(field)
        return self.knockout.next_of(draw, part)

    def resting(self, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
        """Return the entrants that have a bye in the groups' round or in the knockout."""
        if self.in_groups(field):
            stages = {meeting.stage for meeting in meetings}
            seated = {entrant for meeting in meetings for entrant in meeting.entrants}
            playing = set(field.playing(meetings[0].round)) - seated
            parts = [part for name, part in self._parts(field) if name in stages]
            return [e for part in parts for e in part.entrants if e in playing]
        draw, part = self.part_of_knockout(field)
        return self.knockout.resting_of(draw, part, meetings)

    def table(self, field: Field) -> list[Line]:
        """Order the entrants of the knockout first, then the others by group place and score.

        Meetings and byes include both stages, and the score is the mean of all meetings.
        """
        groups = self.tables(field)
        lines = []
        if not self.in_groups(field):
            draw, part = self.part_of_knockout(field)
            lines = self.knockout.table_of(draw, part)
        through = {line.entrant for line in lines}
        in_group = {line.entrant: line for group in groups for line in group.lines}
        others = [
            replace(line, reached=group.name)
            for group in groups
            for line in group.lines
            if line.entrant not in through
        ]
        others.sort(key=lambda line: (line.place, -line.score, field.seed(line.entrant)))
        both = [*lines, *others]
        compared = [(e.place, None if e.entrant in through else e.score) for e in both]
        of_each = places(compared, shared=self.round_robin.shared_places)
        tally = Totals(field)
        return [
            replace(
                line,
                place=place,
                score=tally.mean(line.entrant),
                meetings=tally.meetings[line.entrant],
                byes=in_group[line.entrant].byes + (line.byes if line.entrant in through else 0),
                reached=line.reached or in_group_name(line.entrant, groups),
            )
            for line, place in zip(both, of_each, strict=True)
        ]

    def tables(self, field: Field) -> list[Group]:
        """Return the tables of the groups."""
        return [self._group(name, part, field) for name, part in self._parts(field)]

    def alone(self, field: Field) -> VersionId | None:
        """Return the only bot that advances, if there is one: it plays no knockout."""
        through = [entrant for group in self.tables(field) for entrant in group.going_on]
        return through[0] if len(through) == 1 and not self.in_groups(field) else None

    def in_groups(self, field: Field) -> bool:
        """Return whether the groups are still playing."""
        return bool(self._next_of_groups(field))

    def part_of_knockout(self, field: Field) -> tuple[Draw, Field]:
        """Return the draw and the past of the knockout."""
        groups = self.tables(field)
        mates = {e: group.name for group in groups for e in group.going_on}
        most = max(len(group.going_on) for group in groups)
        classes = [
            sorted((e for g in groups for e in [*g.going_on][i : i + 1]), key=field.seed)
            for i in range(most)
        ]
        first = self._first_of_knockout(field)
        results = [r for r in field.results if r.meeting.kind is StageKind.KNOCKOUT]
        apart, pairs = field.apart, pairs_at([len(mates)])
        weights = weighed(mates, pairs, apart.forbidden, of_one_name(mates), fellows=apart.fellows)
        slots = slots_apart(classes, field.seats, weights)
        part = replace(field, results=results)
        return Draw(slots if len(slots) > 1 else [], first, weights), part

    def _first_of_knockout(self, field: Field) -> int:
        """Return the first round, from 0, after the largest group's rounds."""
        sizes = {len(part.entrants) for _, part in self._parts(field)}
        return max(len(self.round_robin.schedule(size, field.seats)) for size in sizes)

    def _next_of_groups(self, field: Field) -> list[Meeting]:
        return [
            replace(meeting, round=part.rounds, stage=name, kind=StageKind.GROUP)
            for name, part in self._parts(field)
            for meeting in self.round_robin.next_round(part)
        ]

    def _parts(self, field: Field) -> list[tuple[str, Field]]:
        """Return each group's name and past."""
        groups = _dealt(tuple(field.entrants), self.size, field.apart)
        names = [f"group {_letters(i)}" for i in range(len(groups))]
        return [
            (name, field.of_stage(name, group)) for name, group in zip(names, groups, strict=True)
        ]

    def _group(self, name: str, part: Field, field: Field) -> Group:
        lines = self.round_robin.table(part)
        there = set(field.playing(self._first_of_knockout(field)))
        here = [line for line in lines if line.entrant in there]
        most = min(self.advancing, len(lines) - 1)
        on, out = here[:most], here[most:]
        behind = out[0] if out else None
        going_on = {e.entrant: _told_apart(e, behind) if behind else "" for e in on}
        return Group(name, lines, going_on, behind)


@lru_cache(maxsize=8)
def _dealt(entrants: tuple[VersionId, ...], size: int, apart: Apart) -> list[list[VersionId]]:
    """Return the entrants of each group of at most `size`, in seed order."""
    groups = spread(entrants, -(-len(entrants) // size))
    pairs = pairs_at(map(len, groups))
    weights = weighed(entrants, pairs, apart.forbidden, fellows=apart.fellows)
    return [sorted(group, key=entrants.index) for group in parted(groups, weights)]


def in_group_name(entrant: VersionId, groups: Sequence[Group]) -> str:
    """Return the name of an entrant's group."""
    return next(g.name for g in groups for line in g.lines if line.entrant == entrant)


def _told_apart(ahead: Line, behind: Line) -> str:
    """Return the criterion that puts one line of a table before another."""
    if ahead.score != behind.score:
        return "score"
    both = ahead.tie_breaks.keys() & behind.tie_breaks.keys()
    names = [name for name in ahead.tie_breaks if name in both]
    return next(n for n in names if ahead.tie_breaks[n] != behind.tie_breaks[n])


def _letters(index: int) -> str:
    """Return A to Z, then AA, AB and so on."""
    high, low = divmod(index, 26)
    return (_letters(high - 1) if high else "") + chr(ord("A") + low)
