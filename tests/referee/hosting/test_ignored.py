"""A .gitignore has the same meaning as in Git."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.errors import UsageError
from referee.hosting.bot_files import Ignored
from tests.support.lacking import need_program
from tests.support.sampling import examples

RULES = """\
# what a build makes
/build/
node_modules/
*.o
!keep.o

**/cache
src/gen*
doc/**
a/**/z
[ab]?.txt
[!x]y
[^x]w
\\#odd
/only/here.txt
"""
FOLDERS = ("build", "src/build", "node_modules", "src/node_modules", "cache", "src/cache", "doc")
FILES = (
    *("a.o", "src/a.o", "keep.o", "src/keep.o", "a.od", "build.o"),
    *("src/gen.c", "src/deep/gen.c", "gen.c", "doc/page", "doc/deep/page"),
    *("a/z", "a/b/z", "a/b/c/z", "b/z", "a1.txt", "c1.txt", "a12.txt", "xy", "zy", "xw", "zw"),
    *("#odd", "only/here.txt", "deep/only/here.txt", "bot.py", "src/node_modules.py"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with many files and these rules."""
    (tmp_path / ".gitignore").write_text(RULES)
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    return tmp_path


def ignored_by_git(root: Path, names: Sequence[str]) -> set[str]:
    """Return the paths that Git ignores in a repository."""
    command = ["git", "check-ignore", "--stdin", "--no-index", "-z"]
    asked = subprocess.run(
        command, cwd=root, input="\0".join(names).encode(), capture_output=True, check=False
    )
    assert asked.returncode in (0, 1), asked.stderr
    return {name.decode() for name in asked.stdout.split(b"\0") if name}


def ignored_here(root: Path, names: Sequence[str]) -> set[str]:
    """Return the paths that are ignored, or in an ignored folder."""
    ignored = Ignored(root)
    above = {name: [p.as_posix() for p in Path(name).parents if p != Path()] for name in names}
    return {name for name in names if any(map(ignored.has, [name, *above[name]]))}


def test_git_agrees(root: Path) -> None:
    """Git ignores exactly the paths that are ignored here, or below an ignored folder."""
    need_program("git", "apt-get install git")
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    names = [*FOLDERS, *FILES]

    assert ignored_here(root, names) == ignored_by_git(root, names)


PARTS = ("a", "b", "ab", "aab", "-", "a]", "^a", "!b", "a b", "[a", "é", "Aa:")
PIECES = (
    *("a", "b", "*", "**", "?", "/", "[", "]", "!", "^", "-", "\\", " ", "[a]", "[^a]", "[!b]"),
    *("[a-b]", "**/", "/**", "[[:alpha:]]", "[[:foo:]]", "[]a]", "[a-]", "#", "é", ":", "[z-a]"),
)
LINE = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
LINES = st.lists(LINE.filter(lambda line: "**\\/" not in line), min_size=1, max_size=4)
"""An exception: after two stars, Git needs at least one folder for an escaped slash."""


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Sequence[str]]:
    """A folder of Git's with all kinds of names, and these names."""
    need_program("git", "apt-get install git")
    root = tmp_path_factory.mktemp("tree")
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    folders = [*PARTS, *(f"{part}/{inner}" for part in PARTS for inner in ("a", "ab"))]
    files = [f"{folder}/{part}" for folder in folders for part in PARTS[1:6] if part != "ab"]
    for folder in folders:
        (root / folder).mkdir()
    for file in files:
        (root / file).touch()
    return root, [*folders, *files]


@examples(60)
@given(LINES)
def test_git_agrees_on_any_lines(tree: tuple[Path, Sequence[str]], lines: Sequence[str]) -> None:
    """Any lines ignore the same paths as in Git."""
    root, names = tree
    (root / ".gitignore").write_text("\n".join(lines) + "\n")

    assert ignored_here(root, names) == ignored_by_git(root, names)


def test_without_a_file_nothing_is_ignored(tmp_path: Path) -> None:
    """Without a .gitignore nothing is ignored."""
    assert not Ignored(tmp_path).has("build")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("*a*a*a*?????b", "a" * 250),
        ("*a" * 100 + "b", "a" * 250),
        ("**/a/" * 40 + "b", "a/" * 100),
        ("**/*a*a/" * 20 + "b", ("a" * 20 + "/") * 10),
        ("*[a-c]" * 100 + "b", "a" * 250),
    ],
)
def test_no_pattern_takes_long(tmp_path: Path, line: str, name: str) -> None:
    """A thousand hostile lines match quickly; with backtracking one would outlast the test."""
    (tmp_path / ".gitignore").write_text("\n".join([line] * (16_000 // (len(line) + 1))))
    ignored = Ignored(tmp_path)

    assert not ignored.has(name)
    assert not ignored.has(f"{name}c")


def test_a_long_file_is_refused(tmp_path: Path) -> None:
    """A .gitignore that is too large is refused."""
    (tmp_path / ".gitignore").write_text("#" * 20_000)

    with pytest.raises(UsageError, match="larger than 16384 bytes"):
        Ignored(tmp_path)
