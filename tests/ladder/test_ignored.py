"""A .gitignore is understood as Git understands it."""

import subprocess
from pathlib import Path

import pytest

from ladder.ignored import Ignored
from referee.errors import UsageError
from tests.lacking import need_program

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
\\#odd
/only/here.txt
"""
FOLDERS = ("build", "src/build", "node_modules", "src/node_modules", "cache", "src/cache", "doc")
FILES = (
    *("a.o", "src/a.o", "keep.o", "src/keep.o", "a.od", "build.o"),
    *("src/gen.c", "src/deep/gen.c", "gen.c", "doc/page", "doc/deep/page"),
    *("a/z", "a/b/z", "a/b/c/z", "b/z", "a1.txt", "c1.txt", "a12.txt", "xy", "zy"),
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


def test_git_agrees(root: Path) -> None:
    """Each path is ignored by Git just when it, or a folder above it, is ignored here."""
    need_program("git", "apt-get install git")
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    names = [*FOLDERS, *FILES]
    command = ["git", "check-ignore", "--stdin", "--no-index"]
    asked = subprocess.run(
        command, cwd=root, input="\n".join(names), capture_output=True, text=True, check=True
    )
    ignored = Ignored(root)

    def is_ignored(name: str) -> bool:
        path = Path(name)
        above = [p.as_posix() for p in path.parents if p != Path()]
        return any(ignored.has(each) for each in [name, *above])

    found = {name.strip('"') for name in asked.stdout.splitlines()}
    assert {name for name in names if is_ignored(name)} == found


def test_without_a_file_nothing_is_ignored(tmp_path: Path) -> None:
    """A folder without a .gitignore is taken whole."""
    assert not Ignored(tmp_path).has("build")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("a\n*a*b*c*d*e", "line 2: more than 4 wildcards"),
        ("[z-a]", "line 1: bad character range"),
        ("#" * 20_000, "larger than 16384 bytes"),
    ],
)
def test_what_takes_long_is_refused(tmp_path: Path, rules: str, said: str) -> None:
    """A stranger's file is refused in one line if it is not short and simple."""
    (tmp_path / ".gitignore").write_text(rules)

    with pytest.raises(UsageError, match=said):
        Ignored(tmp_path)
