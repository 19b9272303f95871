"""How the ladder's answers look: tables for people. Nothing here knows where they come from."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladder.models import MatchLine, SeatLine, Tally, Version
from ladder.standings import Standing, standings

ID_SHOWN = 12
"""Digits of ids and digests that are shown; enough to name one."""
_WIDEST = 10_000


def print_table(console: Console, table: Table) -> None:
    """Print a table, in a pipe as wide as it is: nothing is cut short there."""
    if not console.is_terminal:
        boundless = console.options.update(max_width=_WIDEST)
        console.width = max(console.width, console.measure(table, options=boundless).maximum)
    console.print(table)


def standings_table(rows: Sequence[Standing]) -> Table:
    """Return the standings."""
    table = _table()
    for name in ("#", "bot", "v", "score", "mu", "sigma", "matches", "wins", "points", "faults"):
        _column(table, name, right=name != "bot")
    for row in rows:
        table.add_row(
            str(row.rank),
            Text(row.bot),
            str(row.version),
            f"{row.conservative:.2f}",
            f"{row.mu:.2f}",
            f"{row.sigma:.2f}",
            str(row.matches),
            _percent(row.win_share),
            "-" if row.average_points is None else f"{row.average_points:.1f}",
            _percent(row.fault_rate),
        )
    return table


def bots_table(versions: Sequence[Version]) -> Table:
    """Return the bots of these versions: for each the one that plays, or else its last one."""
    table = _table()
    for name in ("bot", "version", "state", "submitted", "files"):
        _column(table, name, right=name == "version")
    shown: dict[str, Version] = {}
    for version in versions:
        if version.active or not (version.bot in shown and shown[version.bot].active):
            shown[version.bot] = version
    for name in sorted(shown):
        version = shown[name]
        table.add_row(
            Text(name),
            str(version.number),
            "plays" if version.active else "retired",
            version.submitted_at,
            version.digest[:ID_SHOWN],
        )
    return table


def versions_table(tallies: Sequence[Tally]) -> Table:
    """Return the versions of one bot, the last one first."""
    table = _table()
    for name in ("version", "state", "score", "mu", "sigma", "matches", "wins", "points", "faults"):
        _column(table, name, right=name != "state")
    numbers = {row.version: row for row in standings(tallies)}
    for tally in reversed(tallies):
        row = numbers[tally.version.number]
        table.add_row(
            str(row.version),
            "plays" if tally.version.active else "played",
            f"{row.conservative:.2f}",
            f"{row.mu:.2f}",
            f"{row.sigma:.2f}",
            str(row.matches),
            _percent(row.win_share),
            "-" if row.average_points is None else f"{row.average_points:.1f}",
            _percent(row.fault_rate),
        )
    return table


def matches_table(lines: Sequence[MatchLine]) -> Table:
    """Return matches with how they ended, a line each."""
    table = _table()
    for name in ("match", "round", "state", "result"):
        _column(table, name, right=name == "round")
    for line in lines:
        table.add_row(line.match_id[:ID_SHOWN], str(line.round), line.state, Text(_result(line)))
    return table


def seats_table(line: MatchLine, reasons: Mapping[int, str]) -> Table:
    """Return who sat where in a match and how it ended for them, with the reasons of faults."""
    table = _table()
    for name in ("seat", "bot", "version", "place", "points", "forfeited by"):
        _column(table, name, right=name not in ("bot", "forfeited by"))
    for seat, taken in enumerate(line.seats):
        result = taken.result
        fault = result.forfeit if result and result.forfeit else ""
        reason = f": {reasons[seat]}" if seat in reasons else ""
        table.add_row(
            str(seat),
            Text(_name(taken)),
            str(taken.version.number) if taken.version else "",
            str(result.rank) if result else "",
            str(result.points) if result else "",
            Text(plain(f"{fault}{reason}")),
        )
    return table


def plain(text: str) -> str:
    """Return a text with a dot for whatever could steer a terminal: it may come from a bot."""
    return "".join(c if c.isprintable() else "·" for c in text)


def _table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold")


def _column(table: Table, name: str, *, right: bool) -> None:
    table.add_column(name, justify="right" if right else "left", overflow="fold")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"


def _result(line: MatchLine) -> str:
    """Return the seats in the order of their places, or of the seats while there are none."""
    seats = sorted(line.seats, key=lambda seat: seat.result.rank if seat.result else 0)
    return ", ".join(_placed(seat) for seat in seats)


def _placed(seat: SeatLine) -> str:
    if seat.result is None:
        return _name(seat)
    forfeit = " forfeit" if seat.result.forfeit else ""
    return f"{seat.result.rank}. {_name(seat)} {seat.result.points}{forfeit}"


def _name(seat: SeatLine) -> str:
    return seat.version.bot if seat.version else "(stand-in)"
