"""What a page links to is there."""

from pathlib import Path

from tests.support.links import dead_links


def test_every_link_of_every_page_leads_somewhere(
    root: Path, committed_texts: dict[str, str]
) -> None:
    """Links and pictures that are no addresses name files of this folder, and headings in them."""
    pages = [name for name in committed_texts if name.endswith(".md")]
    assert "README.md" in pages
    assert {name: dead for name in pages if (dead := dead_links(root / name))} == {}
