"""Texts of strangers, as they may be shown on a terminal."""


def plain(text: str) -> str:
    """Return a text with a dot for whatever could steer a terminal, line ends too."""
    return "".join(c if c.isprintable() else "·" for c in text)
