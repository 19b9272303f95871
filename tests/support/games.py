"""The installed games, without the families."""

from referee.games.registry import installed_games, is_family, load

GAMES = tuple(one.name for one in installed_games() if not is_family(load(one)))
"""Their names; the games of a family need programs that not every machine has."""
