"""The results of versions in finished matches: counts and sums."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import ColumnElement, case, func, select, true

from ladder.model.bots import Version
from ladder.model.matches import MatchState
from ladder.model.ratings import Count, Tally
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import matches, seats
from ladder.storage.tables.matches import DROPPED, of_rounds


def tallies(
    tx: Transaction,
    of: Sequence[Version],
    but_deals: Collection[str] = (),
    *,
    older: Mapping[int, Count] | None = None,
    through: int = 0,
) -> list[Tally]:
    """Return the sums over the finished matches of these versions, without those of some deals.

    `older` are the `counted` matches of the rounds up to `through`, which need not be read again.
    """
    before = older or {}
    found = counted(tx, through, but_deals=but_deals)
    return [before.get(v.id, Count()).with_more(found.get(v.id, Count())).tally(v) for v in of]


def counted(
    tx: Transaction, after: int = 0, through: int | None = None, but_deals: Collection[str] = ()
) -> dict[int, Count]:
    """Return what each version has achieved in the rounds after one up to another, by its id."""
    left_out = select(matches.c.id).where(matches.c.deal.in_(but_deals))
    first = seats.c.rank == 1
    shared = func.count().filter(first).over(partition_by=seats.c.match_id)
    each = select(
        *(seats.c[name] for name in ("version_id", "rank", "points", "forfeit")),
        case((first, shared), else_=0).label("by"),
    ).where(
        _of_rounds(after, through),
        seats.c.match_id.not_in(DROPPED),
        seats.c.match_id.not_in(left_out) if but_deals else true(),
    )
    seat = each.subquery().c
    rows = tx.execute(
        select(
            seat.version_id,
            seat.by,
            func.count().label("matches"),
            func.sum(seat.points).label("points"),
            func.count(seat.forfeit).label("forfeits"),
        )
        .where(seat.rank.is_not(None), seat.version_id.is_not(None))
        .group_by(seat.version_id, seat.by)
    )
    found: dict[int, Count] = {}
    for row in rows:
        firsts = (*[0] * (row.by - 1), row.matches) if row.by else ()
        own = Count(row.matches, row.points, row.forfeits, firsts)
        found[row.version_id] = found.get(row.version_id, Count()).with_more(own)
    return found


def played(tx: Transaction, after: int, through: int) -> dict[int, int]:
    """Return how many seats each version took in matches that are done, by its id.

    Of the rounds after one up to another.
    """
    rows = tx.execute(
        select(seats.c.version_id, func.count().label("times"))
        .join_from(matches, seats)
        .where(of_rounds(after, through), matches.c.state == MatchState.DONE)
        .where(seats.c.version_id.is_not(None))
        .group_by(seats.c.version_id)
    )
    return {row.version_id: row.times for row in rows}


def _of_rounds(after: int, through: int | None) -> ColumnElement[bool]:
    """Return the condition that a seat is of a match in the rounds after one up to another."""
    if not after and through is None:
        return true()
    return seats.c.match_id.in_(select(matches.c.id).where(of_rounds(after, through)))
