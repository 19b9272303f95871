"""A ladder moves between a file of SQLite and a PostgreSQL server, and stays the same."""

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import select

from ladder.model.errors import LadderError
from ladder.model.incidents import IncidentKind
from ladder.model.matches import PlannedMatch, Played
from ladder.results import queries
from ladder.results.rerating import rerate
from ladder.results.strengths import rating_of_record
from ladder.storage import tokens
from ladder.storage.backup import Backup, back_up
from ladder.storage.db.database import Database
from ladder.storage.db.schema import metadata
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, incidents, matches, spars
from tests.support.ladders import Command
from tests.support.played_ladder import played_ladder

MATCHES = 6
Rows = dict[str, list[tuple[Any, ...]]]


def rows_of(database: Database) -> Rows:
    """Return all rows of all tables."""
    with database.read() as tx:
        return {
            table.name: [
                tuple(row) for row in tx.execute(select(table).order_by(*table.primary_key))
            ]
            for table in metadata.sorted_tables
        }


@pytest.fixture
def full(tmp_path: Path, enter: Any, make_bot: Any) -> Iterator[Ladder]:
    """A played ladder in a file, with something in most tables and all kinds of texts."""
    home = played_ladder(tmp_path / "ladder", enter, make_bot)
    with Ladder.open(home) as ladder:
        ladder.change({"title": "Été 'cup' \\ \N{SNAKE} %s :x"})
        rating_of_record(ladder)
        with ladder.database.write() as tx:
            incidents.add(tx, IncidentKind.PAUSED, "for 9.0 s", matches.ids(tx)[:1])
            one, other, *_ = bots.active(tx)
            spars.add_matches(tx, spars.add(tx, "ann", one), {"0" * 32: (one.id, other.id)})
        yield ladder


@pytest.mark.costly
def test_there_and_back(full: Ladder, server_database: Server, tmp_path: Path) -> None:
    """A backup on a server, and a backup of that in a file, hold the same rows and verify."""
    back_up(full, tmp_path / "there", server_database)
    with Ladder.open(Home(tmp_path / "there")) as there:
        assert there.database.place == server_database
        back_up(there, tmp_path / "back")
        moved, found = rows_of(there.database), there.database.problems()
    with Ladder.open(Home(tmp_path / "back")) as back:
        returned = rows_of(back.database)

    assert all(moved[name] for name in moved if name not in ("directives", "begun_rounds"))
    assert moved == rows_of(full.database) == returned
    assert found == []
    assert not (tmp_path / "there" / "ladder.db.new").exists()
    assert (tmp_path / "there" / "database.url").stat().st_mode & 0o777 == 0o600


@pytest.mark.costly
def test_commands_move_a_ladder(
    full: Ladder, server_database: Server, tmp_path: Path, command: Command
) -> None:
    """`ladder backup DIR --database URL` makes a ladder that shows, verifies and goes on."""
    home, there = full.home.path, tmp_path / "there"
    shown = command("standings", "--ladder", home).out

    moved = command("backup", there, "--database", server_database.url, "--ladder", home)

    assert moved.out == f"{there} holds {MATCHES} matches and the files of 3 versions, 3 new.\n"
    assert command("standings", "--ladder", there).out == shown
    assert command("verify", "--ladder", there).out == (
        f"No problem found in the files and {MATCHES} matches.\n"
    )
    assert command("rerate", "--ladder", there).out == "No rating differed.\n"
    assert "courtyard_2_" in command("token", "create", "bob", "--ladder", there).out


@pytest.mark.costly
def test_commands_show_the_same(
    full: Ladder, server_database: Server, tmp_path: Path, command: Command
) -> None:
    """Every command that shows a ladder prints the same for a file and for a server."""
    home, there = full.home.path, tmp_path / "there"
    back_up(full, there, server_database)
    newest = queries.latest(full, 1)[0].match_id

    for words in (
        *(("bots",), ("settings",), ("report",), ("token", "list"), ("matches", "--limit", "3")),
        *(("show", "ann"), ("match", newest), ("replay", newest), ("log", "ann")),
        *(("standings", "--json"), ("matches", "--bot", "bob"), ("void", newest)),
    ):
        first, second = (command(*words, "--ladder", folder) for folder in (home, there))
        assert (words, first.out, first.err) == (words, second.out, second.err)
        assert first.status == second.status
    for number, folder in enumerate((home, there)):
        command("export", tmp_path / f"site-{number}", "--ladder", folder)
    assert files_of(tmp_path / "site-0") == files_of(tmp_path / "site-1") != {}


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the content of all files below a folder."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.costly
def test_a_backup_on_a_server_is_brought_up_to_date(
    full: Ladder, server_database: Server, tmp_path: Path, enter: Any, make_bot: Any
) -> None:
    """A second backup replaces the first, and finds the server by itself."""
    there = tmp_path / "there"
    back_up(full, there, server_database)
    enter(full, make_bot("dan"))

    assert back_up(full, there) == Backup(matches=MATCHES, bundles=4, copied=1)

    with Ladder.open(Home(there)) as held:
        assert rows_of(held.database) == rows_of(full.database)


@pytest.mark.costly
def test_one_state_is_copied_while_the_ladder_is_played(
    full: Ladder, server_database: Server, tmp_path: Path, played: Callable[..., Played]
) -> None:
    """While matches are stored, each backup holds the first of them, whole and verified."""
    back_up(full, tmp_path / "there", server_database)
    over = Event()

    def store(ladder: Ladder) -> int:
        number = 0
        while not over.is_set() or not number:
            number += 1
            with ladder.database.write() as tx:
                match = PlannedMatch(f"{number:064x}", number + 9, 0, tuple(bots.active(tx)))
                matches.add(tx, [match])
                matches.finish(tx, played(match, 1, 2, 3))
        return number

    with (
        Ladder.open(Home(tmp_path / "there")) as there,
        ThreadPoolExecutor() as threads,
    ):
        storing = threads.submit(store, there)
        try:
            for number in range(3):
                back_up(there, tmp_path / f"back {number}")
        finally:
            over.set()
        stored = storing.result()
        every = queries.latest(there, stored + MATCHES)

    ids = [line.match_id for line in reversed(every)]
    for number in range(3):
        with Ladder.open(Home(tmp_path / f"back {number}")) as back:
            held = [line.match_id for line in reversed(queries.latest(back, stored + MATCHES))]
            assert back.database.problems() == []
            assert all(seat.result for line in queries.latest(back, 9) for seat in line.seats)
        assert held == ids[: len(held)]


@pytest.mark.costly
def test_nothing_else_is_written_over(
    full: Ladder, server_database: Server, other_server: Server, tmp_path: Path
) -> None:
    """`back_up` overwrites neither a database in use nor the ladder's own, under any URL."""
    there = tmp_path / "there"
    back_up(full, there, server_database)
    twin = Home(tmp_path / "twin")
    twin.path.mkdir()
    twin.write_url(Server(f"{server_database.url}&application_name=twin"))
    with Ladder.open(Home(there)) as on_server:
        cases: Sequence[tuple[Ladder, Path, Server | None, str]] = (
            (full, tmp_path / "new", server_database, "there is a ladder in this database already"),
            (full, there, other_server, "the database of this backup is postgresql://"),
            (on_server, twin.path, None, "this is the ladder's own database"),
        )
        before = rows_of(on_server.database)
        for ladder, folder, server, why in cases:
            with pytest.raises(LadderError, match=re.escape(why)):
                back_up(ladder, folder, server)
        with on_server.database.locked(), pytest.raises(LadderError, match="is at work on the"):
            back_up(full, there)
        assert rows_of(on_server.database) == before


@pytest.mark.costly
def test_a_token_after_the_move_has_a_new_number(
    full: Ladder, server_database: Server, tmp_path: Path
) -> None:
    """On the server the numbers of tokens go on where they were in the file."""
    back_up(full, tmp_path / "there", server_database)
    with Ladder.open(Home(tmp_path / "there")) as there:
        assert tokens.create(there, "bob").startswith("courtyard_2_")
        assert rerate(there) == {}
