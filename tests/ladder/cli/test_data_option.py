"""`ladder init --data`: a ladder that plays with its own data set."""

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from referee.games import game_named

STANDARD = resources.files("referee.games.miracles").joinpath("standard.toml").read_text("utf-8")


def test_the_data_set_stays_in_the_ladder(command: Callable[..., Any], tmp_path: Path) -> None:
    """The ladder keeps the file's data set, entry for entry."""
    file = tmp_path / "board.toml"
    file.write_text(STANDARD.replace('name = "standard-reconstruction"', 'name = "mine"'), "utf-8")
    made = command("init", tmp_path / "club", "--game", "miracles", "--data", file)
    file.unlink()

    assert made.status == 0
    with Ladder.open(Home(tmp_path / "club")) as ladder:
        config = game_named("miracles").config(ladder.settings.config)
    assert config.data == game_named("miracles").config({}).data._replace(name="mine")


def test_a_wrong_data_set_makes_no_ladder(command: Callable[..., Any], tmp_path: Path) -> None:
    """A wrong data set fails in one line that says why, and makes no ladder."""
    file = tmp_path / "board.toml"
    file.write_text(STANDARD.replace("version = 1", ""), "utf-8")
    refused = command("init", tmp_path / "club", "--game", "miracles", "--data", file)

    assert (refused.status, refused.out) == (1, "")
    assert refused.err == f"error: {file}: version: this entry is missing\n"
    assert not (tmp_path / "club").exists()
