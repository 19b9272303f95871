"""The registry of games."""

import pytest

from referee.games import game_named
from referee.games.base import ConfigError
from referee.wire import codec_named
from tests.support.games import GAMES


def test_each_game_is_found_by_its_name() -> None:
    """A game's name leads to it, and to its text."""
    assert GAMES
    for name in GAMES:
        game = game_named(name)
        assert game.name == name
        assert codec_named(name)
        assert game.text.STYLES


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    """Who mistypes a game reads what there is."""
    with pytest.raises(ConfigError, match=r"no game 'chess'; installed: .*courtisans"):
        game_named("chess")
