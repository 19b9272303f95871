"""Tables of the ladder's values for people, wherever the values come from."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.segment import Segments
from rich.table import Table
from rich.text import Text

from ladder.model.bots import Version
from ladder.model.matches import DecisionTime, MatchLine, SeatLine, SeatLog
from ladder.model.moments import when
from ladder.model.ratings import Strength, Tally
from ladder.model.tokens import Token
from ladder.results.standings import (
    COLUMNS,
    LEGEND,
    LEGEND_OF_ALL,
    Order,
    Standing,
    cells,
    columns,
    interval,
    separation,
    standings,
)
from referee.core.clock import took
from referee.core.console import SafeConsole
from referee.core.plain import plain

if TYPE_CHECKING:
    from ladder.cli.doctor import Finding
    from ladder.model.incidents import Incident
    from ladder.server.api.schemas import Spar
    from ladder.submission.disk_quota import DiskUse

ID_SHOWN = 12
"""Digits shown of ids and digests; enough to be unique."""
_WIDEST = 10_000
_BARS = range(20, 41)
"""The widths of the bars that show intervals; with less room there are none."""
_DISPENSABLE = ("points", "v", "more", "faults", "try", "wins", "matches")
"""Columns of the standings to drop on a narrow terminal, in this order."""
_OF_VERSIONS = ("try", "ranks", "rating", "matches", "wins", "points", "faults")
"""The columns shown for each version of a bot."""


def print_table(console: Console, table: Table) -> None:
    """Print a table; a pipe gets it in full width, without truncation.

    On a terminal too narrow for its words, print one line per cell.
    """
    boundless = console.options.update(max_width=_WIDEST)
    if console.is_terminal:
        fits = console.measure(table, options=boundless).minimum <= console.width
        console.print(table if fits else _upright(table))
        return
    # Changing the console's width would also widen all later output.
    whole = console.render(table, boundless)
    console.print(Segments(whole), soft_wrap=True)


def natural_width(console: Console, table: Table) -> int:
    """Return the width of a table whose cells are not folded."""
    return console.measure(table, options=console.options.update(max_width=_WIDEST)).maximum


def _upright(table: Table) -> Table:
    """Return a table with one line per non-empty cell: its column and its content."""
    upright = Table(box=None, pad_edge=False, show_header=False)
    upright.add_column(style="bold", no_wrap=True)
    upright.add_column(overflow="fold")
    names = [str(column.header).replace("\n", " ") for column in table.columns]
    for number, row in enumerate(zip(*(column.cells for column in table.columns), strict=True)):
        if number:
            upright.add_row()
        for name, cell in zip(names, row, strict=True):
            if str(cell):
                upright.add_row(name, cell)
    return upright


def print_standings(
    console: Console,
    rows: Sequence[Standing],
    order: Order = Order.MU,
    own: Collection[str] = (),
) -> None:
    """Print the standings, one line per bot; a narrow terminal gets fewer columns.

    `own` names the reader's bots, which a terminal sets off.
    """
    if console.is_terminal:
        table = fitting_standings(rows, console.width, order, own)
    else:
        table = standings_table(rows, order)
    print_table(console, table)
    legend = LEGEND_OF_ALL if order is Order.MU else LEGEND
    if rows:
        console.print(Text(legend, style="dim"), soft_wrap=not console.is_terminal)


def fitting_standings(
    rows: Sequence[Standing], width: int, order: Order = Order.MU, own: Collection[str] = ()
) -> Table:
    """Return the standings with the columns that fit into a width, and bars if there is room."""
    boundless = SafeConsole(width=_WIDEST)

    def table(without: Collection[str] = (), bar: int = 0) -> Table:
        return standings_table(rows, order, own, without, bar)

    def room(without: Collection[str]) -> int:
        return width - boundless.measure(table(without)).maximum

    if (bar := room(()) - 2) >= _BARS[0]:
        return table(bar=min(bar, _BARS[-1]))
    cuts = (_DISPENSABLE[:i] for i in range(len(_DISPENSABLE)))
    return table(next((cut for cut in cuts if room(cut) >= 0), _DISPENSABLE))


def standings_table(
    rows: Sequence[Standing],
    order: Order = Order.MU,
    own: Collection[str] = (),
    without: Collection[str] = (),
    bar: int = 0,
) -> Table:
    """Return the standings without the columns named in `without`; `own` names the reader's bots.

    Only an order by mu shows the columns about neighbours; the conservative order shows mu-3sigma.
    With `bar`, a last column of that width draws the intervals of the ratings.
    """
    table = _table()
    others = ("next", "more") if order is Order.CONSERVATIVE else ("mu-3sigma",)
    names = (*COLUMNS, "more", "mu-3sigma")
    shown = (*columns(rows), "more", "mu-3sigma")
    chosen = [name for name in shown if name not in (*without, *others)]
    for name in chosen:
        _column(table, name, right=name != "bot")
    scale = _Scale.of(rows, bar) if bar else None
    if scale is not None:
        table.add_column(scale.head, no_wrap=True)
    for row in rows:
        line = (*cells(row), separation(row), f"{row.conservative:.1f}")
        values = {name: Text(value) for name, value in zip(names, line, strict=True)}
        values["bot"].style = "bold" if row.rank == 1 else ""
        if row.bot in own:
            values["bot"].append(" (yours)", style="cyan")
        if row.fault_rate:
            values["faults"] = Text(f"! {values['faults']}", style="red")
        drawn = [] if scale is None else [scale.bar(row)]
        table.add_row(*(values[name] for name in chosen), *drawn)
    return table


@dataclass(frozen=True, slots=True)
class _Scale:
    """Draws ratings with their intervals on a line."""

    low: float
    high: float
    width: int
    """In characters."""

    @classmethod
    def of(cls, rows: Sequence[Standing], width: int) -> "_Scale | None":
        """Return the scale that holds the intervals of ranked bots; None if there are none."""
        ends = [end for row in rows if not row.provisional for end in interval(row)]
        return cls(min(ends), max(ends), width) if ends else None

    @property
    def head(self) -> str:
        """The ratings at both ends, above these."""
        low, high = f"{self.low:.0f}", f"{self.high:.0f}"
        return f"{low}{high:>{self.width - len(low)}}"

    def bar(self, row: Standing) -> Text:
        """Return a line for the interval with a dot for the rating; dim if it is provisional."""
        low, at, high = map(self._place, (interval(row)[0], row.mu, interval(row)[1]))
        bar = [" "] * low + ["─"] * (high + 1 - low)
        bar[at] = "●"
        return Text("".join(bar), style="dim" if row.provisional else "")

    def _place(self, rating: float) -> int:
        """Return the character at which a rating is; what is outside goes to the end."""
        share = (rating - self.low) / (self.high - self.low)
        return round(min(max(share, 0.0), 1.0) * (self.width - 1))


def bots_table(versions: Sequence[Version]) -> Table:
    """Return the active version of each bot, or else its last version.

    A newer version that was rejected has a line of its own.
    """
    table = _table()
    for name in ("bot", "version", "state", "submitted", "files"):
        _column(table, name, right=name == "version")
    for name in sorted({version.bot for version in versions}):
        for version in _listed([version for version in versions if version.bot == name]):
            table.add_row(
                Text(name),
                str(version.number),
                Text(plain(_state(version, otherwise="retired"))),
                when(version.submitted_at),
                version.digest[:ID_SHOWN],
            )
    return table


def _listed(versions: Sequence[Version]) -> Iterator[Version]:
    """Yield the versions to list of one bot, given all of them in order."""
    fit = [version for version in versions if version.rejected is None]
    yield from [version for version in fit if version.active] or fit[-1:]
    if versions[-1].rejected is not None:
        yield versions[-1]


def _state(version: Version, otherwise: str) -> str:
    if version.rejected is not None:
        return f"rejected: {version.rejected}"
    return "plays" if version.active else otherwise


def versions_table(tallies: Sequence[Tally], strengths: Mapping[int, Strength]) -> Table:
    """Return the versions of one bot, the latest first."""
    table = _table()
    numbers = {row.version: row for row in standings(tallies, strengths)}
    chosen = [name for name in columns(numbers.values()) if name in _OF_VERSIONS]
    for name in ("version", "state", *chosen):
        _column(table, name, right=name != "state")
    for tally in reversed(tallies):
        row = numbers[tally.version.number]
        values = dict(zip(COLUMNS, cells(row), strict=True))
        if tally.version.rejected is not None:
            values["rating"] = "-"
        table.add_row(
            str(row.version),
            Text(plain(_state(tally.version, otherwise="played"))),
            *(values[name] for name in chosen),
        )
    return table


def matches_table(lines: Sequence[MatchLine], *, number: str = "round") -> Table:
    """Return matches with their results, one line each; `number` is "round" or "spar"."""
    table = _table()
    for name in ("match", number, "state", "result"):
        _column(table, name, right=name == number)
    for line in lines:
        table.add_row(line.match_id[:ID_SHOWN], str(line.round), line.state, _result(line))
    return table


def spars_table(found: "Sequence[Spar]") -> Table:
    """Return spars, one line each."""
    table = _table()
    for name in ("spar", "asked at", "bot", "opponents", "played", "shared"):
        _column(table, name, right=name in ("spar", "played"))
    for each in found:
        others = ", ".join(pair.opponent for pair in each.pairs)
        played = f"{each.played}/{each.matches}"
        named = f"{each.bot}@{each.version}"
        row = str(each.id), each.asked_at, named, others, played, "yes" if each.shared_at else ""
        table.add_row(*map(Text, row))
    return table


def spar_table(of: "Spar") -> Table:
    """Return how a spar's bot fared against each opponent."""
    table = _table()
    for name in ("opponent", "matches", "ahead", "even", "behind", "score", "95 %"):
        _column(table, name, right=name != "opponent")
    for pair in of.pairs:
        score = "" if pair.score is None else f"{pair.score:.2f}"
        counts = map(str, (pair.matches, pair.ahead, pair.even, pair.behind))
        bounds = f"{pair.low:.2f} to {pair.high:.2f}"
        table.add_row(Text(f"{pair.opponent}@{pair.version}"), *counts, score, bounds)
    return table


def seats_table(line: MatchLine, reasons: Mapping[int, str]) -> Table:
    """Return the seats of a match with their results and the reasons of faults."""
    table = _table()
    for name in ("seat", "bot", "version", "place", "points", "forfeited by"):
        _column(table, name, right=name not in ("bot", "forfeited by"))
    for seat, taken in enumerate(line.seats):
        result = taken.result
        fault = result.forfeit if result and result.forfeit else ""
        reason = f": {reasons[seat]}" if fault and seat in reasons else ""
        table.add_row(
            str(seat),
            Text(_name(taken)),
            str(taken.version.number) if taken.version else "",
            str(result.rank) if result else "",
            str(result.points) if result else "",
            Text(plain(f"{fault}{reason}")),
        )
    return table


def incidents_table(incidents: "Sequence[tuple[Incident, MatchLine]]") -> Table:
    """Return what happened to matches."""
    table = _table()
    for name in ("when", "match", "round", "bots", "what", "why"):
        _column(table, name, right=name == "round")
    for incident, line in incidents:
        table.add_row(
            when(incident.happened_at),
            line.match_id[:12],
            str(line.round),
            Text(", ".join(_name(seat) for seat in line.seats)),
            incident.kind,
            Text(plain(incident.why)),
        )
    return table


def findings_table(findings: "Iterable[Finding]") -> Table:
    """Return findings about a machine; below what is lacking stands what to do."""
    table = _table()
    for name in ("", "what", "found"):
        _column(table, name, right=False)
    for finding in findings:
        mark = Text("ok", style="green") if finding.good else Text("missing", style="bold yellow")
        found = Text(finding.found)
        if finding.remedy:
            found.append(f"\nto do: {finding.remedy}", style="bold")
        table.add_row(mark, Text(finding.what, no_wrap=True), found)
    return table


def logs_table(logs: "Sequence[SeatLog]") -> Table:
    """Return one bot's results and decision times, one line per match.

    Columns that say nothing are left out, so that a usual terminal has room for all.
    """
    several = len({log.version.number for log in logs}) > 1
    times = ("median\ncharged", "slowest\ncharged", "slowest\nelapsed")
    names = ("match", "v", "seat", "place", "points", "decisions", *times, "log", "forfeited by")
    rows = [
        (
            log.match.match_id[:ID_SHOWN],
            str(log.version.number) if several else "",
            str(log.seat),
            str(log.result.rank),
            str(log.result.points),
            str(len(log.decisions)),
            took(log.median_us),
            took(log.slowest_us),
            took(log.slowest_wall_us),
            "yes" if log.printed else "",
            plain(f"{log.fault.kind.name}: {log.fault.reason}" if log.fault else ""),
        )
        for log in logs
    ]
    table = _table()
    filled = [column for column in zip(names, *rows, strict=True) if any(column[1:])]
    for name, *_ in filled:
        _column(table, name, right=name not in ("match", "log", "forfeited by"))
    for row in zip(*(column[1:] for column in filled), strict=True):
        table.add_row(*map(Text, row))
    return table


def timings_table(timings: "Sequence[DecisionTime]") -> Table:
    """Return the timing of a bot's decisions in one match, one line each."""
    table = _table()
    for name in ("request", "charged", "elapsed", "CPU", "waited for a core", "bank left"):
        _column(table, name, right=True)
    for timing in timings:
        table.add_row(
            str(timing.number),
            took(timing.charged_us),
            took(timing.wall_us),
            took(timing.cpu_us),
            took(timing.delay_us),
            took(timing.bank_left_us),
        )
    return table


def settings_table(settings: Mapping[str, str]) -> Table:
    """Return a ladder's settings, one line each."""
    table = _table()
    for name in ("setting", "value"):
        _column(table, name, right=False)
    for name, value in settings.items():
        table.add_row(name, Text(plain(value)))
    return table


def tokens_table(
    tokens: Sequence[Token], states: Mapping[int, str], used: "Mapping[str, DiskUse]"
) -> Table:
    """Return tokens, one line each, with states by number and disk use by author."""
    table = _table()
    for name in ("number", "author", "state", "created", "expires", "revoked", "author's disk use"):
        _column(table, name, right=name == "number")
    for token in tokens:
        number, expires = str(token.number), token.expires_at or "never"
        times = (token.created_at, expires, token.revoked_at or "")
        disk = str(used[token.author])
        table.add_row(number, Text(token.author), states[token.number], *times, disk)
    return table


def _table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold")


def _column(table: Table, name: str, *, right: bool) -> None:
    """Add a column; a narrow terminal folds words but never numbers."""
    table.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=right)


def _result(line: MatchLine) -> Text:
    """Return the seats in the order of their places, or by number before the match ends."""
    seats = sorted(line.seats, key=lambda seat: seat.result.rank if seat.result else 0)
    return Text(", ").join(map(_placed, seats))


def _placed(seat: SeatLine) -> Text:
    """Return a seat with its place and points; winners are bold, forfeits red."""
    if seat.result is None:
        return Text(_name(seat))
    text = f"{seat.result.rank}. {_name(seat)} {seat.result.points}"
    placed = Text(text, style="bold" if seat.result.rank == 1 else "")
    if seat.result.forfeit:
        placed.append(" forfeit", style="red")
    return placed


def _name(seat: SeatLine) -> str:
    return seat.version.bot if seat.version else "(stand-in)"
