"""The live ratings, match by match: a fold over the finished matches in the order of the schedule.

Workers finish in any order. Only whole blocks are rated, and only up to the first block that is
still open, so ratings follow from the results alone and not from who finished first. A block with a
void match changes no rating and holds up no other.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Protocol

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    not_,
    or_,
    select,
    text,
    true,
    tuple_,
    update,
)

from ladder.model.bots import Version
from ladder.model.matches import MatchState
from ladder.model.ratings import Count, RatedSeat, Rating, Tally, agree
from ladder.storage.columns import DamagedValueError, Number
from ladder.storage.database import Transaction
from ladder.storage.matches import IN_ORDER, counts, of_rounds, rated_seat
from ladder.storage.schema import matches, ratings, seats
from ladder.storage.upsert import insert_or_update

_UNRATED = text("not matches.rated")
"""As the index of unrated matches says it: SQLite uses that for no other wording."""
_STILL_OPEN = text("matches.state || '' in ('planned', 'running')")
"""Joined to nothing, so that SQLite does not sort the open matches: few unrated ones precede it."""
_LAST = (1 << 63) - 1
"""A round after every other."""
_Begin = Mapping[str, int]
"""The place in the schedule at which a block begins: its round and position."""


def _first_open(of: Select[Any]) -> Select[Any]:
    """Select the place of the first open block, given the deals to look among."""
    deal = of.where(_STILL_OPEN).order_by(*IN_ORDER).limit(1).scalar_subquery()
    place = select(matches.c.round.label("of_round"), matches.c.position.label("at"))
    return place.where(matches.c.deal == deal).order_by(*IN_ORDER).limit(1)


_BEFORE = tuple_(
    bindparam("of_round", type_=BigInteger), bindparam("at", type_=BigInteger)
) > tuple_(*IN_ORDER)
"""Condition: a match comes before a place in the schedule."""
_SEATS = (
    select(seats)
    .join(matches)
    .where(_BEFORE, seats.c.version_id.is_not(None), counts())
    .order_by(*IN_ORDER)
)
"""In no order of seats: with one SQLite would read all matches, by an index that is unique."""
_UNRATED_SEATS = _SEATS.where(_UNRATED)
_THEIRS = select(ratings).where(
    ratings.c.version_id.in_(select(seats.c.version_id).join(matches).where(_UNRATED, _BEFORE))
)
"""The ratings of the versions on these seats."""
_MARK = update(matches).where(_UNRATED, _BEFORE).values(rated=True)
_DEALS = select(matches.c.deal)
_FIRST_OPEN = _first_open(_DEALS)
_FIRST_UNRATED = _first_open(_DEALS.where(_UNRATED))


class Rater(Protocol):
    """A rating system, as the fold uses it."""

    initial: Rating
    """The rating of a version that has not played."""

    def rate(self, seats: Sequence[RatedSeat], ratings: Mapping[int, Rating]) -> dict[int, Rating]:
        """Return the new ratings of the versions in a match."""


def all_ratings(tx: Transaction) -> dict[int, Rating]:
    """Return the rating of every rated version, by its id."""
    return _read(tx.execute(select(ratings).order_by(ratings.c.version_id)))


def _read(rows: Iterable[Any]) -> dict[int, Rating]:
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
    ready = _begin_of_open(tx, _FIRST_UNRATED)
    changed = _folded(rater, _seated(tx, _UNRATED_SEATS, ready), _read(tx.execute(_THEIRS, ready)))
    tx.execute(_MARK, ready)
    _store(tx, changed)


def expected(tx: Transaction, rater: Rater) -> tuple[dict[int, Rating], Sequence[str]]:
    """Return the ratings that follow from the matches, and the ids of wrongly marked matches.

    Those are marked as rated although they cannot be, or the other way round. Changes nothing.
    """
    begin = _begin_of_open(tx, _FIRST_OPEN)
    is_rated = matches.c.rated
    wrong = or_(and_(_BEFORE, not_(is_rated)), and_(not_(_BEFORE), is_rated))
    marked = tx.execute(select(matches.c.id).where(wrong), begin).scalars().all()
    return _folded(rater, _seated(tx, _SEATS, begin), {}), marked


def _seated(tx: Transaction, chosen: Select[Any], begin: _Begin) -> Iterator[list[RatedSeat]]:
    """Yield the seats of the chosen matches, match by match."""
    for _, group in groupby(tx.execute(chosen, begin), key=lambda row: row.match_id):
        yield sorted((rated_seat(row) for row in group), key=attrgetter("seat"))


def _folded(
    rater: Rater, played: Iterable[Sequence[RatedSeat]], before: Mapping[int, Rating]
) -> dict[int, Rating]:
    """Return the ratings that these matches change, as they are afterwards."""
    current, changed = {**before}, dict[int, Rating]()
    for seated in played:
        if len({seat.version for seat in seated}) == len(seated):
            after = rater.rate(seated, current)
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
        if not agree(before.get(version), after.get(version))
    }


def unrated(tx: Transaction) -> int:
    """Return how many finished matches are unrated because an earlier one is open."""
    return tx.execute(
        select(func.count())
        .select_from(matches)
        .where(_UNRATED, matches.c.state == MatchState.DONE)
    ).scalar_one()


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
    ).where(_of_rounds(after, through), seats.c.match_id.not_in(left_out) if but_deals else true())
    seat = each.subquery().c
    rows = tx.execute(
        select(
            seat.version_id,
            seat.by,
            func.count().label("matches"),
            func.sum(seat.points, type_=Number()).label("points"),
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
        .where(of_rounds(after, through), seats.c.rank.is_not(None))
        .where(seats.c.version_id.is_not(None))
        .group_by(seats.c.version_id)
    )
    return {row.version_id: row.times for row in rows}


def _of_rounds(after: int, through: int | None) -> ColumnElement[bool]:
    """Return the condition that a seat is of a match in the rounds after one up to another."""
    if not after and through is None:
        return true()
    return seats.c.match_id.in_(select(matches.c.id).where(of_rounds(after, through)))


def _begin_of_open(tx: Transaction, first: Select[Any]) -> _Begin:
    """Return the place of the first open block, or a place after all if none is open."""
    begin = tx.execute(first).one_or_none()
    return {"of_round": _LAST, "at": 0} if begin is None else begin._asdict()


def _store(tx: Transaction, changed: Mapping[int, Rating]) -> None:
    if not changed:
        return
    statement = insert_or_update(tx, ratings)
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[ratings.c.version_id],
            set_={"mu": statement.excluded.mu, "sigma": statement.excluded.sigma},
        ),
        [{"version_id": v, "mu": r.mu, "sigma": r.sigma} for v, r in changed.items()],
    )
