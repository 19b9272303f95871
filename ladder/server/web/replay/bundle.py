"""Bundles the script and the style sheet that a browser loads for the replays of a game.

Each consists of several source files but is served as one: fewer files load faster and weigh less.
"""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from referee.match.record import Record
from referee.match.replay import why_unplayable

_PLAIN = "plain"
"""Draws every game that has no drawing of its own: the seats' views as text."""
_SHARED = frozenset({"packed", "core", "icons", "player"})


def bundles() -> dict[str, bytes]:
    """Return the files of all drawings by their names, NAME.js and NAME.css."""
    found = {}
    for path in _browser().iterdir():
        name, _, kind = path.name.partition(".")
        if kind == "js" and name not in _SHARED:
            # The data unpack while the other scripts run.
            scripts = ("packed", "core", "icons", name, "player")
            found[f"{name}.js"] = b"".join(_part(f"{one}.js") for one in scripts)
            found[f"{name}.css"] = _part("replay.css") + _part(f"{name}.css")
    return found


def drawing_of(record: Record) -> str:
    """Return the name of the drawing of a match: its game's, or that of all plain games.

    That one also draws the stored events of a match whose rules are not installed.
    """
    return _PLAIN if why_unplayable(record) else _of_game(record.game)


@cache
def _of_game(game: str) -> str:
    has_own = game.isidentifier() and (_browser() / f"{game}.js").is_file()
    return game if has_own and game not in _SHARED else _PLAIN


def _browser() -> Traversable:
    return files("ladder.server.web.replay").joinpath("browser")


@cache
def _part(name: str) -> bytes:
    return (_browser() / name).read_bytes()
