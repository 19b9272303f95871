"""The bracket of a knockout as text, with lines that connect the tables.

If one entrant of each table goes on, the tables form a tree whose root is the last one, wherever
the seeds were placed: each entrant comes from the table at which it went on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.scheduling.ladder.balanced import VersionId

_LONGEST_NAME = 18


@dataclass(frozen=True, slots=True)
class BracketEntry:
    """One entrant at a table."""

    entrant: VersionId
    name: str
    score: str
    """The printed score; empty until the table is over."""
    ahead: bool
    """Whether the entrant goes on, or has won the final."""


@dataclass(frozen=True, slots=True)
class BracketTable:
    """A table of a knockout."""

    round: int
    sides: Sequence[BracketEntry]


@dataclass(frozen=True, slots=True)
class _Branch:
    lines: Sequence[str]
    exit: int
    """The line from which the entrant that goes on leaves."""


def bracket_lines(tables: Sequence[BracketTable], rounds: int) -> list[str]:
    """Return the last `rounds` rounds of a bracket as lines of text, the last round at the right.

    `tables` are those of all rounds in order; at most one entrant of each goes on.
    """
    first = max(0, max(table.round for table in tables) - rounds + 1)
    shown = [table for table in tables if table.round >= first]
    width = 6 + max(len(_cut(side.name)) for table in shown for side in table.sides)
    whole = {(table.round, side.entrant): table for table in shown for side in table.sides}
    lines: list[str] = []
    last = shown[-1].round
    roots = [table for table in shown if table.round == last]
    loose = _without_next(shown, roots)
    for root in (*roots, *loose):
        lines += [*([""] if lines else []), *_branch(root, whole, first, width).lines]
    return [line.rstrip() for line in lines]


def _without_next(
    tables: Sequence[BracketTable], roots: Sequence[BracketTable]
) -> list[BracketTable]:
    """Return the tables that lead to no later one, as the entrant that goes on has a bye."""
    later = {(table.round, side.entrant) for table in tables for side in table.sides}
    last = roots[0].round
    return [
        table
        for table in tables
        if table.round < last
        and not any(
            (number, side.entrant) in later
            for side in table.sides
            if side.ahead
            for number in range(table.round + 1, last + 1)
        )
    ]


def _branch(
    table: BracketTable,
    tables: Mapping[tuple[int, VersionId], BracketTable],
    first: int,
    width: int,
) -> _Branch:
    """Return a table with all tables that lead to it."""
    lines: list[str] = []
    exits: list[int] = []
    before = (table.round - first) * (width + 3)
    for side in table.sides:
        label = f"{_cut(side.name)} {side.score}".ljust(width)
        earlier = next(
            (
                tables[number, side.entrant]
                for number in range(table.round - 1, first - 1, -1)
                if (number, side.entrant) in tables
            ),
            None,
        )
        if earlier is None:
            own, leaves = [" " * before + label], 0
        else:
            branch = _branch(earlier, tables, first, width)
            own, leaves = [line.ljust(before) for line in branch.lines], branch.exit
            lead = own[leaves].rstrip()
            own[leaves] = lead + "─" * (before - 1 - len(lead)) + " " + label
        exits.append(len(lines) + leaves)
        lines += own
    return _joined(lines, exits, before + width)


def _joined(lines: Sequence[str], exits: Sequence[int], column: int) -> _Branch:
    """Return the lines with the exits joined in a column."""
    top, bottom = exits[0], exits[-1]
    middle = (top + bottom) // 2
    drawn = []
    for number, line in enumerate(lines):
        sign = " "
        if top <= number <= bottom:
            sign = {top: "┐", bottom: "┘"}.get(number, "┤" if number in exits else "│")
        if number == middle:
            sign = {"┐": "┬", "┘": "┴", "┤": "┼", "│": "├", " ": "─"}[sign]
        drawn.append(line.ljust(column) + sign)
    return _Branch(drawn, middle)


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
