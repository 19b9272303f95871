"""No bot can read its ladder; where one could, none is made and nothing runs."""

import asyncio
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.model.errors import SettingsError
from ladder.storage.containment import check_out_of_sight
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission.submit import submit
from referee.sandbox.levels import STRONGEST_FIRST, open_sandbox
from referee.sandbox.program import Level, Program
from tests.support.lacking import need_level
from tests.support.ladders import Command, MakeBot
from tests.support.new_ladder import new_ladder

READS = "import sys; print(open(sys.argv[1]).read())"


@pytest.fixture
def beside_python() -> Iterator[Path]:
    """A folder below that of the referee's Python."""
    with tempfile.TemporaryDirectory(dir=sys.prefix) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.parametrize("level", STRONGEST_FIRST)
def test_what_a_bot_can_read_is_refused(level: Level, beside_python: Path, tmp_path: Path) -> None:
    """The check refuses just the folders in which a bot can read a secret."""
    need_level(level)
    bot, elsewhere = tmp_path / "bot", tmp_path / "elsewhere"
    bot.mkdir()
    elsewhere.mkdir()
    for folder in (beside_python, elsewhere):
        secret = secrets.token_hex(8)
        (folder / "ladder.db").write_text(secret)
        got = secret in printed(level, bot, folder / "ladder.db")
        refused = False
        try:
            check_out_of_sight(folder, level)
        except SettingsError:
            refused = True

        assert refused is (got and level is not Level.TRUSTED)
        assert got is (folder == beside_python or level is Level.TRUSTED)


def printed(level: Level, folder: Path, file: Path) -> str:
    """Return what a bot prints that reads this file."""

    async def run() -> str:
        program = Program(("python3", "-c", READS, str(file)), folder)
        process = await open_sandbox(level).start(program)
        await process.exited()
        await process.kill()
        return process.output()

    return asyncio.run(run())


@pytest.mark.parametrize("place", ["a link", "the folder"])
def test_no_ladder_is_made_where_bots_see_it(
    place: str, beside_python: Path, tmp_path: Path, command: Command
) -> None:
    """`init` makes no ladder where bots can read it, even by a link; one line says so."""
    folder = beside_python / "ladder"
    if place == "a link":
        (tmp_path / "link").symlink_to(beside_python)
        folder = tmp_path / "link" / "ladder"

    ended = command("init", folder)

    assert ended.status == 1
    assert ended.err.startswith(f"error: {folder}: bots can read this folder")
    assert ended.err.count("\n") == 1
    assert not folder.exists()


def test_a_ladder_that_came_there_takes_no_bots(
    beside_python: Path, tmp_path: Path, make_bot: MakeBot
) -> None:
    """A ladder that bots can read takes no bots."""
    need_level(Level.STRICT)
    home = new_ladder(tmp_path / "ladder", "a seed")
    with Ladder.open(home) as ladder:
        ladder.change({"sandbox": None})
    moved = Home(beside_python / "ladder")
    shutil.copytree(home.path, moved.path)

    with Ladder.open(moved) as ladder, pytest.raises(SettingsError, match="bots can read"):
        submit(ladder, make_bot("a-bot"), print)
