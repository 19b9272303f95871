"""Sample bots are known by their names."""

from pathlib import Path

import pytest

from referee.hosting.manifest import load_manifest
from referee.hosting.sample_bots import bot_folder
from tests.support.games import GAMES


@pytest.mark.sweep
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["counter", "greedy", "random", "python-plain", "shell-random"])
def test_a_name_means_the_sample_bot_of_the_game(
    name: str, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It plays this game, and needs no build."""
    monkeypatch.chdir(tmp_path)
    manifest = load_manifest(bot_folder(name, game))

    assert manifest.name == name
    assert manifest.plays(game)
    assert manifest.build == ()


def test_a_folder_comes_before_a_sample_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the current folder, the author's own `greedy` is meant."""
    monkeypatch.chdir(tmp_path)
    Path("greedy").mkdir()

    assert bot_folder("greedy", GAMES[0]) == Path("greedy")
