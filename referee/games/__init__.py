"""The games that the referee knows, by name."""

from referee.games.base import ConfigError, Game
from referee.games.courtisans.game import Courtisans

GAMES: dict[str, Game] = {game.name: game for game in (Courtisans(),)}


def game_named(name: str) -> Game:
    """Return the game that files and commands call so; raise `ConfigError` if there is none."""
    if name not in GAMES:
        raise ConfigError(f"there is no game {name!r}; the games are {', '.join(sorted(GAMES))}")
    return GAMES[name]
