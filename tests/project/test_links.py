"""What a page links to is there."""

from pathlib import Path

from tests.support.links import dead_links
from tests.support.page_names import code_of, missing


def test_every_link_of_every_page_leads_somewhere(
    root: Path, committed_texts: dict[str, str]
) -> None:
    """Links and pictures that are no addresses name files of this folder, and headings in them."""
    pages = [name for name in committed_texts if name.endswith(".md")]
    assert "README.md" in pages
    assert {name: dead for name in pages if (dead := dead_links(root / name))} == {}


def test_what_contributors_are_told_of_exists(root: Path) -> None:
    """Folders, files, modules and make targets that CONTRIBUTING.md names are there."""
    shown = code_of((root / "CONTRIBUTING.md").read_text())
    assert {code: gone for code in shown if (gone := missing(root, code))} == {}


def test_contributors_are_told_of_every_folder_of_tests(root: Path) -> None:
    """The table of CONTRIBUTING.md has each folder of tests that is committed."""
    page = (root / "CONTRIBUTING.md").read_text()
    folders = [path.parent.name for path in sorted((root / "tests").glob("*/*.py"))]
    folders = [name for name in dict.fromkeys(folders) if not name.startswith("_")]
    assert [name for name in folders if f"`tests/{name}/`" not in page] == []
