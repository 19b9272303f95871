"""Stores matches: planned, played exactly once, with their results.

One conditional statement stores a match as `done`. A second result for the same match, or one for a
match that was given up, changes nothing.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import groupby
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    true,
    tuple_,
    update,
)

from ladder.model.bots import Version
from ladder.model.matches import MatchState, PlannedMatch, Played, SeatResult
from ladder.model.ratings import RatedSeat
from ladder.storage import texts
from ladder.storage.bots import OUTPUT_KEPT, version_of
from ladder.storage.columns import DamagedValueError
from ladder.storage.database import Transaction
from ladder.storage.schema import bots, matches, outputs, records, seats, versions
from ladder.storage.settings import now

OUTPUTS_KEPT = 50
"""Keep a version's output for its last N matches and for all forfeits."""

OPEN = matches.c.state.in_([MatchState.PLANNED, MatchState.RUNNING])
"""Condition: the match has still to be played in this run."""
TO_PLAY = or_(OPEN, matches.c.postponed)
"""Condition: the match has still to be played, in this run or the next one."""
IN_ORDER = (matches.c.round, matches.c.position)
"""The columns that put matches in the order in which they were planned."""

RESULTS_SHARED = 10_000
seat_result = lru_cache(RESULTS_SHARED)(SeatResult)
"""Makes a result, one object for many equal ones: among thousands of matches few results differ."""


def ids(tx: Transaction) -> Sequence[str]:
    """Return the ids of all matches, in order."""
    return tx.execute(select(matches.c.id).order_by(*IN_ORDER)).scalars().all()


def last_round(tx: Transaction) -> int:
    """Return the number of the last planned round; 0 if there is none."""
    return tx.execute(select(func.max(matches.c.round))).scalar() or 0


def first_open(tx: Transaction) -> int | None:
    """Return the first round with an open match; None if every round is over."""
    return tx.execute(select(func.min(matches.c.round)).where(OPEN)).scalar()


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


def tables(tx: Transaction) -> list[tuple[int | None, ...]]:
    """Return the version id on each seat of the first match of every block, in order.

    Covers every match that was ever planned.
    """
    rows = tx.execute(
        select(matches.c.deal, matches.c.id, seats.c.version_id)
        .join(seats)
        .order_by(*IN_ORDER, seats.c.seat)
    )
    blocks = groupby(rows, key=lambda row: row.deal)
    firsts = (next(groupby(block, key=lambda row: row.id))[1] for _, block in blocks)
    return [tuple(row.version_id for row in first) for first in firsts]


def sizes(tx: Transaction) -> list[int]:
    """Return how many blocks each round has, the first round first."""
    blocks = func.count(matches.c.deal.distinct())
    rows = tx.execute(select(blocks).group_by(matches.c.round).order_by(matches.c.round))
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


def rated_results(
    tx: Transaction, after: int = 0, through: int | None = None
) -> Iterator[list[list[RatedSeat]]]:
    """Yield the blocks that count, in order: for each match its versions' results, by seat.

    Covers the rounds after `after` up to and including `through`; None: up to the last one.
    """
    rows = tx.execute(_rated(after, through))
    for _, block in groupby(rows, key=lambda row: row.deal):
        yield [
            [rated_seat(row) for row in match if row.version_id is not None]
            for _, match in groupby(block, key=lambda row: row.id)
        ]


def rated_seat(row: Any) -> RatedSeat:
    """Return the seat in a row of a match that counts; raise `DamagedValueError`."""
    if row.rank is None or row.points is None:
        raise DamagedValueError(f"a seat of match {row.match_id}, which is done, has no result")
    return RatedSeat(row.version_id, row.seat, seat_result(row.rank, row.points, row.forfeit))


def results_digest(tx: Transaction) -> bytes:
    """Return the SHA-256 of all that `rated_results` reads, in its order."""
    digest = hashlib.sha256()
    for row in tx.execute(_rated()):
        digest.update(repr(tuple(row)).encode())
    return digest.digest()


def _rated(after: int = 0, through: int | None = None) -> Select[Any]:
    """Select the seats of the blocks that count, from the same rounds as `rated_results`."""
    return (
        select(matches.c.deal, matches.c.id, seats)
        .join(seats)
        .where(matches.c.round > after, counts())
        .where(matches.c.round <= through if through is not None else true())
        .order_by(*IN_ORDER, seats.c.seat)
    )


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
    tx.execute(
        update(matches)
        .where(matches.c.state == MatchState.RUNNING)
        .values(state=MatchState.PLANNED)
    )


def resume(tx: Transaction) -> Sequence[str]:
    """Return postponed matches to the plan; return their ids."""
    statement = update(matches).where(matches.c.postponed)
    planned = statement.values(state=MatchState.PLANNED, postponed=False, finished_at=None)
    return tx.execute(planned.returning(matches.c.id)).scalars().all()


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


def start(tx: Transaction, match_id: str) -> None:
    """Mark an open match as running."""
    tx.execute(
        update(matches).where(matches.c.id == match_id, OPEN).values(state=MatchState.RUNNING)
    )


def put_back(tx: Transaction, match_id: str) -> None:
    """Return an interrupted match to the plan, without counting an attempt."""
    tx.execute(
        update(matches).where(matches.c.id == match_id, OPEN).values(state=MatchState.PLANNED)
    )


def finish(tx: Transaction, played: Played) -> bool:
    """Store a result and return True; return False if the match is no longer open."""
    statement = (
        update(matches)
        .where(matches.c.id == played.match_id, OPEN)
        .values(state=MatchState.DONE, decisions=played.decisions, finished_at=now())
    )
    if tx.execute(statement.returning(matches.c.id)).first() is None:
        return False
    tx.execute(
        update(seats).where(
            seats.c.match_id == played.match_id, seats.c.seat == bindparam("of_seat")
        ),
        [{"of_seat": seat, **asdict(result)} for seat, result in enumerate(played.seats)],
    )
    tx.execute(insert(records).values(match_id=played.match_id, body=played.record))
    _keep_outputs(tx, played)
    return True


def _keep_outputs(tx: Transaction, played: Played) -> None:
    """Store the bots' output and drop what is too old."""
    match_id = played.match_id
    seated = tx.execute(
        select(seats.c.seat, seats.c.version_id).where(
            seats.c.match_id == match_id, seats.c.version_id.is_not(None)
        )
    )
    for seat, version_id in seated.all():
        text = played.printed.get(seat, "")
        if text or played.seats[seat].forfeit:
            body = texts.pack(text, OUTPUT_KEPT)
            values = {"match_id": match_id, "seat": seat, "version_id": version_id, "body": body}
            tx.execute(insert(outputs).values(values))
            _drop_old_outputs(tx, version_id)


def _drop_old_outputs(tx: Transaction, version_id: int) -> None:
    key = tuple_(outputs.c.match_id, outputs.c.seat)
    old = (
        select(outputs.c.match_id, outputs.c.seat)
        .select_from(outputs)
        .join(matches, matches.c.id == outputs.c.match_id)
        .join(seats, (seats.c.match_id == matches.c.id) & (seats.c.seat == outputs.c.seat))
        .where(outputs.c.version_id == version_id, seats.c.forfeit.is_(None))
        .order_by(*(column.desc() for column in IN_ORDER))
        .limit(-1)
        .offset(OUTPUTS_KEPT)
    )
    tx.execute(delete(outputs).where(key.in_(old)))


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
    if most_attempts is None or attempts < most_attempts:
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
    tx.execute(update(matches).where(matches.c.id == match_id, TO_PLAY).values(void))


def take_out(tx: Transaction, match_id: str, reason: str) -> None:
    """Void a finished match and delete its result; its record stays."""
    done = matches.c.state == MatchState.DONE
    statement = update(matches).where(matches.c.id == match_id, done)
    void = {"state": MatchState.VOID, "attempts": matches.c.attempts + 1, "reason": reason}
    changed = tx.execute(statement.values(void))
    if changed.rowcount:
        no_result = {"rank": None, "points": None, "forfeit": None}
        tx.execute(update(seats).where(seats.c.match_id == match_id).values(no_result))


def count(tx: Transaction, state: MatchState) -> int:
    """Return how many matches are in a state."""
    return tx.execute(
        select(func.count()).select_from(matches).where(matches.c.state == state)
    ).scalar_one()


def record(tx: Transaction, match_id: str) -> bytes | None:
    """Return the packed record of a match; None if it has none."""
    return tx.execute(select(records.c.body).where(records.c.match_id == match_id)).scalar()


def records_of(tx: Transaction, match_ids: Collection[str] | None = None) -> dict[str, bytes]:
    """Return the packed records of these matches, or of all, by match id."""
    chosen = true() if match_ids is None else records.c.match_id.in_(match_ids)
    columns = select(records.c.match_id, records.c.body).where(chosen)
    rows = tx.execute(columns.order_by(records.c.match_id))
    return {row.match_id: row.body for row in rows}


def output(tx: Transaction, match_id: str, seat: int) -> str | None:
    """Return the end of a seat's output; None if there was none or it is no longer kept."""
    body = tx.execute(
        select(outputs.c.body).where(outputs.c.match_id == match_id, outputs.c.seat == seat)
    ).scalar()
    return None if body is None else texts.unpack(body)


def forfeits(tx: Transaction, bot: str) -> dict[str, int]:
    """Return how often a bot's versions forfeited, by kind of fault."""
    of_bot = select(versions.c.id).join(bots).where(bots.c.name == bot)
    rows = tx.execute(
        select(seats.c.forfeit, func.count().label("times"))
        .where(seats.c.forfeit.is_not(None), seats.c.version_id.in_(of_bot))
        .group_by(seats.c.forfeit)
        .order_by(seats.c.forfeit)
    )
    return {row.forfeit: row.times for row in rows}
