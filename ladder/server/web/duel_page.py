"""A duel's page: the question, the answer so far, and the evidence.

The page shows and counts a pair only once all earlier pairs are finished; it reveals nothing of a
running pair.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.scheduling.duel.planner import DuelPair
from ladder.scheduling.duel.sequential import DuelAnswer, evidence
from ladder.scheduling.duel.summary import DuelSummary
from ladder.server.public.snapshot import Duel
from ladder.server.web.drawing import Axis, thinned

WIDTH, HEIGHT = 480, 200
PAIRS_SHOWN = 100
_MOST_POINTS = 400
_ROOM = 20
"""Pixels above and below the curve, for the labels of the bounds."""
_VERDICTS: Mapping[DuelAnswer, str] = {
    DuelAnswer.BETTER: "better",
    DuelAnswer.NOT_BETTER: "not better",
    DuelAnswer.OPEN: "undecided",
    DuelAnswer.NO_DECISION: "no decision",
}


@dataclass(frozen=True, slots=True)
class Plot:
    """The evidence over the pairs that the test used, as a drawing."""

    path: str
    """From no pairs to the last one."""
    lower: float
    """The y coordinate, in pixels, at which the test accepts H0."""
    upper: float
    """The y coordinate at which the test accepts H1."""
    zero: float
    values: Sequence[float]
    """The evidence after each pair."""


@dataclass(frozen=True, slots=True)
class DuelRow:
    """A pair in the table."""

    number: int
    """From 1, in the planned order, without pairs that could not be played."""
    pair: DuelPair
    evidence: float | None
    """The evidence after the pair; None if the pair came after the decision."""


@dataclass(frozen=True, slots=True)
class DuelPage:
    """The content of a duel's page."""

    shown: DuelSummary
    verdict: str
    """In a word or two."""
    is_over: bool
    plot: Plot | None
    """None before the first pair."""
    rows: Sequence[DuelRow]
    """The last pairs, the newest first."""


def duel_page(duel: Duel) -> DuelPage:
    """Return a duel's page."""
    shown = duel.shown
    course, test = shown.progress, shown.plan.test
    seen = course.played[: course.verdict.pairs]
    values = evidence([pair.score for pair in seen], test)
    rows = [
        DuelRow(number, pair, values[number - 1] if number <= len(values) else None)
        for number, pair in enumerate(course.played, start=1)
    ]
    return DuelPage(
        shown=shown,
        verdict=_VERDICTS[course.verdict.answer],
        is_over=course.over,
        plot=_plot(values, test.bounds) if values else None,
        rows=rows[: -PAIRS_SHOWN - 1 : -1],
    )


def matches_of_pairs(duel: Duel) -> dict[str, tuple[str, str]]:
    """Return name and path of the pair of each match, by its id."""
    return {
        match.match_id: (f"Pair {number}", "duel.html#pairs")
        for number, pair in enumerate(duel.shown.progress.played, start=1)
        for match in pair.matches
    }


def _plot(values: Sequence[float], bounds: tuple[float, float]) -> Plot:
    lower, upper = bounds
    across = Axis(0, len(values), WIDTH)
    up = Axis(min(lower, *values), max(upper, *values), HEIGHT - 2 * _ROOM)

    def y(value: float) -> float:
        return round(HEIGHT - _ROOM - up.x(value), 1)

    points = thinned([(0, 0.0), *enumerate(values, start=1)], _MOST_POINTS)
    path = "M" + "L".join(f"{across.x(number):g} {y(value):g}" for number, value in points)
    return Plot(path, y(lower), y(upper), y(0.0), values)
