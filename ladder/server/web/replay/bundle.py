"""What a browser loads for the replays of a game: one script and one style sheet.

Each is written in parts and handed out in one piece: a page with fewer files to wait for is seen
sooner, and weighs less.
"""

from functools import cache
from importlib.resources import files

from referee.games import GAMES


def bundles() -> dict[str, bytes]:
    """Return the files of all games by their names, GAME.js and GAME.css."""
    found = {}
    for game in GAMES:
        # Data are unpacked while the rest is run, which the player at its end waits for.
        scripts = (f"{game}-words", "vendor/fflate", "packed", "core", "icons", game, "player")
        found[f"{game}.js"] = b"".join(_part(f"{name}.js") for name in scripts)
        found[f"{game}.css"] = _part("replay.css") + _part(f"{game}.css")
    return found


@cache
def _part(name: str) -> bytes:
    return files("ladder.server.web.replay").joinpath("browser", name).read_bytes()
