"""Data of replays as text that is small and that no markup can end.

Deflate begins with a dictionary of the game: words that stand in nearly every replay of it. The
dictionary is one of the static files, in the form of the beginning of a deflate stream. A page has
the rest of that stream; so a browser only has to put one behind the other.
"""

import base64
import re
import zlib
from functools import cache
from importlib.resources import files

_PLAIN = str.maketrans("<>&", ",./")
_BACK = str.maketrans(",./", "<>&")
"""Base 85 in Python has letters that HTML has uses for; they stand for others here."""
_RAW = -15
"""Deflate without a header, with a window of 2 ** 15 bytes."""
LARGEST = 32_000
"""The bytes of a dictionary; it must fit into the window."""


def pack(data: bytes, game: str) -> str:
    """Return the data of a replay, packed."""
    packer = zlib.compressobj(wbits=_RAW, zdict=dictionary(game))
    return _text(packer.compress(data) + packer.flush())


def unpack(packed: str, game: str) -> bytes:
    """Return what was packed."""
    return zlib.decompressobj(_RAW, dictionary(game)).decompress(_bytes(packed))


def script(words: bytes) -> str:
    """Return the static file of a dictionary."""
    packer = zlib.compressobj(9, wbits=_RAW)
    begun = packer.compress(words) + packer.flush(zlib.Z_SYNC_FLUSH)
    return (
        "// What nearly every replay of this game says: the stream that packed.js goes on with.\n"
        "window.Courtyard = window.Courtyard || {};\n"
        f'window.Courtyard.dictionary = [{len(words)}, "{_text(begun)}"];\n'
    )


@cache
def dictionary(game: str) -> bytes:
    """Return the dictionary of a game."""
    file = files("ladder.web").joinpath("static", "replay", f"{game}-words.js").read_text("ascii")
    begun = re.search(r'\[\d+, "(.+)"\]', file)
    if begun is None:
        raise ValueError(f"{game}-words.js is not a dictionary")
    return zlib.decompressobj(_RAW).decompress(_bytes(begun[1]))


def _text(content: bytes) -> str:
    return base64.b85encode(content).decode().translate(_PLAIN)


def _bytes(text: str) -> bytes:
    return base64.b85decode(text.translate(_BACK))
