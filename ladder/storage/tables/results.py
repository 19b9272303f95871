"""Reads the results that count in ratings, many at once."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, select

from ladder.model.matches import SeatResult
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import matches, seats
from ladder.storage.tables.matches import IN_ORDER, counts, of_rounds, seat_result

_AT_ONCE = 1000
_OWN = ("version_id", "seat", "rank", "points", "forfeit")


@dataclass(frozen=True, slots=True)
class RatedSeats:
    """The seats of the matches that count, column by column and match by match, without stand-ins.

    The matches are in order, and those of a block follow each other.
    """

    deals: Sequence[str]
    matches: Sequence[str]
    versions: Sequence[int]
    """The versions' ids."""
    seats: Sequence[int]
    results: Sequence[SeatResult]
    text: bytes
    """The input of `results_digest`."""


def rated_seats(tx: Transaction, after: int = 0, through: int | None = None) -> RatedSeats:
    """Return the seats of the rounds after `after` up to `through`; None: up to the last one."""
    columns: tuple[list[Any], ...] = ([], [], [], [], [])
    text = []
    for rows in _rows(tx, after, through):
        text.append(_text(rows))
        for column, more in zip(columns, _columns(rows), strict=True):
            column.extend(more)
    deals, of, versions, places, outcomes = columns
    return RatedSeats(deals, of, versions, places, outcomes, b"".join(text))


def results_digest(tx: Transaction, after: int = 0) -> bytes:
    """Return the SHA-256 of all seats that count after a round, in order."""
    digest = hashlib.sha256()
    for rows in _rows(tx, after):
        digest.update(_text(rows))
    return digest.digest()


def rated_matches(tx: Transaction, after: int = 0) -> int:
    """Return how many matches count after a round."""
    rated = select(func.count()).select_from(matches).where(of_rounds(after, None), counts())
    return tx.execute(rated).scalar_one()


def _text(rows: Iterable[Sequence[Any]]) -> bytes:
    return "".join([repr(tuple(row)) for row in rows]).encode()


def _columns(rows: Sequence[Sequence[Any]]) -> tuple[Sequence[Any], ...]:
    """Return deals, matches, versions, seats and results in rows, without stand-ins."""
    played = [row for row in rows if row[2] is not None]
    deals, of, versions, *rest = zip(*played, strict=True) if played else [()] * (2 + len(_OWN))
    places, *results = rest
    return deals, of, versions, places, list(map(seat_result, *results))


def _rows(
    tx: Transaction, after: int = 0, through: int | None = None
) -> Iterator[Sequence[Sequence[Any]]]:
    """Return deal, match, version, seat, rank, points and forfeit of every seat that counts.

    Some of them at a time: of many rows kept alive garbage collection takes a third of the time.
    """
    return tx.execute(_rated(after, through)).partitions(_AT_ONCE)


def _rated(after: int, through: int | None) -> Select[Any]:
    return (
        select(matches.c.deal, matches.c.id, *(seats.c[name] for name in _OWN))
        .join_from(matches, seats)
        .where(of_rounds(after, through), counts())
        .order_by(*IN_ORDER, seats.c.seat)
    )
