"""A command that is asked for help or for its version answers at once."""

import subprocess
import sys
from importlib import metadata
from types import ModuleType

import pytest
import typer

import ladder.cli.app
import referee.cli.app

HEAVY = {
    "alembic",
    "asyncio",
    "concurrent.futures",
    "google",
    "grpc",
    "jinja2",
    "ladder.scheduling.tournament.planner",
    "multiprocessing",
    "numpy",
    "orjson",
    "prometheus_client",
    "referee.games.courtisans.game",
    "rich.live",
    "rich.progress",
    "scipy",
    "sqlalchemy",
    "sqlite3",
    "ssl",
    "starlette",
    "uvicorn",
    "uvloop",
}
"""What takes long to import, and is needed only to do something."""
ALL_HELPS = """
import sys
before = set(sys.modules)
import contextlib, io
import {module} as cli
for words in {words}:
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        cli.app(words, standalone_mode=False)
    assert "Usage: " in shown.getvalue() or "(Courtyard)" in shown.getvalue(), words
print(*set(sys.modules) - before)
"""
"""Each is a fresh question of one process: what one imports is there for all."""


def commands(app: typer.Typer, *path: str) -> list[list[str]]:
    """Return the words of every command, those within groups too."""
    found = []
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__.replace("_", "-")
        found.append([*path, name])
    for group in app.registered_groups:
        assert group.typer_instance is not None
        found += commands(group.typer_instance, *path, str(group.name))
    return found


def imported(module: str, words: list[list[str]]) -> set[str]:
    """Ask a program for all of this in a new process; return the heavy modules that it imported."""
    code = ALL_HELPS.format(module=module, words=words)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return HEAVY & set(done.stdout.split())


PROGRAMS = pytest.mark.parametrize(
    "program", [ladder.cli.app, referee.cli.app], ids=["ladder", "referee"]
)


@pytest.mark.costly
@PROGRAMS
def test_help_and_version_import_nothing_heavy(program: ModuleType) -> None:
    """Those of a program and of each command need no store, host, gRPC, numpy or rules of games."""
    every = [[*words, "--help"] for words in ([], *commands(program.app))]
    assert len(every) > 5
    assert not imported(program.__name__, [*every, ["--version"]])


@PROGRAMS
def test_version(program: ModuleType) -> None:
    """Each command says by its own name which Courtyard it is."""
    name = program.__name__.partition(".")[0]
    command = [sys.executable, "-m", name, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{name} (Courtyard) {metadata.version('courtyard')}\n"
