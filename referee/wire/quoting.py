"""Quotes a bot's message, recognisable to its author and harmless to all else."""

_MOST_QUOTED = 48


def quoted(data: bytes) -> str:
    """Return the beginning of the bytes as a quoted, escaped literal."""
    return repr(bytes(data[:_MOST_QUOTED]))[1:] + ("…" if len(data) > _MOST_QUOTED else "")
