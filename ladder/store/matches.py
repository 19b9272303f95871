"""Matches: planned, played exactly once, and read again.

A match is stored as `done` by one conditional statement: whoever comes second, with the same match
or after it was given up, changes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, select, update

from ladder.models import (
    MatchLine,
    MatchState,
    PlannedMatch,
    Played,
    SeatLine,
    SeatResult,
    Version,
)
from ladder.store.database import Transaction
from ladder.store.schema import bots, matches, records, seats, versions
from ladder.store.settings import now

_OPEN = matches.c.state.in_([MatchState.PLANNED, MatchState.RUNNING])
_IN_ORDER = (matches.c.round, matches.c.position)


def last_round(tx: Transaction) -> int:
    """Return the number of the last round that was planned; 0 if there is none."""
    return tx.execute(select(func.max(matches.c.round))).scalar() or 0


def tables(tx: Transaction) -> list[tuple[int | None, ...]]:
    """Return who sat where, by version id, in every match that was ever planned, in order."""
    rows = tx.execute(
        select(matches.c.id, seats.c.version_id).join(seats).order_by(*_IN_ORDER, seats.c.seat)
    )
    return [tuple(v for _, v in group) for _, group in groupby(rows, key=lambda row: row.id)]


def add(tx: Transaction, planned: Sequence[PlannedMatch]) -> None:
    """Store a round that was planned."""
    tx.execute(
        insert(matches),
        [
            {"id": m.match_id, "round": m.round, "position": m.index, "state": MatchState.PLANNED}
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
    """Plan again what was running when the ladder was last stopped."""
    tx.execute(
        update(matches)
        .where(matches.c.state == MatchState.RUNNING)
        .values(state=MatchState.PLANNED)
    )


def open_matches(tx: Transaction, known: Mapping[int, Version]) -> list[PlannedMatch]:
    """Return what has still to be played, in order."""
    rows = tx.execute(
        select(matches.c.id, matches.c.round, matches.c.position, seats.c.version_id)
        .join(seats)
        .where(_OPEN)
        .order_by(*_IN_ORDER, seats.c.seat)
    )
    return [
        PlannedMatch(*match, seats=tuple(_version(row, known) for row in group))
        for match, group in groupby(rows, key=lambda row: (row.id, row.round, row.position))
    ]


def start(tx: Transaction, match_id: str) -> None:
    """Note that a worker plays the match."""
    tx.execute(
        update(matches).where(matches.c.id == match_id, _OPEN).values(state=MatchState.RUNNING)
    )


def finish(tx: Transaction, played: Played) -> bool:
    """Store a result; return whether it counts: the first one of a match that is open does."""
    statement = (
        update(matches)
        .where(matches.c.id == played.match_id, _OPEN)
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
    return True


def fail(tx: Transaction, match_id: str, reason: str, most_attempts: int) -> MatchState | None:
    """Count an attempt that was void and return what becomes of the match, None if it is over.

    It is planned again until it has had its attempts; then it is void for good.
    """
    statement = (
        update(matches)
        .where(matches.c.id == match_id, _OPEN)
        .values(attempts=matches.c.attempts + 1, state=MatchState.PLANNED, reason=reason)
    )
    attempts = tx.execute(statement.returning(matches.c.attempts)).scalar_one_or_none()
    if attempts is None:
        return None
    if attempts < most_attempts:
        return MatchState.PLANNED
    tx.execute(
        update(matches)
        .where(matches.c.id == match_id)
        .values(state=MatchState.VOID, finished_at=now())
    )
    return MatchState.VOID


def count(tx: Transaction, state: MatchState) -> int:
    """Return how many matches are in a state."""
    return tx.execute(
        select(func.count()).select_from(matches).where(matches.c.state == state)
    ).scalar_one()


def with_prefix(tx: Transaction, prefix: str, limit: int) -> Sequence[str]:
    """Return at most `limit` ids of matches that begin so, in alphabetical order."""
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


def line(tx: Transaction, match_id: str, known: Mapping[int, Version]) -> MatchLine:
    """Return one match."""
    return next(_lines(tx, select(matches.c.id).where(matches.c.id == match_id), known))


def latest(
    tx: Transaction, known: Mapping[int, Version], limit: int, bot: str | None = None
) -> list[MatchLine]:
    """Return the last matches, the newest first; with a bot's name only those that it was in."""
    chosen = select(matches.c.id).order_by(*(c.desc() for c in _IN_ORDER)).limit(limit)
    if bot is not None:
        of_bot = select(versions.c.id).join(bots).where(bots.c.name == bot)
        taking_part = select(seats.c.match_id).where(seats.c.version_id.in_(of_bot))
        chosen = chosen.where(matches.c.id.in_(taking_part))
    return list(_lines(tx, chosen, known))[::-1]


def record(tx: Transaction, match_id: str) -> bytes | None:
    """Return the packed record of a match; None if it has none."""
    return tx.execute(select(records.c.body).where(records.c.match_id == match_id)).scalar()


def finished(tx: Transaction, known: Mapping[int, Version]) -> list[MatchLine]:
    """Return all matches that are done, in order."""
    done = select(matches.c.id).where(matches.c.state == MatchState.DONE)
    return list(_lines(tx, done, known))


def forfeits(tx: Transaction, bot: str) -> dict[str, int]:
    """Return how often a bot's versions forfeited, by the kind of fault."""
    of_bot = select(versions.c.id).join(bots).where(bots.c.name == bot)
    rows = tx.execute(
        select(seats.c.forfeit, func.count().label("times"))
        .where(seats.c.forfeit.is_not(None), seats.c.version_id.in_(of_bot))
        .group_by(seats.c.forfeit)
        .order_by(seats.c.forfeit)
    )
    return {row.forfeit: row.times for row in rows}


def _lines(
    tx: Transaction, chosen: Select[tuple[str]], known: Mapping[int, Version]
) -> Iterator[MatchLine]:
    """Yield the chosen matches in order."""
    columns = (
        matches.c.id,
        *_IN_ORDER,
        *(matches.c[name] for name in ("state", "attempts", "reason", "decisions", "finished_at")),
    )
    rows = tx.execute(
        select(*columns, *(c for c in seats.c if c is not seats.c.match_id))
        .join(seats)
        .where(matches.c.id.in_(chosen))
        .order_by(*_IN_ORDER, seats.c.seat)
    )
    for match, group in groupby(rows, key=lambda row: row[: len(columns)]):
        match_id, round_number, index, state, attempts, reason, decisions, finished_at = match
        yield MatchLine(
            match_id=match_id,
            round=round_number,
            index=index,
            state=MatchState(state),
            attempts=attempts,
            reason=reason,
            decisions=decisions,
            finished_at=finished_at,
            seats=tuple(_seat_line(row, known) for row in group),
        )


def _seat_line(row: Any, known: Mapping[int, Version]) -> SeatLine:
    result = (
        None if row.rank is None else SeatResult(row.rank, row.points, row.forfeit, row.printed)
    )
    return SeatLine(_version(row, known), result)


def _version(row: Any, known: Mapping[int, Version]) -> Version | None:
    return None if row.version_id is None else known[row.version_id]
