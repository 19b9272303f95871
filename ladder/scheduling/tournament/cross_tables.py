"""Cross tables of a whole tournament and of its groups, and tables as CSV."""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from io import StringIO

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Field, Line
from ladder.scheduling.tournament.formats.deciding import SCORE
from ladder.scheduling.tournament.formats.groups import Groups
from ladder.scheduling.tournament.formats.tables import SEED
from ladder.scheduling.tournament.planner import TournamentProgress

_FORMULA = ("=", "+", "-", "@")
"""With which a spreadsheet takes a text for a formula."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The results of one entrant against another."""

    score: Fraction
    """The mean score of their meetings, from 0 to 1."""
    meetings: int


@dataclass(frozen=True, slots=True)
class Cross:
    """A cross table."""

    name: str
    """The name of the group; empty for the whole tournament."""
    lines: Sequence[Line]
    pairs: Mapping[tuple[VersionId, VersionId], Pair]
    """The pairs that met, in both orders."""
    placed: bool
    """Whether the lines have places: not before the first result."""
    going_on: Mapping[VersionId, str] = field(default_factory=dict)
    """The bots that go on from a finished group, with the criterion against `behind`."""
    behind: Line | None = None
    """The first one that does not go on."""

    def place(self, line: Line) -> int | None:
        """Return the place of a line; None before the first result."""
        return line.place if self.placed else None

    def against(self, entrant: VersionId) -> dict[VersionId, Pair]:
        """Return an entrant's results by opponent, in the order of the table."""
        others = (line.entrant for line in self.lines)
        return {o: self.pairs[entrant, o] for o in others if (entrant, o) in self.pairs}

    def why(self, line: Line) -> str:
        """Return the criterion by which an entrant goes on, with both values; empty if it does not.

        A bot goes on unopposed if no bot of its group is left behind it.
        """
        if (by := self.going_on.get(line.entrant)) is None:
            return ""
        if self.behind is None:
            return "unopposed"
        ahead, behind = (
            line.score if by == SCORE else line.tie_breaks[by] for line in (line, self.behind)
        )
        decimals = 0 if by == SEED else 2
        return f"{by}: {float(ahead):.{decimals}f} to {float(behind):.{decimals}f}"


def pairs_of(past: Field) -> dict[tuple[VersionId, VersionId], Pair]:
    """Return the results of all pairs that met, in both orders."""
    scored: Counter[tuple[VersionId, VersionId]] = Counter()
    met: Counter[tuple[VersionId, VersionId]] = Counter()
    for result in past.results:
        pairs = result.pairs()
        scored.update(pairs)
        met.update(pairs.keys())
    return {pair: Pair(Fraction(scored[pair]) / met[pair], met[pair]) for pair in met}


def groups_of(form: Groups, now: TournamentProgress) -> list[Cross]:
    """Return the cross table of each group."""
    over, field = not form.in_groups(now.field), now.live or now.field
    found = []
    for group in form.tables(field):
        past = field.of_stage(group.name, [line.entrant for line in group.lines])
        goes_on = (group.going_on, group.behind) if over else ({}, None)
        placed = over or bool(past.results)
        found.append(Cross(group.name, group.lines, pairs_of(past), placed, *goes_on))
    return found


def to_data(crosses: Sequence[Cross], names: Mapping[VersionId, str]) -> list[dict[str, object]]:
    """Return cross tables as JSON values."""
    return [
        {
            "group": cross.name,
            "table": [
                {
                    "place": cross.place(line),
                    "bot": names[line.entrant],
                    "score": float(line.score),
                    "meetings": line.meetings,
                    "goes_on_by": cross.going_on.get(line.entrant),
                    "against": {
                        names[other]: {"score": float(pair.score), "meetings": pair.meetings}
                        for other, pair in cross.against(line.entrant).items()
                    },
                }
                for line in cross.lines
            ],
        }
        for cross in crosses
    ]


def to_csv(crosses: Sequence[Cross], names: Mapping[VersionId, str]) -> str:
    """Return cross tables as CSV: a row and a column for each bot, empty where two did not meet."""
    columns = [line.entrant for cross in crosses for line in cross.lines]
    rows: list[list[object]] = [["group", "place", "bot", "score", "meetings"]]
    rows[0] += [names[entrant] for entrant in columns]
    for cross in crosses:
        for line in cross.lines:
            pairs = cross.against(line.entrant)
            scores = [float(pairs[other].score) if other in pairs else None for other in columns]
            own = (names[line.entrant], float(line.score), line.meetings)
            rows.append([cross.name, cross.place(line), *own, *scores])
    return csv_text(rows)


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; no spreadsheet runs a text of theirs as a formula."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
