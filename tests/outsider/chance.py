"""The keyed streams of docs/records.md."""

import hashlib
from collections.abc import Sequence
from typing import Any


def framed(text: str) -> bytes:
    """Four bytes of length and the text in UTF-8."""
    data = text.encode()
    return len(data).to_bytes(4, "big") + data


class Stream:
    """The random numbers of one use."""

    def __init__(self, *names: str, key: bytes = b"") -> None:
        seed = b"courtyard-stream-1" + b"".join(map(framed, names))
        self.key = key or hashlib.sha256(seed).digest()
        self.drawn = 0

    def sub(self, name: str) -> "Stream":
        """A stream below this one."""
        seed = b"courtyard-substream-1" + self.key + framed(name)
        return Stream(key=hashlib.sha256(seed).digest())

    def word(self) -> bytes:
        """The next 8 bytes."""
        block, at = divmod(self.drawn, 4)
        self.drawn += 1
        return hashlib.sha256(self.key + block.to_bytes(8, "big")).digest()[8 * at : 8 * at + 8]

    def bytes(self, number: int) -> bytes:
        """The next `number` bytes."""
        return b"".join(self.word() for _ in range(number // 8))

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        while (word := int.from_bytes(self.word(), "big")) >= 2**64 - 2**64 % n:
            pass
        return word % n

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """The items in random order."""
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = self.below(i + 1)
            result[i], result[j] = result[j], result[i]
        return result
