"""Databases of other versions of the program on a PostgreSQL server."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from ladder.model.errors import StoreError
from ladder.storage.db.database import Database
from ladder.storage.db.migrate import update
from ladder.storage.db.schema import metadata
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.ladder.storage.test_migrate import later_scripts
from tests.support.postgresql import Cluster

__all__ = ["later_scripts"]


@pytest.fixture
def server(server_database: Server) -> Server:
    """All ladders here are on a server."""
    return server_database


@pytest.fixture
def scripts(later_scripts: Path) -> Path:
    """The revisions of a later program; none of a server's tables must be made anew."""
    script = later_scripts / "versions" / "r9999_a_column_more.py"
    script.write_text(script.read_text().replace(', recreate="always"', ""))
    return later_scripts


def columns_of_bots(server: Server) -> set[str]:
    """Return the columns of the table of bots as they are."""
    with Database.open(server) as database, database.read() as tx:
        return set(tx.execute(text("select * from bots")).keys())


def test_tables_are_the_declared_ones(home: Home) -> None:
    """Alembic finds no difference between a new database and the declared tables."""
    with Ladder.open(home) as ladder, ladder.database.read() as tx:
        assert compare_metadata(MigrationContext.configure(tx), metadata) == []


def test_older_database_is_brought_up_to_date(
    ladder: Ladder, server: Server, scripts: Path
) -> None:
    """A later program migrates the database and keeps its content."""
    ladder.database.close()

    update(server, scripts)

    with ladder.database.read() as tx:
        found = tx.execute(text("select name, motto from bots order by id")).all()
    assert [tuple(row) for row in found] == [(name, None) for name in ("ann", "bob", "cat", "dan")]
    with pytest.raises(StoreError, match=r"a newer version of Courtyard made this.*'9999'"):
        Database.open(server)


def test_failed_step_changes_nothing(home: Home, server: Server, scripts: Path) -> None:
    """A failed migration leaves the database unchanged."""
    script = scripts / "versions" / "r9999_a_column_more.py"
    script.write_text(script.read_text() + '    op.execute("drop table nowhere")\n')
    before = columns_of_bots(server)

    with pytest.raises(StoreError, match='table "nowhere" does not exist'):
        update(server, scripts)

    assert columns_of_bots(server) == before


def test_a_role_that_may_only_read_upgrades_nothing(
    home: Home, server: Server, scripts: Path, cluster: Cluster
) -> None:
    """Who may only read is told that the database is of an older program."""
    role = f"looker_{server.url.split('/')[3].partition('?')[0]}"
    cluster.execute(f"create role {role} login")
    with Ladder.open(home) as ladder, ladder.database.write() as tx:
        tx.execute(text(f"grant select on all tables in schema public to {role}"))

    with pytest.raises(StoreError, match=f"to bring it up to date, the role {role} has no"):
        update(Server(server.url.replace("courtyard@", f"{role}@")), scripts)
