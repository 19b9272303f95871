"""Make untrusted text safe to show on a terminal."""


def plain(text: str) -> str:
    """Return a text with a dot for each unprintable character, line ends included."""
    return "".join(c if c.isprintable() else "·" for c in text)
