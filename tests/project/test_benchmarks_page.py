"""docs/benchmarks.md says of every figure when it was measured, on what, and how to repeat that."""

import re
from pathlib import Path

from tests.support.page_names import code_of, missing

PAGE = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text()
MEASURED = re.compile(r"^Measured (\d{4}-\d\d-\d\d) on \d+ cores?, by (`.+`)(?:\.|, with )")


def sections() -> dict[str, str]:
    """Return the text below each heading but those of sections that have parts, by its title."""
    found = re.split(r"^##+ ", PAGE, flags=re.MULTILINE)[1:]
    texts = {title: text.strip() for title, _, text in (each.partition("\n") for each in found)}
    return {title: text for title, text in texts.items() if text}


def test_every_section_says_when_and_how() -> None:
    """Its first line has the date, how many cores there were, and the command."""
    assert len(sections()) > 10
    assert [title for title, text in sections().items() if not MEASURED.match(text)] == []


def test_commands_exist(root: Path) -> None:
    """Make targets, modules, files and tests that the page names are there."""
    assert {code: gone for code in code_of(PAGE) if (gone := missing(root, code))} == {}
