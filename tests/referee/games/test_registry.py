"""The registry of games."""

import pytest

from referee.games import GAMES, TEXTS, game_named
from referee.games.base import ConfigError


def test_each_game_is_found_by_its_name() -> None:
    """A game's name leads to it, and to its text."""
    assert GAMES
    for name, game in GAMES.items():
        assert game_named(name) is game
        assert game.name == name
        assert name in TEXTS


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    """Who mistypes a game reads what there is."""
    with pytest.raises(ConfigError, match=r"no game 'chess'; the games are .*courtisans"):
        game_named("chess")
