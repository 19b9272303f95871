"""Reads the results that count in ratings, many at once.

A row is read as SQLite has it. What its columns may hold is asked of each different value once:
among thousands of matches few results differ.
"""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Select, select, type_coerce
from sqlalchemy.types import NullType

from ladder.model.matches import SeatResult
from ladder.model.ratings import RatedSeat
from ladder.storage.columns import Checked, DamagedValueError, shown
from ladder.storage.database import Transaction
from ladder.storage.matches import IN_ORDER, RESULTS_SHARED, counts, of_rounds, seat_result
from ladder.storage.schema import matches, seats

_AT_ONCE = 1000
_OWN = ("version_id", "seat", "rank", "points", "forfeit")


def rated_results(
    tx: Transaction, after: int = 0, through: int | None = None
) -> Iterator[list[list[RatedSeat]]]:
    """Yield the blocks that count, in order: for each match its versions' results, by seat.

    Covers the rounds after `after` up to and including `through`; None: up to the last one.
    """
    for _, block in groupby(_rows(tx, after, through), key=lambda row: row[0]):
        yield [
            [_rated_seat(*row[2:]) for row in match if row[2] is not None]
            for _, match in groupby(block, key=lambda row: row[1])
        ]


def results_digest(tx: Transaction, after: int = 0) -> bytes:
    """Return the SHA-256 of all that `rated_results` reads after a round, in its order."""
    digest = hashlib.sha256()
    for row in _rows(tx, after):
        digest.update(repr(row).encode())
    return digest.digest()


def _rows(tx: Transaction, after: int = 0, through: int | None = None) -> Iterator[tuple[Any, ...]]:
    """Yield deal, match, version, seat, rank, points and forfeit of every seat that counts."""
    result = tx.execute(_rated(after, through))
    while rows := result.fetchmany(_AT_ONCE):
        yield from map(tuple, rows)


def _rated(after: int, through: int | None) -> Select[Any]:
    columns = (matches.c.deal, matches.c.id, *(seats.c[name] for name in _OWN))
    raw: list[ColumnElement[Any]] = [type_coerce(c, NullType).label(c.name) for c in columns]
    return (
        select(*raw)
        .join_from(matches, seats)
        .where(of_rounds(after, through), counts())
        .order_by(*IN_ORDER, seats.c.seat)
    )


def _rated_seat(version: Any, *rest: Any) -> RatedSeat:
    """Return the result of a seat; raise `DamagedValueError` if it cannot be one."""
    if type(version) is not int:
        raise DamagedValueError(f"{shown(version)} is no version")
    return RatedSeat(version, *_result(*rest))


@lru_cache(RESULTS_SHARED, typed=True)
def _result(*values: Any) -> tuple[int, SeatResult]:
    """Return seat and result from a row's values; raise `DamagedValueError` if they cannot be."""
    for name, value in zip(_OWN[1:], values, strict=True):
        kind = seats.c[name].type
        if isinstance(kind, Checked) and value is not None and not kind.fits(value):
            raise DamagedValueError(kind.problem(value))
    seat, rank, points, forfeit = values
    if rank is None or points is None:
        raise DamagedValueError("a seat of a match that is done has no result")
    return seat, seat_result(rank, points, forfeit)
