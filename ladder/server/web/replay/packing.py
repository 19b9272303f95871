"""Data of replays as text that is small and that no markup can end.

They are packed by deflate with a dictionary of the game: words that stand in nearly every replay of
it. The dictionary is a script that every page of the game loads, so that browsers have it too.
"""

import json
import re
import zlib
from functools import cache
from importlib.resources import files

import numpy as np

_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~"
"""The digits of base 85. None of them means anything in HTML."""
_DIGITS = np.frombuffer(_LETTERS, np.uint8)
_PLACES = 85 ** np.arange(4, -1, -1, dtype=np.uint32)
_WORD = 4
"""So many bytes are five letters."""
_RAW = -15
"""Deflate without a header, with a window of 2 ** 15 bytes."""
LARGEST = 32_000
"""The bytes of a dictionary; it must fit into the window."""
_BEST, _FAST = 9, 5
"""Levels of deflate: 5 % less for four times the time, and 5 % more for half of it."""


def pack(data: bytes, game: str) -> str:
    """Return the data of a replay, packed."""
    # What takes little time to make weighs most beside its record, and the other way round.
    level = _BEST if len(data) < LARGEST else _FAST
    packer = zlib.compressobj(level, wbits=_RAW, zdict=dictionary(game))
    return _text(packer.compress(data) + packer.flush())


def script(words: bytes) -> str:
    """Return the script of a dictionary, which is ASCII."""
    return (
        "// What nearly every replay of this game says: the dictionary that packed.js needs.\n"
        "window.Courtyard = window.Courtyard || {};\n"
        f"window.Courtyard.dictionary = {json.dumps(words.decode('ascii'))};\n"
    )


@cache
def dictionary(game: str) -> bytes:
    """Return the dictionary of a game."""
    file = (
        files("ladder.server.web.replay").joinpath("browser", f"{game}-words.js").read_text("ascii")
    )
    words = re.search(r'^window\.Courtyard\.dictionary = (".+");$', file, re.MULTILINE)
    if words is None:
        raise ValueError(f"{game}-words.js is not a dictionary")
    text: str = json.loads(words[1])
    return text.encode("ascii")


def _text(content: bytes) -> str:
    """Return bytes in base 85: five letters for four bytes, fewer for fewer at the end."""
    missing = -len(content) % _WORD
    words = np.frombuffer(content + bytes(missing), ">u4").astype(np.uint32)
    letters: bytes = _DIGITS[words[:, None] // _PLACES % len(_DIGITS)].tobytes()
    return letters[: len(letters) - missing].decode("ascii")
