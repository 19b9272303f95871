"""The table of a gauntlet: the challenger's score against each opponent, with intervals."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Line


def gauntlet_table(
    lines: Sequence[Line], names: Mapping[VersionId, str], entrants: Sequence[VersionId]
) -> Table:
    """Return a line per opponent, the hardest first; the challenger is the first seed."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("against", overflow="fold")
    for name in ("seed", f"score of {names[entrants[0]]}", "95 % interval", "meetings"):
        table.add_column(name, justify="right")
    for line in lines:
        low, high = line.interval or (0.0, 1.0)
        table.add_row(
            Text(names[line.entrant]),
            str(1 + entrants.index(line.entrant)),
            f"{float(line.score):.2f}" if line.meetings else "-",
            f"{low:.2f} to {high:.2f}",
            str(line.meetings),
        )
    return table
