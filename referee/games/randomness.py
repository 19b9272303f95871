"""Keyed random streams: one master seed, and a separate stream for every use.

A stream depends on the seed and its name alone. So a fault, a default move or an extra draw in one
place never shifts the draws of another, and any language can draw the same numbers:

    key   = SHA-256("courtyard-stream-1" || for each of seed, name...: 4-byte big-endian length of
            its UTF-8 bytes || those bytes)
    block = SHA-256(key || 8-byte big-endian block number, from 0)
    words = each block cut into four 8-byte big-endian integers

A stream can open substreams. A substream depends on the stream's key and its own name alone, not
on earlier draws:

    key of sub = SHA-256("courtyard-substream-1" || key || 4-byte big-endian length of the name's
                 UTF-8 bytes || those bytes)

`below(n)` takes the next word w and returns w mod n, unless w >= 2^64 - (2^64 mod n): then it takes
another word, so every result is equally likely.
"""

import hashlib
import struct
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_DOMAIN = b"courtyard-stream-1"
_SUBDOMAIN = b"courtyard-substream-1"
_WORD = 1 << 64
_WORDS = struct.Struct(">4Q")


def _framed(part: str) -> bytes:
    data = part.encode()
    return len(data).to_bytes(4, "big") + data


class Stream:
    """A reproducible sequence of random choices. Not for secrets: the seed reveals all."""

    def __init__(self, seed: str, *name: str) -> None:
        """Open the stream of this name under this seed, at its start."""
        framed = b"".join(_framed(part) for part in (seed, *name))
        self._start(hashlib.sha256(_DOMAIN + framed).digest())

    def _start(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._words: list[int] = []

    def sub(self, name: str) -> "Stream":
        """Open the stream of this name below this one, at its start."""
        stream = Stream.__new__(Stream)
        stream._start(hashlib.sha256(_SUBDOMAIN + self._key + _framed(name)).digest())  # noqa: SLF001 the same class
        return stream

    def _word(self) -> int:
        if not self._words:
            digest = hashlib.sha256(self._key + self._block.to_bytes(8, "big")).digest()
            self._block += 1
            self._words = list(_WORDS.unpack(digest)[::-1])
        return self._words.pop()

    def below(self, n: int) -> int:
        """Return an integer from 0 to n - 1, each equally likely; n is from 1 to 2^64."""
        limit = _WORD - _WORD % n
        while (word := self._word()) >= limit:
            pass
        return word % n

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items, each equally likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order.

        For i from the last index down to 1, swap the items at i and at `below(i + 1)`.
        """
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = self.below(i + 1)
            result[i], result[j] = result[j], result[i]
        return result

    def bytes(self, n: int) -> bytes:
        """Return n bytes, n a multiple of 8: the next n / 8 words, big-endian."""
        return b"".join(self._word().to_bytes(8, "big") for _ in range(n // 8))
