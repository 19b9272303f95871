"""The interface of formats, and what they share: meetings, results and tables.

A *meeting* is a table that a format schedules, played as one or several blocks of rotations. If the
field does not fill its tables, some have fewer entrants and play the game for fewer players,
without stand-ins. In each match an entrant *scores* the share of the others that came behind it,
ties counting half: 1 for the first, 0 for the last, and with two at the table 1, 1/2 or 0. An
entrant that forfeits scores nothing, not even against others that forfeit: a double forfeit is 0 to
0. A meeting's score is the mean over its matches, so every meeting counts the same, however many
matches it had.

An entrant without a table in a round has a *bye*. Where scores are summed, a bye counts 1/2, the
expected score against an equal, unless it was given with other points, such as 0 for a missed
round.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from fractions import Fraction
from itertools import permutations
from typing import Protocol

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.apart import Apart

BYE = Fraction(1, 2)
ABSENT = "ABSENT"
"""The kind of a forfeit by an entrant that had already been withdrawn or disqualified."""


class StageKind(Enum):
    """The kind of a stage of a tournament."""

    WHOLE = auto()
    """The only one, in which no bot is eliminated."""
    GROUP = auto()
    KNOCKOUT = auto()
    """A round of it: losers are eliminated."""
    WINNERS = auto()
    """A round of the winners' bracket of a double elimination."""
    LOSERS = auto()
    """A round of its losers' bracket."""
    FINAL = auto()
    """A final of it, in which all but the winner are eliminated once."""

    @property
    def eliminates(self) -> bool:
        """Whether losers are eliminated, for the first time or the second."""
        return self not in (StageKind.WHOLE, StageKind.GROUP)


@dataclass(frozen=True, slots=True)
class Meeting:
    """The entrants that meet at a table in a round."""

    round: int
    """From 0."""
    entrants: tuple[VersionId, ...]
    """In the cyclic order of the first deal."""
    stage: str = ""
    """The name of its stage, such as "group B" or "final"; empty if there is only one."""
    kind: StageKind = StageKind.WHOLE


Ranks = tuple[int, ...]
"""The places in one match, in the order of the meeting's entrants; ties are equal."""


@dataclass(frozen=True, slots=True)
class MeetingResult:
    """The result of a meeting."""

    meeting: Meeting
    ranks: tuple[Ranks, ...]
    """The ranks of each match."""
    sudden_death: tuple[tuple[Ranks, ...], ...] = ()
    """The ranks of each match of each sudden-death deal."""
    points: tuple[tuple[int, ...], ...] = ()
    """The points of each match without a forfeit, including sudden death, in the entrants'
    order."""
    forfeits: tuple[tuple[str, ...], ...] = ()
    """For each match, including sudden death, the kind of each entrant's forfeit; "" for none."""
    uncounted: frozenset[VersionId] = frozenset()
    """Entrants whose part does not count, neither for themselves nor for the others."""
    unplayed: int = 0
    """How many of its matches were not played, because of a walkover or an annulment."""

    @property
    def counted(self) -> tuple[VersionId, ...]:
        """The entrants whose results count; none if fewer than two are left."""
        left = tuple(e for e in self.meeting.entrants if e not in self.uncounted)
        return left if len(left) > 1 else ()

    def forfeits_of(self, entrant: VersionId) -> list[str]:
        """Return the kind of each of an entrant's forfeits."""
        own = self.meeting.entrants.index(entrant)
        return [match[own] for match in self.forfeits if match[own]]

    def is_absent(self, entrant: VersionId) -> bool:
        """Return whether an entrant had left before the last match."""
        own = self.meeting.entrants.index(entrant)
        return any(match[own] == ABSENT for match in self.forfeits[-1:])

    def _matches(self) -> "list[_Match]":
        """Return all matches between the entrants that count, sudden death last."""
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
        """The number of matches it counts as, including sudden death."""
        return len(self.ranks) + sum(len(deal) for deal in self.sudden_death)

    @property
    def played(self) -> int:
        """The number of matches actually played."""
        return self.matches - self.unplayed

    def scores(self) -> dict[VersionId, Fraction]:
        """Return the score of each entrant that counts, from 0 to 1, without sudden death."""
        return _scores(self.counted, self._matches()[: len(self.ranks)])

    def played_on(self) -> list[dict[VersionId, Fraction]]:
        """Return the scores of each sudden-death deal."""
        matches = iter(self._matches()[len(self.ranks) :])
        return [_scores(self.counted, [next(matches) for _ in deal]) for deal in self.sudden_death]

    def margins(self) -> dict[VersionId, Fraction]:
        """Return each entrant's points less the mean of the others', averaged over all matches.

        0 if no points are known.
        """
        k = len(self.meeting.entrants)
        total = dict.fromkeys(self.meeting.entrants, Fraction(0))
        for points in self.points:
            for entrant, own in zip(self.meeting.entrants, points, strict=True):
                above = Fraction(k * own - sum(points), k - 1)
                total[entrant] += above / len(self.points)
        return total

    def firsts(self) -> dict[VersionId, Fraction]:
        """Return the number of first places of each entrant; one that k share counts 1/k each.

        If all forfeit a match, none wins it.
        """
        total = dict.fromkeys(self.counted, Fraction(0))
        for match in self._matches():
            best = min((rank for _, rank, _ in match), default=0)
            winners = [e for e, rank, forfeited in match if rank == best and not forfeited]
            for winner in winners:
                total[winner] += Fraction(1, len(winners))
        return total

    def pairs(self) -> dict[tuple[VersionId, VersionId], Fraction]:
        """Return each entrant's score against each other entrant, in both orders."""
        halves = dict.fromkeys(permutations(self.counted, 2), 0)
        for match in self._matches()[: len(self.ranks)]:
            for (a, rank_a, forfeited), (b, rank_b, _) in permutations(match, 2):
                if not forfeited:
                    halves[a, b] += 1 + (rank_a < rank_b) - (rank_a > rank_b)
        whole = 2 * max(1, len(self.ranks))
        return {pair: Fraction(won, whole) for pair, won in halves.items()}


_Match = list[tuple[VersionId, int, bool]]
"""The entrants of a match with their places and whether they forfeited."""


def _scores(entrants: Sequence[VersionId], matches: Sequence[_Match]) -> dict[VersionId, Fraction]:
    """Return the mean score of each entrant over these matches of a meeting."""
    halves = dict.fromkeys(entrants, 0)
    for match in matches:
        for entrant, own, forfeited in match:
            if not forfeited:
                halves[entrant] += sum(2 * (r > own) + (r == own) for _, r, _ in match) - 1
    whole = 2 * (len(entrants) - 1) * max(1, len(matches))
    return {entrant: Fraction(behind, whole) for entrant, behind in halves.items()}


@dataclass(frozen=True, slots=True)
class Line:
    """An entrant's line in a table."""

    place: int
    """From 1. Equals share a place, except in tournaments that began before they could."""
    entrant: VersionId
    score: Fraction
    """The total or mean score, by the format, including byes."""
    meetings: int
    byes: int
    reached: str
    """The last stage it reached; empty if there is only one."""
    tie_breaks: Mapping[str, Fraction]
    """The tie-breaks that apply, in order."""
    interval: tuple[float, float] | None = None
    """The 95 % interval of the true score; only in a gauntlet."""


@dataclass(frozen=True, slots=True)
class Field:
    """The past of a tournament, as far as a format may use it."""

    entrants: Sequence[VersionId]
    """In the order of their seeds."""
    seats: int
    """The seats of a table, from 2 to 10."""
    results: Sequence[MeetingResult] = ()
    """The results of complete rounds: the next round is planned when all meetings are over."""
    withdrawn: Mapping[VersionId, int] = field(default_factory=dict)
    """The entrants that have left, with their first round, from 0, of absence."""
    waiting: Mapping[VersionId, int] = field(default_factory=dict)
    """The entrants still playing in the round under way, with its number: they have no bye."""
    given_byes: Mapping[tuple[int, VersionId], Fraction] = field(default_factory=dict)
    """The points of byes that the pairing does not choose, by round, from 0, and entrant."""
    apart: Apart = Apart()  # noqa: RUF009 -- it is frozen
    """The entrants that should not meet in rounds that are not planned yet."""

    @property
    def rounds(self) -> int:
        """The number of rounds that are over."""
        return 1 + max((result.meeting.round for result in self.results), default=-1)

    def seed(self, entrant: VersionId) -> int:
        """Return an entrant's seed, from 0."""
        return self.entrants.index(entrant)

    def playing(self, number: int) -> list[VersionId]:
        """Return the entrants that have not left by a round, in seed order."""
        return [e for e in self.entrants if self.withdrawn.get(e, number + 1) > number]

    def pairable(self, number: int) -> list[VersionId]:
        """Return the entrants to pair in a round, in seed order: those without a given bye."""
        return [e for e in self.playing(number) if (number, e) not in self.given_byes]

    def of_stage(self, stage: str, entrants: Sequence[VersionId]) -> "Field":
        """Return the past of one stage and its entrants."""
        own = [result for result in self.results if result.meeting.stage == stage]
        return replace(self, entrants=entrants, results=own)

    def before(self, number: int) -> "Field":
        """Return the past before a round."""
        return replace(self, results=[r for r in self.results if r.meeting.round < number])


class Format(Protocol):
    """A tournament format."""

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """The names of the tie-breaks, in order; "seed" is the last."""

    @property
    def has_winner(self) -> bool:
        """Whether the first place wins the tournament."""

    def play_on(self, field: Field) -> list[Meeting]:
        """Return the meetings of the last round that need another deal."""

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the meetings of the next round; none at the end of the tournament.

        Call it only if `play_on` returns nothing.
        """

    def resting(self, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
        """Return the byes of a round with these meetings; `field` is the past before it."""

    def table(self, field: Field) -> list[Line]:
        """Return the standings, the first place first."""


class Totals:
    """Totals of each entrant over the results of a field."""

    def __init__(self, field: Field) -> None:
        """Add up the results of a field."""
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
            pairs = result.pairs()
            self.met.update(pairs.keys())
            self.pairs.update(pairs)
            played.update((result.meeting.round, entrant) for entrant in result.meeting.entrants)
        begun = {result.meeting.round for result in field.results}
        played.update((number, entrant) for entrant, number in field.waiting.items())
        idle = [(n, e) for n in begun for e in field.playing(n) if (n, e) not in played]
        self.byes = Counter(entrant for _, entrant in idle)
        self.chosen_byes = Counter(e for n, e in idle if (n, e) not in field.given_byes)
        """The byes that the pairing chose."""
        self.bye_points = dict.fromkeys(field.entrants, Fraction(0))
        self.rounds = Counter(self.meetings)
        """The meetings and the byes with points: a bye without points is a missed round."""
        for n, entrant in idle:
            points = field.given_byes.get((n, entrant), BYE)
            self.bye_points[entrant] += points
            self.rounds[entrant] += bool(points)

    def total(self, entrant: VersionId) -> Fraction:
        """Return the total score, including byes."""
        return Fraction(self.score[entrant]) + self.bye_points[entrant]

    def mean(self, entrant: VersionId) -> Fraction:
        """Return the mean score over meetings; 0 without any."""
        return Fraction(self.score[entrant]) / max(1, self.meetings[entrant])

    def against(self, one: VersionId, other: VersionId) -> Fraction:
        """Return one's mean score against another that it has met."""
        return Fraction(self.pairs[one, other]) / self.met[one, other]

    def share_of_firsts(self, entrant: VersionId) -> Fraction:
        """Return the share of its matches that an entrant won; 0 without any."""
        return Fraction(self.firsts[entrant]) / max(1, self.matches[entrant])


def idle(field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
    """Return the entrants without a table in the next round, except those that have left."""
    seated = {entrant for meeting in meetings for entrant in meeting.entrants}
    return [e for e in field.playing(meetings[0].round) if e not in seated]


def places(compared: Sequence[Hashable], *, shared: bool) -> list[int]:
    """Return the places, from 1, of entrants in order, given what is compared of each.

    Equals share a place if `shared`, and the places after it stay empty: 1, 2, 2, 4.
    """
    firsts: dict[Hashable, int] = {}
    return [
        firsts.setdefault(values, place) if shared else place
        for place, values in enumerate(compared, start=1)
    ]


def check(field: Field) -> None:
    """Raise `ValueError` if a field cannot play a tournament."""
    if not 2 <= field.seats <= 10:  # noqa: PLR2004 - the sizes of a table
        raise ValueError(f"a table has 2 to 10 seats, not {field.seats}")
    if len(field.entrants) < 2:  # noqa: PLR2004 - a comparison needs two
        raise ValueError("a tournament needs at least two entrants")
    if len(set(field.entrants)) < len(field.entrants):
        raise ValueError("every entrant has one seed")
