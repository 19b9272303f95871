"""Reads matches to show: who sits where, and the results once there are any."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Select, SelectBase, literal, select, tuple_, union

from ladder.model.bots import Version
from ladder.model.matches import MatchLine, SeatLine
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import bots, matches, seats, versions
from ladder.storage.tables.bots import version_of
from ladder.storage.tables.matches import (
    BEGIN,
    HAS_RESULT,
    IN_ORDER,
    OPEN,
    RESULTS_SHARED,
    TO_PLAY,
    Place,
    seat_result,
)

ANY = "ANY"
"""Any kind of fault."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which matches a reader looks for; what is empty asks for nothing."""

    bot: str = ""
    opponent: str = ""
    """Another bot at the table."""
    fault: str = ""
    """The name of a kind of fault, or `ANY`, by which the bot forfeited, or any bot."""
    before: Place | None = None
    """A place in the schedule that they come before."""


EVERY = Wanted()


def line(tx: Transaction, match_id: str, known: Mapping[int, Version]) -> MatchLine:
    """Return one match."""
    return next(_lines(tx, select(matches.c.id).where(matches.c.id == match_id), known))


def with_prefix(tx: Transaction, prefix: str, limit: int) -> Sequence[str]:
    """Return up to `limit` match ids with a prefix, in alphabetical order."""
    return (
        tx.execute(
            select(matches.c.id)
            .where(matches.c.id.startswith(prefix, autoescape=True))
            .order_by(matches.c.id)
            .limit(limit)
        )
        .scalars()
        .all()
    )


def latest(
    tx: Transaction, known: Mapping[int, Version], limit: int, bot: str | None = None
) -> list[MatchLine]:
    """Return the last matches, newest first; with a bot's name only its own."""
    chosen = select(matches.c.id).order_by(*(c.desc() for c in IN_ORDER)).limit(limit)
    if bot is not None:
        chosen = chosen.where(_of_bot(bot))
    return list(_lines(tx, chosen, known))[::-1]


def waiting(tx: Transaction, known: Mapping[int, Version]) -> list[MatchLine]:
    """Return the planned and running matches, in order."""
    return list(_lines(tx, select(matches.c.id).where(OPEN), known))


def done(
    tx: Transaction,
    known: Mapping[int, Version],
    limit: int,
    after: Place = BEGIN,
) -> list[MatchLine]:
    """Return the first finished matches after a place in the schedule, in order."""
    return list(_lines(tx, _done(after).order_by(*IN_ORDER).limit(limit), known))


def newest(
    tx: Transaction, known: Mapping[int, Version], limit: int, wanted: Wanted = EVERY
) -> list[MatchLine]:
    """Return the last finished matches of those wanted, in order."""
    chosen = select(matches.c.id).where(HAS_RESULT)
    for name in filter(None, (wanted.bot, wanted.opponent)):
        chosen = chosen.where(_of_bot(name))
    if wanted.fault:
        kind = seats.c.forfeit
        of_kind = kind.is_not(None) if wanted.fault == ANY else kind == wanted.fault
        forfeited = select(seats.c.match_id).where(of_kind)
        if wanted.bot:
            forfeited = forfeited.where(seats.c.version_id.in_(_versions_of(wanted.bot)))
        chosen = chosen.where(matches.c.id.in_(forfeited))
    if wanted.before:
        chosen = chosen.where(tuple_(*IN_ORDER) < tuple_(*map(literal, wanted.before)))
    order = [column.desc() for column in IN_ORDER]
    return list(_lines(tx, chosen.order_by(*order).limit(limit), known))


def done_since(
    tx: Transaction, known: Mapping[int, Version], deals: Collection[str], after: Place
) -> list[MatchLine]:
    """Return the finished matches of these deals, and all after a place, in order."""
    of_deals = select(matches.c.id).where(HAS_RESULT, matches.c.deal.in_(deals))
    return list(_lines(tx, union(of_deals, _done(after)), known))


def _done(after: Place) -> Select[tuple[str]]:
    return select(matches.c.id).where(HAS_RESULT, tuple_(*IN_ORDER) > tuple_(*map(literal, after)))


def _of_bot(name: str) -> ColumnElement[bool]:
    """Return the condition that a bot takes part in a match."""
    of_bot = select(seats.c.match_id).where(seats.c.version_id.in_(_versions_of(name)))
    return matches.c.id.in_(of_bot)


def _versions_of(name: str) -> Select[tuple[int]]:
    """Select the ids of a bot's versions."""
    return select(versions.c.id).join(bots).where(bots.c.name == name)


def from_round(tx: Transaction, known: Mapping[int, Version], first: int) -> list[MatchLine]:
    """Return all matches from a round on, in order."""
    return list(_lines(tx, select(matches.c.id).where(matches.c.round >= first), known))


def finished(tx: Transaction, known: Mapping[int, Version]) -> list[MatchLine]:
    """Return all finished matches, in order."""
    return list(_lines(tx, select(matches.c.id).where(HAS_RESULT), known))


def done_in_play(tx: Transaction, known: Mapping[int, Version]) -> list[MatchLine]:
    """Return the finished matches whose deal is still in play, in order."""
    in_play = select(matches.c.deal).where(TO_PLAY)
    chosen = select(matches.c.id).where(HAS_RESULT, matches.c.deal.in_(in_play))
    return list(_lines(tx, chosen, known))


def _lines(
    tx: Transaction, chosen: SelectBase, known: Mapping[int, Version]
) -> Iterator[MatchLine]:
    """Yield the chosen matches in order."""
    columns = (
        matches.c.id,
        *IN_ORDER,
        *(matches.c[name] for name in ("state", "attempts", "reason", "decisions", "finished_at")),
        matches.c.deal,
        matches.c.postponed,
        matches.c.rules_version,
    )
    rows = tx.execute(
        select(*columns, *(c for c in seats.c if c is not seats.c.match_id))
        .join(seats)
        .where(matches.c.id.in_(chosen))
        .order_by(*IN_ORDER, seats.c.seat)
    )
    for match, group in groupby(rows, key=lambda row: row[: len(columns)]):
        match_id, number, index, state, attempts, reason, decisions, finished, *others = match
        deal, postponed, rules_version = others
        yield MatchLine(
            match_id=match_id,
            round=number,
            index=index,
            state=state,
            attempts=attempts,
            reason=reason,
            decisions=decisions,
            finished_at=finished,
            seats=tuple(seat_line(row, known) for row in group),
            postponed=postponed,
            rules_version=rules_version,
            deal=match_id if deal == match_id else deal,  # one text, not two, of each match
        )


def seat_line(row: Any, known: Mapping[int, Version]) -> SeatLine:
    """Return a seat of a row with its version and its result; the versions are known by id."""
    result = None if row.rank is None else seat_result(row.rank, row.points, row.forfeit)
    return _shared(version_of(row.version_id, known), result)


_shared = lru_cache(RESULTS_SHARED)(SeatLine)
