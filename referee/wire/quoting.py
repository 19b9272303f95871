"""Quoting what a bot sent, so that its author recognises it and nothing else is harmed."""

_MOST_QUOTED = 48


def quoted(data: bytes) -> str:
    """Return the beginning of some bytes between quotes, as programmers write them."""
    return repr(bytes(data[:_MOST_QUOTED]))[1:] + ("…" if len(data) > _MOST_QUOTED else "")
