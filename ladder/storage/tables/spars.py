"""Stores spars: unrated matches that an author asks for, each played once.

They are in tables of their own, so nothing that rates, lists or exports matches finds them. A match
stays planned until its result is stored: a run that is killed loses nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Select, func, insert, literal, select, update

from ladder.model.bots import Version
from ladder.model.matches import MatchLine, MatchState, PlannedMatch, Played
from ladder.model.spars import Spar
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import bots, spar_matches, spar_seats, spars
from ladder.storage.tables.bots import all_versions, version_of
from ladder.storage.tables.match_lines import seat_line
from ladder.storage.tables.outputs import OUTPUT_KEPT, pack, unpack
from ladder.storage.tables.settings import now

_AT_ONCE = 500
_OPEN = spar_matches.c.state == MatchState.PLANNED
_IN_TURN = (spar_matches.c.position, spar_matches.c.spar_id)
"""The order of play: all spars go on at once."""


def add(tx: Transaction, author: str | None, challenger: Version) -> int:
    """Store a spar without matches; return its id."""
    values = {"author": author, "version_id": challenger.id, "asked_at": now()}
    added: int = tx.execute(insert(spars).values(values).returning(spars.c.id)).scalar_one()
    return added


def add_matches(tx: Transaction, spar: int, planned: Mapping[str, Sequence[int]]) -> None:
    """Store the matches of a spar in order, by id with the version ids on their seats."""
    tx.execute(
        insert(spar_matches),
        [
            {"id": match_id, "spar_id": spar, "position": n, "state": MatchState.PLANNED}
            for n, match_id in enumerate(planned)
        ],
    )
    tx.execute(
        insert(spar_seats),
        [
            {"match_id": match_id, "seat": seat, "version_id": version}
            for match_id, table in planned.items()
            for seat, version in enumerate(table)
        ],
    )


def asked_since(tx: Transaction, author: str, since: str) -> int:
    """Return for how many matches an author has asked since a time, UTC in ISO 8601."""
    chosen = select(func.count()).select_from(spar_matches).join(spars)
    theirs = chosen.where(spars.c.author == author, spars.c.asked_at >= since)
    return tx.execute(theirs).scalar_one()


def stored_bytes(tx: Transaction, author: str) -> int:
    """Return the stored bytes of the records and output of an author's spars."""
    kept = (spar_matches.c.record, spar_matches.c.printed)
    each = sum((func.coalesce(func.length(column), 0) for column in kept), literal(0))
    theirs = select(func.sum(each)).select_from(spar_matches).join(spars)
    return tx.execute(theirs.where(spars.c.author == author)).scalar() or 0


def last(tx: Transaction) -> int:
    """Return the id of the newest spar; 0 without any."""
    return tx.execute(select(func.max(spars.c.id))).scalar() or 0


def open_matches(tx: Transaction, after: int = 0) -> list[PlannedMatch]:
    """Return the matches to be played of the spars after one, in the order of play."""
    matches = spar_matches.c
    columns = (matches.id, matches.spar_id, matches.position, matches.attempts)
    rows = tx.execute(
        select(*columns, spar_seats.c.version_id)
        .join_from(spar_matches, spar_seats)
        .where(_OPEN, matches.spar_id > after)
        .order_by(*_IN_TURN, spar_seats.c.seat)
    ).all()
    known = all_versions(tx) if rows else {}
    return [
        PlannedMatch(
            match_id=match_id,
            round=spar,
            index=position,
            seats=tuple(version_of(row.version_id, known) for row in group),
            attempts=attempts,
            deal=match_id,
            is_spar=True,
        )
        for (match_id, spar, position, attempts), group in groupby(rows, lambda row: row[:4])
    ]


def seated(tx: Transaction) -> set[int]:
    """Return the ids of all versions with a match still to be played."""
    rows = select(spar_seats.c.version_id).join(spar_matches).where(_OPEN)
    return set(tx.execute(rows.distinct()).scalars())


def is_open(tx: Transaction, match_id: str) -> bool:
    """Return whether a match is still to be played."""
    found = select(spar_matches.c.id).where(spar_matches.c.id == match_id, _OPEN)
    return tx.execute(found).first() is not None


def finish(tx: Transaction, played: Played) -> bool:
    """Store a result, and what the challenger printed; return False if the match is not open."""
    own = (
        select(spar_seats.c.seat)
        .join_from(spar_seats, spar_matches)
        .join(spars, spars.c.version_id == spar_seats.c.version_id)
        .where(spar_seats.c.match_id == played.match_id, spars.c.id == spar_matches.c.spar_id)
    )
    printed = played.printed.get(tx.execute(own).scalar_one())
    values: dict[str, Any] = {
        "state": MatchState.DONE,
        "decisions": played.decisions,
        "finished_at": now(),
        "record": played.record,
        "printed": pack(printed, OUTPUT_KEPT) if printed else None,
    }
    done = update(spar_matches).where(spar_matches.c.id == played.match_id, _OPEN).values(values)
    if tx.execute(done.returning(spar_matches.c.id)).first() is None:
        return False
    for seat, result in enumerate(played.seats):
        here = (spar_seats.c.match_id == played.match_id) & (spar_seats.c.seat == seat)
        how = {"rank": result.rank, "points": result.points, "forfeit": result.forfeit}
        tx.execute(update(spar_seats).where(here).values(how))
    return True


def fail(tx: Transaction, match_id: str, reason: str, *, again: bool) -> None:
    """Count a void attempt; the match stays to be played if `again`."""
    values = {
        "attempts": spar_matches.c.attempts + 1,
        "reason": reason,
        "state": MatchState.PLANNED if again else MatchState.VOID,
    }
    tx.execute(update(spar_matches).where(spar_matches.c.id == match_id, _OPEN).values(values))


def withdraw(tx: Transaction, spar: int) -> None:
    """Give up the matches of a spar that are still to be played."""
    values = {"state": MatchState.VOID, "reason": "withdrawn"}
    tx.execute(update(spar_matches).where(spar_matches.c.spar_id == spar, _OPEN).values(values))


def share(tx: Transaction, spar: int, token: str | None) -> None:
    """Share the results of a spar under a token, or no longer."""
    tx.execute(update(spars).where(spars.c.id == spar).values(shared_as=token))


def of_author(tx: Transaction, author: str | None, limit: int) -> list[Spar]:
    """Return the last spars of an author, the newest first; None is the ladder's owner."""
    theirs = select(spars).where(spars.c.author.is_not_distinct_from(author))
    return _found(tx, theirs.order_by(spars.c.id.desc()).limit(limit))


def numbered(tx: Transaction, spar: int) -> Spar | None:
    """Return the spar with an id; None if there is none."""
    return next(iter(_found(tx, select(spars).where(spars.c.id == spar))), None)


def shared_as(tx: Transaction, token: str) -> Spar | None:
    """Return the spar that is shared under a token; None if there is none."""
    return next(iter(_found(tx, select(spars).where(spars.c.shared_as == token))), None)


def record(tx: Transaction, match_id: str) -> bytes | None:
    """Return the packed record of a match; None if it has none."""
    return tx.execute(select(spar_matches.c.record).where(spar_matches.c.id == match_id)).scalar()


def count(tx: Transaction) -> int:
    """Return how many matches of spars are done."""
    done = select(func.count()).where(spar_matches.c.state == MatchState.DONE)
    return tx.execute(done).scalar_one()


def each_record(tx: Transaction) -> Iterator[tuple[str, bytes]]:
    """Yield all match ids with packed records, some at a time."""
    columns = select(spar_matches.c.id, spar_matches.c.record).order_by(spar_matches.c.id)
    chosen = columns.where(spar_matches.c.record.is_not(None))
    for rows in tx.execute(chosen, execution_options={"yield_per": _AT_ONCE}).partitions():
        yield from ((row.id, row.record) for row in rows)


def printed(tx: Transaction, match_id: str) -> str | None:
    """Return the end of what the challenger printed in a match; None if that was nothing."""
    kept = select(spar_matches.c.printed).where(spar_matches.c.id == match_id)
    body = tx.execute(kept).scalar()
    return None if body is None else unpack(body)


def open_bots(tx: Transaction) -> set[str]:
    """Return the names of the bots with which other authors may spar."""
    return set(tx.execute(select(bots.c.name).where(bots.c.open_to_spars)).scalars())


def let(tx: Transaction, bot: str, *, is_open: bool) -> None:
    """Let other authors spar with a bot, or not."""
    tx.execute(update(bots).where(bots.c.name == bot).values(open_to_spars=is_open))


def _found(tx: Transaction, chosen: Select[Any]) -> list[Spar]:
    rows = tx.execute(chosen).all()
    known = all_versions(tx) if rows else {}
    return [
        Spar(
            id=row.id,
            author=row.author,
            challenger=known[row.version_id],
            asked_at=row.asked_at,
            shared_as=row.shared_as,
            matches=_lines(tx, row.id, known),
        )
        for row in rows
    ]


def _lines(tx: Transaction, spar: int, known: Mapping[int, Version]) -> list[MatchLine]:
    matches = spar_matches.c
    columns = (
        *(matches.id, matches.position, matches.state, matches.attempts, matches.reason),
        *(matches.decisions, matches.finished_at),
    )
    seats = (spar_seats.c.version_id, *(spar_seats.c[n] for n in ("rank", "points", "forfeit")))
    rows = tx.execute(
        select(*columns, *seats)
        .join_from(spar_matches, spar_seats)
        .where(matches.spar_id == spar)
        .order_by(matches.position, spar_seats.c.seat)
    )
    return [
        MatchLine(
            match_id=match_id,
            round=spar,
            index=index,
            state=state,
            attempts=attempts,
            reason=reason,
            decisions=decisions,
            finished_at=finished_at,
            seats=tuple(seat_line(row, known) for row in group),
            deal=match_id,
        )
        for (match_id, index, state, attempts, reason, decisions, finished_at), group in groupby(
            rows, key=lambda row: row[: len(columns)]
        )
    ]
