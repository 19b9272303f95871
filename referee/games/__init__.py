"""The games that the referee knows, by name: their rules, their words and their scenes.

The rules are loaded when they are first asked for: a bot that needs those of one game starts
sooner, and a command's --help needs none.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from referee.games.base import ConfigError, Game, Text

if TYPE_CHECKING:
    from referee.games.stage import Names, Scene

GAME_NAMES = ("courtisans", "miracles")
"""The names of all games, for those who need no more of them."""
DEFAULT_GAME = GAME_NAMES[0]
"""What a command plays that is not told which game."""
GAMES: dict[str, Game]
TEXTS: Mapping[str, Text]
SCENES: "Mapping[str, Callable[[Any, Names], Scene]]"


def __getattr__(name: str) -> Any:
    if name not in {"GAMES", "TEXTS", "SCENES"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from referee.games import registry  # noqa: PLC0415 -- see above

    return getattr(registry, name)


def game_named(name: str) -> Game:
    """Return the game that files and commands call so; raise `ConfigError` if there is none."""
    from referee.games.registry import GAMES  # noqa: PLC0415 -- see above

    if name not in GAMES:
        raise ConfigError(f"there is no game {name!r}; the games are {', '.join(sorted(GAMES))}")
    return GAMES[name]
