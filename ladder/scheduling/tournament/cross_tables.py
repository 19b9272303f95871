"""Who met whom: cross tables, of a whole tournament and of its groups."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from io import StringIO

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Field, Line
from ladder.scheduling.tournament.formats.deciding import SCORE
from ladder.scheduling.tournament.formats.groups import Groups
from ladder.scheduling.tournament.formats.tables import SEED
from ladder.scheduling.tournament.planner import TournamentProgress


@dataclass(frozen=True, slots=True)
class Pair:
    """How one entrant did against another."""

    score: Fraction
    """The mean of their meetings, from 0 to 1."""
    meetings: int


@dataclass(frozen=True, slots=True)
class Cross:
    """A table of entrants and what each scored against each other."""

    name: str
    """Of the group; empty if it is the whole tournament."""
    lines: Sequence[Line]
    pairs: Mapping[tuple[VersionId, VersionId], Pair]
    """Those that met, in both orders."""
    going_on: Mapping[VersionId, str] = field(default_factory=dict)
    """Who goes on from a group that is over, and what told it from the first who does not."""
    behind: Line | None = None
    """The first who does not go on."""

    def against(self, entrant: VersionId) -> dict[VersionId, Pair]:
        """Return how an entrant did against each that it met, in the order of their places."""
        others = (line.entrant for line in self.lines)
        return {o: self.pairs[entrant, o] for o in others if (entrant, o) in self.pairs}

    def why(self, line: Line) -> str:
        """Return by what an entrant goes on and what both had of it; empty if it does not.

        A bot goes on unopposed if nobody of its group was left that does not.
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
    """Return how every two that met did against each other, in both orders."""
    scored: Counter[tuple[VersionId, VersionId]] = Counter()
    met: Counter[tuple[VersionId, VersionId]] = Counter()
    for result in past.results:
        pairs = result.pairs()
        scored.update(pairs)
        met.update(pairs.keys())
    return {pair: Pair(Fraction(scored[pair]) / met[pair], met[pair]) for pair in met}


def groups_of(form: Groups, now: TournamentProgress) -> list[Cross]:
    """Return the table of each group."""
    over, field = not form.in_groups(now.field), now.live or now.field
    return [
        Cross(
            group.name,
            group.lines,
            pairs_of(field.of_stage(group.name, [line.entrant for line in group.lines])),
            group.going_on if over else {},
            group.behind if over else None,
        )
        for group in form.tables(field)
    ]


def to_data(crosses: Sequence[Cross], names: Mapping[VersionId, str]) -> list[dict[str, object]]:
    """Return cross tables in terms of JSON."""
    return [
        {
            "group": cross.name,
            "table": [
                {
                    "place": line.place,
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
    """Return cross tables as CSV, a line for each two that met, with a line of names first."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["group", "place", "bot", "opponent", "score", "meetings"])
    for cross in crosses:
        for line in cross.lines:
            for other, pair in cross.against(line.entrant).items():
                told = (names[line.entrant], names[other], float(pair.score), pair.meetings)
                writer.writerow([cross.name, line.place, *told])
    return text.getvalue()
