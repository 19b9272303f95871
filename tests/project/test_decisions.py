"""docs/decisions says why things are as they are: short entries, true names, plain words."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.page_names import PRIVATE_WORDS, code_of, missing

FOLDER = Path(__file__).parents[2] / "docs" / "decisions"
PAGES = sorted(page.name for page in FOLDER.glob("*.md") if page.name != "README.md")
MOST_WORDS = 100
PARTS = ("Decision", "Why", "Rejected", "Cost")


def entries(page: str) -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each entry of a page."""
    for entry in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title, _, text = entry.partition("\n")
        yield title, text


def parts(text: str) -> list[str]:
    """Return how the parts of an entry are called, in order."""
    return re.findall(r"^- \*\*(\w+)", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", PAGES)
def test_entries_are_short_and_whole(name: str) -> None:
    """In at most 100 words each says what was decided and when, why, against what, at what cost."""
    found = list(entries((FOLDER / name).read_text()))
    assert found
    words = {title: len(f"{title} {text}".split()) for title, text in found}
    assert {title: count for title, count in words.items() if count > MOST_WORDS} == {}
    assert {title: parts(text) for title, text in found if parts(text) != [*PARTS]} == {}
    undated = r"^- \*\*Decision\*\* \(\d{4}-\d\d-\d\d\): "
    assert [title for title, text in found if not re.search(undated, text, re.MULTILINE)] == []


@pytest.mark.parametrize("name", PAGES)
def test_what_entries_name_exists(root: Path, name: str) -> None:
    """Modules, functions, paths and commands that an entry shows as code are there."""
    shown = code_of((FOLDER / name).read_text())
    assert {code: gone for code in shown if (gone := missing(root, code))} == {}


@pytest.mark.parametrize(
    "path",
    [
        *(f"docs/decisions/{name}" for name in PAGES),
        *("docs/architecture.md", "docs/benchmarks.md", "docs/glossary.md", "CONTRIBUTING.md"),
    ],
)
def test_no_private_words(root: Path, path: str) -> None:
    """Pages about how Courtyard is built use the field's words; names of code may lag behind."""
    text = re.sub(r"`[^`\n]+`", "", (root / path).read_text())
    assert PRIVATE_WORDS.findall(text) == []


def test_the_index_leads_to_every_page() -> None:
    """The README of the folder links to each page once."""
    links = re.findall(r"\]\(([\w-]+\.md)\)", (FOLDER / "README.md").read_text())
    assert sorted(links) == PAGES


@pytest.mark.parametrize(
    ("code", "gone"),
    [
        ("ladder.runner.run.run", []),
        ("referee.match.match.Match.answer", []),
        ("ladder.runner.run.walk", ["ladder.runner.run.walk"]),
        ("referee.match.match.Match.walk", ["referee.match.match.Match.walk"]),
        ("tests/arbiter", []),
        ("tests/nobody.py", ["tests/nobody.py"]),
        ("ladder verify --continue", []),
        ("ladder frobnicate", ["ladder frobnicate"]),
        ("make proof SAMPLE=20", []),
        ("make tea", ["tea"]),
        ("python -m tests.soak", []),
        ("python -m tests.nothing", ["tests.nothing"]),
        ("make bench ARGS='-k test_export'", []),
        ("make bench ARGS='-k test_nothing_at_all'", ["test_nothing_at_all"]),
        ("random.Random", []),
    ],
)
def test_missing_names_are_found(root: Path, code: str, gone: list[str]) -> None:
    """The check tells names that exist from names that do not."""
    assert missing(root, code) == gone
