"""The rules of the games; `registry` finds the installed ones by name."""

from referee.games.registry import (
    DEFAULT_GAME,
    game_named,
    game_names,
    single_games,
    unknown_game,
)

__all__ = [
    "DEFAULT_GAME",
    "game_named",
    "game_names",
    "single_games",
    "unknown_game",
]
