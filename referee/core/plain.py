"""Make untrusted text safe to show on a terminal."""

_MOST_QUOTED = 48


def plain(text: str) -> str:
    """Return a text with a dot for each unprintable character, line ends included."""
    return "".join(c if c.isprintable() else "·" for c in text)


def shortened(text: str, longest: int = 300) -> str:
    """Return the beginning of a text that is longer than this number of characters."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def quoted(data: bytes) -> str:
    """Return the beginning of the bytes as a quoted, escaped literal."""
    return repr(bytes(data[:_MOST_QUOTED]))[1:] + ("…" if len(data) > _MOST_QUOTED else "")
