"""What a new bot's author reads: the protocol, its messages and the rules, put beside the bot.

A kit's page links to them where they are in the source tree; in a bot it links to the copies. What
a page links to and a bot has not, such as the referee's own code, is named there without a link.
"""

import re
import shutil
from functools import partial
from pathlib import Path

import courtyard.v1

FOLDER = "reference"
"""Where it is in a bot, by the paths of the source tree."""

_PLACES = (Path(__file__).parents[1] / "kit_files" / "docs", Path(__file__).parents[2] / "docs")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_SOURCE_TREE = "../../"
"""The source tree, as a kit's page sees it."""


def add_reference(bot: Path) -> None:
    """Put the protocol, its messages and the rules into a bot made of a kit; raise `OSError`."""
    docs = next(place for place in _PLACES if place.is_dir())
    target = bot / FOLDER
    shutil.copytree(docs / "rules", target / "docs" / "rules")
    shutil.copy(docs / "protocol.md", target / "docs")
    messages = target / "proto" / "courtyard" / "v1"
    messages.mkdir(parents=True)
    for file in Path(courtyard.v1.__path__[0]).glob("*.proto"):
        shutil.copy(file, messages)
    for page in (*bot.glob("*.md"), *target.rglob("*.md")):
        page.write_text(_LINK.sub(partial(_link, page.parent), page.read_text()))


def _link(folder: Path, link: re.Match[str]) -> str:
    """Return a link of a page in this folder as it is in a bot, or its text if it leads nowhere."""
    text, path, part = link.groups(default="")
    if not (folder / path).exists():
        path = path.replace(_SOURCE_TREE, f"{FOLDER}/", 1)
    return f"[{text}]({path}{part})" if (folder / path).exists() else text
