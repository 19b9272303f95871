"""Long texts as they are stored: the end of them, compressed."""

import zlib

from ladder.model.errors import StoreError


def pack(text: str, most_bytes: int) -> bytes:
    """Return the last so many bytes of a text in UTF-8, compressed by zlib."""
    return zlib.compress(text.encode(errors="replace")[-most_bytes:])


def unpack(packed: bytes) -> str:
    """Return a text that was packed; raise `StoreError` if it is damaged."""
    try:
        return zlib.decompress(packed).decode(errors="replace")
    except zlib.error as error:
        raise StoreError(f"a stored text is damaged: {error}") from error
