"""Encode game values as protocol messages and decode them: one codec per game."""

from functools import cache
from pkgutil import resolve_name

from referee.games import game_named
from referee.wire.base import Codec

SET_LATER = frozenset(
    {
        "courtyard.v1.RecordSeat.plain",
        "courtyard.v1.MiraclesConfig.plots_at_any_time",
        "courtyard.v1.MiraclesRogueData.bag_source",
        "courtyard.v1.MiraclesRogueData.strength_source",
        "courtyard.v1.MiraclesPlotCardData.copies_source",
    }
)
"""Full names of the message fields added after the first records."""


@cache
def codec_named(game: str) -> Codec:
    """Return the codec of the game of this name; raise `ConfigError` if there is no such game."""
    codec: Codec = resolve_name(game_named(game).codec)()
    return codec
