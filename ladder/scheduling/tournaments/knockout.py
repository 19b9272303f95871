"""Knockout: of each table the better half goes on, until one table is left.

Of 2 or 3 at a table one goes on, of 4 or 5 two. Each round those who are left are spread over the
tables by seed, back and forth (1 2 3 / 6 5 4 / 7 8 9), so that favourites meet late. If they do not
fill the tables, the best seeds with the fewest byes go on without playing. When all fit on one
table, that is the final. `deciding` says who goes on from a table.

Groups: the seeds are spread over groups in the same way, every group plays a round robin, and the
best of each go into a knockout, seeded by their place in the group, then by their first seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Line, Meeting, Result, Tally, check
from ladder.scheduling.tournaments.deciding import MARGIN, Decider, Decision
from ladder.scheduling.tournaments.round_robin import RoundRobin
from ladder.scheduling.tournaments.tables import DIRECT, FIRSTS, OPPONENTS, SEED

FINAL = "final"


LAST_SCORE = "score of the last round"
TABLE_PLACE = "place at its table"


@dataclass(frozen=True, slots=True)
class Knockout:
    """Losers are out."""

    decider: Decider = Decider()  # noqa: RUF009 -- it is frozen

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """What is compared among those that came equally far, in that order."""
        if self.decider.deals is None:
            return (LAST_SCORE, FIRSTS, SEED)
        return (LAST_SCORE, TABLE_PLACE, MARGIN, SEED)

    def play_on(self, field: Field) -> list[Meeting]:
        """Return the tables of the last round where it is not clear who goes on."""
        last = [result for result in field.results if result.meeting.round == field.rounds - 1]
        return [result.meeting for result in last if self._is_open(result, field)]

    def decision(self, result: Result, field: Field) -> Decision | None:
        """Return who goes on from a table, from the final only the first; None if it plays on."""
        return None if self._is_open(result, field) else self._decide(result, field)

    def alive(self, field: Field) -> list[VersionId]:
        """Return who is left, in the order of the seeds."""
        out: set[VersionId] = set()
        for result in field.results:
            if result.meeting.stage != FINAL and (decision := self.decision(result, field)):
                out.update(decision.out)
        return [entrant for entrant in field.entrants if entrant not in out]

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the tables of those who are left."""
        check(field)
        number = field.rounds
        if any(result.meeting.stage == FINAL for result in field.results):
            return []
        left = self.alive(field)
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
        """Order by how far each came, then by the tie-breaks of the last round."""
        tally = Tally(field)
        by_round = sorted(field.results, key=lambda result: result.meeting.round)
        last = {e: result for result in by_round for e in result.meeting.entrants}
        left = set(self.alive(field))
        compared = {e: self._compared(e, last.get(e), field) for e in field.entrants}

        def order(e: VersionId) -> tuple[object, ...]:
            reached = last[e].meeting.round if e in last else 0
            smaller_first = (TABLE_PLACE, SEED)
            breaks = [v if by in smaller_first else -v for by, v in compared[e].items()]
            return (e not in left, -reached, breaks)

        return [
            Line(
                place=i + 1,
                entrant=e,
                score=Fraction(tally.score[e]),
                meetings=tally.meetings[e],
                byes=tally.byes[e] if e in left else 0,
                reached=last[e].meeting.stage if e in last else "",
                tie_breaks=compared[e],
            )
            for i, e in enumerate(sorted(field.entrants, key=order))
        ]

    def _is_open(self, result: Result, field: Field) -> bool:
        return self.decider.plays_on(result, field, _going_on(result.meeting, field))

    def _compared(
        self, entrant: VersionId, last: Result | None, field: Field
    ) -> dict[str, Fraction]:
        zero = Fraction(0)
        values = {
            LAST_SCORE: last.scores()[entrant] if last else zero,
            FIRSTS: last.firsts()[entrant] if last else zero,
            TABLE_PLACE: self._place(entrant, last, field) if last else zero,
            MARGIN: last.margins()[entrant] if last else zero,
            SEED: Fraction(1 + field.seed(entrant)),
        }
        return {name: values[name] for name in self.tie_breaks}

    def _place(self, entrant: VersionId, last: Result, field: Field) -> Fraction:
        return Fraction(1 + self._decide(last, field).order.index(entrant))

    def _decide(self, result: Result, field: Field) -> Decision:
        return self.decider.decide(result, field, _going_on(result.meeting, field))


@dataclass(frozen=True, slots=True)
class Groups:
    """Round robins in groups of `size` or a little more, whose `advancing` best play a knockout."""

    size: int = 4
    advancing: int = 2
    knockout: Knockout = Knockout()
    tie_breaks: tuple[str, ...] = (DIRECT, OPPONENTS, FIRSTS, SEED)

    def play_on(self, field: Field) -> list[Meeting]:
        """Return the tables of the knockout's last round where it is not clear who goes on."""
        last = self.part_of_knockout(field)
        if field.rounds > last.rounds:
            return []
        return self.knockout.play_on(last)

    def alive(self, field: Field) -> list[VersionId]:
        """Return who is left; all are until the groups are over."""
        if any(RoundRobin().next_round(part) for _, part in self._parts(field)):
            return list(field.entrants)
        return self.knockout.alive(self.part_of_knockout(field))

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
        knockout = self.part_of_knockout(field)
        if len(knockout.entrants) < 2:  # noqa: PLR2004 - the others have withdrawn
            return []
        return [replace(meeting, round=number) for meeting in self.knockout.next_round(knockout)]

    def table(self, field: Field) -> list[Line]:
        """Put those of the knockout first, then the others by place in their group and score."""
        tables = {name: RoundRobin().table(part) for name, part in self._parts(field)}
        begun = any(result.meeting.stage not in tables for result in field.results)
        lines = self.knockout.table(self.part_of_knockout(field)) if begun else []
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

    def part_of_knockout(self, field: Field) -> Field:
        """Return the past of the knockout, its entrants seeded by their place in the groups."""
        parts = self._parts(field)
        tables = [RoundRobin().table(part) for _, part in parts]
        in_groups = 1 + max(
            (r.meeting.round for _, part in parts for r in part.results), default=-1
        )
        playing = set(field.playing(in_groups))
        there = [[line for line in table if line.entrant in playing] for table in tables]
        through = [line for table in there for line in table[: self.advancing]]
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


def _going_on(meeting: Meeting, field: Field) -> int:
    """Return how many go on from a table; who comes first in the final has won."""
    return 1 if meeting.stage == FINAL else max(1, field.seats // 2)


def _letters(index: int) -> str:
    """Return A to Z, then AA, AB and so on."""
    high, low = divmod(index, 26)
    return (_letters(high - 1) if high else "") + chr(ord("A") + low)
