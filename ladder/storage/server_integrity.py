"""Finds the problems of a database on a PostgreSQL server: row by row, reference by reference.

The server checks its own pages. Like `ladder.storage.integrity`, this reads everything and trusts
nothing: if it cannot read on in a table, it reads the next.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from sqlalchemy import ForeignKey, Table

from ladder.storage.columns import Checked
from ladder.storage.postgresql import Link, connect, told
from ladder.storage.schema import metadata
from ladder.storage.server import Server

_AT_ONCE = 1000
_NO_END = (
    "select id from matches where state = 'done' and (finished_at is null or decisions is null)"
)
_NO_RESULT = (
    "select match_id, seat from seats join matches on matches.id = match_id "
    "where state = 'done' and (rank is null or points is null)"
)


def problems(server: Server) -> Iterator[str]:
    """Yield the problems of the database and their places, a line each."""
    try:
        with contextlib.closing(connect(server)) as link:
            for table in metadata.sorted_tables:
                yield from _of_rows(link, table)
            for table in metadata.sorted_tables:
                for key in table.foreign_keys:
                    yield from _of_references(link, table, key)
            for (match,) in _found(link, _NO_END):
                yield f"matches, id {match}: it is done, and here is no time or no decisions"
            for match, seat in _found(link, _NO_RESULT):
                yield (
                    f"seats, match_id {match}, seat {seat}: the match is done, and here is no rank "
                    "or no points"
                )
    except psycopg.Error as error:
        yield f"database: {told(error)}"


def _of_rows(link: Link, table: Table) -> Iterator[str]:
    """Yield the invalid values of a table."""
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    read = 0
    try:
        with link.transaction(), link.cursor("rows") as rows:
            rows.itersize = _AT_ONCE
            rows.execute(f"select {names} from {table.name}".encode())  # noqa: S608 -- our own names
            for values in rows:
                read += 1
                for column, value in zip(table.columns, values, strict=True):
                    if value is None and not column.nullable:
                        yield f"{_place(table, values)}, {column.name}: nothing is there"
                    elif (
                        value is not None
                        and isinstance(column.type, Checked)
                        and (problem := column.type.problem(value))
                    ):
                        yield f"{_place(table, values)}, {column.name}: {problem}"
    except psycopg.Error as error:
        where = f"after {read} rows" if read else "at all"
        yield f"{table.name}: it cannot be read {where}: {told(error)}"


def _of_references(link: Link, table: Table, key: ForeignKey) -> Iterator[str]:
    """Yield the rows that refer to missing rows, as after somebody dropped a constraint."""
    names = ", ".join(f't."{column.name}"' for column in table.columns)
    own, other = key.parent.name, key.column
    query = (
        f"select {names} from {table.name} t where t.{own} is not null "  # noqa: S608 -- the same
        f"and not exists (select from {other.table.name} o where o.{other.name} = t.{own})"
    )
    for values in _found(link, query):
        yield (
            f"{_place(table, values)}: it refers to a row of {other.table.name} that is not there"
        )


def _found(link: Link, query: str) -> Sequence[Any]:
    """Return the rows of a query; none if a table cannot be read, which is named already."""
    try:
        return link.execute(query.encode()).fetchall()
    except psycopg.Error:
        return []


def _place(table: Table, values: Sequence[Any]) -> str:
    """Return how a row is called: by its key."""
    row = dict(zip((column.name for column in table.columns), values, strict=True))
    return f"{table.name}, " + ", ".join(f"{c.name} {row[c.name]}" for c in table.primary_key)
