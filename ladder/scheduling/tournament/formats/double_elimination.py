"""Double elimination: a bot is out after its second elimination.

The *winners' bracket* is that of a knockout. Those eliminated there drop into the *losers'
bracket*, where the next elimination is the last. The winners' bracket ends with as many as go on
from a table, and the losers' bracket plays until all who are left fit on one table, the final. All
but the winner of the final are eliminated there, and those who are left play it again, until one is
left.

The winners' bracket plays the first round, the second, and then every other one, so that those who
dropped play those who had dropped before. The losers' bracket has as few tables as possible, but
keeps as many as are left in the winners' bracket: at tables of two it has byes only until its size
is a power of two. Its tables are dealt by slot, and bots change places as far as fewer meet again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, permutations

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats import circles
from ladder.scheduling.tournament.formats.apart import Apart, Pair, Weights, pairs_at, weighed
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
    Slots,
    Tables,
    advancing,
    full_final,
    next_size,
    reduced,
)
from ladder.scheduling.tournament.formats.deciding import Decider, TableDecision
from ladder.scheduling.tournament.formats.elimination import TIE_BREAKS, elimination_table
from ladder.scheduling.tournament.formats.knockout import draw_of
from ladder.scheduling.tournament.formats.pairing import Group, parted

BRACKETS = {
    StageKind.WINNERS: "winners' bracket",
    StageKind.LOSERS: "losers' bracket",
    StageKind.FINAL: FINAL,
}
"""Their names."""
_STAGES = {StageKind.WINNERS: "winners' round", StageKind.LOSERS: "losers' round"}
_FINALS = (FINAL, "second final", "third final")
"""There is a third final if two came to the first without an elimination, one of them won it, and
the other won the second."""


@dataclass(frozen=True, slots=True)
class _Bracket:
    """The tables of a bracket in a round."""

    kind: StageKind
    tables: Tables
    meetings: Sequence[Meeting]


@dataclass(frozen=True, slots=True)
class _Round:
    """A round, or the end, when one entrant is left."""

    number: int
    winners: Slots
    """Those who had not been eliminated before."""
    losers: Slots
    """Those who had been eliminated once."""
    brackets: Sequence[_Bracket]
    """Those that play; none at the end."""

    @property
    def meetings(self) -> list[Meeting]:
        """The meetings, in the order of the tables."""
        return [meeting for bracket in self.brackets for meeting in bracket.meetings]

    @property
    def byes(self) -> list[VersionId]:
        """Those without a table in a bracket that plays."""
        return [entrant for bracket in self.brackets for entrant in bracket.tables.byes]

    def eliminations(self, entrant: VersionId) -> int:
        """Return how often an entrant had been eliminated before."""
        return 0 if entrant in self.winners else 1 if entrant in self.losers else 2


@dataclass(frozen=True, slots=True)
class DoubleElimination:
    """The double elimination format."""

    decider: Decider = Decider()  # noqa: RUF009 -- it is frozen
    tie_breaks: tuple[str, ...] = TIE_BREAKS
    has_winner: bool = True

    def play_on(self, field: Field) -> list[Meeting]:
        """Return the meetings of the last round that need another deal."""
        last = [result for result in field.results if result.meeting.round == field.rounds - 1]
        return [r.meeting for r in last if self.decision(r, field.seats) is None]

    def decision(self, result: MeetingResult, seats: int) -> TableDecision | None:
        """Return who goes on from a table, or wins a final; None if the table plays on."""
        if self.decider.plays_on(result, _going_on(result.meeting, seats)):
            return None
        return self._decide(result, seats)

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the meetings of both brackets, or the final."""
        check(field)
        played = {result.meeting for result in field.results}
        return [m for m in self._rounds(field)[-1].meetings if m not in played]

    def resting(self, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
        """Return the entrants with a bye; a bracket that does not play the round gives none."""
        return self._rounds(field)[meetings[0].round].byes

    def table(self, field: Field) -> list[Line]:
        """Order by the round of the second elimination, then by that round's tie-breaks."""
        rounds = self._rounds(field)
        return elimination_table(
            field,
            field.entrants,
            rounds[-1].eliminations,
            [entrant for r in rounds if r.number < field.rounds for entrant in r.byes],
            lambda result: self._decide(result, field.seats),
            shared_places=True,
        )

    def eliminations(self, field: Field, entrant: VersionId) -> int:
        """Return how often an entrant has been eliminated so far."""
        return self._rounds(field)[-1].eliminations(entrant)

    def _decide(self, result: MeetingResult, seats: int) -> TableDecision:
        return self.decider.decide(result, _going_on(result.meeting, seats))

    def _rounds(self, field: Field) -> list[_Round]:
        """Return all rounds so far, including the next one or the end."""
        results = {result.meeting: result for result in field.results}
        before = circles.Before()
        met = Counter[Pair]()
        made: list[_Round] = []
        winners = draw_of(tuple(field.entrants), field.seats, field.apart).slots
        losers: Slots = ()
        while True:
            brackets = [
                _Bracket(kind, tables, _meetings(kind, tables, made, before))
                for kind, tables in _due(len(made), winners, losers, field, met)
            ]
            made.append(_Round(len(made), winners, losers, brackets))
            meetings = made[-1].meetings
            if not meetings or not all(meeting in results for meeting in meetings):
                return made
            met.update(pair for m in meetings for pair in permutations(m.entrants, 2))
            dropped: Slots = ()
            for bracket in brackets:
                decided = [self._decide(results[m], field.seats) for m in bracket.meetings]
                on, out = [d.on for d in decided], [d.out for d in decided]
                if bracket.kind is StageKind.WINNERS:
                    winners, dropped = bracket.tables.after(on), bracket.tables.dropped(out)
                elif bracket.kind is StageKind.LOSERS:
                    losers = bracket.tables.after(on)
                else:
                    dropped = [e for e in out[0] if e in winners]
                    winners, losers = [[e for e in on[0] if e in of] for of in (winners, losers)]
            losers = [*dropped, *losers]


def _meetings(
    kind: StageKind, tables: Tables, before: Sequence[_Round], neighbours: circles.Before
) -> list[Meeting]:
    """Return the meetings of a bracket in the round after those before."""
    played = sum(bracket.kind is kind for r in before for bracket in r.brackets)
    stage = _FINALS[played] if kind is StageKind.FINAL else f"{_STAGES[kind]} {played + 1}"
    return [
        Meeting(len(before), circles.seated(table, neighbours), stage, kind)
        for table in tables.tables
    ]


def _due(
    number: int, winners: Slots, losers: Slots, field: Field, met: Mapping[Pair, int]
) -> Iterator[tuple[StageKind, Tables]]:
    """Yield the tables of each bracket that plays a round, numbered from 0."""
    seats = field.seats
    if len(winners) + len(losers) <= seats:
        if len(winners) + len(losers) > 1:
            yield StageKind.FINAL, Tables((), [[*winners, *losers]], 1)
        return
    on, size = advancing(seats), len(winners)
    if size > on and (number == 0 or number % 2):
        size = next_size(size, seats) if size > full_final(seats) else on
        weights = draw_of(tuple(field.entrants), seats, field.apart).weights
        yield StageKind.WINNERS, reduced(winners, seats, size, weights)
    left = max(size, full_final(seats) - on, on * -(-len(losers) // seats))
    if left < len(losers):
        dealt = reduced(losers, seats, left, Weights({}))
        yield StageKind.LOSERS, _without_rematches(dealt, met, field.apart)


def _without_rematches(dealt: Tables, met: Mapping[Pair, int], apart: Apart) -> Tables:
    """Return tables after swaps, also of byes, so that as few as possible meet again."""
    tables = (*map(tuple, dealt.tables), *((entrant,) for entrant in reversed(dealt.byes)))
    again = frozenset(pair for pair in permutations(chain(*tables), 2) if pair in met)
    found = _parted(tables, again, apart.fellows)
    byes = [entrant for table in reversed(found) if len(table) == 1 for entrant in table]
    return Tables(byes, [table for table in found if len(table) > 1], dealt.going_on)


@lru_cache(maxsize=64)  # each look at a tournament works out all its rounds
def _parted(
    tables: Sequence[Group], again: frozenset[Pair], fellows: frozenset[Pair]
) -> Sequence[Group]:
    there = [*chain(*tables)]
    return parted(tables, weighed(there, pairs_at(map(len, tables)), again, fellows=fellows))


def _going_on(meeting: Meeting, seats: int) -> int:
    """Return how many go on from a table; in a final, one winner."""
    return 1 if meeting.kind is StageKind.FINAL else advancing(seats)
