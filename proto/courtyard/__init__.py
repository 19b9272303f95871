"""Courtyard for Python programs: play matches, step through games, read records and ladders.

docs/python.md shows how. The names below are public, as semantic versioning has it; everything else
may change. They are imported when they are first asked for, as bots need the messages alone:
`courtyard.v1` holds those of Courtyard's protocol, version 1.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from courtyard_library.environments import GameEnv, SeatEnv
    from courtyard_library.ladders import ladder_matches, ladder_record
    from courtyard_library.match import Table, play
    from courtyard_library.records import Record, frame, load_record
    from courtyard_library.search import search
    from courtyard_library.seats import View, kit
    from courtyard_library.states import State, games, start
    from referee.core.clock import ClockConfig
    from referee.core.errors import CourtyardError, RefereeError, UsageError
    from referee.games.base import ConfigError, IllegalAction

_HOMES = {
    "ClockConfig": "referee.core.clock",
    "ConfigError": "referee.games.base",
    "CourtyardError": "referee.core.errors",
    "GameEnv": "courtyard_library.environments",
    "IllegalAction": "referee.games.base",
    "Record": "courtyard_library.records",
    "RefereeError": "referee.core.errors",
    "SeatEnv": "courtyard_library.environments",
    "State": "courtyard_library.states",
    "Table": "courtyard_library.match",
    "UsageError": "referee.core.errors",
    "View": "courtyard_library.seats",
    "frame": "courtyard_library.records",
    "games": "courtyard_library.states",
    "kit": "courtyard_library.seats",
    "ladder_matches": "courtyard_library.ladders",
    "ladder_record": "courtyard_library.ladders",
    "load_record": "courtyard_library.records",
    "play": "courtyard_library.match",
    "search": "courtyard_library.search",
    "start": "courtyard_library.states",
}

_EXTRAS = {"courtyard_library.environments": "train", "courtyard_library.ladders": "ladder"}

__all__ = [
    "ClockConfig",
    "ConfigError",
    "CourtyardError",
    "GameEnv",
    "IllegalAction",
    "Record",
    "RefereeError",
    "SeatEnv",
    "State",
    "Table",
    "UsageError",
    "View",
    "frame",
    "games",
    "kit",
    "ladder_matches",
    "ladder_record",
    "load_record",
    "play",
    "search",
    "start",
]


def __getattr__(name: str) -> Any:
    """Import a public name."""
    if name not in _HOMES:
        raise AttributeError(f"module 'courtyard' has no attribute {name!r}")
    home = _HOMES[name]
    try:
        return getattr(import_module(home), name)
    except ModuleNotFoundError as error:
        if home not in _EXTRAS:
            raise
        raise ImportError(
            f"courtyard.{name} needs the package {error.name}: install Courtyard with its extra, "
            f"as in `pip install '.[{_EXTRAS[home]}]'` where its pyproject.toml is"
        ) from error


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
