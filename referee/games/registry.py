"""The installed games: distributions name them as entry points of the group `courtyard.games`.

An entry point is a `Game`, or a function that returns the game for the rest of a name after a
colon: "openspiel:hearts" asks the entry point "openspiel" for "hearts". Names are found without
importing anything; only the game asked for is imported. What went wrong is never remembered, so a
game that has been repaired or installed meanwhile is found.
"""

import difflib
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.games.base import ConfigError, Game

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "courtyard.games"
"""The group of entry points under which distributions name their games."""
LONGEST_NAME = 128
"""Characters of a game's name, with what follows a colon."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*(:.+)?")
DEFAULT_GAME = "courtisans"
"""The game that a command plays by default."""
_CONTRACT = ("title", "rules_version", "seats", "codec", "text", "scene", "deal", "initial_state")


class InstalledGame(NamedTuple):
    """A game, or a family of games, that a distribution names."""

    name: str
    distribution: str
    """The distribution's name."""
    version: str
    """The distribution's version."""
    entry_point: "EntryPoint"

    @property
    def origin(self) -> str:
        """The distribution with its version."""
        return f"{self.distribution} {self.version}"


def installed_games() -> list[InstalledGame]:
    """Return all installed games, sorted by name; import none."""
    return sorted(_found(tuple(map(_state, sys.path))), key=lambda one: one[:3])


def _state(folder: str) -> tuple[str, int, int]:
    """Return what changes when a distribution is installed in a folder or removed."""
    try:
        now = Path(folder).stat()
    except OSError:
        return folder, 0, 0
    return folder, now.st_ino, now.st_mtime_ns


@lru_cache(maxsize=1)  # to look through all distributions takes longer than to read a manifest
def _found(_states: tuple[tuple[str, int, int], ...]) -> tuple[InstalledGame, ...]:
    return tuple(_named())


def _named() -> Iterator[InstalledGame]:
    from importlib.metadata import entry_points  # noqa: PLC0415 slow, and --help needs no game

    for point in entry_points(group=ENTRY_POINTS):
        dist = point.dist
        name, version = ("", "") if dist is None else (dist.name, dist.version)
        yield InstalledGame(point.name, name, version, point)


def game_names() -> tuple[str, ...]:
    """Return the names of all installed games and families, sorted; import none."""
    return tuple(sorted({one.name for one in installed_games()}))


def single_games() -> tuple[str, ...]:
    """Return the names of all installed games, families left out; import them."""
    return tuple(one.name for one in installed_games() if not is_family(load(one)))


@cache  # an error is not remembered
def game_named(name: str) -> Game:
    """Return the game of this name.

    Raise `ConfigError`, with one line, if it is unknown, if two distributions name it, or if it
    cannot be loaded.
    """
    one = origin_of(name)
    game = load(one)
    _, colon, member = name.partition(":")
    if is_family(game):
        if not member:
            raise ConfigError(f"{one.name!r} is a family of games: name one, as in {one.name}:NAME")
        game = _guarded(one, lambda: game(member))
    elif colon:
        raise ConfigError(f"{one.name!r} is one game, not a family: it is named without a colon")
    game = _guarded(one, lambda: _adapted(game))
    _check_contract(name, game, one)
    found: Game = game
    return found


def load(one: InstalledGame) -> Any:
    """Import what an entry point names: a game, or a family; raise `ConfigError` if it fails."""
    return _guarded(one, one.entry_point.load)


def _guarded(one: InstalledGame, act: Callable[[], Any]) -> Any:
    try:
        return act()
    except ConfigError:
        raise
    except Exception as error:  # a stranger's code
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(
            f"the game {one.name!r} of {one.origin} cannot be loaded: {why}"
        ) from error


def _adapted(game: Any) -> Any:
    """Return a game under the full contract."""
    from referee.games.plain.adapter import AdaptedGame  # noqa: PLC0415 typed games need none
    from referee.games.plain.contract import PlainGame  # noqa: PLC0415

    if isinstance(game, type):
        game = game()
    return AdaptedGame(game) if isinstance(game, PlainGame) else game


def is_family(loaded: Any) -> bool:
    """Whether an entry point is a function from the rest of a name to its game."""
    return callable(loaded) and not hasattr(loaded, "initial_state")


def is_game_name(text: str) -> bool:
    """Whether a game, or one of a family, can have this name."""
    return len(text) <= LONGEST_NAME and text.isprintable() and bool(_NAME.fullmatch(text))


def origin_of(name: str) -> InstalledGame:
    """Return the installed game of this name; raise `ConfigError` unless there is just one."""
    family = name.partition(":")[0]
    known = [one for one in installed_games() if one.name == family]
    if not known:
        raise ConfigError(unknown_game(name))
    if len(known) > 1:
        origins = " and ".join(one.origin for one in known)
        raise ConfigError(f"{origins} both bring a game {family!r}: uninstall one of them")
    return known[0]


def unknown_game(name: str) -> str:
    """Return an error text that lists the installed games and suggests the nearest name."""
    names = game_names()
    near = difflib.get_close_matches(name.lower(), names, n=1)
    meant = f" (did you mean {near[0]!r}?)" if near else ""
    return f"there is no game {name!r}{meant}; installed: {', '.join(names)}"


def _check_contract(name: str, game: Any, one: InstalledGame) -> None:
    if not is_game_name(name):
        raise ConfigError(
            f"the game {name!r} of {one.origin} has no valid name: use a-z, 0-9, '-' and '_'"
        )
    missing = [part for part in _CONTRACT if not hasattr(game, part)]
    if missing:
        raise ConfigError(
            f"the game {name!r} of {one.origin} is no Game: it has no {', '.join(missing)}"
        )
    if game.name != name:
        raise ConfigError(f"the game {name!r} of {one.origin} calls itself {game.name!r}")
