"""Strips our scripts and style sheets of what only readers of the source need."""

import re

_UNSHOWN = re.compile(r"^\s*//.*\n|^\s*/\*[\s\S]*?\*/\s*|^\s+", re.MULTILINE)
_SPACES = re.compile(r"\s*([{};,>])\s*|(?<=:) (?=[^{};]*;)")


def stripped(name: str, text: str) -> bytes:
    """Return a file without its comments and indents; other files than these two kinds whole."""
    if name.endswith((".js", ".css")):
        text = _UNSHOWN.sub("", text)
    if name.endswith(".css"):
        text = _SPACES.sub(r"\1", text)
    return text.encode()
