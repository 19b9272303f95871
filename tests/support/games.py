"""The installed games, without the families."""

from referee.games.registry import single_games

GAMES = single_games()
"""Their names; the games of a family need programs that not every machine has."""
