"""Copies the protocol, its messages, schemas of facts and the rules into a new bot.

A kit's page links to these in the source tree; in a bot it links to the copies. A link to a file
that a bot does not have, such as the referee's code, becomes plain text.
"""

import re
import shutil
from functools import partial
from pathlib import Path

import courtyard.v1

FOLDER = "reference"
"""The folder of the copies in a bot, with the paths of the source tree."""

_PLACES = (Path(__file__).parents[1] / "kit_files" / "docs", Path(__file__).parents[2] / "docs")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_SOURCE_TREE = "../../"
"""The path from a kit's page to the source tree."""


def add_reference(bot: Path) -> None:
    """Copy all of the reference into a bot; raise `OSError`."""
    docs = next(place for place in _PLACES if place.is_dir())
    target = bot / FOLDER
    shutil.copytree(docs / "rules", target / "docs" / "rules")
    shutil.copytree(docs / "facts", target / "docs" / "facts")
    shutil.copy(docs / "protocol.md", target / "docs")
    messages = target / "proto" / "courtyard" / "v1"
    messages.mkdir(parents=True)
    for file in Path(courtyard.v1.__path__[0]).glob("*.proto"):
        shutil.copy(file, messages)
    for page in (*bot.glob("*.md"), *target.rglob("*.md")):
        text = _LINK.sub(partial(_link, page.parent), page.read_text("utf-8"))
        page.write_text(text, "utf-8", newline="\n")


def _link(folder: Path, link: re.Match[str]) -> str:
    """Return a page's link as it works in a bot, or its text if it leads nowhere."""
    text, path, part = link.groups(default="")
    if not (folder / path).exists():
        path = path.replace(_SOURCE_TREE, f"{FOLDER}/", 1)
    return f"[{text}]({path}{part})" if (folder / path).exists() else text
