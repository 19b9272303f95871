"""Bundles the scripts and style sheets that a browser loads for the replays and tables of a game.

Each consists of several source files but is served as one: fewer files load faster and weigh less.
"""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import orjson

from ladder.server.web.replay.columns import as_json
from ladder.server.web.stripping import stripped
from referee.games import game_named
from referee.match.match import Match, MatchSetup
from referee.match.record import Record
from referee.match.replay import why_unplayable
from referee.view.frames import film, view

_PLAIN = "plain"
"""Draws every game that has no drawing of its own: the seats' views as text."""
_SEATS = 4
_MOST_KNOWN = 32_500
"""Bytes that deflate looks back, but for a few."""
_SHARED = frozenset({"packed", "core", "icons", "theatre", "player", "table"})


def bundles() -> dict[str, bytes]:
    """Return the files of all drawings for replays by their names, NAME.js and NAME.css."""
    found = {}
    for name in _drawings():
        # The data unpack while the other scripts run.
        known = _quoted(known_to(name).decode("ascii"))
        unpacking = b"window.Courtyard.known = %b;\n%b" % (known, _part("packed.js"))
        found[f"{name}.js"] = _guide(name) + unpacking + _drawing(name) + _part("player.js")
        found[f"{name}.css"] = _joined("css", "replay", name)
    return found


def table_bundles() -> dict[str, bytes]:
    """Return those for tables at which people play, NAME-table.js and NAME-table.css."""
    found = {}
    for name in _drawings():
        found[f"{name}-table.js"] = _guide(name) + _drawing(name) + _part("table.js")
        found[f"{name}-table.css"] = _joined("css", "replay", name, "table")
    return found


def _drawings() -> list[str]:
    scripts = (path.name for path in _browser().iterdir() if path.name.endswith(".js"))
    return [name for script in scripts if (name := script.removesuffix(".js")) not in _SHARED]


def _drawing(name: str) -> bytes:
    return _joined("js", "core", "icons", "theatre", name)


def _guide(name: str) -> bytes:
    """Return the script that holds what explains a game."""
    guide = {} if name == _PLAIN else game_named(name).guide
    return b"window.Courtyard = {guide: %b};\n" % orjson.dumps(guide)


def _quoted(text: str) -> bytes:
    """Return a string of a script; the text has many double quotes, and few others."""
    return "'{}'".format(text.replace("\\", r"\\").replace("'", r"\'")).encode()


@cache
def known_to(drawing: str) -> bytes:
    """Return what the data of a drawing's replays repeat; empty if games share the drawing.

    That is the data of a match that stand-ins play, always equal, as far as deflate looks back.
    They are ASCII, so that every byte is a letter of the script.
    """
    if drawing == _PLAIN:
        return b""
    everywhere = frozenset(range(_SEATS))
    match = Match(MatchSetup("", drawing, _SEATS, master_seed="known", without_bot=everywhere))
    data = as_json(view(film(match, [("", "")] * _SEATS), None))
    return data.decode().encode("ascii", "ignore")[:_MOST_KNOWN]


def drawing_of(record: Record) -> str:
    """Return the name of the drawing of a match: its game's, or that of all plain games.

    That one also draws the stored events of a match whose rules are not installed.
    """
    return _PLAIN if why_unplayable(record) else drawing_of_game(record.game)


@cache
def drawing_of_game(game: str) -> str:
    """Return the name of the drawing of an installed game."""
    has_own = game.isidentifier() and (_browser() / f"{game}.js").is_file()
    return game if has_own and game not in _SHARED else _PLAIN


def _browser() -> Traversable:
    return files("ladder.server.web.replay").joinpath("browser")


def _joined(kind: str, *names: str) -> bytes:
    return b"".join(_part(f"{name}.{kind}") for name in names)


@cache
def _part(name: str) -> bytes:
    return stripped(name, (_browser() / name).read_text(encoding="utf-8"))
