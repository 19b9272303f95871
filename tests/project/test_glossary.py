"""docs/glossary.md holds the words that are used, one meaning each."""

import re
from collections.abc import Mapping
from pathlib import Path

from tests.support.page_names import PRIVATE_WORDS

PAGE = "docs/glossary.md"
ROWS = re.findall(
    r"^\| ([^|]+) \| ([^|]+) \|$", (Path(__file__).parents[2] / PAGE).read_text(), re.MULTILINE
)[1:]
WORDS = [word for entry, _ in ROWS for word in entry.split(", ")]


def test_words_are_sorted_and_have_one_meaning() -> None:
    """No word stands there twice, and each is found by the alphabet."""
    assert len(WORDS) > 40
    assert [entry for entry, _ in ROWS] == sorted(entry for entry, _ in ROWS)
    assert len(set(WORDS)) == len(WORDS)
    assert [word for word in WORDS if PRIVATE_WORDS.search(word)] == []


def test_words_are_used(committed_texts: Mapping[str, str]) -> None:
    """Each occurs in code or in another page."""
    places = ("ladder/", "referee/", "docs/", "proto/courtyard/", "README.md")
    used = "\n".join(
        re.sub(r"[\s_]+", " ", text)
        for name, text in committed_texts.items()
        if name.startswith(places) and name != PAGE
    )
    unused = [word for word in WORDS if not re.search(rf"\b{word}", used, re.IGNORECASE)]
    assert unused == []
