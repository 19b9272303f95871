"""A ladder's title, which tells two of one game apart."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from ladder.server.public.reader import PublicReader
from ladder.server.web.site import Site
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.ladders import Command
from tests.support.new_ladder import new_ladder


def test_a_title_is_given_and_changed(command: Command, tmp_path: Path) -> None:
    """`init --title` and `settings --title` set a title, even during play; "" resets it."""
    club = tmp_path / "club"
    command("init", club, "--title", "Spring cup", "--sandbox", "trusted")
    first = command("standings", "--ladder", club).out.splitlines()[0]
    with Home(club).locked():
        changed = command("settings", "--title", "Autumn cup", "--ladder", club)
    second = command("bots", "--ladder", club).out.splitlines()[0]
    command("settings", "--title", "", "--ladder", club)
    third = command("matches", "--ladder", club).out.splitlines()[0]

    assert (changed.status, changed.err) == (0, "")
    assert (first, second, third) == (
        "Spring cup · Courtisans, 4 seats",
        "Autumn cup · Courtisans, 4 seats",
        "club · Courtisans, 4 seats",
    )


@pytest.mark.parametrize("title", ["two\nlines", "\x1b[2Jgone", "x" * 81])
def test_what_is_no_title_is_refused(command: Command, tmp_path: Path, title: str) -> None:
    """A title is one short line, safe for terminals."""
    ended = command("init", tmp_path / "club", "--title", title, "--sandbox", "trusted")

    assert ended.status == 1
    assert ended.err.startswith("error: title: ")
    assert ended.err.count("\n") == 1
    assert not (tmp_path / "club").exists()


def test_a_folder_called_like_its_game_is_no_title_of_its_own(tmp_path: Path) -> None:
    """The ladder in courtisans/ is "Courtisans"."""
    with Ladder.open(new_ladder(tmp_path / "courtisans", "a seed")) as ladder:
        assert ladder.title == "Courtisans"


def test_two_ladders_of_one_game_are_told_apart(tmp_path: Path) -> None:
    """Pages that show both use their titles; two with the same title add their ids."""
    homes = [
        new_ladder(tmp_path / "club", "one"),
        new_ladder(tmp_path / "b" / "club", "two"),
        new_ladder(tmp_path / "c", "three", title="Spring cup"),
    ]
    opened = [Ladder.open(home) for home in homes]
    sources = [PublicReader(ladder) for ladder in opened]
    site = Site([(source.snapshot(), source) for source in sources], live=False)
    index = (site.page("index.html") or b"").decode()

    for ladder in opened[:2]:
        assert f">club · Courtisans {ladder.settings.ladder_id[:8]}</a>" in index
    assert ">Spring cup</a>" in index
    for ladder in opened:
        ladder.database.close()


def test_a_copy_keeps_a_title_that_was_given(tmp_path: Path, command: Command) -> None:
    """A copied ladder keeps its title, not its folder's."""
    home: Any = new_ladder(tmp_path / "club", "one", title="Spring cup")
    shutil.copytree(home.path, tmp_path / "copy")

    assert command("bots", "--ladder", tmp_path / "copy").out.startswith(
        "Spring cup · Courtisans, 4 seats\n"
    )
