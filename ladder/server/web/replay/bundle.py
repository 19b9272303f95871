"""Bundles the script and the style sheet that a browser loads for the replays of a game.

Each consists of several source files but is served as one: fewer files load faster and weigh less.
"""

from functools import cache
from importlib.resources import files

from referee.games import game_names


def bundles() -> dict[str, bytes]:
    """Return the files of all games by their names, GAME.js and GAME.css."""
    found = {}
    for game in game_names():
        # The data unpack while the other scripts run.
        scripts = ("packed", "core", "icons", game, "player")
        found[f"{game}.js"] = b"".join(_part(f"{name}.js") for name in scripts)
        found[f"{game}.css"] = _part("replay.css") + _part(f"{game}.css")
    return found


@cache
def _part(name: str) -> bytes:
    return files("ladder.server.web.replay").joinpath("browser", name).read_bytes()
