"""Renders a report as one self-contained page, without other files or the network."""

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template

from ladder.model.ratings import MU
from ladder.results.diagnostics.head_to_head import HeadToHead
from ladder.results.report import words
from ladder.results.report.facts import ReportFacts
from ladder.results.standings import (
    COLUMNS,
    LEGEND_OF_ALL,
    cells,
    columns,
    interval,
    percent,
    rating,
)
from ladder.server.web.drawing import axis_over
from ladder.server.web.report.plots import Bar, Cell, intervals, matrix

_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Possible distances between ticks of an axis, in logits."""
_MANY_ERRORS = 2.0
_FAVOURS = 12
_WIDEST_MATRIX = 40
"""The maximum number of bots in a matrix."""


def page(facts: ReportFacts) -> str:
    """Return the page."""
    sections = [
        ("standings", "Standings", _standings(facts)),
        ("accounts", "The numbers behind each line", _accounts(facts)),
        ("better", "Who is stronger than whom", _better(facts)),
        ("pairs", "Head to head", _pairs(facts)),
        ("tables", "By table size", _tallies(facts)),
        ("seats", "Seats", _seats(facts)),
        ("luck", "Luck", _luck(facts)),
        ("cycles", "Cycles", _list(words.cycles(facts))),
        ("uneven", "Seats and time", _list(words.unevenness(facts))),
        ("favours", "Collusion", _favours(facts)),
    ]
    if not facts.explanations:
        sections = [("standings", "Standings", "<p>No ratings yet: no block is complete.</p>")]
    links = "".join(f'<a href="#{key}">{title}</a>' for key, title, _ in sections)
    cards = "".join(
        f'<section class="card {key}" id="{key}"><h2>{title}</h2>{content}</section>'
        for key, title, content in sections
    )
    return Template(_resource("report/page.html")).substitute(
        title=escape(facts.heading),
        about=escape(words.blocks(facts)),
        style=_resource("static/style.css") + _resource("report/report.css"),
        script=_resource("static/theme.js"),
        links=links,
        cards=cards,
    )


def _resource(path: str) -> str:
    return files("ladder.server.web").joinpath(path).read_text(encoding="utf-8")


def _standings(facts: ReportFacts) -> str:
    bars = [
        Bar(
            f"{row.rank}. {facts.names[version]}",
            row.mu,
            *interval(row),
            rating(row),
        )
        for version, row in zip(facts.listed, facts.standings, strict=True)
    ]
    axis = axis_over([(bar.low, bar.high) for bar in bars], 1)
    ticks = [(at, f"{at:g}") for at in axis.ticks()]
    plot = intervals(bars, axis.low, axis.high, ticks, MU)
    chosen = columns(facts.standings)
    lines = (dict(zip(COLUMNS, cells(row), strict=True)) for row in facts.standings)
    table = _table(chosen, [[line[name] for name in chosen] for line in lines], left=(2,))
    said = [*words.answers(facts), words.provisional(facts)]
    return table + _p(f"{LEGEND_OF_ALL}.") + plot + _list(said)


def _accounts(facts: ReportFacts) -> str:
    columns, strengths = words.ratings_columns(facts), words.ratings(facts)
    return "".join(
        (
            "<h3>Counts</h3>",
            _table(words.COUNTS, words.counts(facts), left=(1,)),
            _terms(words.COUNTS_MEAN),
            "<h3>From the results to a logit</h3>",
            _p(words.MODEL),
            _table(words.RESULTS, words.results(facts), left=(1,)),
            _terms(words.RESULTS_MEAN),
            *_joined(facts),
            "<h3>From the logit to the rating and the rank</h3>",
            _table(columns, strengths, left=(1,)),
            _terms(words.RATINGS_MEAN),
            "<h3>Neighbours</h3>",
            _table(words.NEIGHBOURS, words.neighbours(facts), left=(1, 2)),
            _terms(words.NEIGHBOURS_MEAN),
        )
    )


def _joined(facts: ReportFacts) -> list[str]:
    if facts.joint is None:
        return []
    table = _table(words.JOINED, words.joined(facts, facts.joint), left=(1,))
    return ["<h3>From places and points</h3>", table, _terms(words.joined_mean(facts.joint))]


def _better(facts: ReportFacts) -> str:
    if len(facts.listed) > _WIDEST_MATRIX:
        return _p(f"Shown for up to {_WIDEST_MATRIX} bots.")
    names = [facts.names[i] for i in facts.listed]
    rows = [
        [
            None
            if i == j
            else Cell(p, _chance(p), f"P({names[i]} is stronger than {names[j]}) = {p:.4f}")
            for j, p in enumerate(row)
        ]
        for i, row in enumerate(facts.better)
    ]
    about = "The probability, in percent, that the row is stronger than the column."
    return _p(about) + matrix(names, rows)


def _pairs(facts: ReportFacts) -> str:
    if len(facts.listed) > _WIDEST_MATRIX:
        return _p(f"Shown for up to {_WIDEST_MATRIX} bots.")
    known = {(pair.i, pair.j): pair for pair in facts.pairs}
    names = [facts.names[i] for i in facts.listed]
    rows = [
        [_met(facts, known.get((min(i, j), max(i, j))), i, j) for j in facts.listed]
        for i in facts.listed
    ]
    legend = (
        "Framed: more than two standard errors from the expected share. Point at a cell for more."
    )
    return _p(words.PAIRS) + matrix(names, rows) + _p(legend, "muted")


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
    return Cell(ahead, f"{100 * ahead:.0f} %", title, strong=abs(z) > _MANY_ERRORS)


def _tallies(facts: ReportFacts) -> str:
    order = {version: place for place, version in enumerate(facts.listed)}
    listed = [tally for tally in facts.by_table_size if tally.version in order]
    listed.sort(key=lambda tally: (tally.table, order[tally.version]))
    rows = [
        (
            str(t.table),
            facts.names[t.version],
            f"{t.matches:,}",
            percent(t.score),
            str(t.crashes),
            f"{100 * t.crash_rate[0]:.1f} to {100 * t.crash_rate[1]:.1f} %",
        )
        for t in listed
    ]
    return _table(words.TALLIES, rows, left=(1,))


def _seats(facts: ReportFacts) -> str:
    parts = [_p(words.SEATS)]
    for size, found in facts.advantages.items():
        widest, ticks = _axis(max(max(-s.low, s.high) for s in found.seats))
        bars = [
            Bar(
                f"seat {s.seat}",
                s.worth,
                s.low,
                s.high,
                f"{percent(s.ahead)}, {s.worth:+.2f}",
                strong=s.low > 0 or s.high < 0,
            )
            for s in found.seats
        ]
        parts += [f"<h3>Tables of {size}</h3>", intervals(bars, -widest, widest, ticks, 0)]
        parts.append(_p(words.seats(facts, size)))
    return "".join(parts)


def _axis(farthest: float) -> tuple[float, list[tuple[float, str]]]:
    """Return how far an axis around zero extends to either side, and its ticks."""
    step = next((step for step in _STEPS if farthest <= 3 * step), _STEPS[-1])
    count = max(1, math.ceil(farthest / step))
    marks = range(-count, count + 1)
    return step * count, [(step * i, f"{round(step * i, 1):+g}" if i else "0") for i in marks]


def _luck(facts: ReportFacts) -> str:
    found = facts.deal_variance.get(facts.seats)
    plot = ""
    if found is not None:
        top = max(2.0, found.high)
        bar = Bar(
            "gain", found.gain, found.low, found.high, f"{found.gain:.2f}", strong=found.low > 1
        )
        ticks = [(at, f"{at:g}") for at in (0.5, 1, 1.5, 2, 3, 4, 6, 8) if at <= top]
        plot = intervals([bar], min(0.5, found.low), top, ticks, 1)
    return (
        _list(words.deal_variance(facts, facts.seats))
        + plot
        + "<h3>Sources of variance</h3>"
        + _list(words.variances(facts))
        + _of_bots(facts)
    )


def _of_bots(facts: ReportFacts) -> str:
    if not facts.luck:
        return ""
    table = _table(words.LUCK, words.luck(facts), left=(1,))
    return f"<h3>Luck of each bot</h3>{table}{_terms(words.LUCK_MEAN)}"


def _favours(facts: ReportFacts) -> str:
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
    table = _table(headings, rows, left=(0, 1, 2)) if rows else ""
    return _list(words.collusion(facts)) + table


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = ()) -> str:
    def cells(tag: str, values: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{'' if i in left else ' class=n'}>{escape(value)}</{tag}>"
            for i, value in enumerate(values)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    head = cells("th", headings)
    return (
        '<div class="scroll" tabindex="0"><table class="plain">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _p(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>'


def _list(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines if line) + "</ul>"


def _terms(meanings: Mapping[str, str]) -> str:
    items = (f"<dt>{escape(term)}</dt><dd>{escape(what)}</dd>" for term, what in meanings.items())
    return f"<dl>{''.join(items)}</dl>"


def _chance(p: float) -> str:
    return "> 99" if p > 0.995 else "< 1" if p < 0.005 else f"{100 * p:.0f}"  # noqa: PLR2004
