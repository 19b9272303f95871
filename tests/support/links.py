"""The links of pages in Markdown, as GitHub follows them."""

import re
from pathlib import Path

_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s#:]*)(?:#([^)\s]*))?\)")
_PLACE = re.compile(r'<a id="([^"]+)"></a>')
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def dead_links(page: Path) -> list[str]:
    """Return a page's relative links that lead to no file, or to no place in one."""
    links = _LINK.findall(_FENCED.sub("", page.read_text()))
    return [f"{path}#{part}" for path, part in links if not _leads(page, path, part)]


def _leads(page: Path, path: str, part: str) -> bool:
    target = page.parent / path if path else page
    if not target.exists():
        return False
    if not part:
        return True
    text = target.read_text()
    return part in {*map(_anchor, _HEADING.findall(text)), *_PLACE.findall(text)}


def _anchor(heading: str) -> str:
    """Return GitHub's name for a heading's place."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
