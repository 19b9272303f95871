"""Reconstructs the progress of a tournament from the ladder's rounds, one by one.

The director's decisions apply to rounds planned after them, so a planned round is reconstructed as
it was. An entrant that was withdrawn or disqualified is *gone*:

- In a Swiss tournament only the others are paired, without those that asked for a bye. A late
  entrant joins them, and each round that it missed is a bye. The plan says what such byes score.
- In the other formats its meetings stay in the schedule. The others at the table play them, and it
  is behind them in every match, as if it had forfeited. If fewer than two others are left, it is
  not played: a walkover.
- If it has played less than half of a round robin, none of its meetings count; otherwise all count,
  and the meetings that it misses are lost (FIDE Tournament Rules, Handbook C.06, articles 5.4 and
  5.5).

A departure that is taken back before a round is planned by it has never been. Later, the entrant
returns: it plays from the next planned round on, its results count again, meetings played without
it stay lost, and rounds of a Swiss that it missed are byes without points.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from ladder.model.directives import BYES, Directive, DirectiveKind
from ladder.model.pairing import Block, rotations
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats import circles
from ladder.scheduling.tournament.formats.apart import Apart, Pair
from ladder.scheduling.tournament.formats.base import (
    BYE,
    Field,
    Line,
    Meeting,
    MeetingResult,
    StageKind,
    places,
)
from ladder.scheduling.tournament.formats.double_elimination import DoubleElimination
from ladder.scheduling.tournament.formats.groups import Groups
from ladder.scheduling.tournament.formats.knockout import Knockout
from ladder.scheduling.tournament.formats.round_robin import RoundRobin
from ladder.scheduling.tournament.formats.swiss import Swiss, rounds_needed
from ladder.scheduling.tournament.meeting_results import Blocks, Deal, is_open, level, result_of

if TYPE_CHECKING:
    from ladder.scheduling.tournament.planner import TournamentPlan


@dataclass(frozen=True, slots=True)
class Departure:
    """The departure of an entrant."""

    round: int
    """The first round of the tournament, from 0, without it."""
    disqualified: bool
    why: str | None
    counted: bool = True
    """Whether its results count."""
    before: "Departure | None" = None
    """The withdrawal of an entrant that was disqualified later."""


class Reconstruction:
    """The state of a tournament after some rounds of the ladder."""

    def __init__(self, plan: "TournamentPlan", seats: int, directives: Sequence[Directive]) -> None:
        """Begin before the first round."""
        self._plan = plan
        self._seats = seats
        self._form = plan.form()
        self._unapplied = list(directives)
        self._entrants = list(plan.entrants)
        self._fellows = plan.pairs_apart().fellows
        self._forbidden: set[Pair] = set()
        """The pairs that may not meet now, in both orders."""
        self._results: dict[Meeting, MeetingResult] = {}
        self._deals: dict[Meeting, list[Deal]] = {}
        self._sudden_death: dict[Meeting, list[Deal]] = {}
        self._left_out: dict[Meeting, frozenset[VersionId]] = {}
        self.gone: dict[VersionId, Departure] = {}
        self.missed: dict[VersionId, list[int]] = {}
        """The rounds, from 0, that entrants missed before they returned."""
        self.late: dict[VersionId, int] = {}
        """The late entrants, with the number of rounds they missed."""
        self.byes: dict[tuple[int, VersionId], Fraction] = {}
        """The points of byes that the pairing does not choose, by round, from 0, and entrant."""
        self.applied: dict[Directive, int] = {}
        """The round, from 0, without a bot that left, with a late or returned one, or of a bye."""
        self.annulled: dict[str, Directive] = {}
        """The annulled matches, by id."""
        self.void: set[Meeting] = set()
        self.blocks: dict[Meeting, list[tuple[int, int]]] = {}
        self.begun = 0
        self.round: Sequence[Meeting] = ()
        """The meetings of the current or next round."""
        self.plays_on = False
        self.unpaired: Sequence[Pair] = ()
        """The forbidden pairs that would meet in the next round, which therefore is not played."""
        self._settle()

    @property
    def absent(self) -> frozenset[VersionId]:
        """The entrants that left before the current or next round."""
        return frozenset(self.gone)

    @property
    def pending(self) -> list[Meeting]:
        """The meetings of that round without walkovers."""
        return [meeting for meeting in self.round if not self._is_walkover(meeting)]

    def due(self) -> list[Block]:
        """Return the blocks of the current or next round: the deals of each pending meeting.

        Absent entrants leave no empty seat: the game is played by fewer.
        """
        deals = 1 if self.plays_on else self._plan.deals
        found = []
        for meeting in self.pending:
            there = tuple(entrant for entrant in meeting.entrants if entrant not in self.gone)
            played = len(self.blocks.get(meeting, ()))
            found += [rotations(circles.of_deal(there, played + i)) for i in range(deals)]
        return found

    def field(self) -> Field:
        """Return the field with the results of the finished rounds."""
        rounds = {entrant: departure.round for entrant, departure in self.gone.items()}
        results = list(self._results.values())
        return Field(
            self._entrants,
            self._seats,
            results,
            rounds,
            given_byes={**self.byes},
            apart=Apart(self._fellows, frozenset(self._forbidden)),
        )

    def add_round(self, blocks: Blocks) -> None:
        """Add a finished round of the ladder, which is what is due, and determine the next."""
        self.begun += 1
        deals = 1 if self.plays_on else self._plan.deals
        for i, meeting in enumerate(self.pending):
            own = range(i * deals, (i + 1) * deals)
            self.blocks.setdefault(meeting, []).extend((self.begun, block) for block in own)
            for block in own:
                self._record(meeting, Deal(blocks[block]))
        self._finish_round()
        self._settle()

    def apply_all(self) -> None:
        """Apply the decisions since the last planned round to the table."""
        under_way = [] if self.plays_on else self.round
        for meeting in under_way:
            self._left_out.setdefault(meeting, self.absent & {*meeting.entrants})
        self._apply([*self._unapplied], self.field().rounds + bool(under_way), under_way)

    def table(self, field: Field) -> list[Line]:
        """Return the table: entrants that do not count are behind, disqualified ones last."""
        return placed(self._form.table(field), self.gone)

    def live(self, pending: Sequence[Meeting], blocks: Blocks) -> Field | None:
        """Return the field with these meetings as far as they are played; None before a result.

        `pending` are the meetings of the round under way, and `blocks` its blocks. A meeting counts
        by its deals that are over, as if it had no others; one that eliminates once it is over. An
        entrant whose meeting does not count yet has no bye in the round.
        """
        deals = self._plan.deals
        over: list[MeetingResult] = []
        waiting: dict[VersionId, int] = {}
        field = self.field()
        for i, meeting in enumerate(pending):
            own = [Deal(block) for block in blocks[i * deals : (i + 1) * deals]]
            is_over = not any(is_open(match) for deal in own for match in deal.matches)
            counts = is_over or not meeting.kind.eliminates
            result = result_of(meeting, own, annulled=self.annulled) if counts else None
            if result is None:
                waiting.update(dict.fromkeys(meeting.entrants, field.rounds))
            else:
                over.append(result)
        if self.plays_on or not over:
            return None
        results = [*field.results, *over]
        return replace(field, results=results, waiting=waiting)

    def _settle(self) -> None:
        """Advance to the next round with meetings to play, past walkovers."""
        while True:
            self._apply(
                [d for d in self._unapplied if d.after_round <= self.begun], self.field().rounds
            )
            field = self.field()
            self.round = self._form.play_on(field)
            self.plays_on = bool(self.round)
            self.round = self.round or self._next_round(field)
            if not all(meeting.kind.eliminates for meeting in self.round):
                self.unpaired = field.apart.forbidden_at([m.entrants for m in self.round])
                self.round = () if self.unpaired else self.round
            if self.pending or not self.round:
                return
            self._finish_round()

    def _next_round(self, field: Field) -> Sequence[Meeting]:
        if not isinstance(self._form, Swiss) or not (self.gone or self.late or self.byes):
            return self._form.next_round(field)
        there = [entrant for entrant in self._entrants if entrant not in field.withdrawn]
        if len(there) < 2:  # noqa: PLR2004 - a meeting needs two
            return []
        if len(field.pairable(field.rounds)) < 2:  # noqa: PLR2004 - too few to play: byes lapse
            self.byes = {bye: p for bye, p in self.byes.items() if bye[0] != field.rounds}
            field = self.field()
        rounds = self._form.rounds or rounds_needed(len(self._plan.entrants), self._seats)
        return replace(self._form, rounds=rounds).next_round(replace(field, entrants=there))

    def _is_walkover(self, meeting: Meeting) -> bool:
        return sum(entrant not in self.gone for entrant in meeting.entrants) < 2  # noqa: PLR2004

    def _record(self, meeting: Meeting, deal: Deal) -> None:
        """Record a deal of a meeting of this round."""
        kind = self._sudden_death if self.plays_on else self._deals
        kind.setdefault(meeting, []).append(deal)
        self._left_out.setdefault(meeting, self.absent & {*meeting.entrants})

    def _finish_round(self) -> None:
        for meeting in self.round:
            if self._is_walkover(meeting):
                self._record(meeting, Deal((), self.absent))
            self._results[meeting] = self._result(meeting)

    def _result(self, meeting: Meeting) -> MeetingResult:
        sudden_death = self._sudden_death.get(meeting, [])
        found = result_of(meeting, self._deals[meeting], sudden_death, self.annulled)
        self.void.discard(meeting)
        if found is None:
            self.void.add(meeting)
            found = level(meeting, self._left_out[meeting], sudden_death, self.annulled)
        return replace(found, uncounted=self._uncounted(meeting))

    def _apply(
        self, directives: Sequence[Directive], rounds: int, under_way: Sequence[Meeting] = ()
    ) -> None:
        """Apply decisions from round `rounds` on; `under_way` are the meetings being played."""
        for directive in directives:
            self._unapplied.remove(directive)
            retracts = directive.kind is DirectiveKind.RETRACT
            if directive.match_id is not None:
                self.annulled.pop(directive.match_id, None)
                if not retracts:
                    self.annulled[directive.match_id] = directive
            elif directive.version is None:
                continue
            elif directive.other is not None:
                pair = directive.version, directive.other
                change = self._forbidden.difference_update if retracts else self._forbidden.update
                change({pair, pair[::-1]})
                self.applied[directive] = rounds
            elif directive.kind is DirectiveKind.ENTER:
                self._entrants.append(directive.version)
                self.late[directive.version] = rounds
                self.byes |= self._missed(directive.version, rounds)
                self.applied[directive] = rounds
            elif retracts:
                self._take_back(directive.version, directive, rounds)
            elif directive.kind in BYES:
                number = (directive.round or 1) - 1
                half = directive.kind is DirectiveKind.HALF_BYE
                self.byes[number, directive.version] = BYE if half else Fraction(0)
                self.applied[directive] = number
            else:
                self._leave(directive.version, directive, rounds, under_way)
        if directives:
            self._results = {meeting: self._result(meeting) for meeting in self._results}

    def _missed(self, entrant: VersionId, rounds: int) -> dict[tuple[int, VersionId], Fraction]:
        """Return the points of the byes of a late entrant for the rounds that it missed."""
        if (half := self._plan.half_if_late) is None:
            return {}  # as if the pairing had chosen them
        return {(n, entrant): BYE if n < half else Fraction(0) for n in range(rounds)}

    def _leave(
        self,
        entrant: VersionId,
        directive: Directive,
        rounds: int,
        under_way: Sequence[Meeting],
    ) -> None:
        """Record a departure; a withdrawn entrant may be disqualified later."""
        before = self.gone.get(entrant)
        self.gone[entrant] = Departure(
            before.round if before else rounds,
            directive.kind is DirectiveKind.DISQUALIFY,
            directive.why,
            before.counted if before else self._plays_half(entrant, under_way),
            before,
        )
        self.applied[directive] = self.gone[entrant].round

    def _take_back(self, entrant: VersionId, directive: Directive, rounds: int) -> None:
        """Undo the last departure of an entrant; without an earlier one, it returns."""
        departure = self.gone.pop(entrant)
        if departure.before is not None:
            self.gone[entrant] = departure.before
            return
        missed = range(departure.round, rounds)
        self.missed.setdefault(entrant, []).extend(missed)
        self.byes |= {(number, entrant): Fraction(0) for number in missed}
        self.applied[directive] = rounds

    def _plays_half(self, entrant: VersionId, under_way: Sequence[Meeting]) -> bool:
        """Return whether an entrant's results count: in a round robin, if it has played half."""
        meetings = [m for m in _of_round_robin(self._plan, self._seats) if entrant in m.entrants]
        stages = {meeting.stage for meeting in meetings}
        begun = [*self._results, *under_way]
        there = [m for m in begun if entrant not in self._left_out.get(m, ())]
        played = [m for m in there if entrant in m.entrants and m.stage in stages]
        return not meetings or 2 * len(played) >= len(meetings)

    def _uncounted(self, meeting: Meeting) -> frozenset[VersionId]:
        without = {entrant for entrant, departure in self.gone.items() if not departure.counted}
        return frozenset(without & {*meeting.entrants})


def placed(lines: Sequence[Line], gone: Mapping[VersionId, Departure]) -> list[Line]:
    """Place entrants that do not count behind all others, and disqualified ones last."""

    def class_of(line: Line) -> tuple[bool, bool]:
        departure = gone.get(line.entrant)
        if departure is None:
            return (False, False)
        return (departure.disqualified, not departure.counted)

    ordered = sorted(lines, key=class_of)
    of_each = places([(class_of(line), line.place) for line in ordered], shared=True)
    return [replace(line, place=place) for line, place in zip(ordered, of_each, strict=True)]


def in_force(plan: "TournamentPlan", directives: Sequence[Directive]) -> list[Directive]:
    """Return the decisions by which rounds were or will be planned.

    First come the pairs that were forbidden when the tournament began. Decisions taken back before
    a round was planned by them are left out, with their retractions.
    """
    found = [
        Directive(DirectiveKind.FORBID, _AT_CREATION, version=one, other=other)
        for one, other in plan.forbidden
    ]
    for directive in directives:
        if directive.kind is not DirectiveKind.RETRACT:
            found.append(directive)
        elif (last := _about_the_same(_standing(found), directive)) is not None:
            if last.after_round < directive.after_round and last.kind not in BYES:
                found.append(directive)
            else:
                found.remove(last)
    return found


def last_about(
    directives: Sequence[Directive], versions: Collection[VersionId], match_id: str | None
) -> Directive | None:
    """Return the last decision about a bot, a pair or a match that can be retracted, if any."""
    standing = _standing(directives)
    if versions:
        about = [each for each in standing if {each.version, each.other}.issuperset(versions)]
    else:
        about = [each for each in standing if each.match_id == match_id]
    return about[-1] if about else None


_AT_CREATION = -1
"""Where a decision was taken before the first one of the director."""
_RETRACTABLE = (
    DirectiveKind.WITHDRAW,
    DirectiveKind.DISQUALIFY,
    DirectiveKind.ANNUL,
    DirectiveKind.FORBID,
    *BYES,
)


def _standing(directives: Sequence[Directive]) -> list[Directive]:
    """Return the decisions that can be retracted and have not been."""
    found: list[Directive] = []
    for directive in directives:
        if directive.kind in _RETRACTABLE:
            found.append(directive)
        elif directive.kind is DirectiveKind.RETRACT:
            last = _about_the_same(found, directive)
            found = [each for each in found if each is not last]
    return found


def _about_the_same(directives: Sequence[Directive], retraction: Directive) -> Directive | None:
    """Return the last of these decisions about what a retraction is about."""

    def about(each: Directive) -> tuple[object, ...]:
        return each.version, each.other, each.match_id

    same = [each for each in directives if about(each) == about(retraction)]
    return same[-1] if same else None


def fixed_rounds(plan: "TournamentPlan", seats: int) -> Mapping[int, Sequence[Meeting]]:
    """Return the meetings that are fixed before the first match, by round, from 0."""
    found: dict[int, list[Meeting]] = {}
    for meeting in _fixed(plan, seats):
        found.setdefault(meeting.round, []).append(meeting)
    return found


def rounds_in_all(plan: "TournamentPlan", seats: int) -> int | None:
    """Return the number of a tournament's rounds; None if it depends on results."""
    form = plan.form()
    if isinstance(form, Swiss):
        return form.rounds or rounds_needed(len(plan.entrants), seats)
    if isinstance(form, Knockout):
        return (len(plan.entrants) - 1).bit_length() if seats == 2 else None  # noqa: PLR2004 - pairs
    if isinstance(form, DoubleElimination | Groups):
        return None
    return len(fixed_rounds(plan, seats))


def _of_round_robin(plan: "TournamentPlan", seats: int) -> Sequence[Meeting]:
    """Return all meetings of a round robin, or of the groups' round robins."""
    return _fixed(plan, seats) if isinstance(plan.form(), RoundRobin | Groups) else ()


@lru_cache(maxsize=8)
def _fixed(plan: "TournamentPlan", seats: int) -> Sequence[Meeting]:
    """Return the meetings that depend only on the seeds."""
    form, apart, results = plan.form(), plan.pairs_apart(), list[MeetingResult]()
    while True:
        meetings = form.next_round(Field(plan.entrants, seats, results, apart=apart))
        by_play = isinstance(form, Swiss | Knockout | DoubleElimination) and bool(results)
        after_groups = isinstance(form, Groups) and any(
            meeting.kind is StageKind.KNOCKOUT for meeting in meetings
        )
        if not meetings or by_play or after_groups:
            return [result.meeting for result in results]
        results += [level(meeting) for meeting in meetings]
