"""A command that is asked for help, for its version or for a completion answers at once."""

import subprocess
import sys

import pytest
import typer

import ladder.cli
from referee.games import GAME_NAMES, GAMES

HEAVY = {
    "alembic",
    "asyncio",
    "concurrent.futures",
    "google",
    "grpc",
    "jinja2",
    "logging",
    "multiprocessing",
    "numpy",
    "orjson",
    "prometheus_client",
    "referee.games.registry",
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
SHOW = """
import runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
finally:
    print(*sys.modules, file=sys.stderr)
"""


def loaded(*arguments: str) -> set[str]:
    """Run a command, which must succeed, and return the heavy modules that it has imported."""
    command = [sys.executable, "-c", SHOW, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return HEAVY & set(done.stderr.split())


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


@pytest.mark.parametrize("program", ["ladder", "referee"])
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_nothing_heavy_is_imported(program: str, option: str) -> None:
    """`ladder` and `referee` show their help and version without stores, hosts, gRPC or rules."""
    assert not loaded(program, option)


@pytest.mark.parametrize("words", commands(ladder.cli.app), ids=" ".join)
def test_the_help_of_each_command(words: list[str]) -> None:
    """Importing the commands is all that the help of one takes, and that imports nothing heavy."""


def test_game_names() -> None:
    """The games are known by name without their rules."""
    assert list(GAME_NAMES) == list(GAMES)
