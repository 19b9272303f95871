"""The games by name: their rules, texts and scenes.

Rules load on first use: a bot that needs one game starts sooner, and a command's --help loads none.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from referee.games.base import ConfigError, Game, Text

if TYPE_CHECKING:
    from referee.games.stage import Names, Scene

GAME_NAMES = ("courtisans", "miracles")
"""All games' names, without loading the rules."""
DEFAULT_GAME = GAME_NAMES[0]
"""The game that a command plays by default."""
GAMES: dict[str, Game]
TEXTS: Mapping[str, Text]
SCENES: "Mapping[str, Callable[[Any, Names], Scene]]"


def __getattr__(name: str) -> Any:
    if name not in {"GAMES", "TEXTS", "SCENES"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from referee.games import registry  # noqa: PLC0415 -- see above

    return getattr(registry, name)


def game_named(name: str) -> Game:
    """Return the game of this name; raise `ConfigError` if unknown."""
    from referee.games.registry import GAMES  # noqa: PLC0415 -- see above

    if name not in GAMES:
        raise ConfigError(f"there is no game {name!r}; the games are {', '.join(sorted(GAMES))}")
    return GAMES[name]
