"""Knockout: losers are eliminated until one table is left.

`bracket` decides who meets whom, and `deciding` who goes on from a table. At tables of two the
losers of the semi-finals play for third place in the round of the final.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats import circles
from ladder.scheduling.tournament.formats.apart import Apart, Weights, pairs_at, weighed
from ladder.scheduling.tournament.formats.base import (
    Field,
    Line,
    Meeting,
    MeetingResult,
    StageKind,
    check,
)
from ladder.scheduling.tournament.formats.bracket import (
    FINAL,
    THIRD,
    Slots,
    Tables,
    advancing,
    drawn,
    slots_by_seed,
)
from ladder.scheduling.tournament.formats.deciding import Decider, TableDecision
from ladder.scheduling.tournament.formats.elimination import TIE_BREAKS, elimination_table


@dataclass(frozen=True, slots=True)
class Draw:
    """The entrants of a knockout, and its first round."""

    slots: Slots
    """The entrants in the order of the bracket."""
    first: int = 0
    """The number of the first round, from 0."""
    weights: Weights = Weights({})  # noqa: RUF009 -- it is frozen
    """How bad it is that two of them meet early."""


@dataclass(frozen=True, slots=True)
class _Round:
    """A round of a knockout."""

    number: int
    stage: str
    tables: Tables
    meetings: Sequence[Meeting]

    @property
    def left(self) -> list[VersionId]:
        """The entrants that play the round or have a bye."""
        return [*self.tables.byes, *(e for table in self.tables.tables for e in table)]


@dataclass(frozen=True, slots=True)
class Knockout:
    """The knockout format."""

    decider: Decider = Decider()  # noqa: RUF009 -- it is frozen
    shared_places: bool = True
    """Whether equals share a place; not in tournaments begun before they could."""
    tie_breaks: tuple[str, ...] = TIE_BREAKS
    has_winner: bool = True

    def play_on(self, field: Field) -> list[Meeting]:
        """Return the meetings of the last round that need another deal."""
        last = [result for result in field.results if result.meeting.round == field.rounds - 1]
        return [result.meeting for result in last if self._is_open(result, field.seats)]

    def decision(self, result: MeetingResult, seats: int) -> TableDecision | None:
        """Return who goes on from a table, or wins the final; None if the table plays on."""
        return None if self._is_open(result, seats) else self._decide(result, seats)

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the meetings of the entrants that are left."""
        check(field)
        return self.next_of(self._draw(field), field)

    def resting(self, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
        """Return the entrants that have a bye; only the first round has any."""
        return self.resting_of(self._draw(field), field, meetings)

    def table(self, field: Field) -> list[Line]:
        """Order by the last round reached, then by that round's tie-breaks."""
        return self.table_of(self._draw(field), field)

    def next_of(self, draw: Draw, field: Field) -> list[Meeting]:
        """Return the next meetings of a draw."""
        rounds = self._rounds(draw, field)
        played = {result.meeting for result in field.results}
        return [m for m in rounds[-1].meetings if m not in played] if rounds else []

    def resting_of(self, draw: Draw, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
        """Return the entrants still in a draw without any such meeting."""
        of_round = [r for r in self._rounds(draw, field) if r.number == meetings[0].round]
        seated = {entrant for meeting in meetings for entrant in meeting.entrants}
        return [e for r in of_round for e in r.left if e not in seated]

    def table_of(self, draw: Draw, field: Field) -> list[Line]:
        """Return the table of a draw."""
        rounds = self._rounds(draw, field)
        byes = [e for r in rounds[:1] if r.number < field.rounds for e in r.tables.byes]
        left = set(rounds[-1].left) if rounds else set()
        return elimination_table(
            field,
            draw.slots,
            lambda e: e not in left,
            byes,
            lambda result: self._decide(result, field.seats),
            shared_places=self.shared_places,
        )

    def _draw(self, field: Field) -> Draw:
        return draw_of(tuple(field.entrants), field.seats, field.apart)

    def _rounds(self, draw: Draw, field: Field) -> list[_Round]:
        """Return all rounds so far, including the next one or the final."""
        results = {result.meeting: result for result in field.results}
        before = circles.Before()
        made: list[_Round] = []
        slots, number, losers = draw.slots, draw.first, list[VersionId]()
        while slots:
            tables = drawn(slots, field.seats, draw.weights)
            last = len(slots) <= field.seats
            stage = FINAL if last else f"round of {len(slots)}"
            groups = [(table, stage) for table in tables.tables]
            if last and field.seats == len(losers) == 2:  # noqa: PLR2004 - of two tables of two
                groups.append((losers, THIRD))
            meetings = [
                Meeting(number, circles.seated(own, before), name, StageKind.KNOCKOUT)
                for own, name in groups
            ]
            made.append(_Round(number, stage, tables, meetings))
            if last or not all(meeting in results for meeting in meetings):
                break
            decided = [self._decide(results[meeting], field.seats) for meeting in meetings]
            slots = tables.after([decision.on for decision in decided])
            losers = [entrant for decision in decided for entrant in decision.out]
            number += 1
        return made

    def _is_open(self, result: MeetingResult, seats: int) -> bool:
        return self.decider.plays_on(result, _going_on(result.meeting.stage, seats))

    def _decide(self, result: MeetingResult, seats: int) -> TableDecision:
        return self.decider.decide(result, _going_on(result.meeting.stage, seats))


@lru_cache(maxsize=8)
def draw_of(entrants: tuple[VersionId, ...], seats: int, apart: Apart) -> Draw:
    """Return the draw of entrants in seed order: the bracket is made once."""
    weights = weighed(entrants, pairs_at([len(entrants)]), fellows=apart.fellows)
    return Draw(slots_by_seed(entrants, seats, weights), weights=weights)


def _going_on(stage: str, seats: int) -> int:
    """Return how many go on from a table; in the final, one winner."""
    return 1 if stage in (FINAL, THIRD) else advancing(seats)
