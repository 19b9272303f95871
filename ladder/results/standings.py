"""The standings: versions by strength, with the evidence behind the numbers.

There is one rating, and it ranks: the highest mu is first, or, where people want that, the highest
mu - 3 sigma. The interval of a rank shows how sure it is. Provisional versions come behind all
others, whose ranks count without them. Equal ones are put in the order of their names.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from io import StringIO

from ladder.model.errors import UnknownBotError
from ladder.model.ratings import MU, SIGMA, Strength, Tally

_COLUMNS = "# ranks bot v try rating next matches wins points faults"
COLUMNS = tuple(_COLUMNS.split())
SHOWN = 50
"""The lines of long standings that a terminal shows."""
_NEIGHBOURS = 10
"""The lines before and behind a bot that was asked for."""
_NAMED = 10
FORESEEABLE = 100_000
"""With more matches than this to play, the end is too far off to forecast."""


LEGEND = (
    "rating: TrueSkill's mu ± 2 sigma, 25 for the average bot of the first round; "
    "ranks: where its true rank is, with 95 %"
)
"""Explains the columns of strength."""
LEGEND_OF_ALL = f"{LEGEND}; next: P(stronger than the next bot)"
"""The same, where bots stand below each other."""
DEVIATIONS = 2
"""The sigma to both sides of mu that hold the true rating with 95 %."""
_INITIAL = Strength(MU, SIGMA, None, None, None, None, blocks=0, provisional=True)
"""TrueSkill's prior."""


class Order(StrEnum):
    """By what bots are ranked."""

    MU = "mu"
    """The best estimate of their strength."""
    CONSERVATIVE = "conservative"
    """mu - 3 sigma: the strength that they almost surely have."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings. The names of the fields are those of the JSON and CSV output."""

    rank: int
    """From 1."""
    bot: str
    version: int
    """Counts the bot's versions from 1."""
    mu: float
    """Its rating on TrueSkill's scale: the best estimate of its strength."""
    sigma: float
    """The standard deviation of that estimate's error."""
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
    better_than_next: float | None = None
    """The probability that it is stronger than the next one by mu; None of the last one, of the
    last before the provisional ones, and in another order."""
    matches_to_separate: int | None = None
    """About how many matches with both at the table would make that 0.95; None if it is that, if no
    block of one of them is rated yet, and where `better_than_next` is."""
    group: int | None = None
    """The number of its group, from 1: all of a group are stronger than all of the next with 95 %.
    None of provisional ones and in another order."""
    blocks: int = 0
    """In how many blocks it was that are rated."""
    provisional: bool = True
    """Whether these are fewer than six: too few for its intervals to be trusted."""
    attempt: int = 1
    """Which try of its author it is: numbers the versions of the author's bots that passed from 1;
    of the ladder owner's bots, those of each bot."""
    tries: int = 1
    """The number of these versions."""


def standings(tallies: Iterable[Tally], strengths: Mapping[int, Strength]) -> list[Standing]:
    """Rank the versions by mu; `strengths` is the rating of record by version id.

    Shares and averages are None for a version that has not finished a match.
    """
    return ranked([_standing(each, strengths.get(each.version.id, _INITIAL)) for each in tallies])


def ranked(rows: Iterable[Standing], order: Order = Order.MU) -> list[Standing]:
    """Return lines in an order, numbered by it."""

    def key(row: Standing) -> tuple[bool, float, str]:
        return row.provisional, -(row.mu if order is Order.MU else row.conservative), row.bot

    found = [replace(row, rank=i) for i, row in enumerate(sorted(rows, key=key), start=1)]
    if order is Order.MU:
        return found
    return [
        replace(row, better_than_next=None, matches_to_separate=None, group=None) for row in found
    ]


def _standing(tally: Tally, strength: Strength) -> Standing:
    low, high = strength.ranks or (None, None)
    return Standing(
        rank=0,
        bot=tally.version.bot,
        version=tally.version.number,
        mu=strength.mu,
        sigma=strength.sigma,
        conservative=strength.rating.conservative,
        matches=tally.matches,
        win_share=_per_match(tally.wins, tally),
        average_points=_per_match(tally.points, tally),
        fault_rate=_per_match(tally.forfeits, tally),
        rank_low=low,
        rank_high=high,
        better_than_next=strength.better_than_next,
        matches_to_separate=strength.until_separated,
        group=strength.group,
        blocks=strength.blocks,
        provisional=strength.provisional,
        attempt=strength.attempt,
        tries=strength.tries,
    )


def columns(rows: Iterable[Standing]) -> list[str]:
    """Return the `COLUMNS` that distinguish these lines."""
    return [name for name in COLUMNS if name != "try" or any(map(attempt, rows))]


def cells(row: Standing) -> list[str]:
    """Return a line as people read it, by `COLUMNS`."""
    return [
        str(row.rank),
        f"{ranks(row)}?" if row.provisional and row.rank_low is not None else ranks(row),
        row.bot,
        str(row.version),
        attempt(row),
        rating(row),
        "" if row.better_than_next is None else f"{row.better_than_next:.2f}",
        f"{row.matches:,}",
        percent(row.win_share),
        "-" if row.average_points is None else f"{row.average_points:.1f}",
        percent(row.fault_rate),
    ]


def ranks(row: Standing) -> str:
    """Return the ranks that are possible."""
    if row.rank_low is None:
        return "-"
    return f"{row.rank_low}" if row.rank_low == row.rank_high else f"{row.rank_low}-{row.rank_high}"


def attempt(row: Standing) -> str:
    """Return which of its author's tries it is; empty if it is the only one."""
    return f"{row.attempt} of {row.tries}" if row.tries > 1 else ""


def rating(row: Standing) -> str:
    """Return a rating and how far it may be off."""
    return f"{row.mu:.1f}±{DEVIATIONS * row.sigma:.1f}"


def interval(row: Standing) -> tuple[float, float]:
    """Return the ends of the interval that holds the true rating with 95 %."""
    return row.mu - DEVIATIONS * row.sigma, row.mu + DEVIATIONS * row.sigma


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return "-" if share is None else f"{100 * share:.1f}%"


def separation(row: Standing) -> str:
    """Return about how many more matches part it from the next one; empty if none are needed."""
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


def place(rows: Sequence[Standing], bot: str) -> str:
    """Return at which rank a bot is, as a sentence; empty if it is not there."""
    row = next((row for row in rows if row.bot == bot), None)
    if row is None:
        return ""
    if row.provisional:
        return f"Provisional, below the ranked bots: {row.blocks} of six blocks are rated."
    return f"Rank {row.rank} of {len(rows)}; with 95 % it is {ranks(row)}."


def provisional(rows: Sequence[Standing]) -> list[str]:
    """Return a sentence that names who is provisional, of many the first ones; or nothing."""
    names = [row.bot for row in rows if row.provisional]
    if len(names) > _NAMED:
        names = [*names[:_NAMED], f"and {len(names) - _NAMED} more"]
    return [f"Provisional, with fewer than six blocks: {', '.join(names)}."] if names else []


def groups(rows: Sequence[Standing]) -> str:
    """Return the groups into which the bots fall, as a sentence; empty without a comparison."""
    sizes = [*Counter(row.group for row in rows if row.group is not None).values()]
    if sum(sizes) < 2:  # noqa: PLR2004 - a comparison needs two
        return ""
    several = 1 < len(sizes) < sum(sizes)
    return in_groups(sizes) + ("; inside a group the order may be chance." if several else ".")


def in_groups(sizes: Sequence[int]) -> str:
    """Return the number of groups into which the bots fall, in words."""
    if len(sizes) == 1:
        return f"{sizes[0]} bots that cannot be told apart"
    if len(sizes) == sum(sizes):
        return f"{len(sizes)} bots that can all be told apart"
    return f"{sum(sizes)} bots in {len(sizes)} groups that can be told apart"


def rounded(number: int) -> int:
    """Return a number with two digits that count: it is an estimate."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit


def to_json(rows: Sequence[Standing], rules: Iterable[str]) -> str:
    """Return the standings as a JSON list of objects, with a final newline.

    `rules` are the versions of the rules whose matches count.
    """
    counted = {"rules": [*rules]}
    return json.dumps([asdict(row) | counted for row in rows], indent=2) + "\n"


def to_csv(rows: Sequence[Standing], rules: Iterable[str]) -> str:
    """Return the standings as CSV with a line of names first; what is None is empty."""
    text, counted = StringIO(), {"rules": " ".join(rules)}
    names = [*(f.name for f in fields(Standing)), *counted]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) | counted for row in rows)
    return text.getvalue()


def _per_match(total: float, tally: Tally) -> float | None:
    return total / tally.matches if tally.matches else None
