"""The games that the referee knows, and how each is shown, by the game's name."""

from collections.abc import Mapping

from referee.games.base import ConfigError, Game, Text
from referee.games.courtisans import text as courtisans_text
from referee.games.courtisans.game import Courtisans

GAMES: dict[str, Game] = {game.name: game for game in (Courtisans(),)}

TEXTS: Mapping[str, Text] = {Courtisans.name: courtisans_text}


def game_named(name: str) -> Game:
    """Return the game that files and commands call so; raise `ConfigError` if there is none."""
    if name not in GAMES:
        raise ConfigError(f"there is no game {name!r}; the games are {', '.join(sorted(GAMES))}")
    return GAMES[name]
