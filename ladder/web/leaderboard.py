"""The leaderboard: the standings, with strengths and their intervals drawn to one scale."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ladder.models import Rating
from ladder.standings import Standing, standings
from ladder.web.drawing import Axis, axis_over, sparkline, thinned
from ladder.web.snapshot import Snapshot

DEVIATIONS = 1.96
"""Half the width of a 95 % interval, in standard deviations."""
PLOT_WIDTH = 150
PLOT_HEIGHT = 44
SPARK_WIDTH = 64
SPARK_HEIGHT = 24

_TREND_MATCHES = 50
_SPARK_POINTS = 20


@dataclass(frozen=True, slots=True)
class Trend:
    """How a version's rating moved of late."""

    change: float
    matches: int
    """Over so many of its matches."""
    path: str
    """The curve, SPARK_WIDTH by SPARK_HEIGHT pixels."""


@dataclass(frozen=True, slots=True)
class Row:
    """One bot on the leaderboard."""

    standing: Standing
    language: str
    trend: Trend | None

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval of its live rating."""
        return DEVIATIONS * self.standing.sigma


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All that is on the leaderboard."""

    rows: Sequence[Row]
    axis: Axis
    """The scale of the strengths that are drawn, in per cent."""

    @property
    def grid(self) -> str:
        """The path of the lines at the scale's ticks."""
        return "".join(f"M{self.axis.x(tick):g} 0v{PLOT_HEIGHT}" for tick in self.axis.ticks())


def leaderboard(snapshot: Snapshot) -> Leaderboard:
    """Return the leaderboard of the versions that play now."""
    tallies = {t.version.bot: t for t in snapshot.tallies if t.version.active}
    rows = [
        Row(
            standing=standing,
            language=snapshot.about[tallies[standing.bot].version.id].language,
            trend=_trend(snapshot, tallies[standing.bot].version.id),
        )
        for standing in standings(tallies.values(), snapshot.strengths)
    ]
    return Leaderboard(rows, _axis([row.standing for row in rows]))


def interval(rating: Rating) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a live rating."""
    return rating.mu - DEVIATIONS * rating.sigma, rating.mu + DEVIATIONS * rating.sigma


def _trend(snapshot: Snapshot, version: int) -> Trend | None:
    curve = snapshot.curves.get(version)
    if curve is None or len(curve.ratings) < 2:  # noqa: PLR2004 - a change has two ends
        return None
    means = [rating.mu for rating in curve.ratings[-_TREND_MATCHES - 1 :]]
    path = sparkline(thinned(means, _SPARK_POINTS), SPARK_WIDTH, SPARK_HEIGHT)
    return Trend(means[-1] - means[0], len(means) - 1, path)


def _axis(rows: Iterable[Standing]) -> Axis:
    """Return the scale: those of whom hardly anything is known do not stretch it."""
    known = [
        (row, 100 * row.strength_low, 100 * row.strength_high)
        for row in rows
        if row.strength_low is not None and row.strength_high is not None
    ]
    sure = [(low, high) for row, low, high in known if not row.provisional]
    return axis_over(sure or [(low, high) for _, low, high in known], PLOT_WIDTH)
