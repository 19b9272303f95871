"""Game values to protocol messages and back: one module a game, and the registry of them."""

from collections.abc import Mapping

from referee.wire.base import Codec
from referee.wire.courtisans import CourtisansCodec
from referee.wire.miracles import MiraclesCodec

CODECS: Mapping[str, Codec] = {
    "courtisans": CourtisansCodec(),
    "miracles": MiraclesCodec(),
}
"""The codec of each registered game, by the game's name."""
