"""Backs up a ladder while it is played, into a folder that is a ladder itself.

A backup first copies one state of the database, then the files of all versions in that state, and
puts the database in place last. So whatever interrupts a backup, the folder holds the whole ladder
of the last one. Bots' files never change, so it copies only new ones. It leaves out builds, which
can be made again.

A backup's database may be a file or on a server, whatever the ladder's is; so a backup also moves a
ladder from one to the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Row, Table, delete, func, insert, select

from ladder.model.bots import Version
from ladder.model.errors import LadderError, LockedError, StoreError
from ladder.model.matches import MatchState
from ladder.storage.db.database import Database, Transaction, create_on_server
from ladder.storage.db.engine import copy
from ladder.storage.db.schema import metadata, tokens
from ladder.storage.db.server import Server
from ladder.storage.files import known
from ladder.storage.files.bundles import store_bundle, sync_folder
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

_OF_A_DRAFT = ("bots", "run.lock", "ladder.db", "database.url")
"""Prefixes of the names that an interrupted or current first backup leaves."""


@dataclass(frozen=True, slots=True)
class Backup:
    """The contents of a backup."""

    matches: int
    """Finished ones."""
    bundles: int
    """Versions whose files it has."""
    copied: int
    """How many of these are new in the backup."""


def back_up(ladder: Ladder, folder: Path, server: Server | None = None) -> Backup:
    """Copy a ladder into a new or empty folder, or that of an earlier backup of it.

    The database of a new backup is put on a `server`, if one is given. Raise `LadderError` if the
    folder or the server's database holds anything else, or if the ladder is damaged.
    """
    target = Home(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_files(ladder, target)  # before leaving a lock file in another folder
        with target.locked():
            _check_ladder(ladder, target, server)
            done = _copy(ladder, target, server)
    except OSError as error:
        raise LadderError(f"{error.filename or folder}: {error.strerror}") from error
    if ladder.is_known:
        known.made(folder, ladder.settings.ladder_id)
    return done


def _check_files(ladder: Ladder, target: Home) -> None:
    """Check that the folder is new or a ladder's."""
    if target.path.resolve() == ladder.home.path.resolve():
        raise LadderError(f"{target.path}: this is the ladder itself; name another folder")
    if target.holds_ladder:
        return
    strange = [i.name for i in target.path.iterdir() if not i.name.startswith(_OF_A_DRAFT)]
    if strange:
        raise LadderError(
            f"{target.path}: it contains {min(strange)}; name a new folder, or that of an "
            "earlier backup"
        )


def _check_ladder(ladder: Ladder, target: Home, server: Server | None) -> None:
    """Check that the folder holds only an earlier backup of this ladder."""
    if not target.holds_ladder:
        return
    if server not in (None, target.place):
        raise LadderError(f"{target.path}: the database of this backup is {target.place}")
    with Ladder.open(target) as held:
        if held.database.identity() == ladder.database.identity():
            raise LadderError(f"{target.path}: this is the ladder's own database")
        if held.settings.ladder_id != ladder.settings.ladder_id:
            raise LadderError(f"{target.path}: this is another ladder; name another folder")
        played = (MatchState.DONE, MatchState.DROPPED)
        with held.database.read() as tx, ladder.database.read() as ours:
            if matches.count(tx, *played) > matches.count(ours, *played):
                raise LadderError(
                    f"{target.path}: it has been played since the backup; name another folder"
                )


def _copy(ladder: Ladder, target: Home, server: Server | None) -> Backup:
    if target.database.with_name("ladder.db-wal").exists():
        raise LockedError(
            f"{target.path}: the ladder in it is being read; wait, or name another folder"
        )
    draft = target.database.with_name("ladder.db.new")
    if isinstance(ladder.database.place, Server):
        _write_file(ladder.database, draft)
    else:
        copy(ladder.database.place, draft)
    with Database.open(draft) as state:
        if problems := state.problems():
            raise StoreError(
                f"{ladder.database.place}: the database is damaged: {problems[0]}; the backup was "
                "left as it was"
            )
        with state.read() as tx:
            versions = bots.all_versions(tx).values()
            done = matches.count(tx, MatchState.DONE, MatchState.DROPPED)
    target.bots.mkdir(exist_ok=True)
    bundles = {version.digest: version for version in versions}
    copied = [version for version in bundles.values() if _copy_files(ladder.home, target, version)]
    if server is not None or isinstance(target.place, Server):
        _put_on_server(draft, target, server)
        draft.unlink()
    else:
        draft.rename(target.database)
    sync_folder(target.path)
    return Backup(done, len(bundles), len(copied))


def _put_on_server(draft: Path, target: Home, server: Server | None) -> None:
    """Put what a file holds into the database of a backup, all of it or nothing."""
    with Database.open(draft) as state, state.read() as rows:
        if not target.holds_ladder and server is not None:
            create_on_server(server, partial(_copy_rows, state=rows))
            target.write_url(server)
            return
        with Database.open(target.place) as held, held.locked(), held.write() as tx:
            _delete_rows(tx)
            _copy_rows(tx, rows)


def _copy_files(home: Home, target: Home, version: Version) -> bool:
    """Copy a version's files if missing; return whether they were."""
    if target.bundle(version.digest).is_dir():
        return False
    source = home.bundle(version.digest)
    if not source.is_dir():
        raise StoreError(f"{version}: its files are missing: {source}; there is no backup")
    if store_bundle(source, target) != version.digest:
        raise StoreError(f"{version}: its files were changed: {source}; there is no backup")
    return True


_AT_ONCE = 1000
"""Rows read and written at once."""


def _write_file(source: Database, path: Path) -> None:
    """Write one state of a database to a new file of SQLite, readable by its owner only.

    No user of the database has to wait. The file replaces another.
    """
    from ladder.storage.db.migrate import create  # noqa: PLC0415 - slow to import

    path.unlink(missing_ok=True)
    create(path)
    with Database.open(path) as file, source.read() as state, file.write() as tx:
        _copy_rows(tx, state)


def _copy_rows(tx: Transaction, state: Transaction) -> None:
    """Put all rows that a transaction sees into the tables of another, which are empty."""
    for table in metadata.sorted_tables:
        for rows in _rows(state, table):
            tx.execute(insert(table), [dict(row._mapping) for row in rows])  # noqa: SLF001 -- public
    if tx.dialect.name == "postgresql":  # the next token gets a number that none of these had
        sequence = func.pg_get_serial_sequence(tokens.name, tokens.c.id.name)
        tx.execute(select(func.setval(sequence, func.max(tokens.c.id))))


def _delete_rows(tx: Transaction) -> None:
    """Delete all rows of all tables."""
    for table in reversed(metadata.sorted_tables):
        tx.execute(delete(table))


def _rows(tx: Transaction, table: Table) -> Iterator[Sequence[Row[Any]]]:
    """Yield the rows of a table, in the order of its key, many at a time."""
    query = select(table).order_by(*table.primary_key)
    yield from tx.execute(query, execution_options={"yield_per": _AT_ONCE}).partitions()
