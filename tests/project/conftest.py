"""What the tests of the project itself share."""

import ast
import subprocess
from pathlib import Path

import pytest

from tests.support.lacking import need_program, skip

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def parsed(root: Path) -> dict[str, ast.Module]:
    """The modules of the two programs, by their paths from the project's folder."""
    return {
        path.relative_to(root).as_posix(): ast.parse(path.read_text())
        for package in ("referee", "ladder")
        for path in (root / package).rglob("*.py")
    }


@pytest.fixture(scope="session")
def committed_texts(root: Path) -> dict[str, str]:
    """The text of every committed file that is text, by its path from the project's folder."""
    if not (root / ".git").exists():
        skip("only a git clone knows which files are committed", "git clone")
    need_program("git", "apt-get install git")
    command = ["git", "ls-files", "-z"]
    listing = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    paths = [root / name for name in listing.split("\0") if name]
    texts = {path.relative_to(root).as_posix(): _text(path) for path in paths if path.is_file()}
    return {name: text for name, text in texts.items() if text is not None}


def _text(path: Path) -> str | None:
    """The file's text, or None if the file is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
