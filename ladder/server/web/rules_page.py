"""The page of a game's rules, from the Markdown that the game brings."""

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ladder.storage.files.docs import rules_of

_NOT_A_WORD = re.compile(r"[^\w]+")
_TABLE = '<div class="scroll" role="region" aria-label="Table {}" tabindex="0"><table class="data">'
_FOLLOWED = ("https://", "http://", "#")
"""The beginnings of links that lead somewhere from a site."""


@cache
def rules_page(game: str) -> Markup:
    """Return the rules of a game as HTML without its title; empty if it brings none."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(rules_of(game))
    if tokens and (tokens[0].type, tokens[0].tag) == ("heading_open", "h1"):
        tokens = tokens[3:]  # the page has a title of its own
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _anchor(tokens[i + 1].content))
        if token.type == "inline":
            token.children = _followed(token.children or [])
    drawn = str(markdown.renderer.render(tokens, markdown.options, {}))
    drawn = drawn.replace("<th></th>", "<td></td>").replace("<pre>", '<pre tabindex="0">')
    first, *others = drawn.split("<table>")
    tables = [_TABLE.format(i) + rest for i, rest in enumerate(others, start=1)]
    found = "".join([first, *tables]).replace("</table>", "</table></div>")
    return Markup(found)  # noqa: S704 - HTML in the Markdown is text


def _anchor(heading: str) -> str:
    """Return the name by which links reach a heading."""
    return _NOT_A_WORD.sub("-", heading.lower()).strip("-")


def _followed(tokens: list[Token]) -> list[Token]:
    """Return the tokens of a line without links to files that a site does not have."""
    found: list[Token] = []
    dropped = False
    for token in tokens:
        if token.type == "link_open":
            dropped = not str(token.attrGet("href") or "").startswith(_FOLLOWED)
        if not (dropped and token.type in ("link_open", "link_close")):
            found.append(token)
        if token.type == "link_close":
            dropped = False
    return found
