"""A duel as it is shown: the question, the answer so far, and how the test came to it.

Only pairs count and are shown before which none has still to be played: of a pair that is under way
nothing is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.rating.sprt import Answer, ratios
from ladder.scheduling.duel.planner import Pair
from ladder.scheduling.duel.summary import DuelSummary
from ladder.server.public.snapshot import Duel
from ladder.server.web.drawing import Axis, thinned

WIDTH, HEIGHT = 480, 200
PAIRS_SHOWN = 100
_MOST_POINTS = 400
_ROOM = 20
"""Pixels above and below all that is drawn, for words at the bounds."""
_VERDICTS: Mapping[Answer, str] = {
    Answer.BETTER: "better",
    Answer.NOT_BETTER: "not better",
    Answer.OPEN: "undecided",
    Answer.NO_DECISION: "no decision",
}


@dataclass(frozen=True, slots=True)
class Plot:
    """The log-likelihood ratio over the pairs that the test looked at, as a drawing."""

    path: str
    """From no pairs to the last one."""
    lower: float
    """How far down, in pixels, H0 is accepted."""
    upper: float
    """How far down H1 is."""
    zero: float
    values: Sequence[float]
    """After each pair."""


@dataclass(frozen=True, slots=True)
class Row:
    """A pair in the table."""

    number: int
    """From 1, in the order in which they were planned, without those that could not be played."""
    pair: Pair
    llr: float | None
    """After it; None if it came after the decision."""


@dataclass(frozen=True, slots=True)
class DuelPage:
    """All that is on a duel's page."""

    shown: DuelSummary
    verdict: str
    """In a word or two."""
    is_over: bool
    plot: Plot | None
    """None before the first pair."""
    rows: Sequence[Row]
    """The last pairs, the newest first."""


def duel_page(duel: Duel) -> DuelPage:
    """Return a duel's page."""
    shown = duel.shown
    course, test = shown.progress, shown.plan.test
    seen = course.played[: course.verdict.pairs]
    values = ratios([pair.score for pair in seen], test)
    rows = [
        Row(number, pair, values[number - 1] if number <= len(values) else None)
        for number, pair in enumerate(course.played, start=1)
    ]
    return DuelPage(
        shown=shown,
        verdict=_VERDICTS[course.verdict.answer],
        is_over=course.over,
        plot=_plot(values, test.bounds) if values else None,
        rows=rows[: -PAIRS_SHOWN - 1 : -1],
    )


def _plot(values: Sequence[float], bounds: tuple[float, float]) -> Plot:
    lower, upper = bounds
    across = Axis(0, len(values), WIDTH)
    up = Axis(min(lower, *values), max(upper, *values), HEIGHT - 2 * _ROOM)

    def y(value: float) -> float:
        return round(HEIGHT - _ROOM - up.x(value), 1)

    points = thinned([(0, 0.0), *enumerate(values, start=1)], _MOST_POINTS)
    path = "M" + "L".join(f"{across.x(number):g} {y(value):g}" for number, value in points)
    return Plot(path, y(lower), y(upper), y(0.0), values)
