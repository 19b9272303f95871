"""A PostgreSQL server of the tests' own, started when the first test of a process needs one."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Self

import psycopg
import pytest

from ladder.storage.db.server import Server
from tests.support.lacking import skip

__all__ = [
    "cluster",
    "new_server",
    "other_server",
    "own_cluster",
    "pytest_generate_tests",
    "server",
    "server_database",
]
"""The fixtures and hooks, for the conftest of a folder."""

NewServer = Callable[[], Server | None]
ROLE = "courtyard"
_SETTINGS = {
    "listen_addresses": "''",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "fsync": "off",
}
_NUMBERS = count(1)


def programs() -> Path:
    """Return the folder of the server's programs; skip this test without them."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if not folders:
        skip("PostgreSQL is not installed", "apt-get install postgresql")
    return max(folders, key=lambda folder: int(folder.parent.name))


class Cluster:
    """A server with its files in a folder of its own, reached by a socket there."""

    def __init__(self, **settings: str) -> None:
        """Make the files; a context manager ends the server and removes them.

        Its texts are ordered as in English, which no query may show.
        """
        self._programs = programs()
        self._settings = {**_SETTINGS, **settings}
        # Root may not run a server. The path must be short: a socket's name holds 107 bytes.
        self._owner: dict[str, Any] = {"user": "nobody", "group": "nogroup"} if _is_root() else {}
        self.folder = Path(tempfile.mkdtemp(prefix="courtyard-pg-", dir="/tmp"))
        if _is_root():
            shutil.chown(self.folder, **self._owner)
        subprocess.run(
            [
                self._programs / "initdb",
                *("--pgdata", self.folder / "data", "--username", ROLE, "--auth", "trust"),
                *("--encoding", "UTF8", "--locale-provider", "icu", "--icu-locale", "en-US"),
                *("--locale", "C.UTF-8", "--no-sync"),
            ],
            check=True,
            capture_output=True,
            cwd=self.folder,
            **self._owner,
        )

    def __enter__(self) -> Self:
        """Start the server."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and remove its files."""
        self.stop()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        settings = {**self._settings, "unix_socket_directories": str(self.folder)}
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self._control("start", "--log", str(self.folder / "log"), "--options", options)

    def stop(self) -> None:
        """End the server at once, as when its machine fails."""
        self._control("stop", "--mode", "immediate")

    def server(self, database: str, role: str = ROLE) -> Server:
        """Return the place of one of its databases."""
        return Server(f"postgresql://{role}@/{database}?host={self.folder}")

    def execute(self, statement: str, database: str = "postgres") -> list[Any]:
        """Do what the server's administrator may; return the rows, if any."""
        with psycopg.connect(self.server(database).url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def new_database(self) -> Server:
        """Make an empty database."""
        name = f"test_{next(_NUMBERS)}"
        self.execute(f"create database {name}")
        return self.server(name)

    def ask_password(self, role: str) -> None:
        """Let a role in with its password only."""
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text(f"local all {role} scram-sha-256\n{rules.read_text()}")
        self.execute("select pg_reload_conf()")

    def _control(self, *words: str) -> None:
        subprocess.run(
            [self._programs / "pg_ctl", "--wait", "--silent", "-D", self.folder / "data", *words],
            check=True,
            stdin=subprocess.DEVNULL,
            cwd=self.folder,
            **self._owner,
        )


def _is_root() -> bool:
    return os.getuid() == 0


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A server for all tests of a process; skip the test that asks for it if there is none."""
    with Cluster() as running:
        yield running


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A server for one test, which may kill it."""
    with Cluster(fsync="on") as running:
        yield running


@pytest.fixture
def server_database(cluster: Cluster) -> Server:
    """An empty database of its own on a server."""
    return cluster.new_database()


@pytest.fixture
def other_server(cluster: Cluster) -> Server:
    """Another empty database on the server."""
    return cluster.new_database()


@pytest.fixture
def new_server(request: pytest.FixtureRequest) -> NewServer:
    """Return where a test's next ladder is: an empty database, or None for a file of SQLite."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return lambda: None
    running: Cluster = request.getfixturevalue("cluster")
    return running.new_database


@pytest.fixture
def server(new_server: NewServer) -> Server | None:
    """Where a test's one ladder is."""
    return new_server()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that is marked so once with each engine."""
    both = metafunc.definition.get_closest_marker("both_engines")
    if both and "new_server" in metafunc.fixturenames:
        on_server = pytest.param("postgresql", marks=pytest.mark.server)
        metafunc.parametrize("new_server", ["sqlite", on_server], indirect=True)
