"""Data of replays as text that is small and that no markup can end: deflate, in base 64."""

import base64
import zlib

_LARGE = 32_000
_BEST, _FAST = 9, 5
"""Levels of deflate: 5 % less for four times the time, and 5 % more for half of it."""


def pack(data: bytes) -> str:
    """Return the data of a replay, packed."""
    # What takes little time to make weighs most beside its record, and the other way round.
    level = _BEST if len(data) < _LARGE else _FAST
    return base64.b64encode(zlib.compress(data, level)).decode("ascii")
