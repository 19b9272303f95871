"""A tournament as a ladder plays it: meetings become blocks, and finished blocks its results.

What is played next follows from the plan and from the results of the rounds before, so nothing but
the plan is stored of a tournament: its meetings are worked out again from the matches, as often as
one looks. A round of the format is a round of the ladder: its blocks are those of the meetings in
order, so many deals of each after each other. Where meetings play on because they are level, each
deal of that is a further round of the ladder, with one block for each such meeting.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

from ladder.errors import SettingsError
from ladder.models import MatchLine, MatchState
from ladder.planning import Block, Seating, rotations
from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Format, Line, Meeting, Result
from ladder.scheduling.tournaments.deciding import Decider
from ladder.scheduling.tournaments.knockout import Groups, Knockout
from ladder.scheduling.tournaments.round_robin import Gauntlet, RoundRobin
from ladder.scheduling.tournaments.swiss import Swiss

if TYPE_CHECKING:
    from ladder.store.database import Transaction


class Kind(StrEnum):
    """The formats, as they are called on the command line."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    GAUNTLET = "gauntlet"
    KNOCKOUT = "knockout"
    GROUPS = "groups"


class Seeding(StrEnum):
    """How the entrants of a tournament get their seeds."""

    RATING = "rating"
    """The strongest first, as a standing ladder rates them."""
    DRAW = "draw"
    """As chance has it."""
    GIVEN = "given"
    """In the order in which they were named."""


_WITH_KNOCKOUT = (Kind.KNOCKOUT, Kind.GROUPS)


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
    seeding: Seeding = Seeding.GIVEN
    """How the entrants got their seeds."""
    sudden_death: int | None = None
    """Where it is level who goes on, at most so many more deals are played; None: as in tournaments
    that were begun before there was that."""
    draw: str = ""
    """The seed that lots are drawn from."""

    def form(self) -> Format:
        """Return the rules; raise `SettingsError` if a number is not for this format."""
        unused = {
            "--rounds": self.rounds if self.kind in (Kind.KNOCKOUT, Kind.GROUPS) else None,
            "--group-size": self.group_size if self.kind is not Kind.GROUPS else None,
            "--advancing": self.advancing if self.kind is not Kind.GROUPS else None,
            "--sudden-death": None if self.kind in _WITH_KNOCKOUT else self.sudden_death,
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
    return Groups(size=size, advancing=advancing, knockout=_knockout(plan))


def _knockout(plan: Plan) -> Knockout:
    return Knockout(Decider(plan.sudden_death, plan.draw))


_FORMS: Mapping[Kind, Callable[[Plan], Format]] = {
    Kind.ROUND_ROBIN: lambda plan: RoundRobin(cycles=plan.rounds or 1),
    Kind.SWISS: lambda plan: Swiss(rounds=plan.rounds),
    Kind.GAUNTLET: lambda plan: Gauntlet(cycles=plan.rounds or 1),
    Kind.KNOCKOUT: _knockout,
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
    """The meetings that are next, or being played; none when it is over."""
    plays_on: bool
    """Whether these are meetings of the last round that are level: each plays one more deal."""
    blocks: Mapping[Meeting, Sequence[tuple[int, int]]]
    """Where the deals of each meeting are: round of the ladder, from 1, and block, from 0."""
    begun: int
    """How many rounds of the ladder are over."""
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
    results: dict[Meeting, Result] = {}
    where: dict[Meeting, list[tuple[int, int]]] = {}
    void: set[Meeting] = set()
    field = Field(plan.entrants, seats)
    pending, plays_on, begun = form.next_round(field), False, 0
    for number, blocks in enumerate(rounds, start=1):
        if any(is_open(match) for block in blocks for match in block):
            break
        begun, deals = number, (1 if plays_on else plan.deals)
        for i, meeting in enumerate(pending):
            own = range(i * deals, (i + 1) * deals)
            where.setdefault(meeting, []).extend((number, block) for block in own)
            if plays_on:
                results[meeting] = _played_on(results[meeting], blocks[own.start])
                continue
            result = result_of(meeting, [blocks[block] for block in own if block < len(blocks)])
            if result is None:
                void.add(meeting)
            results[meeting] = result or _level(meeting)
        field = Field(plan.entrants, seats, list(results.values()))
        pending = form.play_on(field)
        plays_on = bool(pending)
        if not plays_on:
            pending = form.next_round(field)
    return Course(field, frozenset(void), pending, plays_on, where, begun, form.table(field))


def result_of(meeting: Meeting, blocks: Blocks) -> Result | None:
    """Return the result of a meeting by its complete blocks; None if none is complete."""
    played = [match for block in blocks if _is_complete(block) for match in block]
    if not played:
        return None
    return Result(
        meeting, tuple(_ranks(meeting, m) for m in played), points=_points(meeting, played)
    )


def _played_on(result: Result, block: Sequence[MatchLine]) -> Result:
    """Return a result with one more deal; one that could not be played decides nothing."""
    meeting = result.meeting
    deal = result_of(meeting, [block]) or _level(meeting)
    return replace(
        result,
        sudden_death=(*result.sudden_death, deal.ranks),
        points=(*result.points, *deal.points),
    )


def _is_complete(block: Sequence[MatchLine]) -> bool:
    return bool(block) and all(match.state is MatchState.DONE for match in block)


def _level(meeting: Meeting) -> Result:
    """Return a result by which all are equal."""
    return Result(meeting, (tuple(1 for _ in meeting.entrants),))


def _points(meeting: Meeting, played: Sequence[MatchLine]) -> tuple[tuple[int, ...], ...]:
    """Return the entrants' points, in their order, of the matches in which none of them forfeited.

    After a forfeit chance plays on, so that points tell nothing.
    """
    sums = (
        {s.version.id: s.result for s in match.seats if s.version and s.result} for match in played
    )
    return tuple(
        tuple(of[entrant].points for entrant in meeting.entrants)
        for of in sums
        if not any(result.forfeit for result in of.values())
    )


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

    def plan(self, tx: "Transaction") -> Sequence[Block] | None:
        """Return the blocks of the next round; nothing while one is played, None at the end."""
        rounds = stored_rounds(tx, self._seats)
        self._course = course(self._plan, self._seats, rounds)
        if self._course.over:
            return None
        if len(rounds) > self._course.begun:
            return ()
        deals = 1 if self._course.plays_on else self._plan.deals
        return [
            rotations(seated(meeting, self._seats))
            for meeting in self._course.pending
            for _ in range(deals)
        ]

    def settled(self) -> str:
        """Return how far it is."""
        if self._course.over:
            return "the tournament is over"
        pending = self._course.pending
        stages = dict.fromkeys(meeting.stage for meeting in pending if meeting.stage)
        more = ["sudden death"] if self._course.plays_on else []
        return ", ".join([f"round {pending[0].round + 1}", *stages, *more])

    def ahead(self) -> int | None:
        """Return 0 if it is over; else None, as a round is planned when the one before is over."""
        return 0 if self._course.over else None


def seated(meeting: Meeting, seats: int) -> Seating:
    """Return the first seating of a meeting; a block has all its rotations."""
    return (*meeting.entrants, *[None] * (seats - len(meeting.entrants)))


def stored_rounds(tx: "Transaction", size: int) -> list[Blocks]:
    """Return what the ladder has stored, by round and block of `size` matches, in order."""
    from ladder.store import bots, match_lines  # noqa: PLC0415 - SQLAlchemy is slow to import

    return rounds_of(match_lines.from_round(tx, bots.all_versions(tx), 0), size)


def rounds_of(lines: Sequence[MatchLine], size: int) -> list[Blocks]:
    """Return matches, which are in order, by round and block of `size` matches."""
    rounds = [list(group) for _, group in groupby(lines, key=lambda match: match.round)]
    return [[lines[i : i + size] for i in range(0, len(lines), size)] for lines in rounds]
