"""A ladder's report, as a page of the site and as a file of its own."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.model.ratings import MU
from ladder.results.diagnostics.head_to_head import HeadToHead
from ladder.results.report import words
from ladder.results.report.facts import ReportFacts
from ladder.results.standings import COLUMNS, LEGEND_OF_ALL, cells, columns, interval, rating
from ladder.results.standings import percent as share_of
from ladder.server.web.drawing import Axis, axis_over
from ladder.server.web.render import fixed, render

WIDEST = 40
"""The maximum number of bots in a matrix."""
_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Possible distances between ticks of an axis, in logits."""
_PERCENT = 100
"""The width of a plot: its places are shares of its element, which has any width."""
_MANY_ERRORS = 2.0
_FAVOURS = 12
_SURPRISES = 12
_DEEPEST = 5
"""The levels of colour to both sides of one half."""
_MEANINGS = dict(part.split(": ", 1) for part in LEGEND_OF_ALL.split("; "))


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval, in percent of a plot's width."""

    label: str
    value: float
    low: float
    high: float
    text: str
    """The value in words."""
    strong: bool = False
    """Whether to highlight it."""


@dataclass(frozen=True, slots=True)
class Plot:
    """Values with intervals below each other, over one axis."""

    bars: Sequence[Bar]
    ticks: Sequence[tuple[float, str]]
    middle: float


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a matrix."""

    level: int
    """The depth of its colour: below 0 in one colour, above in the other."""
    text: str
    title: str
    """The tooltip."""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Matrix:
    """All bots against each other."""

    names: Sequence[str]
    rows: Sequence[Sequence[Cell | None]]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: Sequence[int]
    """The columns that hold names, which stand to the left."""
    meanings: Mapping[str, str]
    """The meanings of its columns, as far as they need one."""


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The content of a report's page."""

    facts: ReportFacts
    standings: Plot
    better: Matrix | None
    """None if it would be too wide."""
    pairs: Matrix | None
    surprises: Table
    """The pairs whose results are the least expected."""
    seats: Mapping[int, Plot]
    """By table size."""
    gain: Plot | None
    """The gain by duplicate deals."""
    favours: Table
    numbers: Sequence[tuple[str, Table]]
    """Everything that the standings follow from, step by step."""
    luck: Table


def report_page(facts: ReportFacts) -> ReportPage:
    """Return the content of a report's page."""
    few = len(facts.listed) <= WIDEST
    return ReportPage(
        facts=facts,
        standings=_standings(facts),
        better=_better(facts) if few else None,
        pairs=_pairs(facts) if few else None,
        surprises=_surprises(facts),
        seats={size: _seats(facts, size) for size in facts.advantages},
        gain=_gain(facts),
        favours=_favours(facts),
        numbers=[*_numbers(facts)],
        luck=Table(words.LUCK, words.luck(facts), (1,), words.LUCK_MEAN),
    )


def report_file(facts: ReportFacts) -> str:
    """Return a report as one file that needs no other."""
    page = report_page(facts)
    return render("report_file.html", page=page, words=words).decode()


def _plot(
    bars: Sequence[Bar], axis: Axis, ticks: Sequence[tuple[float, str]], middle: float
) -> Plot:
    """Return a plot of values that are not in percent yet."""
    placed = [
        Bar(b.label, axis.x(b.value), axis.x(b.low), axis.x(b.high), b.text, b.strong) for b in bars
    ]
    return Plot(placed, [(axis.x(at), text) for at, text in ticks], axis.x(middle))


def _standings(facts: ReportFacts) -> Plot:
    bars = [
        Bar(f"{row.rank}. {facts.names[version]}", row.mu, *interval(row), rating(row))
        for version, row in zip(facts.listed, facts.standings, strict=True)
    ]
    axis = axis_over([(bar.low, bar.high) for bar in bars], _PERCENT)
    return _plot(bars, axis, [(at, f"{at:g}") for at in axis.ticks()], MU)


def _seats(facts: ReportFacts, size: int) -> Plot:
    found = facts.advantages[size].seats
    bars = [
        Bar(
            f"seat {s.seat}",
            s.worth,
            s.low,
            s.high,
            share_of(s.ahead),
            strong=s.low > 0 or s.high < 0,
        )
        for s in found
    ]
    widest, ticks = _around_zero(max(max(-s.low, s.high) for s in found))
    return _plot(bars, Axis(-1.05 * widest, 1.05 * widest, _PERCENT), ticks, 0)


def _around_zero(farthest: float) -> tuple[float, list[tuple[float, str]]]:
    """Return how far an axis around zero extends to either side, and its ticks."""
    step = next((step for step in _STEPS if farthest <= 3 * step), _STEPS[-1])
    count = max(1, math.ceil(farthest / step))
    marks = range(-count, count + 1)
    return step * count, [(step * i, f"{round(step * i, 1):+g}" if i else "0") for i in marks]


def _gain(facts: ReportFacts) -> Plot | None:
    found = facts.deal_variance.get(facts.seats)
    if found is None:
        return None
    low, top = min(0.5, found.low), max(2.0, found.high)
    bar = Bar("gain", found.gain, found.low, found.high, fixed(found.gain, 2), found.low > 1)
    ticks = [(at, f"{at:g}") for at in (0.5, 1, 1.5, 2, 3, 4, 6, 8) if at <= top]
    air = 0.05 * (top - low)
    return _plot([bar], Axis(low - air, top + air, _PERCENT), ticks, 1)


def _level(share: float) -> int:
    """Return the depth of the colour of a share from 0 to 1; none of one half."""
    return round((share - 0.5) * 2 * _DEEPEST)


def _better(facts: ReportFacts) -> Matrix:
    names = [facts.names[i] for i in facts.listed]
    return Matrix(
        names,
        [
            [
                None
                if i == j
                else Cell(
                    _level(p),
                    str(min(max(round(100 * p), 1), 99)),
                    f"P({names[i]} is stronger than {names[j]}) = {p:.4f}",
                )
                for j, p in enumerate(row)
            ]
            for i, row in enumerate(facts.better)
        ],
    )


def _pairs(facts: ReportFacts) -> Matrix:
    known = {(pair.i, pair.j): pair for pair in facts.pairs}
    rows = [
        [_met(facts, known.get((min(i, j), max(i, j))), i, j) for j in facts.listed]
        for i in facts.listed
    ]
    return Matrix([facts.names[i] for i in facts.listed], rows)


def _met(facts: ReportFacts, pair: HeadToHead | None, i: int, j: int) -> Cell | None:
    if pair is None or i == j:
        return None
    ahead, expected, z = pair.observed, pair.expected, pair.z
    if i > j:
        ahead, expected, z = 1 - ahead, 1 - expected, -z
    title = (
        f"{facts.names[i]} before {facts.names[j]}: {100 * ahead:.1f} % of "
        f"{pair.comparisons:,}, expected {100 * expected:.1f} %, z = {z:+.1f}"
    )
    return Cell(_level(ahead), f"{100 * ahead:.0f}", title, strong=abs(z) > _MANY_ERRORS)


def _surprises(facts: ReportFacts) -> Table:
    found = [pair for pair in facts.pairs if abs(pair.z) > _MANY_ERRORS]
    rows = [
        (
            facts.names[pair.i],
            facts.names[pair.j],
            f"{pair.comparisons:,}",
            share_of(pair.observed),
            share_of(pair.expected),
            f"{pair.z:+.1f}",
        )
        for pair in sorted(found, key=lambda pair: -abs(pair.z))[:_SURPRISES]
    ]
    return Table(("bot", "against", "compared", "ahead", "expected", "z"), rows, (0, 1), {})


def _favours(facts: ReportFacts) -> Table:
    rows = [
        (
            facts.names[f.helper],
            "and" if f.mutual else "for",
            facts.names[f.helped],
            f"{f.blocks:,}",
            f"{100 * f.gain:+.1f}",
            f"{f.z:+.1f}",
            f"{f.p_value:.4f}",
        )
        for f in facts.favours[:_FAVOURS]
    ]
    headings = ("helper", "", "helped", "blocks together", "gain, points", "z", "P")
    return Table(headings, rows, (0, 1, 2), {})


def _numbers(facts: ReportFacts) -> Sequence[tuple[str, Table]]:
    chosen = columns(facts.standings)
    lines = [dict(zip(COLUMNS, cells(row), strict=True)) for row in facts.standings]
    shown = [[line[name] for name in chosen] for line in lines]
    tables = [
        ("Standings", Table(chosen, shown, (2,), _MEANINGS)),
        ("Counts", Table(words.COUNTS, words.counts(facts), (1,), words.COUNTS_MEAN)),
        (
            "From the results to a logit",
            Table(words.RESULTS, words.results(facts), (1,), words.RESULTS_MEAN),
        ),
    ]
    if joint := facts.joint:
        joined = Table(words.JOINED, words.joined(facts, joint), (1,), words.joined_mean(joint))
        tables.append(("From places and points", joined))
    strengths = words.ratings_columns(facts), words.ratings(facts)
    return [
        *tables,
        ("From the logit to the rating and the rank", Table(*strengths, (1,), words.RATINGS_MEAN)),
        (
            "Neighbours",
            Table(words.NEIGHBOURS, words.neighbours(facts), (1, 2), words.NEIGHBOURS_MEAN),
        ),
        ("By table size", Table(words.TALLIES, _tallies(facts), (1,), {})),
    ]


def _tallies(facts: ReportFacts) -> list[tuple[str, ...]]:
    order = {version: place for place, version in enumerate(facts.listed)}
    listed = [tally for tally in facts.by_table_size if tally.version in order]
    listed.sort(key=lambda tally: (tally.table, order[tally.version]))
    return [
        (
            str(t.table),
            facts.names[t.version],
            f"{t.matches:,}",
            share_of(t.score),
            str(t.crashes),
            f"{100 * t.crash_rate[0]:.1f} to {100 * t.crash_rate[1]:.1f} %",
        )
        for t in listed
    ]
