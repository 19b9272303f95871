"""Databases of other versions of the program."""

import re
import shutil
import sqlite3
import zlib
from pathlib import Path

import pytest
from sqlalchemy import text

from ladder.model.errors import StoreError
from ladder.model.matches import MatchState
from ladder.model.rules import RulesPlayed
from ladder.model.settings import Aim, BuildNetwork, Deals, Scheduling
from ladder.storage.db import migrate
from ladder.storage.db.database import Database, FileDriver, problems
from ladder.storage.db.migrate import SCRIPTS, create, update
from ladder.storage.db.schema import REVISION
from ladder.storage.tables import bots, match_lines, matches, outputs, rules
from ladder.storage.tables import settings as stored_settings
from referee.conformance.testing import random_record

NEXT_STEP = f'''
"""A column more."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{REVISION}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it."""
    with op.batch_alter_table("bots", recreate="always") as table:
        table.add_column(sa.Column("motto", sa.Text()))
'''


ANN = {"id": 1, "name": "ann", "author": None, "description": None, "open_to_spars": 1}


def database_of(folder: Path, revision: int) -> Path:
    """Make an empty database by all steps up to a revision."""
    later = (f"r{number:04}_*" for number in range(revision + 1, int(REVISION) + 1))
    scripts = folder / "earlier"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__", *later))
    path = folder / "ladder.db"
    path.touch()
    migrate._upgrade(path, migrate._config(scripts))
    return path


@pytest.fixture
def later_scripts(tmp_path: Path) -> Path:
    """Make the revisions of a later program."""
    scripts = tmp_path / "migrations"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / "r9999_a_column_more.py").write_text(NEXT_STEP)
    return scripts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Make a database of this version with a bot and a version."""
    create(tmp_path / "ladder.db")
    with Database.open(tmp_path / "ladder.db") as database, database.write() as tx:
        tx.execute(text("insert into bots (id, name) values (1, 'ann')"))
        tx.execute(
            text(
                "insert into versions (id, bot_id, number, digest, command, active, submitted_at)"
                " values (1, 1, 1, '0123abcd0123abcd0123abcd0123abcd'"
                " || '0123abcd0123abcd0123abcd0123abcd',"
                " '[]', 1, '2026-01-01T00Z')"
            )
        )
    return tmp_path / "ladder.db"


def bots_of(path: Path) -> list[dict[str, object]]:
    """Return the rows of the table of bots, whatever its columns."""
    with Database(FileDriver(path)) as database, database.read() as tx:
        return [dict(row) for row in tx.execute(text("select * from bots")).mappings()]


def test_older_database_is_brought_up_to_date(path: Path, later_scripts: Path) -> None:
    """A later program migrates the database and keeps its content."""
    update(path, later_scripts)

    assert bots_of(path) == [{**ANN, "motto": None}]


def test_copy_is_kept(path: Path, later_scripts: Path) -> None:
    """A migration first keeps a copy, for its owner only, which this program can read."""
    update(path, later_scripts)
    copy = path.with_name("ladder.db.before-9999")

    assert bots_of(copy) == [ANN]
    assert copy.stat().st_mode & 0o777 == 0o600
    Database.open(copy).close()


def test_up_to_date_database_is_left_alone(path: Path) -> None:
    """A database of the newest revision stays unchanged."""
    before = path.read_bytes()

    update(path)

    assert path.read_bytes() == before
    assert list(path.parent.glob("*.before-*")) == []


def test_failed_step_changes_nothing(path: Path, later_scripts: Path) -> None:
    """A failed migration leaves the database unchanged."""
    script = later_scripts / "versions" / "r9999_a_column_more.py"
    script.write_text(NEXT_STEP + '    op.execute("drop table nowhere")\n')

    with pytest.raises(StoreError, match="no such table: nowhere"):
        update(path, later_scripts)

    assert bots_of(path) == [ANN]
    Database.open(path).close()


def test_newer_database_is_refused(path: Path, later_scripts: Path) -> None:
    """This program refuses a later one's database and keeps it as it was."""
    update(path, later_scripts)
    before = path.read_bytes()

    with pytest.raises(StoreError, match=r"a newer version of Courtyard made this ladder.*9999"):
        Database.open(path)

    assert path.read_bytes() == before


def test_ladder_of_the_first_revision(tmp_path: Path) -> None:
    """A ladder of the first revision keeps its versions, settings and bots' output."""
    path = database_of(tmp_path, revision=1)
    with sqlite3.connect(path) as connection:
        connection.executescript("""
            insert into ladder values
                (1, '0123456789abcdef0123456789abcdef', 'courtisans', 2, '{}', 1000, 1000,
                1000, 0, 'secret', '2026-01-01T00Z');
            insert into bots values (1, 'ann');
            insert into versions values (1, 1, 1,
                '0123abcd0123abcd0123abcd0123abcd0123abcd0123abcd0123abcd0123abcd',
                '["run"]', 1, '2026-01-01T00Z');
            insert into matches values ('aa', 1, 0, 'done', 0, null, 28, '2026-01-02T00Z', 1);
            insert into seats values ('aa', 0, 1, 2, 7, 'TIMEOUT', 'my last words');
            insert into seats values ('aa', 1, null, 1, 9, null, null);
        """)
    connection.close()

    with Database.open(path) as database, database.read() as tx:
        (version,) = bots.active(tx)
        settings = stored_settings.read(tx)
        line = match_lines.line(tx, "aa", {1: version})
        printed = [outputs.output(tx, "aa", seat) for seat in (0, 1)]

    assert (version.command, version.transport, version.build) == (("run",), "grpc", ())
    assert version.rejected is None
    assert (settings.sandbox, settings.build_network) == (None, BuildNetwork.NOBODY)
    assert [seat.result and seat.result.points for seat in line.seats] == [7, 9]
    assert printed == ["my last words", None]


def test_ladder_without_blocks(tmp_path: Path) -> None:
    """A ladder of the second revision stays balanced, every match its own block."""
    path = database_of(tmp_path, revision=2)
    with sqlite3.connect(path) as connection:
        connection.executescript("""
            insert into ladder values (1, '0123456789abcdef0123456789abcdef',
                'courtisans', 2, '{}', 1000, 1000, 1000, 0,
                'secret', '2026-01-01T00Z', null, 0);
            insert into matches values ('aa', 1, 0, 'done', 0, null, 28, '2026-01-02T00Z', 1);
            insert into matches values ('bb', 1, 1, 'done', 0, null, 28, '2026-01-02T00Z', 1);
        """)
        connection.executemany(
            "insert into seats values (?, ?, null, 1, 9, null)",
            [(match, seat) for match in ("aa", "bb") for seat in (0, 1)],
        )
    connection.close()

    with Database.open(path) as database, database.read() as tx:
        settings = stored_settings.read(tx)
        deals = [match_lines.line(tx, match, {}).deal for match in ("aa", "bb")]
        blocks = matches.sizes(tx)

    assert (settings.scheduler, settings.aim, settings.deals) == (
        Scheduling.BALANCED,
        Aim.RANKING,
        Deals.INDEPENDENT,
    )
    assert (deals, blocks) == (["aa", "bb"], [2])


def test_a_ladder_with_two_ratings_keeps_the_one_that_is_shown(tmp_path: Path) -> None:
    """Of a ladder of revision 16 the rating match by match goes, and every match stays."""
    path = database_of(tmp_path, revision=16)
    with sqlite3.connect(path) as connection:
        connection.executescript("""
            insert into bots (id, name) values (1, 'ann');
            insert into versions (id, bot_id, number, digest, command, active, submitted_at)
                values (1, 1, 1,
                '0123abcd0123abcd0123abcd0123abcd0123abcd0123abcd0123abcd0123abcd',
                '[]', 1, '2026-01-01T00Z');
            insert into matches (id, round, position, state, decisions, finished_at, rated, deal)
                values ('aa', 1, 0, 'done', 28, '2026-01-02T00Z', 1, 'aa'),
                    ('bb', 1, 1, 'planned', null, null, 0, 'bb');
            insert into ratings values (1, 26.5, 7.5);
        """)
    connection.close()

    with Database.open(path) as database, database.read() as tx:
        assert list(matches.ids(tx)) == ["aa", "bb"]
        assert matches.count(tx, MatchState.DONE) == 1
        found = tx.execute(text("select name from sqlite_master where name like '%rat%'"))
        assert found.scalars().all() == []


def test_a_damaged_ladder_is_not_brought_up_to_date(tmp_path: Path) -> None:
    """A value that the tables as they are now refuse is told in a line, and nothing changes."""
    path = database_of(tmp_path, revision=21)
    with sqlite3.connect(path) as connection:
        connection.execute("insert into bots (id, name) values (1, 'ann')")
        connection.execute("update bots set name = '', author = 7")
    connection.close()

    with pytest.raises(StoreError, match=r"damaged, and was left as it was: CHECK .*ck_bots_name"):
        Database.open(path)

    assert bots_of(path) == [{"id": 1, "name": "", "author": "7"}]
    assert "bots, id 1, name: '' is not the name of a bot" in list(problems(path))


def test_older_matches_get_their_rules_version(tmp_path: Path) -> None:
    """It is read from their records; of a damaged record it is unknown."""
    path = database_of(tmp_path, revision=23)
    record = random_record("courtisans", 2, "old").SerializeToString(deterministic=True)
    with sqlite3.connect(path) as connection:
        for position, (name, body) in enumerate({"aa": zlib.compress(record), "bb": b"no"}.items()):
            connection.execute(
                "insert into matches (id, round, position, state, decisions, finished_at)"
                " values (?, 1, ?, 'done', 28, '2026-01-02T00:00+00:00')",
                (name, position),
            )
            connection.execute("insert into records values (?, ?)", (name, body))
    connection.close()

    with Database.open(path) as database, database.read() as tx:
        lines = tx.execute(text("select id, rules_version from matches order by id")).all()
        assert [tuple(line) for line in lines] == [("aa", "1"), ("bb", None)]
        assert rules.played(tx, in_full=True) == RulesPlayed({"1": 1})


def strict(sql: str) -> str:
    """Return a table's statement with the types that strict tables have."""
    for types, kind in (("BIGINT|SMALLINT|BOOLEAN", "INTEGER"), (r"VARCHAR(\(\d+\))?", "TEXT")):
        sql = re.sub(rf" ({types})\b", f" {kind}", sql)
    return f"{sql} STRICT"


@pytest.mark.parametrize("revision", range(26, int(REVISION)))
def test_tables_that_check_types_are_brought_up_to_date(tmp_path: Path, revision: int) -> None:
    """Strict tables, as ladders have them, get the columns of later revisions, too."""
    path = database_of(tmp_path, revision)
    with sqlite3.connect(path) as connection:
        connection.create_function("strict", 1, strict)
        connection.execute("pragma writable_schema = on")
        connection.execute(
            "update sqlite_master set sql = strict(sql) where type = 'table' and "
            "name in ('bots', 'ladder', 'matches', 'seats', 'versions')"
        )
    connection.close()

    Database.open(path).close()

    assert list(problems(path)) == []
