"""What the formats share: meetings, their results, points, and the lines of a table.

A *meeting* is a table that a format wants to be played: once, as a block of rotations, or as often
as one likes. Where a field does not fill its tables some have fewer entrants, and are played as
games for fewer: nobody sits there by chance. In each match an entrant *scores* the share of the
others that came behind it, a shared rank as half: 1 for the first, 0 for the last, and with two at
the table 1, 1/2 or 0. Who forfeited scores nothing, not even against others who forfeited: a double
forfeit is 0 to 0. A meeting's score is the mean over its matches; so it is worth the same however
often it was played.

An entrant without a table in a round has a *bye*. Where scores are summed up, it counts 1/2: what
an equal would have got.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations
from typing import Protocol

from ladder.scheduling.ladder.balanced import VersionId

BYE = Fraction(1, 2)
ABSENT = "ABSENT"
"""The kind of a forfeit by somebody who had been withdrawn or disqualified before."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Who meets in a round."""

    round: int
    """From 0."""
    entrants: tuple[VersionId, ...]
    """In the circle in which they sit in the first deal."""
    stage: str = ""
    """Which part of the tournament it belongs to, such as "group B" or "final"."""


Ranks = tuple[int, ...]
"""The places in one match, in the order of the meeting's entrants; equal ones are shared."""


@dataclass(frozen=True, slots=True)
class MeetingResult:
    """How a meeting ended."""

    meeting: Meeting
    ranks: tuple[Ranks, ...]
    """For each match."""
    sudden_death: tuple[tuple[Ranks, ...], ...] = ()
    """For each deal that was played on with because all were level, its matches."""
    points: tuple[tuple[int, ...], ...] = ()
    """For each match in which nobody forfeited, sudden death included, in the entrants' order."""
    forfeits: tuple[tuple[str, ...], ...] = ()
    """For each match, sudden death included, the kind of each entrant's forfeit; "" for none."""
    uncounted: frozenset[VersionId] = frozenset()
    """Entrants whose part in it does not count, for themselves or for the others."""
    unplayed: int = 0
    """So many of its matches nobody played: they stand for a walkover, or for what was annulled."""

    @property
    def counted(self) -> tuple[VersionId, ...]:
        """The entrants between whom it counts; none if fewer than two are left."""
        left = tuple(e for e in self.meeting.entrants if e not in self.uncounted)
        return left if len(left) > 1 else ()

    def forfeits_of(self, entrant: VersionId) -> list[str]:
        """Return the kinds of an entrant's forfeits, one for each match that it forfeited."""
        own = self.meeting.entrants.index(entrant)
        return [match[own] for match in self.forfeits if match[own]]

    def is_absent(self, entrant: VersionId) -> bool:
        """Say whether an entrant was gone before the last match."""
        own = self.meeting.entrants.index(entrant)
        return any(match[own] == ABSENT for match in self.forfeits[-1:])

    def _matches(self) -> "list[_Match]":
        """Return every match with its forfeits, sudden death last, between those who count."""
        matches = (*self.ranks, *(match for deal in self.sudden_death for match in deal))
        kinds = self.forfeits or (("",) * len(self.meeting.entrants),) * len(matches)
        counted = self.counted
        return [
            [
                (entrant, rank, bool(kind))
                for entrant, rank, kind in zip(self.meeting.entrants, ranks, of_match, strict=True)
                if entrant in counted
            ]
            for ranks, of_match in zip(matches, kinds, strict=True)
        ]

    @property
    def matches(self) -> int:
        """How many matches it counts as, those of the sudden death included."""
        return len(self.ranks) + sum(len(deal) for deal in self.sudden_death)

    @property
    def played(self) -> int:
        """On how many matches that were played it rests."""
        return self.matches - self.unplayed

    def scores(self) -> dict[VersionId, Fraction]:
        """Return what each entrant that counts scored, from 0 to 1, sudden death apart."""
        return _scores(self.counted, self._matches()[: len(self.ranks)])

    def played_on(self) -> list[dict[VersionId, Fraction]]:
        """Return what each entrant scored in each deal of the sudden death."""
        matches = iter(self._matches()[len(self.ranks) :])
        return [_scores(self.counted, [next(matches) for _ in deal]) for deal in self.sudden_death]

    def margins(self) -> dict[VersionId, Fraction]:
        """Return each entrant's points less the mean of the others', on the mean of all matches.

        0 if nothing is known of points.
        """
        k = len(self.meeting.entrants)
        total = dict.fromkeys(self.meeting.entrants, Fraction(0))
        for points in self.points:
            for entrant, own in zip(self.meeting.entrants, points, strict=True):
                above = Fraction(k * own - sum(points), k - 1)
                total[entrant] += above / len(self.points)
        return total

    def firsts(self) -> dict[VersionId, Fraction]:
        """Return how many matches each entrant won; k that share the first place have 1/k each.

        A match that all forfeited is won by nobody.
        """
        total = dict.fromkeys(self.counted, Fraction(0))
        for match in self._matches():
            best = min((rank for _, rank, _ in match), default=0)
            winners = [e for e, rank, forfeited in match if rank == best and not forfeited]
            for winner in winners:
                total[winner] += Fraction(1, len(winners))
        return total

    def pairs(self) -> dict[tuple[VersionId, VersionId], Fraction]:
        """Return what each entrant scored against each other one, both orders of every pair."""
        total = dict.fromkeys(permutations(self.counted, 2), Fraction(0))
        for match in self._matches()[: len(self.ranks)]:
            for (a, rank_a, forfeited), (b, rank_b, _) in permutations(match, 2):
                if not forfeited:
                    won = 1 + (rank_a < rank_b) - (rank_a > rank_b)
                    total[a, b] += Fraction(won, 2 * len(self.ranks))
        return total


_Match = list[tuple[VersionId, int, bool]]
"""The entrants of one match with their places, and whether they forfeited."""


def _scores(entrants: Sequence[VersionId], matches: Sequence[_Match]) -> dict[VersionId, Fraction]:
    """Return what each entrant scored in matches of a meeting, on their mean."""
    total = dict.fromkeys(entrants, Fraction(0))
    for match in matches:
        for entrant, own, forfeited in match:
            behind = sum(2 * (rank > own) + (rank == own) for _, rank, _ in match) - 1
            if not forfeited:
                total[entrant] += Fraction(behind, 2 * (len(entrants) - 1) * len(matches))
    return total


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant in a table."""

    place: int
    """From 1; no place is shared, as the seed decides at last."""
    entrant: VersionId
    score: Fraction
    """In all that counts, byes included."""
    meetings: int
    byes: int
    reached: str
    """The last stage that it played in; empty where there is one only."""
    tie_breaks: Mapping[str, Fraction]
    """What can be compared among equals, in that order; without what was not to be asked."""
    interval: tuple[float, float] | None = None
    """Where the true score is, with 95 % confidence; only a gauntlet has it."""


@dataclass(frozen=True, slots=True)
class Field:
    """The past of a tournament: all that a format may know."""

    entrants: Sequence[VersionId]
    """In the order of their seeds, the first seed first."""
    seats: int
    """Of a table, from 2 to 5."""
    results: Sequence[MeetingResult] = ()
    """Of whole rounds: a round's successor is asked for when all its meetings are over."""
    withdrawn: Mapping[VersionId, int] = field(default_factory=dict)
    """Who plays no more, with the first round, from 0, without it."""
    waiting: Mapping[VersionId, int] = field(default_factory=dict)
    """Who still plays in the round under way, and so has no bye there, with this round."""

    @property
    def rounds(self) -> int:
        """How many rounds are over."""
        return 1 + max((result.meeting.round for result in self.results), default=-1)

    def seed(self, entrant: VersionId) -> int:
        """Return the place of an entrant among the seeds, from 0."""
        return self.entrants.index(entrant)

    def playing(self, number: int) -> list[VersionId]:
        """Return who has not withdrawn by a round, in the order of the seeds."""
        return [e for e in self.entrants if self.withdrawn.get(e, number + 1) > number]

    def of_stage(self, stage: str, entrants: Sequence[VersionId]) -> "Field":
        """Return the part of the past that belongs to a stage and its entrants."""
        own = [result for result in self.results if result.meeting.stage == stage]
        return replace(self, entrants=entrants, results=own)

    def before(self, number: int) -> "Field":
        """Return the past as it was when a round began."""
        return replace(self, results=[r for r in self.results if r.meeting.round < number])


class Format(Protocol):
    """The rules of a tournament."""

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """What is compared among equals, in that order; "seed" is the last."""

    @property
    def has_winner(self) -> bool:
        """Whether the first of the table has won."""

    def play_on(self, field: Field) -> list[Meeting]:
        """Return the meetings of the last round that need another deal to be decided."""

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the meetings of the next round; none if the tournament is over.

        Not to be asked while there is anything to play on.
        """

    def resting(self, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
        """Return who has a bye in a round with these meetings, of which the field has the past."""

    def table(self, field: Field) -> list[Line]:
        """Return the standings by the results so far, the first place first."""


class Totals:
    """Sums over the results of some entrants."""

    def __init__(self, field: Field) -> None:
        """Count."""
        self.score: Counter[VersionId] = Counter()
        self.firsts: Counter[VersionId] = Counter()
        self.matches: Counter[VersionId] = Counter()
        self.played: Counter[VersionId] = Counter()
        self.meetings: Counter[VersionId] = Counter()
        self.met: Counter[tuple[VersionId, VersionId]] = Counter()
        self.pairs: Counter[tuple[VersionId, VersionId]] = Counter()
        played: set[tuple[int, VersionId]] = set()
        for result in field.results:
            self.score.update(result.scores())
            self.firsts.update(result.firsts())
            self.matches.update(dict.fromkeys(result.counted, result.matches))
            self.played.update(dict.fromkeys(result.counted, result.played))
            self.meetings.update(result.counted)
            self.met.update(result.pairs().keys())
            self.pairs.update(result.pairs())
            played.update((result.meeting.round, entrant) for entrant in result.meeting.entrants)
        begun = {result.meeting.round for result in field.results}
        played.update((number, entrant) for entrant, number in field.waiting.items())
        idle = [(n, e) for n in begun for e in field.playing(n) if (n, e) not in played]
        self.byes = Counter(entrant for _, entrant in idle)

    def total(self, entrant: VersionId) -> Fraction:
        """Return the score with the byes."""
        return Fraction(self.score[entrant]) + BYE * self.byes[entrant]

    def mean(self, entrant: VersionId) -> Fraction:
        """Return the score a meeting; 0 without one."""
        return Fraction(self.score[entrant]) / max(1, self.meetings[entrant])

    def against(self, one: VersionId, other: VersionId) -> Fraction:
        """Return what one scored a meeting against another that it met."""
        return Fraction(self.pairs[one, other]) / self.met[one, other]

    def share_of_firsts(self, entrant: VersionId) -> Fraction:
        """Return the share of its matches that an entrant won; 0 without one."""
        return Fraction(self.firsts[entrant]) / max(1, self.matches[entrant])


def idle(field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
    """Return who has not withdrawn and has no table in a round that comes next."""
    seated = {entrant for meeting in meetings for entrant in meeting.entrants}
    return [e for e in field.playing(meetings[0].round) if e not in seated]


def check(field: Field) -> None:
    """Refuse what cannot be a tournament; raise ValueError."""
    if not 2 <= field.seats <= 5:  # noqa: PLR2004 - the sizes of a table
        raise ValueError(f"a table has 2 to 5 seats, not {field.seats}")
    if len(field.entrants) < 2:  # noqa: PLR2004 - a comparison needs two
        raise ValueError("a tournament needs at least two entrants")
    if len(set(field.entrants)) < len(field.entrants):
        raise ValueError("every entrant has one seed")
