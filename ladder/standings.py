"""The standings: who is strongest, with what the numbers rest on.

Bots are ranked by the conservative rating, what they almost surely are worth, so that a bot that
has hardly played does not lead by luck. Equal ones are put in the order of their names.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO

from ladder.models import Tally


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings. The names of the fields are those of the JSON and CSV output."""

    rank: int
    """From 1."""
    bot: str
    version: int
    """Counts the bot's versions from 1."""
    mu: float
    """The mean of its strength; bots start at 25."""
    sigma: float
    """The standard deviation of it, the uncertainty; bots start at 25 / 3."""
    conservative: float
    """mu - 3 sigma."""
    matches: int
    """Finished ones of this version."""
    win_share: float | None
    """Its part of the victories per match, from 0 to 1; a first place of k bots counts 1 / k."""
    average_points: float | None
    """Its points in the game per match."""
    fault_rate: float | None
    """The part of its matches that it forfeited, from 0 to 1."""


def standings(tallies: Iterable[Tally]) -> list[Standing]:
    """Rank the versions; shares and averages are None for one that has not finished a match."""
    ordered = sorted(tallies, key=lambda t: (-t.rating.conservative, t.version.bot))
    return [
        Standing(
            rank=rank,
            bot=tally.version.bot,
            version=tally.version.number,
            mu=tally.rating.mu,
            sigma=tally.rating.sigma,
            conservative=tally.rating.conservative,
            matches=tally.matches,
            win_share=_per_match(tally.wins, tally),
            average_points=_per_match(tally.points, tally),
            fault_rate=_per_match(tally.forfeits, tally),
        )
        for rank, tally in enumerate(ordered, start=1)
    ]


def to_json(rows: Sequence[Standing]) -> str:
    """Return the standings as a JSON list of objects, with a final newline."""
    return json.dumps([asdict(row) for row in rows], indent=2) + "\n"


def to_csv(rows: Sequence[Standing]) -> str:
    """Return the standings as CSV with a line of names first; what is None is empty."""
    text = StringIO()
    writer = csv.DictWriter(text, [f.name for f in fields(Standing)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue()


def _per_match(total: float, tally: Tally) -> float | None:
    return total / tally.matches if tally.matches else None
