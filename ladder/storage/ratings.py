"""The live ratings, match by match: a fold over the finished matches in the order of the schedule.

Workers finish in any order. Only whole blocks are rated, and only up to the first block that is
still open, so ratings follow from the results alone and not from who finished first. A block with a
void match changes no rating and holds up no other.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Protocol

from sqlalchemy import (
    ColumnElement,
    and_,
    delete,
    func,
    not_,
    or_,
    select,
    true,
    tuple_,
    update,
)
from sqlalchemy.dialects.sqlite import insert

from ladder.model.bots import Version
from ladder.model.matches import MatchState
from ladder.model.ratings import RatedSeat, Rating, Tally
from ladder.storage.columns import DamagedValueError, Number
from ladder.storage.database import Transaction
from ladder.storage.matches import IN_ORDER, OPEN, counts, rated_seat
from ladder.storage.schema import matches, ratings, seats

_ORDER = tuple_(*IN_ORDER)


class Rater(Protocol):
    """A rating system, as the fold uses it."""

    initial: Rating
    """The rating of a version that has not played."""

    def rate(self, seats: Sequence[RatedSeat], ratings: Mapping[int, Rating]) -> dict[int, Rating]:
        """Return the new ratings of the versions in a match."""


def all_ratings(tx: Transaction) -> dict[int, Rating]:
    """Return the rating of every rated version, by its id."""
    rows = tx.execute(select(ratings).order_by(ratings.c.version_id))
    found = {}
    for row in rows:
        if row.mu is None or row.sigma is None:
            raise DamagedValueError(f"a rating of version {row.version_id} has no number")
        found[row.version_id] = Rating(row.mu, row.sigma)
    return found


def fold(tx: Transaction, rater: Rater) -> None:
    """Rate the matches before the first open block.

    A match in which one version sits twice changes no rating.
    """
    ready = [not_(matches.c.rated), *_before(_begin_of_open(tx, not_(matches.c.rated)))]
    changed = _folded(tx, rater, ready, all_ratings(tx))
    tx.execute(update(matches).where(*ready).values(rated=True))
    _store(tx, changed)


def expected(tx: Transaction, rater: Rater) -> tuple[dict[int, Rating], Sequence[str]]:
    """Return the ratings that follow from the matches, and the ids of wrongly marked matches.

    Those are marked as rated although they cannot be, or the other way round. Changes nothing.
    """
    begin = _begin_of_open(tx, true())
    before, is_rated = and_(true(), *_before(begin)), matches.c.rated
    wrong = or_(and_(before, not_(is_rated)), and_(not_(before), is_rated))
    marked = tx.execute(select(matches.c.id).where(wrong)).scalars().all()
    return _folded(tx, rater, _before(begin), {}), marked


def _folded(
    tx: Transaction,
    rater: Rater,
    chosen: Sequence[ColumnElement[bool]],
    before: Mapping[int, Rating],
) -> dict[int, Rating]:
    """Return the ratings that the chosen matches change, as they are afterwards."""
    rows = tx.execute(
        select(seats)
        .join(matches)
        .where(*chosen, seats.c.version_id.is_not(None), counts())
        .order_by(*IN_ORDER, seats.c.seat)
    )
    current, changed = {**before}, dict[int, Rating]()
    for _, group in groupby(rows, key=lambda row: row.match_id):
        rated = [rated_seat(row) for row in group]
        if len({seat.version for seat in rated}) == len(rated):
            after = rater.rate(rated, current)
            current |= after
            changed |= after
    return changed


def rebuild(tx: Transaction, rater: Rater) -> dict[int, tuple[Rating | None, Rating | None]]:
    """Rate all matches again; return the old and new rating of each version that changed."""
    before = all_ratings(tx)
    tx.execute(delete(ratings))
    tx.execute(update(matches).values(rated=False))
    fold(tx, rater)
    after = all_ratings(tx)
    return {
        version: (before.get(version), after.get(version))
        for version in sorted(before.keys() | after.keys())
        if before.get(version) != after.get(version)
    }


def unrated(tx: Transaction) -> int:
    """Return how many finished matches are unrated because an earlier one is open."""
    return tx.execute(
        select(func.count())
        .select_from(matches)
        .where(not_(matches.c.rated), matches.c.state == MatchState.DONE)
    ).scalar_one()


def tallies(tx: Transaction, of: Sequence[Version], but_deals: Collection[str] = ()) -> list[Tally]:
    """Return the sums over the finished matches of these versions, without those of some deals."""
    left_out = select(matches.c.id).where(matches.c.deal.in_(but_deals))
    counted = seats.c.match_id.not_in(left_out) if but_deals else true()
    played = {
        row.version_id: row
        for row in tx.execute(
            select(
                seats.c.version_id,
                func.count().label("matches"),
                func.sum(seats.c.points, type_=Number()).label("points"),
                func.count(seats.c.forfeit).label("forfeits"),
            )
            .where(seats.c.rank.is_not(None), counted)
            .group_by(seats.c.version_id)
        )
    }
    won = _wins(tx, counted)
    return [
        Tally(
            version=version,
            matches=row.matches if (row := played.get(version.id)) else 0,
            wins=won.get(version.id, 0.0),
            points=row.points if row else 0,
            forfeits=row.forfeits if row else 0,
        )
        for version in of
    ]


def _wins(tx: Transaction, counted: ColumnElement[bool]) -> dict[int, float]:
    """Return each version's first places; one shared by k counts 1/k."""
    first = seats.c.rank == 1
    shared = select(seats.c.match_id, func.count().label("by")).where(first)
    winners = shared.group_by(seats.c.match_id).subquery()
    rows = tx.execute(
        select(seats.c.version_id, winners.c.by, func.count().label("times"))
        .join(winners, winners.c.match_id == seats.c.match_id)
        .where(first, counted, seats.c.version_id.is_not(None))
        .group_by(seats.c.version_id, winners.c.by)
        .order_by(seats.c.version_id, winners.c.by)
    )
    grouped = groupby(rows, key=lambda row: row.version_id)
    return {version: math.fsum(row.times / row.by for row in group) for version, group in grouped}


def _begin_of_open(tx: Transaction, among: ColumnElement[bool]) -> tuple[int, int] | None:
    """Return the round and position of the first open block; None if all are over."""
    first_open = (
        select(matches.c.deal).where(among, OPEN).order_by(*IN_ORDER).limit(1)
    ).scalar_subquery()
    begin = tx.execute(
        select(matches.c.round, matches.c.position)
        .where(matches.c.deal == first_open)
        .order_by(*IN_ORDER)
        .limit(1)
    ).one_or_none()
    return None if begin is None else (begin.round, begin.position)


def _before(begin: tuple[int, int] | None) -> list[ColumnElement[bool]]:
    """Return the conditions that a match comes before such a block."""
    return [] if begin is None else [tuple_(*begin) > _ORDER]


def _store(tx: Transaction, changed: Mapping[int, Rating]) -> None:
    if not changed:
        return
    statement = insert(ratings)
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[ratings.c.version_id],
            set_={"mu": statement.excluded.mu, "sigma": statement.excluded.sigma},
        ),
        [{"version_id": v, "mu": r.mu, "sigma": r.sigma} for v, r in changed.items()],
    )
