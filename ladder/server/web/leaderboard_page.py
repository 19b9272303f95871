"""The leaderboard page: the standings, with ratings and intervals drawn to one scale."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ladder.results.standings import DEVIATIONS, Standing, groups, standings
from ladder.server.public.curves import Curve
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.drawing import Axis, axis_over, sparkline
from ladder.server.web.schedule_page import rest

PLOT_WIDTH = 150
PLOT_HEIGHT = 44
SPARK_WIDTH = 64
SPARK_HEIGHT = 24


@dataclass(frozen=True, slots=True)
class Trend:
    """The change of a version's rating over the last half of its matches."""

    change: float
    matches: int
    """The number of these matches."""
    path: str
    """The curve, SPARK_WIDTH by SPARK_HEIGHT pixels."""


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One bot on the leaderboard."""

    standing: Standing
    language: str
    trend: Trend | None
    author: str
    """Empty if it is the ladder's owner."""
    submitted_at: str
    """When its version was submitted: UTC, ISO 8601."""
    climbed: int | None
    """By how many ranks it is higher than before, among the bots that were rated then; None if it
    was not."""

    def has(self, text: str) -> bool:
        """Return whether the name or the author has a text, which is in lower case."""
        return text in self.standing.bot.lower() or text in self.author.lower()

    @property
    def margin(self) -> float:
        """Half the width of the rating's 95 % interval."""
        return DEVIATIONS * self.standing.sigma

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.standing.mu - self.margin

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.standing.mu + self.margin


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The content of the leaderboard page."""

    rows: Sequence[LeaderboardRow]
    axis: Axis
    """The scale of the drawn ratings."""
    groups: str
    """The groups of bots that can be distinguished, in words; empty without a comparison."""
    rest: str
    """Why nothing is planned, if it is for want of bots; else empty."""
    since: int | None
    """The round after which the changes of ranks count; None if none are known."""

    @property
    def grid(self) -> str:
        """The path of the grid lines at the scale's ticks."""
        return "".join(f"M{self.x(tick)} 0v{PLOT_HEIGHT}" for tick in self.axis.ticks())

    def x(self, rating: float) -> int:
        """Return a rating's position in whole pixels: each row of the page has three."""
        return round(self.axis.x(rating))


def leaderboard(snapshot: Snapshot) -> Leaderboard:
    """Return the leaderboard of the active versions."""
    tallies = {t.version.bot: t for t in snapshot.tallies if t.version.active}
    now = standings(tallies.values(), snapshot.strengths)
    climbed = _climbed(now, snapshot)
    rows = [
        LeaderboardRow(
            standing=standing,
            language=snapshot.about[tallies[standing.bot].version.id].language,
            trend=_trend(snapshot.curves.get(tallies[standing.bot].version.id)),
            author=snapshot.authors.get(standing.bot, ""),
            submitted_at=tallies[standing.bot].version.submitted_at,
            climbed=climbed.get(standing.bot),
        )
        for standing in now
    ]
    since = snapshot.past.round if snapshot.past and climbed else None
    return Leaderboard(rows, _axis(rows), groups(now), rest(snapshot), since)


def _climbed(now: Sequence[Standing], snapshot: Snapshot) -> dict[str, int]:
    """Return by how many ranks bots have risen among those that were rated before."""
    if snapshot.past is None:
        return {}
    before = {  # of a bot's versions the last one counts
        tally.version.bot: snapshot.past.ratings[tally.version.id][0]
        for tally in snapshot.tallies
        if tally.version.id in snapshot.past.ratings
    }
    both = [row.bot for row in now if row.bot in before and not row.provisional]
    then = sorted(both, key=lambda bot: -before[bot])
    places = {bot: place for place, bot in enumerate(then)}
    return {bot: places[bot] - place for place, bot in enumerate(both)}


def _trend(curve: Curve | None) -> Trend | None:
    if curve is None or len(curve.points) < 2:  # noqa: PLR2004 - a change has two ends
        return None
    half = curve.points[-1].matches / 2
    first = max(i for i, point in enumerate(curve.points[:-1]) if not i or point.matches <= half)
    points = curve.points[first:]
    return Trend(
        change=points[-1].mu - points[0].mu,
        matches=points[-1].matches - points[0].matches,
        path=sparkline([point.mu for point in points], SPARK_WIDTH, SPARK_HEIGHT),
    )


def _axis(rows: Iterable[LeaderboardRow]) -> Axis:
    """Return the scale, ignoring the wide intervals of provisional bots where possible."""
    known = [(row.standing.provisional, (row.low, row.high)) for row in rows]
    sure = [interval for provisional, interval in known if not provisional]
    return axis_over(sure or [interval for _, interval in known], PLOT_WIDTH)
