"""The contract for games that others bring: rules as frozen values, and nothing else.

A distribution names a `PlainGame` as an entry point of the group `courtyard.games`. docs/games.md
shows how to write one. That page says how what this package exports may change.
"""

from referee.games.base import ConfigError, Seat
from referee.games.choice import Choice, Option, ask, first_choice
from referee.games.plain.contract import MOST_SEATS, Event, PlainGame, PlainState, View
from referee.games.randomness import Stream

__all__ = [
    "MOST_SEATS",
    "Choice",
    "ConfigError",
    "Event",
    "Option",
    "PlainGame",
    "PlainState",
    "Seat",
    "Stream",
    "View",
    "ask",
    "first_choice",
]
