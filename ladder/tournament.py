"""A tournament as a ladder plays it: meetings become blocks, and finished blocks its results.

What is played next follows from the plan and from the results of the rounds before, so nothing but
the plan is stored of a tournament: its meetings are worked out again from the matches, as often as
one looks. Round r of the format is round r of the ladder; the blocks of a round are those of its
meetings in order, so many deals of each after each other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from ladder.errors import SettingsError
from ladder.models import MatchLine, MatchState
from ladder.planning import Block, Seating, rotations
from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Format, Line, Meeting, Result
from ladder.scheduling.tournaments.knockout import Groups, Knockout
from ladder.scheduling.tournaments.round_robin import Gauntlet, RoundRobin
from ladder.scheduling.tournaments.swiss import Swiss
from ladder.store import bots, match_lines
from ladder.store.database import Transaction


class Kind(StrEnum):
    """The formats, as they are called on the command line."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    GAUNTLET = "gauntlet"
    KNOCKOUT = "knockout"
    GROUPS = "groups"


@dataclass(frozen=True, slots=True)
class Plan:
    """What was agreed before the first match."""

    kind: Kind
    entrants: tuple[VersionId, ...]
    """In the order of their seeds, the first seed first."""
    rounds: int | None = None
    """Of a Swiss tournament, or how often a round robin or a gauntlet is played; None: as usual."""
    group_size: int | None = None
    """Entrants in a group, or a few more; None: as usual."""
    advancing: int | None = None
    """How many of each group go on; None: as usual."""
    deals: int = 1
    """With how many deals each meeting is played, each over all rotations of the seats."""

    def form(self) -> Format:
        """Return the rules; raise `SettingsError` if a number is not for this format."""
        unused = {
            "--rounds": self.rounds if self.kind in (Kind.KNOCKOUT, Kind.GROUPS) else None,
            "--group-size": self.group_size if self.kind is not Kind.GROUPS else None,
            "--advancing": self.advancing if self.kind is not Kind.GROUPS else None,
        }
        for option, value in unused.items():
            if value is not None:
                raise SettingsError(f"{option} is not for the format {self.kind}")
        return _FORMS[self.kind](self)


def _groups(plan: Plan) -> Format:
    usual = Groups()
    size, advancing = plan.group_size or usual.size, plan.advancing or usual.advancing
    if advancing >= size:
        raise SettingsError(f"{advancing} of a group of {size} cannot go on: nobody would be out")
    return Groups(size=size, advancing=advancing)


_FORMS: Mapping[Kind, Callable[[Plan], Format]] = {
    Kind.ROUND_ROBIN: lambda plan: RoundRobin(cycles=plan.rounds or 1),
    Kind.SWISS: lambda plan: Swiss(rounds=plan.rounds),
    Kind.GAUNTLET: lambda plan: Gauntlet(cycles=plan.rounds or 1),
    Kind.KNOCKOUT: lambda _: Knockout(),
    Kind.GROUPS: _groups,
}


@dataclass(frozen=True, slots=True)
class Course:
    """How far a tournament is."""

    field: Field
    """The results of the rounds that are over."""
    void: frozenset[Meeting]
    """Meetings without a result, which count as if all had been equal."""
    pending: Sequence[Meeting]
    """The meetings of the round that is next, or being played; none when it is over."""
    lines: Sequence[Line]
    """The table by the results so far."""

    @property
    def over(self) -> bool:
        """Whether all is played."""
        return not self.pending


Blocks = Sequence[Sequence[MatchLine]]
"""The blocks of a round in order, each with all its matches."""


def course(plan: Plan, seats: int, rounds: Sequence[Blocks]) -> Course:
    """Work out how a tournament stands from the rounds that the ladder has stored, in order."""
    form = plan.form()
    results: list[Result] = []
    void: set[Meeting] = set()
    pending = form.next_round(Field(plan.entrants, seats))
    for blocks in rounds:
        if any(is_open(match) for block in blocks for match in block):
            break
        for i, meeting in enumerate(pending):
            deals = blocks[i * plan.deals : (i + 1) * plan.deals]
            result = result_of(meeting, deals)
            if result is None:
                void.add(meeting)
                result = Result(meeting, (tuple(1 for _ in meeting.entrants),))
            results.append(result)
        pending = form.next_round(Field(plan.entrants, seats, results))
    field = Field(plan.entrants, seats, results)
    return Course(field, frozenset(void), pending, form.table(field))


def result_of(meeting: Meeting, blocks: Blocks) -> Result | None:
    """Return the result of a meeting by its complete blocks; None if none is complete."""
    complete = [b for b in blocks if b and all(m.state is MatchState.DONE for m in b)]
    ranks = tuple(_ranks(meeting, match) for block in complete for match in block)
    return Result(meeting, ranks) if ranks else None


def _ranks(meeting: Meeting, match: MatchLine) -> tuple[int, ...]:
    """Return the places of the entrants among themselves, in their order.

    The stand-in is left out. Who forfeited is behind all who did not, and has no order among those
    that forfeited too.
    """
    order = {
        seat.version.id: (seat.result.forfeit is not None, 0 if seat.result.forfeit else rank)
        for seat in match.seats
        if seat.version and seat.result and (rank := seat.result.rank)
    }
    return tuple(1 + sum(o < order[e] for o in order.values()) for e in meeting.entrants)


def is_open(match: MatchLine) -> bool:
    """Say whether a match has still to be played."""
    return match.state not in (MatchState.DONE, MatchState.VOID)


class TournamentPlanner:
    """Plans the rounds of a tournament, each when the one before is over."""

    def __init__(self, plan: Plan, seats: int) -> None:
        """Plan for tables of so many seats."""
        self._plan = plan
        self._seats = seats
        self._course = course(plan, seats, [])

    def plan(self, tx: Transaction) -> Sequence[Block] | None:
        """Return the blocks of the next round; nothing while one is played, None at the end."""
        rounds = stored_rounds(tx, self._seats)
        self._course = course(self._plan, self._seats, rounds)
        if self._course.over:
            return None
        if len(rounds) > self._course.field.rounds:
            return ()
        return [
            rotations(seated(meeting, self._seats))
            for meeting in self._course.pending
            for _ in range(self._plan.deals)
        ]

    def settled(self) -> str:
        """Return how far it is."""
        if self._course.over:
            return "the tournament is over"
        stages = dict.fromkeys(meeting.stage for meeting in self._course.pending if meeting.stage)
        return ", ".join([f"round {self._course.field.rounds + 1}", *stages])

    def ahead(self) -> int | None:
        """Return 0 if it is over; else None, as a round is planned when the one before is over."""
        return 0 if self._course.over else None


def seated(meeting: Meeting, seats: int) -> Seating:
    """Return the first seating of a meeting; a block has all its rotations."""
    return (*meeting.entrants, *[None] * (seats - len(meeting.entrants)))


def stored_rounds(tx: Transaction, size: int) -> list[Blocks]:
    """Return what the ladder has stored, by round and block of `size` matches, in order."""
    return rounds_of(match_lines.from_round(tx, bots.all_versions(tx), 0), size)


def rounds_of(lines: Sequence[MatchLine], size: int) -> list[Blocks]:
    """Return matches, which are in order, by round and block of `size` matches."""
    rounds = [list(group) for _, group in groupby(lines, key=lambda match: match.round)]
    return [[lines[i : i + size] for i in range(0, len(lines), size)] for lines in rounds]
