"""Ladders, bots and commands for the tests of the ladder."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from threading import Event
from typing import Any
from unittest.mock import patch

import pytest
import typer.main
from sqlalchemy import Engine, event
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from ladder.cli.app import main
from ladder.model.bots import Submission
from ladder.model.matches import PlannedMatch, Played, SeatResult
from ladder.storage.db import database, engine, migrate
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission import submit as submission
from referee.core.errors import CourtyardError
from tests.support.fake_host import FakeHost
from tests.support.lacking import need_proc
from tests.support.new_ladder import new_ladder
from tests.support.processes import children, is_stopped

__all__ = [
    "command",
    "enter",
    "fake_host",
    "four_bots",
    "home",
    "ladder",
    "make_bot",
    "make_remote_bot",
    "migrated",
    "parsed_once",
    "played",
    "stopped_children",
    "unhurried_disk",
]
"""The fixtures, for the conftest of a folder."""

SEED = "a seed for tests"
BOTS = ("ann", "bob", "cat", "dan")

MakeBot = Callable[..., Path]
Enter = Callable[..., Submission]


@dataclass(frozen=True)
class Ended:
    """A command's end."""

    status: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture(scope="session", autouse=True)
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Start ladders from a copy of one database: migrating takes ten times longer.

    The tests of the migrations have imported the real thing before.
    """
    first = tmp_path_factory.mktemp("migrated") / "ladder.db"
    migrate.create(first)
    empty = first.read_bytes()

    def create(path: Path) -> None:
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(empty)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "create", create)
        yield


@pytest.fixture(scope="session", autouse=True)
def unhurried_disk() -> Iterator[None]:
    """Let no commit in this process wait for the disk: only a power failure would tell.

    Commands in their own processes wait; the test of a connection's settings imports the real thing
    before. Statements are compiled once for all databases.
    """
    real = engine.open_engine
    compiled: dict[Any, Any] = {}

    def open_engine(path: Path, **more: Any) -> Engine:
        engine = real(path, **more)
        engine.update_execution_options(compiled_cache=compiled)
        event.listen(engine, "connect", lambda new, _: new.execute("PRAGMA synchronous = OFF"))
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "open_engine", open_engine)
        patch.setattr(SQLiteDialect_pysqlite, "__eq__", lambda one, other: type(one) is type(other))
        patch.setattr(SQLiteDialect_pysqlite, "__hash__", lambda one: hash(type(one)))
        yield


@pytest.fixture(scope="session", autouse=True)
def parsed_once() -> Iterator[None]:
    """Make the parser of the command `ladder`, which has no state, once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def fake_host() -> FakeHost:
    """A host for the validation matches of `enter` and `command`."""
    return FakeHost()


@pytest.fixture
def enter(fake_host: FakeHost, monkeypatch: pytest.MonkeyPatch) -> Enter:
    """Submit a bot that is never started to a ladder; several threads may at once."""
    monkeypatch.setattr(submission, "host_at", lambda _: fake_host)
    return _submit


def _submit(ladder: Ladder, path: Path, **others: Any) -> Submission:
    return submission.submit(ladder, path, lambda _: None, **others)


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    """Make a folder of a bot that is never started; more text makes another version."""
    return partial(_bot_folder, tmp_path)


def _bot_folder(parent: Path, name: str, text: str = "", manifest: str = "") -> Path:
    folder = parent / "sources" / name
    folder.mkdir(parents=True, exist_ok=True)
    lines = f'name = "{name}"\ngames = ["courtisans"]\ncommand = ["python3", "bot.py"]\n'
    (folder / "bot.toml").write_text(lines + manifest)
    (folder / "bot.py").write_text(f"# {name}\n{text}")
    return folder


@pytest.fixture
def make_remote_bot(tmp_path: Path) -> MakeBot:
    """Make a remote bot's folder; another release makes another version."""

    def make(name: str, release: str = "1") -> Path:
        folder = tmp_path / "sources" / name
        folder.mkdir(parents=True, exist_ok=True)
        lines = f'name = "{name}"\ngames = ["courtisans"]\ntransport = "remote"\n'
        (folder / "bot.toml").write_text(f'{lines}release = "{release}"\n')
        (folder / "secret.py").write_text("how it plays\n")
        return folder

    return make


@pytest.fixture
def home(tmp_path: Path, server: Server | None) -> Home:
    """Make an empty ladder for four seats, the same one in every test."""
    return new_ladder(tmp_path / "ladder", SEED, server=server)


@pytest.fixture(scope="session")
def four_bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the ladder with its bots, to copy: submitting them takes ten times longer."""
    folder = tmp_path_factory.mktemp("four_bots")
    home = new_ladder(folder / "ladder", SEED)
    with (
        patch.object(submission, "host_at", lambda _: FakeHost()),
        Ladder.open(home) as opened,
    ):
        for name in BOTS:
            _submit(opened, _bot_folder(folder, name))
    return home.path


@pytest.fixture
def ladder(
    home: Home, make_bot: MakeBot, enter: Enter, four_bots: Path, server: Server | None
) -> Iterator[Ladder]:
    """Open the ladder with four bots in it."""
    folders = [make_bot(name) for name in BOTS]
    if server is None:
        shutil.copytree(four_bots, home.path, dirs_exist_ok=True)
    with Ladder.open(home) as opened:
        if server is not None:
            for folder in folders:
                enter(opened, folder)
        yield opened


@pytest.fixture
def played() -> Callable[..., Played]:
    """Make a match's result from its seats' places."""

    def make(match: PlannedMatch, *ranks: int, forfeits: tuple[int, ...] = ()) -> Played:
        results = (
            SeatResult(rank, points=10 - rank, forfeit="TIMEOUT" if seat in forfeits else None)
            for seat, rank in enumerate(ranks)
        )
        return Played(match.match_id, tuple(results), decisions=28, record=b"")

    return make


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fake_host: FakeHost
) -> Command:
    """Run the command `ladder` in this process, with validation matches without bots."""
    monkeypatch.setattr(submission, "host_at", lambda _: fake_host)

    def submit_each(
        ladder: Ladder,
        paths: Sequence[Path],
        say: Callable[[str], None],
        authors: Sequence[str | None],
    ) -> Iterator[tuple[Path, Submission | CourtyardError]]:
        for path, author in zip(paths, authors, strict=True):
            try:
                yield path, submission.submit(ladder, path, say, author=author)
            except CourtyardError as error:
                yield path, error

    monkeypatch.setattr("ladder.submission.process.submit_each", submit_each)

    def run(*arguments: object) -> Ended:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["ladder", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        status = ended.value.code
        return Ended(status if isinstance(status, int) else 0, said.out, said.err)

    return run


@pytest.fixture
def stopped_children() -> Iterator[Callable[[float], None]]:
    """Resume the next stopped child of this process after a while."""
    need_proc()
    over, watching = Event(), ThreadPoolExecutor()

    def watch(seconds: float) -> None:
        while not (stopped := [pid for pid in children(os.getpid()) if is_stopped(pid)]):
            if over.wait(0.05):
                return
        over.wait(seconds)
        os.kill(stopped[0], signal.SIGCONT)

    def begin(seconds: float) -> None:
        watching.submit(watch, seconds)

    yield begin
    over.set()
    watching.shutdown()
