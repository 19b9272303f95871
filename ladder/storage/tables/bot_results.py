"""Adds up a bot's results by opponent, by seat and by fault, in the database."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Select, case, func, literal, select, true, tuple_

from ladder.model.matches import MatchState
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import bots, matches, seats, versions
from ladder.storage.tables.matches import IN_ORDER, Place

_Z = 1.96
"""The standard errors to both sides that hold 95 %."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot's results against another bot at the same table."""

    bot: str
    matches: int
    ahead: int
    """Matches in which it finished ahead of the other."""
    level: int
    """Matches in which they shared a place."""

    @property
    def share(self) -> float:
        """The share of matches ahead, a shared place counting half."""
        return (self.ahead + self.level / 2) / self.matches

    @property
    def interval(self) -> tuple[float, float]:
        """The share's 95 % interval by Wilson, as if each match had a deal of its own."""
        n = self.matches
        middle = (self.share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        apart = math.sqrt(self.share * (1 - self.share) / n + _Z**2 / (4 * n * n))
        half = _Z / (1 + _Z**2 / n) * apart
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """A bot's results on one seat."""

    seat: int
    matches: int
    wins: float
    """First places; one shared by k bots counts 1 / k."""
    average_rank: float
    average_points: float

    @property
    def share(self) -> float:
        """The share of wins, from 0 to 1."""
        return self.wins / self.matches


def matches_of(tx: Transaction, bot: str, but_deals: Collection[str], last: Place) -> int:
    """Return how many matches of a bot are done, up to a place and without some deals."""
    own = _own(bot, but_deals, last).subquery().c
    return tx.execute(select(func.count(own.match_id.distinct()))).scalar_one()


def opponents(tx: Transaction, bot: str, but_deals: Collection[str], last: Place) -> list[Opponent]:
    """Return a bot's results against each other one, the most frequent opponents first."""
    own, other = _own(bot, but_deals, last).subquery().c, seats.alias().c
    each = (
        select(
            bots.c.name,
            *_compared(own.rank, other.rank),
        )
        .join_from(own.match_id.table, other.match_id.table, own.match_id == other.match_id)
        .join(versions, versions.c.id == other.version_id)
        .join(bots)
        .where(bots.c.name != bot, other.rank.is_not(None))
        .group_by(bots.c.name)
        .order_by(func.count().desc(), bots.c.name)
    )
    return [Opponent(row.name, row.times, row.ahead, row.level) for row in tx.execute(each)]


def against(
    tx: Transaction, own: Collection[int], others: Mapping[int, str]
) -> dict[int, list[Opponent]]:
    """Return the results of versions, by their ids, against others, which have bots' names."""
    one, other = seats.alias().c, seats.alias().c
    rows = tx.execute(
        select(
            one.version_id,
            other.version_id.label("met"),
            *_compared(one.rank, other.rank),
        )
        .join_from(one.match_id.table, other.match_id.table, one.match_id == other.match_id)
        .join(matches, matches.c.id == one.match_id)
        .where(one.version_id.in_(own), other.version_id.in_(others))
        .where(one.version_id != other.version_id, matches.c.state == MatchState.DONE)
        .group_by(one.version_id, other.version_id)
    )
    found: dict[int, list[Opponent]] = {version: [] for version in own}
    for row in rows:
        met = Opponent(others[row.met], row.times, row.ahead, row.level)
        found[row.version_id].append(met)
    return found


def _compared(own: Any, other: Any) -> list[Any]:
    """Return the columns that count matches, those ahead, and those level, from two ranks."""
    return [
        func.count().label("times"),
        func.count().filter(own < other).label("ahead"),
        func.count().filter(own == other).label("level"),
    ]


def by_seat(
    tx: Transaction, bot: str, but_deals: Collection[str], last: Place
) -> list[SeatSummary]:
    """Return a bot's results on each seat."""
    own = _own(bot, but_deals, last).subquery().c
    first = select(func.count()).where(seats.c.match_id == own.match_id, seats.c.rank == 1)
    by = case((own.rank == 1, first.scalar_subquery()), else_=0)
    each = select(own.seat, own.rank, own.points, by.label("by")).subquery().c
    rows = tx.execute(
        select(
            each.seat,
            each.by,
            func.count().label("matches"),
            func.sum(each.rank).label("ranks"),
            func.sum(each.points).label("points"),
        )
        .group_by(each.seat, each.by)
        .order_by(each.seat, each.by)
    )
    return [_summary(seat, list(group)) for seat, group in groupby(rows, key=lambda row: row.seat)]


def _summary(seat: int, rows: Sequence[Any]) -> SeatSummary:
    """Return the results on a seat from its sums, a row for those with whom places were shared."""
    played = sum(row.matches for row in rows)
    return SeatSummary(
        seat,
        played,
        wins=math.fsum(row.matches / row.by for row in rows if row.by),
        average_rank=sum(row.ranks for row in rows) / played,
        average_points=sum(row.points for row in rows) / played,
    )


def faults(
    tx: Transaction, bot: str, but_deals: Collection[str], last: Place
) -> list[tuple[str, int]]:
    """Return the faults by which a bot forfeited, with how often, the most frequent first."""
    own = _own(bot, but_deals, last).subquery().c
    times = func.count().label("times")
    of_kind = select(own.forfeit, times).where(own.forfeit.is_not(None)).group_by(own.forfeit)
    return [
        (row.forfeit, row.times) for row in tx.execute(of_kind.order_by(times.desc(), own.forfeit))
    ]


def _own(bot: str, but_deals: Collection[str], last: Place) -> Select[Any]:
    """Select a bot's seats in the matches that are done, up to a place and without some deals."""
    of_bot = select(versions.c.id).join(bots).where(bots.c.name == bot)
    return (
        select(seats)
        .join(matches)
        .where(
            seats.c.version_id.in_(of_bot),
            matches.c.state == MatchState.DONE,
            matches.c.deal.not_in(but_deals) if but_deals else true(),
            tuple_(*IN_ORDER) <= tuple_(*map(literal, last)),
        )
    )
