"""docs/games.md shows the game that `referee new-game` makes, and what `check-game` says of it."""

import io
import re
import tomllib
from pathlib import Path

import pytest
from rich.console import Console

from referee.cli.new_game import make
from referee.conformance.game_check.run import check, show
from referee.conformance.game_check.subject import CheckedGame
from tests.support.installed import install


@pytest.fixture
def page(root: Path) -> str:
    """The page."""
    return (root / "docs" / "games.md").read_text()


def blocks(page: str, language: str) -> list[str]:
    """Return the page's blocks of this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)


def flat(code: str) -> str:
    """Return code without indentation and empty lines."""
    return "".join(f"{line.strip()}\n" for line in code.splitlines() if line.strip())


def test_the_code_is_that_of_a_new_game(page: str, tmp_path: Path) -> None:
    """Every block of Python and TOML stands so in the package."""
    project = tmp_path / "blind-pot"
    make("blind-pot", project)
    rules = flat((project / "blind_pot.py").read_text())

    written, _, _ = page.partition("## Luck")  # which a new game does not measure
    assert [block for block in blocks(written, "python") if flat(block) not in rules] == []
    (toml,) = blocks(page, "toml")
    assert toml in (project / "pyproject.toml").read_text()
    assert tomllib.loads(toml)


@pytest.mark.costly
def test_the_fault_is_told_as_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault that the page plants leads to the lines that it shows."""
    old, new = '"have_paid": len(self.chosen)', '"have_paid": self.chosen'
    assert f"`{new}`" in page
    make("shown-pot", tmp_path / "shown-pot")
    rules = tmp_path / "shown-pot" / "shown_pot.py"
    rules.write_text(rules.read_text().replace(old, new))
    install(tmp_path / "shown-pot", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    out = io.StringIO()
    console = Console(file=out, highlight=False)

    check(CheckedGame("shown-pot", {}, games=2), lambda result: show(console, result))

    (shown,) = blocks(page, "text")
    assert shown in out.getvalue()
