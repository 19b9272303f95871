"""What the formats share: meetings, their results, points, and the lines of a table.

A *meeting* is a table that a format wants to be played: once, as a block of rotations, or as often
as one likes. Where a field does not fill its tables some have fewer entrants, and are played as
games for fewer: nobody sits there by chance. In each match an entrant *scores* the share of the others that came behind it, a
shared rank as half: 1 for the first, 0 for the last, and with two at the table 1, 1/2 or 0. A
meeting's score is the mean over its matches; so it is worth the same however often it was played.

An entrant without a table in a round has a *bye*. Where scores are summed up, it counts 1/2: what
an equal would have got.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import Protocol

from ladder.scheduling.balanced import VersionId

BYE = Fraction(1, 2)


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
class Result:
    """How a meeting ended."""

    meeting: Meeting
    ranks: tuple[Ranks, ...]
    """For each match."""
    sudden_death: tuple[tuple[Ranks, ...], ...] = ()
    """For each deal that was played on with because all were level, its matches."""
    points: tuple[tuple[int, ...], ...] = ()
    """For each match in which nobody forfeited, sudden death included, in the entrants' order."""

    @property
    def matches(self) -> int:
        """How many matches were played, those of the sudden death included."""
        return len(self.ranks) + sum(len(deal) for deal in self.sudden_death)

    def scores(self) -> dict[VersionId, Fraction]:
        """Return what each entrant scored, from 0 to 1, sudden death apart."""
        return _scores(self.meeting, self.ranks)

    def played_on(self) -> list[dict[VersionId, Fraction]]:
        """Return what each entrant scored in each deal of the sudden death."""
        return [_scores(self.meeting, deal) for deal in self.sudden_death]

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
        """Return how many matches each entrant won; k that share the first place have 1/k each."""
        total = dict.fromkeys(self.meeting.entrants, Fraction(0))
        for ranks in (*self.ranks, *(match for deal in self.sudden_death for match in deal)):
            winners = [e for e, r in zip(self.meeting.entrants, ranks, strict=True) if r == 1]
            for winner in winners:
                total[winner] += Fraction(1, len(winners))
        return total

    def pairs(self) -> dict[tuple[VersionId, VersionId], Fraction]:
        """Return what each entrant scored against each other one, both orders of every pair."""
        total: dict[tuple[VersionId, VersionId], Fraction] = {}
        for ranks in self.ranks:
            seated = zip(self.meeting.entrants, ranks, strict=True)
            for (a, rank_a), (b, rank_b) in combinations(list(seated), 2):
                won = Fraction(1 + (rank_a < rank_b) - (rank_a > rank_b), 2 * len(self.ranks))
                total[a, b] = total.get((a, b), Fraction(0)) + won
                total[b, a] = total.get((b, a), Fraction(0)) + Fraction(1, len(self.ranks)) - won
        return total


def _scores(meeting: Meeting, matches: Sequence[Ranks]) -> dict[VersionId, Fraction]:
    """Return what each entrant scored in matches of a meeting, on their mean."""
    k = len(meeting.entrants)
    total = dict.fromkeys(meeting.entrants, Fraction(0))
    for ranks in matches:
        for entrant, own in zip(meeting.entrants, ranks, strict=True):
            behind = sum(2 * (rank > own) + (rank == own) for rank in ranks) - 1
            total[entrant] += Fraction(behind, 2 * (k - 1) * len(matches))
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


NOBODY: Mapping[VersionId, int] = {}


@dataclass(frozen=True, slots=True)
class Field:
    """The past of a tournament: all that a format may know."""

    entrants: Sequence[VersionId]
    """In the order of their seeds, the first seed first."""
    seats: int
    """Of a table, from 2 to 5."""
    results: Sequence[Result] = ()
    """Of whole rounds: a round's successor is asked for when all its meetings are over."""
    withdrawn: Mapping[VersionId, int] = field(default_factory=lambda: NOBODY)
    """Who plays no more, with the first round, from 0, without it."""

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
        own = [r for r in self.results if r.meeting.stage == stage]
        return Field(entrants, self.seats, own, self.withdrawn)

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


class Tally:
    """Sums over the results of some entrants."""

    def __init__(self, field: Field) -> None:
        """Count."""
        self.score: Counter[VersionId] = Counter()
        self.firsts: Counter[VersionId] = Counter()
        self.matches: Counter[VersionId] = Counter()
        self.meetings: Counter[VersionId] = Counter()
        self.met: Counter[tuple[VersionId, VersionId]] = Counter()
        self.pairs: Counter[tuple[VersionId, VersionId]] = Counter()
        played: set[tuple[int, VersionId]] = set()
        for result in field.results:
            self.score.update(result.scores())
            self.firsts.update(result.firsts())
            self.matches.update(dict.fromkeys(result.meeting.entrants, result.matches))
            self.meetings.update(result.meeting.entrants)
            self.met.update(result.pairs().keys())
            self.pairs.update(result.pairs())
            played.update((result.meeting.round, entrant) for entrant in result.meeting.entrants)
        begun = {result.meeting.round for result in field.results}
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
