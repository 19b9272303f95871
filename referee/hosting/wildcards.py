"""Git's wildcards as regular expressions of bytes that match in linear time.

The patterns may be hostile, so none may take long. The expressions do not backtrack: between two
stars, the leftmost match of a piece is as good as any other, and so are the leftmost folders
between two `**`. Atomic groups keep these matches. So a match takes at most as many steps as the
length of the name times that of the pattern.

The rules are those of Git's wildmatch.c and dir.c, including undocumented behaviour: the part of a
path before the first wildcard is compared first, so a `**` after it counts as at the start.
"""

import re
from collections.abc import Sequence

_STAR, _SLASH = b"*", b"/"
_END = b"(?=/|\\Z)"
_FOLDERS = b"(?:[^/]*+/)*?"
_LITERAL = re.compile(rb"[^*?\[\\]*")
_POSIX = {
    b"alnum": b"A-Za-z0-9",
    b"alpha": b"A-Za-z",
    b"blank": b" \t",
    b"cntrl": b"\\x00-\\x1f\\x7f",
    b"digit": b"0-9",
    b"graph": b"!-~",
    b"lower": b"a-z",
    b"print": b" -~",
    b"punct": b"!-/:-@\\[-`{-~",
    b"space": b" \t\n\v\f\r",
    b"upper": b"A-Z",
    b"xdigit": b"A-Fa-f0-9",
}

_Tokens = Sequence[bytes]
"""The tokens of a pattern: `*`, `/`, and expressions of one byte."""


def of_name(pattern: bytes) -> bytes | None:
    """Return the regular expression of a pattern for a name; None if it matches nothing."""
    tokens = _tokens(pattern)
    return _name(tokens) if tokens else None


def of_path(pattern: bytes) -> bytes | None:
    """Return the regular expression of a pattern for a path; None if it matches nothing."""
    literal = _LITERAL.match(pattern)
    before = literal[0] if literal else b""
    tokens = _tokens(pattern[len(before) :])
    return None if tokens is None else re.escape(before) + _path(tokens)


def _name(tokens: _Tokens) -> bytes:
    """Return the expression of a name, or of the end of one."""
    first, *others = _split(tokens, _STAR)
    if not others:
        return b"".join(first) + _END
    *middle, last = others
    found = b"".join(b"(?>[^/]*?" + b"".join(piece) + b")" for piece in middle if piece)
    return b"(?>" + b"".join(first) + found + b"[^/]*" + b"".join(last) + _END + b")"


def _path(tokens: _Tokens) -> bytes:
    """Return the expression of a path, or of the end of one."""
    runs: list[list[bytes]] = [[]]
    for name in _split(tokens, _SLASH):
        if len(name) > 1 and set(name) == {_STAR}:
            runs.append([])
        else:
            runs[-1].append(_name(name))
    first, *others = runs
    if not others:
        return b"/".join(first)
    *middle, last = others
    begin = b"".join(name + b"/" for name in first)
    found = b"".join(_folders(run) for run in middle if run)
    return begin + found + (_FOLDERS + b"/".join(last) if last else b".*")


def _folders(names: Sequence[bytes]) -> bytes:
    """Return the expression that matches up to the first folders of these names."""
    return b"(?>" + _FOLDERS + b"".join(name + b"/" for name in names) + b")"


def _split(tokens: _Tokens, at: bytes) -> list[list[bytes]]:
    """Split the tokens at this token."""
    parts: list[list[bytes]] = [[]]
    for token in tokens:
        if token == at:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _tokens(pattern: bytes) -> _Tokens | None:
    """Return the tokens of a pattern; None if a bracket or escape is incomplete."""
    tokens, at = [], 0
    while at < len(pattern):
        found = _token(pattern, at)
        if found is None:
            return None
        token, at = found
        tokens.append(token)
    return tokens


def _token(pattern: bytes, at: int) -> tuple[bytes, int] | None:
    """Return the token at this index, and the index of the next one."""
    char = pattern[at : at + 1]
    if char == b"[":
        return _bracket(pattern, at + 1)
    if char == b"?":
        return b"[^/]", at + 1
    if char in (_STAR, _SLASH):
        return char, at + 1
    if char == b"\\":
        at += 1
        char = pattern[at : at + 1]
    if not char:
        return None
    return char if char == _SLASH else re.escape(char), at + 1


def _bracket(pattern: bytes, at: int) -> tuple[bytes, int] | None:
    """Return the expression of `[...]` after its opening bracket, and the next token's index."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    begin, before, inside = at, b"", b""
    while at == begin or pattern[at : at + 1] != b"]":
        item = _item(pattern, at, before)
        if item is None:
            return None
        more, before, at = item
        inside += more
    if negated:
        return b"[^/" + inside + b"]", at + 1
    return b"(?!/)[" + inside + b"]" if inside else b"(?!)", at + 1


def _item(pattern: bytes, at: int, before: bytes) -> tuple[bytes, bytes, int] | None:
    """Return the next item of a bracket, the byte that may begin a range, and the item's end.

    `before` is the byte of the previous item; empty after a range.
    """
    if pattern.startswith(b"[:", at):
        end = pattern.find(b"]", at + 2)
        if end < 0:
            return None
        if pattern.startswith(b":", end - 1) and end > at + 2:
            posix = _POSIX.get(pattern[at + 2 : end - 1])
            return None if posix is None else (posix, b"", end + 1)
    is_range = bool(before) and pattern[at : at + 1] == b"-" and pattern[at + 1 : at + 2] != b"]"
    at += is_range
    at += pattern.startswith(b"\\", at)
    char = pattern[at : at + 1]
    if not char:
        return None
    if is_range:
        return _hex(before) + b"-" + _hex(char) if before <= char else b"", b"", at + 1
    return _hex(char), char, at + 1


def _hex(char: bytes) -> bytes:
    return b"\\x%02x" % ord(char)
