"""Long texts as stored: their end, compressed."""

import zlib

from ladder.model.errors import StoreError


def pack(text: str, most_bytes: int) -> bytes:
    """Return a text's last `most_bytes` in UTF-8, compressed by zlib."""
    return zlib.compress(text.encode(errors="replace")[-most_bytes:])


def unpack(packed: bytes) -> str:
    """Return a packed text; raise `StoreError` if it is damaged."""
    try:
        return zlib.decompress(packed).decode(errors="replace")
    except zlib.error as error:
        raise StoreError(f"a stored text is damaged: {error}") from error
