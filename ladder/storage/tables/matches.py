"""Stores matches: planned, played exactly once, with their results.

One conditional statement stores a match as `done`. A second result for the same match, or one for a
match that was given up, changes nothing.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby

from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    func,
    insert,
    select,
    text,
    true,
    type_coerce,
    union_all,
    update,
)
from sqlalchemy.types import NullType

from ladder.model.bots import Version
from ladder.model.incidents import IncidentKind
from ladder.model.matches import MatchState, PlannedMatch, Played, SeatResult
from ladder.model.pairing import Seating
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import bots, matches, records, seats, versions
from ladder.storage.tables import incidents, outputs, strengths
from ladder.storage.tables.bots import version_of
from ladder.storage.tables.settings import now

HAS_RESULT = matches.c.state.in_((MatchState.DONE, MatchState.DROPPED))
"""Condition: the match was played to its end."""
DROPPED = select(matches.c.id).where(text("matches.state = 'dropped'"))
"""The ids of the matches whose results do not count; worded as in their index, see `OPEN`."""
OPEN = text("matches.state in ('planned', 'running')")
"""Condition: the match has still to be played in this run.

Worded as in the index of open matches, which SQLite uses for no parameters."""
_ELSEWHERE = matches.alias("to_play")
TO_PLAY = matches.c.id.in_(
    union_all(
        select(_ELSEWHERE.c.id).where(text("to_play.state in ('planned', 'running')")),
        select(_ELSEWHERE.c.id).where(text("to_play.postponed")),
    )
)
"""Condition: the match has still to be played, in this run or the next one.

Each half has an index; for an `or` SQLite would read all matches."""
IN_ORDER = (matches.c.round, matches.c.position)
"""The columns that put matches in the order in which they were planned."""

Place = tuple[int, int]
"""A place in that order: a round, and the position in it."""
BEGIN: Place = (0, 0)
"""A place before all matches."""

RESULTS_SHARED = 10_000
_AT_ONCE = 1000
_START = (
    update(matches)
    .where(matches.c.id == bindparam("of_match"), OPEN)
    .values(state=MatchState.RUNNING)
)
_FINISH = (
    update(matches)
    .where(matches.c.id == bindparam("of_match"))
    .values(
        state=MatchState.DONE,
        decisions=bindparam("decisions"),
        finished_at=bindparam("finished_at"),
        rules_version=bindparam("rules_version"),
    )
)
_RESULT = (
    update(seats)
    .where(seats.c.match_id == bindparam("of_match"), seats.c.seat == bindparam("of_seat"))
    .values(rank=bindparam("rank"), points=bindparam("points"), forfeit=bindparam("forfeit"))
)

seat_result = lru_cache(RESULTS_SHARED)(SeatResult)
"""Makes a result, one object for many equal ones: among thousands of matches few results differ."""


def ids(tx: Transaction) -> Sequence[str]:
    """Return the ids of all matches, in order."""
    return tx.execute(select(matches.c.id).order_by(*IN_ORDER)).scalars().all()


def deals_of_several_rounds(tx: Transaction) -> Sequence[str]:
    """Return the deals with finished matches in several rounds, in order."""
    done = select(matches.c.deal).where(matches.c.state == MatchState.DONE)
    several = func.min(matches.c.round) < func.max(matches.c.round)
    chosen = done.group_by(matches.c.deal).having(several).order_by(matches.c.deal)
    return tx.execute(chosen).scalars().all()


def last_round(tx: Transaction) -> int:
    """Return the number of the last planned round; 0 if there is none."""
    return tx.execute(select(func.max(matches.c.round))).scalar() or 0


def last_place(tx: Transaction) -> Place:
    """Return the place of the last planned match."""
    last = select(*IN_ORDER).order_by(*(column.desc() for column in IN_ORDER)).limit(1)
    row = tx.execute(last).one_or_none()
    return BEGIN if row is None else (row.round, row.position)


@dataclass(frozen=True, slots=True)
class RoundSpan:
    """The matches of some rounds."""

    last: int
    """The last of the rounds."""
    done: int
    """How many matches have a result."""
    void: int
    finished_at: str | None
    """When the last match of them was finished, of those asked for."""

    def with_next(self, other: "RoundSpan") -> "RoundSpan":
        """Return what these rounds and the next ones hold."""
        latest = max(filter(None, (self.finished_at, other.finished_at)), default=None)
        return RoundSpan(other.last, self.done + other.done, self.void + other.void, latest)


def spans(tx: Transaction, after: int, width: int, but_deals: Collection[str]) -> list[RoundSpan]:
    """Return what the rounds after one hold, a given number of rounds at a time.

    `finished_at` leaves out the matches of some deals.
    """
    done = HAS_RESULT
    public = matches.c.deal.not_in(but_deals) if but_deals else true()
    rows = tx.execute(
        select(
            ((matches.c.round - 1) // width).label("span"),
            func.max(matches.c.round).label("last"),
            func.count().filter(done).label("done"),
            func.count().filter(matches.c.state == MatchState.VOID).label("void"),
            func.max(matches.c.finished_at).filter(done, public).label("finished_at"),
        )
        .where(of_rounds(after, None))
        .group_by("span")
        .order_by("span")
    )
    return [RoundSpan(row.last, row.done, row.void, row.finished_at) for row in rows]


def planned(tx: Transaction) -> int:
    """Return how many matches were ever planned."""
    return tx.execute(select(func.count()).select_from(matches)).scalar_one()


def planned_in(tx: Transaction, number: int) -> int:
    """Return how many matches a round has."""
    of_round = select(func.count()).select_from(matches).where(matches.c.round == number)
    return tx.execute(of_round).scalar_one()


def end_of_round(tx: Transaction, number: int) -> str | None:
    """Return when the last match of a round was over; None if there is none."""
    last = select(func.max(matches.c.finished_at)).where(matches.c.round == number)
    found: str | None = tx.execute(last).scalar()
    return found


def first_in_play(tx: Transaction) -> int | None:
    """Return the first round with a match to be played in this run or the next; None without."""
    return tx.execute(select(func.min(matches.c.round)).where(TO_PLAY)).scalar()


def first_open(tx: Transaction, but: Collection[int] = ()) -> int | None:
    """Return the first round with an open match; None if every round is over.

    Matches in which one of the versions `but` sits do not count.
    """
    first = select(func.min(matches.c.round)).where(OPEN)
    if but:
        theirs = select(seats.c.match_id).where(
            seats.c.match_id == matches.c.id, seats.c.version_id.in_(but)
        )
        first = first.where(~theirs.exists())
    return tx.execute(first).scalar()


def last_over(tx: Transaction) -> int:
    """Return the last of the first rounds that are over; 0 if there is none."""
    open_round = first_open(tx)
    return last_round(tx) if open_round is None else open_round - 1


def open_blocks(tx: Transaction, through: int | None = None) -> dict[str, Seating]:
    """Return the table of the first open match of each block that is not over, by its deal.

    In order, of the rounds up to `through`; None: up to the last one.
    """
    rows = tx.execute(
        select(matches.c.deal, matches.c.id, seats.c.version_id)
        .join_from(matches, seats)
        .where(OPEN, of_rounds(0, through))
        .order_by(*IN_ORDER, seats.c.seat)
    )
    found: dict[str, Seating] = {}
    for (deal, _), seated in groupby(rows, key=lambda row: row[:2]):
        found.setdefault(deal, tuple(row[2] for row in seated))
    return found


def open_by_version(tx: Transaction) -> Counter[int]:
    """Return in how many open matches each version sits."""
    rows = tx.execute(
        select(seats.c.version_id, func.count())
        .join_from(matches, seats)
        .where(OPEN, seats.c.version_id.is_not(None))
        .group_by(seats.c.version_id)
    )
    return Counter({row[0]: row[1] for row in rows})


def seated(tx: Transaction) -> set[int]:
    """Return the ids of all versions with a match still to be played."""
    rows = select(seats.c.version_id).join(matches).where(TO_PLAY, seats.c.version_id.is_not(None))
    return set(tx.execute(rows.distinct()).scalars())


def open_of_deal(tx: Transaction, deal: str) -> int:
    """Return how many matches of a deal have still to be played."""
    with_it = select(func.count()).select_from(matches).where(matches.c.deal == deal, TO_PLAY)
    return tx.execute(with_it).scalar_one()


def deals_in_play(tx: Transaction) -> frozenset[str]:
    """Return all deals with a match still to be played."""
    return frozenset(tx.execute(select(matches.c.deal).where(TO_PLAY).distinct()).scalars())


def waiting(tx: Transaction) -> int:
    """Return how many matches are done whose deal is in play, so that they do not count yet."""
    of_deals = matches.c.deal.in_(select(matches.c.deal).where(TO_PLAY))
    done = matches.c.state == MatchState.DONE
    return tx.execute(select(func.count()).select_from(matches).where(of_deals, done)).scalar_one()


def tables(tx: Transaction, after: int = 0, through: int | None = None) -> Iterator[Seating]:
    """Yield the table of the first match of every block, in order.

    Covers every match that was ever planned in the rounds after `after` up to `through`; None: up
    to the last one.
    """
    deal, match = (type_coerce(c, NullType).label(c.name) for c in (matches.c.deal, matches.c.id))
    found = tx.execute(
        select(deal, match, seats.c.version_id)
        .join_from(matches, seats)
        .where(of_rounds(after, through))
        .order_by(*IN_ORDER, seats.c.seat)
    )
    rows = chain.from_iterable(found.partitions(_AT_ONCE))
    for _, block in groupby(rows, key=lambda row: row[0]):
        for _, first in groupby(block, key=lambda row: row[1]):
            yield tuple(row[2] for row in first)
            break


def of_rounds(after: int, through: int | None) -> ColumnElement[bool]:
    """Return the condition that a match is of the rounds after one, up to another."""
    upper = matches.c.round <= through if through is not None else true()
    return and_(matches.c.round > after, upper)


def sizes(tx: Transaction, after: int = 0, through: int | None = None) -> list[int]:
    """Return how many blocks each round has after one up to another, the first round first."""
    blocks = func.count(matches.c.deal.distinct())
    chosen = select(blocks).where(of_rounds(after, through))
    rows = tx.execute(chosen.group_by(matches.c.round).order_by(matches.c.round))
    return list(rows.scalars())


def founders(tx: Transaction) -> set[int]:
    """Return the version ids of the first round in which two versions met at a table.

    Results do not matter, so nothing that happens later changes the answer.
    """
    one, other = seats.alias(), seats.alias()
    meeting = select(one.c.match_id).where(
        one.c.match_id == matches.c.id,
        other.c.match_id == one.c.match_id,
        one.c.version_id < other.c.version_id,
    )
    met = select(matches.c.round).where(meeting.exists()).order_by(*IN_ORDER).limit(1)
    first = met.scalar_subquery()
    rows = select(seats.c.version_id).join(matches).where(matches.c.round == first)
    return set(tx.execute(rows.where(seats.c.version_id.is_not(None)).distinct()).scalars())


def counts() -> ColumnElement[bool]:
    """Return the condition that a match counts in ratings: its whole block is done."""
    other = matches.alias()
    missing = select(other.c.id).where(
        other.c.deal == matches.c.deal, other.c.state != MatchState.DONE
    )
    return ~missing.exists()


def uncounted(tx: Transaction) -> set[str]:
    """Return the ids of the matches that do not count in ratings."""
    return set(tx.execute(select(matches.c.id).where(~counts())).scalars())


def add(tx: Transaction, planned: Sequence[PlannedMatch]) -> None:
    """Store a planned round."""
    tx.execute(
        insert(matches),
        [
            {
                "id": m.match_id,
                "round": m.round,
                "position": m.index,
                "state": MatchState.PLANNED,
                "deal": m.deal or m.match_id,
            }
            for m in planned
        ],
    )
    tx.execute(
        insert(seats),
        [
            {"match_id": m.match_id, "seat": seat, "version_id": version and version.id}
            for m in planned
            for seat, version in enumerate(m.seats)
        ],
    )


def reopen(tx: Transaction) -> None:
    """Return matches to the plan that were running when the ladder last stopped."""
    running = update(matches).where(matches.c.state == MatchState.RUNNING)
    planned = running.values(state=MatchState.PLANNED).returning(matches.c.id)
    reopened = tx.execute(planned).scalars().all()
    why = "the run that had begun it ended without storing its outcome"
    incidents.add(tx, IncidentKind.INTERRUPTED, why, reopened)


def resume(tx: Transaction) -> Sequence[str]:
    """Return postponed matches to the plan; return their ids."""
    statement = update(matches).where(matches.c.postponed)
    planned = statement.values(state=MatchState.PLANNED, postponed=False, finished_at=None)
    resumed = tx.execute(planned.returning(matches.c.id)).scalars().all()
    if resumed:  # they may be of rounds that were over
        strengths.forget(tx)
    return resumed


def open_matches(tx: Transaction, known: Mapping[int, Version]) -> list[PlannedMatch]:
    """Return the matches still to be played in this run, in order."""
    match_columns = (matches.c.id, *IN_ORDER, matches.c.attempts, matches.c.deal)
    rows = tx.execute(
        select(*match_columns, seats.c.version_id)
        .join(seats)
        .where(OPEN)
        .order_by(*IN_ORDER, seats.c.seat)
    )
    return [
        PlannedMatch(
            match_id=match_id,
            round=round_number,
            index=position,
            seats=tuple(version_of(row.version_id, known) for row in group),
            attempts=attempts,
            deal=deal,
        )
        for (match_id, round_number, position, attempts, deal), group in groupby(
            rows, key=lambda row: row[: len(match_columns)]
        )
    ]


def start(tx: Transaction, *match_ids: str) -> None:
    """Mark open matches as running."""
    if match_ids:
        tx.execute(_START, [{"of_match": match_id} for match_id in match_ids])


def put_back(tx: Transaction, match_id: str) -> None:
    """Return a match to the plan, without counting an attempt."""
    tx.execute(
        update(matches).where(matches.c.id == match_id, OPEN).values(state=MatchState.PLANNED)
    )


def finish(tx: Transaction, *played: Played) -> set[str]:
    """Store results, and return the ids of their matches without those no longer open."""
    of_these = matches.c.id.in_([each.match_id for each in played])
    still_open = set(tx.execute(select(matches.c.id).where(of_these, OPEN)).scalars())
    results: dict[str, Played] = {}
    for each in played:
        if each.match_id in still_open:
            results.setdefault(each.match_id, each)
    if not results:
        return set()
    finished_at = now()
    tx.execute(
        _FINISH,
        [
            {
                "of_match": match_id,
                "decisions": each.decisions,
                "finished_at": finished_at,
                "rules_version": each.rules_version or None,
            }
            for match_id, each in results.items()
        ],
    )
    tx.execute(
        _RESULT,
        [
            {
                "of_match": match_id,
                "of_seat": seat,
                "rank": result.rank,
                "points": result.points,
                "forfeit": result.forfeit,
            }
            for match_id, each in results.items()
            for seat, result in enumerate(each.seats)
        ],
    )
    tx.execute(
        insert(records),
        [{"match_id": match_id, "body": each.record} for match_id, each in results.items()],
    )
    outputs.keep(tx, results.values())
    return {*results}


def fail(
    tx: Transaction,
    match_id: str,
    reason: str,
    most_attempts: int | None,
    *,
    postponed: bool = False,
) -> MatchState | None:
    """Count a void attempt and return the match's new state; None if it was over already.

    The match returns to the plan until it has had `most_attempts` (None: no limit). Then it is
    void: until the next run if `postponed`, else for good.
    """
    statement = (
        update(matches)
        .where(matches.c.id == match_id, OPEN)
        .values(attempts=matches.c.attempts + 1, state=MatchState.PLANNED, reason=reason)
    )
    attempts = tx.execute(statement.returning(matches.c.attempts)).scalar_one_or_none()
    if attempts is None:
        return None
    is_void = most_attempts is not None and attempts >= most_attempts
    ended = IncidentKind.VOID if is_void else IncidentKind.RETRIED
    incidents.add(tx, IncidentKind.GIVEN_UP if postponed else ended, reason, [match_id])
    if not is_void:
        return MatchState.PLANNED
    tx.execute(
        update(matches)
        .where(matches.c.id == match_id)
        .values(state=MatchState.VOID, postponed=postponed, finished_at=now())
    )
    return MatchState.VOID


def drop(tx: Transaction, match_id: str, reason: str) -> None:
    """Void a match for good that has still to be played."""
    void = {"state": MatchState.VOID, "postponed": False, "reason": reason, "finished_at": now()}
    changed = tx.execute(update(matches).where(matches.c.id == match_id, TO_PLAY).values(void))
    if changed.rowcount:
        incidents.add(tx, IncidentKind.VOID, reason, [match_id])


def take_out(tx: Transaction, match_id: str, reason: str) -> None:
    """Void a finished match and delete its result; its record stays."""
    statement = update(matches).where(matches.c.id == match_id, HAS_RESULT)
    void = {"state": MatchState.VOID, "attempts": matches.c.attempts + 1, "reason": reason}
    changed = tx.execute(statement.values(void))
    if changed.rowcount:
        incidents.add(tx, IncidentKind.VOID, reason, [match_id])
        strengths.forget(tx)
        no_result = {"rank": None, "points": None, "forfeit": None}
        tx.execute(update(seats).where(seats.c.match_id == match_id).values(no_result))


def count(tx: Transaction, *states: MatchState) -> int:
    """Return how many matches are in one of these states."""
    return tx.execute(
        select(func.count()).select_from(matches).where(matches.c.state.in_(states))
    ).scalar_one()


def record(tx: Transaction, match_id: str) -> bytes | None:
    """Return the packed record of a match; None if it has none."""
    return tx.execute(select(records.c.body).where(records.c.match_id == match_id)).scalar()


def records_of(tx: Transaction, match_ids: Collection[str]) -> dict[str, bytes]:
    """Return the packed records of these matches, by match id."""
    columns = select(records.c.match_id, records.c.body).where(records.c.match_id.in_(match_ids))
    return {row.match_id: row.body for row in tx.execute(columns)}


def last_records(tx: Transaction, version: int, limit: int) -> list[tuple[int, bytes]]:
    """Return a version's seats in the last matches that count, with the packed records.

    The newest is first.
    """
    of_version = (
        select(seats.c.seat, records.c.body)
        .join_from(seats, matches)
        .join(records, records.c.match_id == matches.c.id)
        .where(seats.c.version_id == version, counts())
        .order_by(*(column.desc() for column in IN_ORDER))
        .limit(limit)
    )
    return [(row.seat, row.body) for row in tx.execute(of_version)]


def each_record(tx: Transaction) -> Iterator[tuple[str, bytes]]:
    """Yield all match ids with packed records, some at a time."""
    columns = select(records.c.match_id, records.c.body).order_by(records.c.match_id)
    for rows in tx.execute(columns, execution_options={"yield_per": _AT_ONCE}).partitions():
        yield from ((row.match_id, row.body) for row in rows)


def forfeits(tx: Transaction, bot: str) -> dict[str, int]:
    """Return how often a bot's versions forfeited in matches that count, by kind of fault."""
    of_bot = select(versions.c.id).join(bots).where(bots.c.name == bot)
    rows = tx.execute(
        select(seats.c.forfeit, func.count().label("times"))
        .where(seats.c.forfeit.is_not(None), seats.c.version_id.in_(of_bot))
        .where(seats.c.match_id.not_in(DROPPED))
        .group_by(seats.c.forfeit)
        .order_by(seats.c.forfeit)
    )
    return {row.forfeit: row.times for row in rows}
