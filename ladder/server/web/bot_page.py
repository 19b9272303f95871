"""A bot's page: its versions, its rating curve, and its results by opponent and by seat."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ladder.model.bots import Version
from ladder.model.errors import LadderError
from ladder.model.matches import MatchLine
from ladder.model.ratings import Tally
from ladder.results.luck import is_measured, luck_of
from ladder.results.standings import DEVIATIONS, Standing, standings
from ladder.server.public.snapshot import About, Snapshot
from ladder.server.web.front_page import how_sure, left_of
from ladder.server.web.leaderboard_page import LeaderboardRow
from ladder.server.web.schedule_page import Rounds
from ladder.server.web.verdicts import marks, moved
from ladder.storage.tables.bot_results import Opponent, SeatSummary
from referee.core.errors import UsageError

RecordsOf = Callable[[Sequence[MatchLine]], Sequence[bytes]]
"""Returns the packed records of public matches."""

OPPONENTS_SHOWN = 60
LATEST_SHOWN = 20


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
    row: LeaderboardRow | None
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
    marks: Mapping[str, str]
    """Those of them that are upsets or close, by id."""
    moved: Mapping[str, float]
    """By about how much they moved its rating, by id."""
    tables: int
    """At how many tables it plays now."""
    state: str
    """Its state now, such as "Plays at 2 tables, about 58s left in round 14"."""
    sure: str
    """Whether it is sure to be better than the next, such as "settled, P 0.96"; empty if
    unknown."""
    luck: Mapping[str, tuple[float, float]]
    """The effect of luck in these, in points with half the 95 % interval, by the match's id."""


def bot_page(
    snapshot: Snapshot,
    name: str,
    rows: Mapping[str, LeaderboardRow],
    records: RecordsOf,
    schedule: Rounds,
) -> BotPage:
    """Return a bot's page, given the leaderboard's rows and the schedule."""
    own = [tally for tally in snapshot.tallies if tally.version.bot == name]
    current = next((tally for tally in own if tally.version.active), own[-1])
    numbers = {row.version: row for row in standings(own, snapshot.strengths)}
    results = snapshot.finished.of_bot(name)
    tables = sum(
        any(seat.version and seat.version.bot == name for seat in line.seats)
        for line in schedule.playing
    )
    return BotPage(
        name=name,
        about=snapshot.about[current.version.id],
        row=rows.get(name),
        field=len(rows),
        versions=[(tally, numbers[tally.version.number]) for tally in reversed(own)],
        curves=[curve for tally in own if (curve := _curve(snapshot, tally.version))],
        opponents=results.opponents[:OPPONENTS_SHOWN],
        opponents_left_out=max(0, len(results.opponents) - OPPONENTS_SHOWN),
        seats=results.seats,
        faults=results.faults,
        matches=results.matches,
        latest=(latest := results.latest[:LATEST_SHOWN]),
        tables=tables,
        state=_state(tables, schedule),
        sure=_sure(rows.get(name), schedule),
        marks=marks(latest, snapshot.strengths),
        moved={
            line.match_id: by
            for line in latest
            if (by := moved(line, name, snapshot.strengths)) is not None
        },
        luck=_luck(snapshot.game, name, latest, records),
    )


def _state(tables: int, schedule: Rounds) -> str:
    if not tables:
        return "Waits for its next match"
    return f"Plays at {tables} {'table' if tables == 1 else 'tables'}{left_of(schedule)}"


def _sure(row: LeaderboardRow | None, schedule: Rounds) -> str:
    if row is None or row.standing.better_than_next is None or schedule.goal is None:
        return ""
    return how_sure(row.standing.better_than_next, schedule.goal.wanted)


def _luck(
    game: str, name: str, lines: Sequence[MatchLine], records: RecordsOf
) -> Mapping[str, tuple[float, float]]:
    """Return what luck gave a bot in matches, and half the 95 % interval, by the match's id."""
    given: dict[str, tuple[float, float]] = {}
    if not is_measured(game):
        return given
    for line in lines:
        with suppress(LadderError, UsageError):  # taken back since, damaged or of other rules
            found = luck_of(*records([line]))
            for number, seat in enumerate(line.seats if found else ()):
                if found and seat.version and seat.version.bot == name:
                    given[line.match_id] = (found.points[number], found.error(number))
    return given


def _curve(snapshot: Snapshot, version: Version) -> RatingCurve | None:
    curve = snapshot.curves.get(version.id)
    if curve is None or len(curve.points) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    return RatingCurve(
        version=version.number,
        matches=[point.matches for point in curve.points],
        mu=[round(point.mu, 1) for point in curve.points],
        low=[round(point.mu - DEVIATIONS * point.sigma, 1) for point in curve.points],
        high=[round(point.mu + DEVIATIONS * point.sigma, 1) for point in curve.points],
    )
