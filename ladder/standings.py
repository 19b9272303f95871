"""The standings: who is strongest, with what the numbers rest on.

The rating of record ranks: the strongest by the best estimate is first, and the interval of its
rank says how sure that is. Provisional versions come behind all others, which are measured without
them. Versions of which it knows nothing come last, by the conservative live
rating, what they almost surely are worth. Equal ones are put in the order of their names.
"""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from io import StringIO
from itertools import pairwise

from ladder.errors import UnknownBotError
from ladder.models import Strength, Tally

_COLUMNS = "# ranks bot v strength next live matches wins points faults"
COLUMNS = tuple(_COLUMNS.split())
SHOWN = 50
"""So many lines a terminal is shown of long standings."""
_NEIGHBOURS = 10
"""Of a bot that was asked for, so many before it and behind it."""
_NAMED = 10
FORESEEABLE = 100_000
"""With more matches than this to play, nobody waits for the answer."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings. The names of the fields are those of the JSON and CSV output.

    What the rating of record does not say of a version is None.
    """

    rank: int
    """From 1."""
    bot: str
    version: int
    """Counts the bot's versions from 1."""
    mu: float
    """The live rating by TrueSkill: the mean of its strength; bots start at 25."""
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
    rank_low: int | None = None
    rank_high: int | None = None
    """The interval that holds its true rank with 95 %."""
    strength: float | None = None
    """Its chance to come before the average bot of the list, from 0 to 1."""
    strength_low: float | None = None
    strength_high: float | None = None
    """The interval that holds this chance with 95 %."""
    logit: float | None = None
    """The strength as log(chance / (1 - chance))."""
    logit_error: float | None = None
    """The standard deviation of the logit's error."""
    better_than_next: float | None = None
    """The probability that it is stronger than the next one; None of the last one."""
    matches_to_separate: int | None = None
    """About how many matches with both at the table would make that 0.95; None if it is that, if no
    block of one of them is rated yet, and of the last one."""
    blocks: int = 0
    """In how many blocks it was that are rated."""
    provisional: bool = True
    """Whether these are fewer than six: too few for its intervals to be trusted."""


def standings(
    tallies: Iterable[Tally], strengths: Mapping[int, Strength] | None = None
) -> list[Standing]:
    """Rank the versions; `strengths` is the rating of record by version id.

    Shares and averages are None for a version that has not finished a match.
    """
    known = strengths or {}

    def key(tally: Tally) -> tuple[int, float, str]:
        strength = known.get(tally.version.id)
        if strength is None:
            return 2, -tally.rating.conservative, tally.version.bot
        return int(strength.provisional), -strength.logit, tally.version.bot

    return [
        _standing(rank, tally, known.get(tally.version.id))
        for rank, tally in enumerate(sorted(tallies, key=key), start=1)
    ]


def _standing(rank: int, tally: Tally, strength: Strength | None) -> Standing:
    row = Standing(
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
    if strength is None:
        return row
    low, high = strength.ranks or (None, None)
    return replace(
        row,
        rank_low=low,
        rank_high=high,
        strength=strength.chance,
        strength_low=strength.low,
        strength_high=strength.high,
        logit=strength.logit,
        logit_error=strength.error,
        better_than_next=strength.better_than_next,
        matches_to_separate=strength.until_separated,
        blocks=strength.blocks,
        provisional=strength.provisional,
    )


def cells(row: Standing) -> list[str]:
    """Return a line as people read it, by `COLUMNS`."""
    return [
        str(row.rank),
        f"{ranks(row)}?" if row.provisional and row.rank_low is not None else ranks(row),
        row.bot,
        str(row.version),
        strength(row),
        "" if row.better_than_next is None else f"{row.better_than_next:.2f}",
        live(row),
        str(row.matches),
        percent(row.win_share),
        "-" if row.average_points is None else f"{row.average_points:.1f}",
        percent(row.fault_rate),
    ]


def ranks(row: Standing) -> str:
    """Return the ranks that are possible."""
    if row.rank_low is None:
        return "-"
    return f"{row.rank_low}" if row.rank_low == row.rank_high else f"{row.rank_low}-{row.rank_high}"


def strength(row: Standing) -> str:
    """Return a strength and how far it may be off, to the farther side."""
    if row.strength is None or row.strength_low is None or row.strength_high is None:
        return "-"
    off = max(row.strength - row.strength_low, row.strength_high - row.strength)
    return f"{100 * row.strength:.1f}±{100 * off:.1f}%"


def live(row: Standing) -> str:
    """Return the live rating with its standard deviation."""
    return f"{row.mu:.1f}±{row.sigma:.1f}"


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return "-" if share is None else f"{100 * share:.1f}%"


def separation(row: Standing) -> str:
    """Return about how many more matches tell it from the next one; empty if none are needed."""
    if row.matches_to_separate is None:
        return ""
    most = row.matches_to_separate > FORESEEABLE
    return f">{FORESEEABLE:,}" if most else f"{rounded(row.matches_to_separate):,}"


def window(rows: Sequence[Standing], limit: int | None, bot: str | None) -> Sequence[Standing]:
    """Return the first lines, or those around a bot; all if neither is given.

    `limit` is how many; around a bot without one, it is 21. Raise `UnknownBotError`.
    """
    if bot is None:
        return rows[:limit]
    place = next((i for i, row in enumerate(rows) if row.bot == bot), None)
    if place is None:
        raise UnknownBotError(f"{bot!r} is not in the standings; `ladder bots` lists all bots")
    count = min(limit or 2 * _NEIGHBOURS + 1, len(rows))
    first = min(max(0, place - count // 2), len(rows) - count)
    return rows[first : first + count]


def notes(rows: Sequence[Standing]) -> list[str]:
    """Return what is open between neighbours, a sentence each, and who is provisional."""
    lines = [_to_separate(a, b) for a, b in pairwise(rows) if a.matches_to_separate is not None]
    return [*lines, *provisional(rows)]


def provisional(rows: Sequence[Standing]) -> list[str]:
    """Return a sentence that names who is provisional, of many the first ones; or nothing."""
    names = [row.bot for row in rows if row.provisional]
    if len(names) > _NAMED:
        names = [*names[:_NAMED], f"and {len(names) - _NAMED} more"]
    return [f"Provisional, with fewer than six blocks: {', '.join(names)}."] if names else []


def _to_separate(a: Standing, b: Standing) -> str:
    more = a.matches_to_separate or 0
    if more > FORESEEABLE:
        return f"{a.bot} and {b.bot} are about equal: no number of matches tells them apart soon."
    matches = f"About {rounded(more):,} more matches with both at the table"
    return f"{matches} to tell {a.bot} from {b.bot}."


def rounded(number: int) -> int:
    """Return a number with two digits that count: it is an estimate."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit


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
