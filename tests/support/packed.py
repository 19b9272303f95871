"""Reads replay data from pages, as a browser does."""

import zlib

from ladder.server.web.replay.packing import dictionary

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~"


def unpack(packed: str, game: str) -> bytes:
    """Unpack the text."""
    content = b"".join(_word(packed[i : i + 5]) for i in range(0, len(packed), 5))
    return zlib.decompressobj(-15, dictionary(game)).decompress(content)


def _word(group: str) -> bytes:
    """Return the four bytes of five digits in base 85, one fewer for each missing digit."""
    value = 0
    for letter in group.ljust(5, LETTERS[-1]):
        value = 85 * value + LETTERS.index(letter)
    return value.to_bytes(4, "big")[: len(group) - 1]
