"""Knockout: of each table the better half goes on, until one table is left.

Of 2 or 3 at a table one goes on, of 4 or 5 two. Each round those who are left are spread over the
tables by seed, back and forth (1 2 3 / 6 5 4 / 7 8 9), so that favourites meet late. If they do not
fill the tables, the best seeds with the fewest byes go on without playing. When all fit on one
table, that is the final. At a table the higher score goes on; among equals more first places, then
the better seed.

Groups: the seeds are spread over groups in the same way, every group plays a round robin, and the
best of each go into a knockout, seeded by their place in the group, then by their first seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Line, Meeting, Result, Tally, check
from ladder.scheduling.tournaments.round_robin import RoundRobin
from ladder.scheduling.tournaments.tables import DIRECT, FIRSTS, OPPONENTS, SEED

FINAL = "final"


@dataclass(frozen=True, slots=True)
class Knockout:
    """Losers are out."""

    tie_breaks: tuple[str, ...] = ("score of the last round", FIRSTS, SEED)

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the tables of those who are left."""
        check(field)
        number = field.rounds
        if any(result.meeting.stage == FINAL for result in field.results):
            return []
        left = alive(field)
        if len(left) <= field.seats:
            return [Meeting(number, tuple(left), FINAL)]
        byes = Tally(field).byes
        resting = sorted(left, key=lambda e: byes[e])[: len(left) % field.seats]
        playing = [entrant for entrant in left if entrant not in resting]
        stage = f"round of {len(left)}"
        return [
            Meeting(number, tuple(group), stage)
            for group in spread(playing, len(playing) // field.seats)
        ]

    def table(self, field: Field) -> list[Line]:
        """Order by how far each came, then by the score, the first places and the seed there."""
        tally = Tally(field)
        by_round = sorted(field.results, key=lambda result: result.meeting.round)
        last = {e: result for result in by_round for e in result.meeting.entrants}
        left = set(alive(field))

        def order(e: VersionId) -> tuple[object, ...]:
            if e not in last:
                return (e not in left, 0, 0, 0, field.seed(e))
            scores, firsts = last[e].scores()[e], last[e].firsts()[e]
            return (e not in left, -last[e].meeting.round, -scores, -firsts, field.seed(e))

        return [
            Line(
                place=i + 1,
                entrant=e,
                score=Fraction(tally.score[e]),
                meetings=tally.meetings[e],
                byes=tally.byes[e] if e in left else 0,
                reached=last[e].meeting.stage if e in last else "",
                tie_breaks=self._compared(e, last.get(e), field),
            )
            for i, e in enumerate(sorted(field.entrants, key=order))
        ]

    def _compared(
        self, entrant: VersionId, last: Result | None, field: Field
    ) -> dict[str, Fraction]:
        score = last.scores()[entrant] if last else Fraction(0)
        firsts = last.firsts()[entrant] if last else Fraction(0)
        values = (score, firsts, Fraction(1 + field.seed(entrant)))
        return dict(zip(self.tie_breaks, values, strict=True))


@dataclass(frozen=True, slots=True)
class Groups:
    """Round robins in groups of `size` or a little more, whose `advancing` best play a knockout."""

    size: int = 4
    advancing: int = 2
    tie_breaks: tuple[str, ...] = (DIRECT, OPPONENTS, FIRSTS, SEED)

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the next tables of all groups, or of the knockout when the groups are over."""
        check(field)
        number = field.rounds
        meetings = [
            replace(meeting, round=number, stage=name)
            for name, part in self._parts(field)
            for meeting in RoundRobin().next_round(part)
        ]
        if meetings:
            return meetings
        knockout = self._knockout(field)
        return [replace(meeting, round=number) for meeting in Knockout().next_round(knockout)]

    def table(self, field: Field) -> list[Line]:
        """Put those of the knockout first, then the others by place in their group and score."""
        tables = {name: RoundRobin().table(part) for name, part in self._parts(field)}
        begun = any(result.meeting.stage not in tables for result in field.results)
        knockout = self._knockout(field)
        lines = Knockout().table(knockout) if begun else []
        through = {line.entrant for line in lines}
        others = [
            replace(line, reached=name)
            for name, table in tables.items()
            for line in table
            if line.entrant not in through
        ]
        others.sort(key=lambda line: (line.place, -line.score, field.seed(line.entrant)))
        return [replace(line, place=i + 1) for i, line in enumerate([*lines, *others])]

    def _parts(self, field: Field) -> list[tuple[str, Field]]:
        """Return each group's name and past."""
        groups = spread(field.entrants, max(1, len(field.entrants) // self.size))
        names = [f"group {_letters(i)}" for i in range(len(groups))]
        return [(n, field.of_stage(n, group)) for n, group in zip(names, groups, strict=True)]

    def _knockout(self, field: Field) -> Field:
        """Return the past of the knockout, its entrants seeded by their place in the groups."""
        parts = self._parts(field)
        tables = [RoundRobin().table(part) for _, part in parts]
        through = [line for table in tables for line in table[: self.advancing]]
        through.sort(key=lambda line: (line.place, field.seed(line.entrant)))
        names = {name for name, _ in parts}
        results = [result for result in field.results if result.meeting.stage not in names]
        return Field([line.entrant for line in through], field.seats, results)


def spread(entrants: Sequence[VersionId], tables: int) -> list[list[VersionId]]:
    """Deal entrants out to tables, back and forth."""
    groups: list[list[VersionId]] = [[] for _ in range(tables)]
    for i, entrant in enumerate(entrants):
        row, column = divmod(i, tables)
        groups[tables - 1 - column if row % 2 else column].append(entrant)
    return groups


def alive(field: Field) -> list[VersionId]:
    """Return who is left, in the order of the seeds."""
    out: set[VersionId] = set()
    for result in field.results:
        if result.meeting.stage != FINAL:
            out.update(_ordered(result, field)[field.seats // 2 or 1 :])
    return [entrant for entrant in field.entrants if entrant not in out]


def _ordered(result: Result, field: Field) -> list[VersionId]:
    """Return the entrants of a meeting, the best first."""
    scores, firsts = result.scores(), result.firsts()
    return sorted(result.meeting.entrants, key=lambda e: (-scores[e], -firsts[e], field.seed(e)))


def _letters(index: int) -> str:
    """Return A to Z, then AA, AB and so on."""
    high, low = divmod(index, 26)
    return (_letters(high - 1) if high else "") + chr(ord("A") + low)
