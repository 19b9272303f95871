"""Encode game values as protocol messages and decode them: one module per game."""

from collections.abc import Mapping

from referee.wire.base import Codec
from referee.wire.courtisans import CourtisansCodec
from referee.wire.miracles import MiraclesCodec

CODECS: Mapping[str, Codec] = {
    "courtisans": CourtisansCodec(),
    "miracles": MiraclesCodec(),
}
"""The codec of each registered game, by the game's name."""
