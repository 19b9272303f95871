"""Styled text, laid out in lines of Rich markup."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

WIDTH = 96
"""Columns at which a line of several items wraps."""

# Before a tag, Rich reads 2n + 1 backslashes as n and no tag, 2n as n and the tag; before a
# bracket that opens no tag, it drops one.
_BRACKET_OR_END = re.compile(r"(\\*)\[(?=[a-z#/@][^\[]*\])|(\\*)\[|(\\+)$")


def _escaped(found: re.Match[str]) -> str:
    before_tag, before_bracket, at_end = found.groups()
    if at_end is not None:
        return 2 * at_end
    return f"{before_bracket}\\[" if before_tag is None else f"{2 * before_tag}\\["


@lru_cache(maxsize=4096)  # a game uses few words, over and over
def _styled(text: str, style: str) -> str:
    inner = text.strip()
    if not inner:
        return text
    before, after = text.split(inner, 1)
    return f"{before}[{style}]{_BRACKET_OR_END.sub(_escaped, inner)}[/]{after}"


class Span(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: str = ""

    def markup(self) -> str:
        """Return the span as Rich markup, outer spaces unstyled.

        Styled text is escaped; unstyled text must not contain markup.
        """
        return _styled(self.text, self.style) if self.style else self.text

    def padded(self, width: int) -> "Span":
        """Return the span right-padded to this width."""
        return Span(self.text.ljust(width), self.style)

    def centred(self, width: int) -> "Span":
        """Return the span centred in this width."""
        return Span(self.text.center(width), self.style)


Spans = Sequence[Span]


def line(spans: Iterable[Span]) -> str:
    """Return the spans as one line of markup."""
    return "".join([span.markup() for span in spans]).rstrip()


def plain(spans: Iterable[Span]) -> str:
    """Return the spans as plain text."""
    return "".join([span.text for span in spans])


_TAG = re.compile(r"(\\*)(\[[a-z#/@][^\[]*?\])")
"""A tag, as Rich finds it, with the backslashes before it."""


_LONE_TAG = re.compile(r"\[[a-z#/@][^\[]*?\]")


def unstyled(markup: str) -> str:
    """Return the plain text of a line of markup, as Rich shows it."""
    if "\\" not in markup:  # as nearly always
        return _LONE_TAG.sub("", markup)
    parts = []
    position = 0
    for found in _TAG.finditer(markup):
        escapes, tag = found.groups()
        parts += [
            markup[position : found.start()].replace("\\[", "["),
            "\\" * (len(escapes) // 2),
            tag.replace("\\[", "[") if len(escapes) % 2 else "",
        ]
        position = found.end()
    return "".join([*parts, markup[position:].replace("\\[", "[")])


def signed(number: int) -> str:
    """Return a number with its sign, zero without one."""
    return f"{number:+d}" if number else "0"


def joined(items: Iterable[Spans], separator: str = ", ") -> list[Span]:
    """Return the items joined by the separator."""
    spans: list[Span] = []
    for item in items:
        spans += [Span(separator, "dim"), *item] if spans else item
    return spans


def flow(head: Spans, items: Iterable[Spans]) -> list[str]:
    """Return the head and the items as lines, wrapped between items."""
    indent = _length(head)
    rows, current, used = [], list(head), indent
    for number, item in enumerate(items):
        lead = [Span(" · ", "dim")] if number else []
        needed = _length(lead) + _length(item)
        if lead and used + needed > WIDTH:
            rows.append(current)
            current, used, lead = [Span(" " * indent)], indent, []
            needed = _length(item)
        current += [*lead, *item]
        used += needed
    return [line(row) for row in [*rows, current]]


def _length(spans: Iterable[Span]) -> int:
    return sum([len(span.text) for span in spans])
