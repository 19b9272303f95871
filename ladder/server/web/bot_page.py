"""A bot's page: its versions, its rating curve, and its results by opponent and by seat."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ladder.model.bots import Version
from ladder.model.matches import MatchLine, SeatLine, SeatResult
from ladder.model.ratings import Tally
from ladder.results.standings import DEVIATIONS, Standing, standings
from ladder.server.public.snapshot import About, Snapshot
from ladder.server.web.leaderboard_page import Row

OPPONENTS_SHOWN = 60
LATEST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot's results against another bot at the same table."""

    bot: str
    matches: int
    ahead: int
    """Matches in which it finished ahead of the other."""
    level: int
    """Matches in which they shared a place."""

    @property
    def share(self) -> float:
        """The share of matches ahead, a shared place counting half."""
        return (self.ahead + self.level / 2) / self.matches


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """A bot's results on one seat."""

    seat: int
    matches: int
    wins: float
    """First places; one shared by k bots counts 1 / k."""
    average_rank: float
    average_points: float

    @property
    def share(self) -> float:
        """The share of wins, from 0 to 1."""
        return self.wins / self.matches


@dataclass(frozen=True, slots=True)
class RatingCurve:
    """The rating of a version by its number of matches, with the ends of its interval."""

    version: int
    matches: Sequence[int]
    mu: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True, slots=True)
class BotPage:
    """The content of a bot's page."""

    name: str
    about: About
    row: Row | None
    """Its row of the leaderboard; None if it is retired."""
    field: int
    """The number of active bots."""
    versions: Sequence[tuple[Tally, Standing]]
    """The newest first."""
    curves: Sequence[RatingCurve]
    opponents: Sequence[Opponent]
    """The most frequent opponents first."""
    opponents_left_out: int
    seats: Sequence[SeatSummary]
    faults: Sequence[tuple[str, int]]
    """Kinds of faults with their counts."""
    matches: int
    """The matches of all its versions."""
    latest: Sequence[MatchLine]
    """The newest first."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A match from the seat of one bot."""

    line: MatchLine
    seat: int
    result: SeatResult


def matches_by_bot(finished: Iterable[MatchLine]) -> Mapping[str, list[MatchLine]]:
    """Return the matches of each bot, in order."""
    found: defaultdict[str, list[MatchLine]] = defaultdict(list)
    for line in finished:
        for name in {seat.version.bot for seat in line.seats if seat.version}:
            found[name].append(line)
    return found


def bot_page(
    snapshot: Snapshot, name: str, rows: Mapping[str, Row], played: Sequence[MatchLine]
) -> BotPage:
    """Return a bot's page from its matches (`played`) and the leaderboard's rows."""
    own = [tally for tally in snapshot.tallies if tally.version.bot == name]
    current = next((tally for tally in own if tally.version.active), own[-1])
    numbers = {row.version: row for row in standings(own, snapshot.strengths)}
    seen = list(_seen(played, name))
    opponents = _opponents(seen, name)
    return BotPage(
        name=name,
        about=snapshot.about[current.version.id],
        row=rows.get(name),
        field=len(rows),
        versions=[(tally, numbers[tally.version.number]) for tally in reversed(own)],
        curves=[curve for tally in own if (curve := _curve(snapshot, tally.version))],
        opponents=opponents[:OPPONENTS_SHOWN],
        opponents_left_out=max(0, len(opponents) - OPPONENTS_SHOWN),
        seats=list(_seats(seen)),
        faults=Counter(s.result.forfeit for s in seen if s.result.forfeit).most_common(),
        matches=len(played),
        latest=played[: -LATEST_SHOWN - 1 : -1],
    )


def _seen(played: Iterable[MatchLine], name: str) -> Iterator[_Seen]:
    for line in played:
        for seat, taken in enumerate(line.seats):
            if taken.version and taken.result and taken.version.bot == name:
                yield _Seen(line, seat, taken.result)


def _opponents(seen: Iterable[_Seen], name: str) -> list[Opponent]:
    met: Counter[str] = Counter()
    ahead: Counter[str] = Counter()
    level: Counter[str] = Counter()
    for own in seen:
        for other, result in _others(own.line.seats, name):
            met[other] += 1
            ahead[other] += own.result.rank < result.rank
            level[other] += own.result.rank == result.rank
    ordered = sorted(met, key=lambda other: (-met[other], other))
    return [Opponent(other, met[other], ahead[other], level[other]) for other in ordered]


def _others(seats: Iterable[SeatLine], name: str) -> Iterator[tuple[str, SeatResult]]:
    for taken in seats:
        if taken.version and taken.result and taken.version.bot != name:
            yield taken.version.bot, taken.result


def _seats(seen: Sequence[_Seen]) -> Iterator[SeatSummary]:
    for seat in sorted({own.seat for own in seen}):
        there = [own for own in seen if own.seat == seat]
        yield SeatSummary(
            seat=seat,
            matches=len(there),
            wins=sum(_victory(own) for own in there),
            average_rank=sum(own.result.rank for own in there) / len(there),
            average_points=sum(own.result.points for own in there) / len(there),
        )


def _victory(own: _Seen) -> float:
    if own.result.rank != 1:
        return 0.0
    return 1 / sum(taken.result.rank == 1 for taken in own.line.seats if taken.result)


def _curve(snapshot: Snapshot, version: Version) -> RatingCurve | None:
    curve = snapshot.curves.get(version.id)
    if curve is None or len(curve.points) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    return RatingCurve(
        version=version.number,
        matches=[point.matches for point in curve.points],
        mu=[round(point.mu, 2) for point in curve.points],
        low=[round(point.mu - DEVIATIONS * point.sigma, 2) for point in curve.points],
        high=[round(point.mu + DEVIATIONS * point.sigma, 2) for point in curve.points],
    )
