"""Unpacks the data of replays, as a page's script does."""

import base64
import zlib

from ladder.server.web.replay.bundle import known_to


def unpacked(packed: str | bytes, drawing: str) -> bytes:
    """Return the data that a page holds, which is drawn by this."""
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS, zdict=known_to(drawing))
    return unpacking.decompress(base64.b64decode(packed)) + unpacking.flush()
