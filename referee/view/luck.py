"""Says in words what chance gave the seats of a match."""

from collections.abc import Sequence

from courtyard.v1 import record_pb2
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.core.errors import UsageError
from referee.match.luck import MatchLuck, match_luck, measure_of
from referee.match.verify import verify
from referee.view.show import seat_names


def plus_minus(points: float, error: float) -> str:
    """Return points with half their 95 % interval."""
    return f"{points:.1f} ± {error:.1f}"


def luck_line(luck: MatchLuck, places: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """Return what luck gave the winner more than the next seat, as a sentence.

    `places` holds rank and points of each seat. Of a table for one, and of a winner that has fewer
    points than the next, it is empty.
    """
    order = sorted(range(len(places)), key=lambda seat: (places[seat][0], seat))
    if len(order) == 1:
        return ""
    first, second = order[:2]
    margin = places[first][1] - places[second][1]
    if margin < 0 or (not margin and places[first][0] != places[second][0]):
        return ""
    given, error = luck.ahead(first, second)
    if not margin:
        first, second = (first, second) if given >= 0 else (second, first)
        more = f"luck gave {names[first]} {plus_minus(abs(given), error)} more"
        return f"{names[order[0]]} and {names[order[1]]} share the first place; {more}."
    won = f"{names[first]} won by {margin} point{'s' * (margin > 1)}"
    if given < 0:
        return f"{won}, although luck gave {names[second]} {plus_minus(-given, error)} more."
    if given > margin:
        return f"{won}; luck gave {plus_minus(given, error)}."
    return f"{won}, of which luck gave {plus_minus(given, error)}."


def show_luck(console: Console, path: str, record: record_pb2.Record) -> None:
    """Print what luck gave each seat of a record, and the version of the measure.

    Raise `UsageError` if the record is not genuine, or if its game has no measure.
    """
    if problems := verify(record):
        raise UsageError(f"the luck of a record that is not true is unknown: {problems[0]}")
    measure, found = measure_of(record), match_luck(record)
    if measure is None or found is None:
        raise UsageError(f"{record.game} has no measure of luck")
    names = seat_names(record)
    places = [(outcome.rank, outcome.points) for outcome in record.outcomes]
    summary = luck_line(found, places, names)
    console.print(Text(f"{path}: {summary}" if summary else path), soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("place", "bot", "points", "luck", "without luck"):
        table.add_column(column, justify="left" if column == "bot" else "right")
    for seat in sorted(range(len(names)), key=lambda seat: (places[seat][0], seat)):
        rank, points = places[seat]
        given, error = found.points[seat], found.error(seat)
        luck = f"{given:+.1f} ± {error:.1f}"
        table.add_row(str(rank), Text(names[seat]), str(points), luck, f"{points - given:.1f}")
    console.print(table)
    about = f"Measured by {record.game}'s own measure, {measure.version}."
    console.print(Text(about, style="dim"), soft_wrap=True)
