"""Prints a report in a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ladder.cli.tables import fitting_standings
from ladder.results.diagnostics.head_to_head import HeadToHead
from ladder.results.report import words
from ladder.results.report.facts import ReportFacts
from ladder.results.standings import percent

_CELL = len("100% +9.9")
_LISTED_PAIRS = 30
_MANY_ERRORS = 2.0
_FAVOURS = 5


def printed(facts: ReportFacts, width: int) -> Iterator[RenderableType]:
    """Yield the parts of a report, for a terminal of this width."""
    yield Text(facts.heading, style="bold")
    yield Text(words.blocks(facts))
    if not facts.explanations:
        yield Text("\nNo ratings yet: no block is complete.")
        return
    yield Text("\nStandings", style="bold")
    yield fitting_standings(facts.standings, width)
    yield Padding(_lines(words.answers(facts)), (1, 0, 0, 2))
    counts = _rows(words.COUNTS, words.counts(facts))
    yield from _section("The counts behind the standings", counts)
    yield _meanings(words.COUNTS_MEAN)
    results = _rows(words.RESULTS, words.results(facts))
    yield from _section("From the results to a logit", results, words.MODEL)
    yield _meanings(words.RESULTS_MEAN)
    if facts.joint is not None:
        yield from _section(
            "From places and points", _rows(words.JOINED, words.joined(facts, facts.joint))
        )
        yield _meanings(words.joined_mean(facts.joint))
    strengths = _rows(words.ratings_columns(facts), words.ratings(facts))
    yield from _section("From the logit to the rating and the rank", strengths)
    yield _meanings(words.RATINGS_MEAN)
    neighbours = _rows(words.NEIGHBOURS, words.neighbours(facts))
    yield from _section("Neighbours", neighbours)
    yield _meanings(words.NEIGHBOURS_MEAN)
    yield from _section("Head to head", _pairs(facts, width), words.PAIRS)
    yield from _section("By table size", _tallies(facts))
    for size in facts.advantages:
        yield from _section(f"Seats at tables of {size}", _seats(facts, size), words.SEATS)
        yield Text(f"  {words.seats(facts, size)}")
    yield from _section(
        "Luck", _lines(words.deal_variance(facts, facts.seats) + words.variances(facts))
    )
    if facts.luck:
        yield from _section("Luck of each bot", _rows(words.LUCK, words.luck(facts)))
        yield _meanings(words.LUCK_MEAN)
    yield from _section("Cycles", _lines(words.cycles(facts)))
    yield from _section("Seats and time", _lines(words.unevenness(facts)))
    yield from _section("Collusion", _lines(words.collusion(facts)))
    if facts.favours:
        yield Padding(_favours(facts), (1, 0, 0, 2))


def _section(title: str, content: RenderableType, about: str = "") -> Iterator[RenderableType]:
    yield Text(f"\n{title}", style="bold")
    if about:
        yield Padding(Text(about, style="dim"), (0, 0, 1, 2))
    yield Padding(content, (0, 0, 0, 2))


def _rows(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = _table(headings, left=("bot", "next bot"))
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _meanings(meanings: Mapping[str, str]) -> RenderableType:
    table = Table(box=None, pad_edge=False, show_header=False, style="dim")
    table.add_column(no_wrap=True, style="bold dim")
    table.add_column(overflow="fold")
    for term, what in meanings.items():
        table.add_row(term, what)
    return Padding(table, (1, 0, 0, 2))


def _lines(lines: Sequence[str]) -> RenderableType:
    return Group(*(Text(line) for line in lines))


def _pairs(facts: ReportFacts, width: int) -> RenderableType:
    """Return a matrix of all pairs; if it is too wide, a list of the most surprising pairs."""
    names = [len(facts.names[i]) for i in facts.listed]
    if 2 + max(names) + sum(2 + max(name, _CELL) for name in names) <= width:
        return _matrix(facts)
    table = _table(("row", "column", "compared", "ahead", "expected", "z"), left=("row", "column"))
    striking = sorted(facts.pairs, key=lambda pair: -abs(pair.z))[:_LISTED_PAIRS]
    for pair in striking:
        table.add_row(
            Text(facts.names[pair.i]),
            Text(facts.names[pair.j]),
            f"{pair.comparisons:,}",
            percent(pair.observed),
            percent(pair.expected),
            f"{pair.z:+.1f}",
        )
    return table


def _matrix(facts: ReportFacts) -> Table:
    known = {(pair.i, pair.j): pair for pair in facts.pairs}
    table = _table(["", *(facts.names[i] for i in facts.listed)], left=("",))
    for i in facts.listed:
        cells = [_cell(known, i, j) for j in facts.listed]
        table.add_row(Text(facts.names[i], style="bold"), *cells)
    return table


def _cell(known: dict[tuple[int, int], HeadToHead], i: int, j: int) -> Text:
    pair = known.get((min(i, j), max(i, j)))
    if i == j or pair is None:
        return Text("·" if i == j else "-", style="dim")
    ahead, z = (pair.observed, pair.z) if i < j else (1 - pair.observed, -pair.z)
    text = Text(f"{100 * ahead:.0f}%", style="green" if ahead > 0.5 else "")  # noqa: PLR2004 - half
    return text.append(f" {z:+.1f}", style="bold yellow" if abs(z) > _MANY_ERRORS else "dim")


def _tallies(facts: ReportFacts) -> Table:
    table = _table(words.TALLIES, left=("bot",))
    order = {version: place for place, version in enumerate(facts.listed)}
    listed = [tally for tally in facts.by_table_size if tally.version in order]
    listed.sort(key=lambda tally: (tally.table, order[tally.version]))
    for size, group in groupby(listed, key=lambda tally: tally.table):
        for i, tally in enumerate(group):
            low, high = tally.crash_rate
            table.add_row(
                "" if i else str(size),
                Text(facts.names[tally.version]),
                f"{tally.matches:,}",
                percent(tally.score),
                str(tally.crashes),
                f"{100 * low:.1f} to {100 * high:.1f}%",
            )
    return table


def _seats(facts: ReportFacts, size: int) -> Table:
    table = _table(("seat", "ahead", "logit", "95 %"), left=())
    for seat in facts.advantages[size].seats:
        table.add_row(
            str(seat.seat),
            percent(seat.ahead),
            f"{seat.worth:+.3f}",
            f"{seat.low:+.3f} to {seat.high:+.3f}",
        )
    return table


def _favours(facts: ReportFacts) -> Table:
    headings = ("the least probable", "blocks", "gain", "z", "P")
    table = _table(headings, left=("the least probable",))
    for favour in facts.favours[:_FAVOURS]:
        between = "and" if favour.mutual else "for"
        table.add_row(
            Text(f"{facts.names[favour.helper]} {between} {facts.names[favour.helped]}"),
            f"{favour.blocks:,}",
            f"{100 * favour.gain:+.1f}",
            f"{favour.z:+.1f}",
            f"{favour.p_value:.4f}",
            style="bold yellow" if favour.suspect else "",
        )
    return table


def _table(headings: Sequence[str], left: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in headings:
        justify: Literal["left", "right"] = "left" if name in left else "right"
        table.add_column(Text(name), justify=justify, no_wrap=name not in left, overflow="fold")
    return table
