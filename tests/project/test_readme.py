"""Every command and every file that the documents show works as it stands there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.lacking import need_program

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    "README.md",
    pytest.param("docs/ladder.md", marks=pytest.mark.proof),
    pytest.param("sample_bots/README.md", marks=pytest.mark.proof),
    pytest.param("sample_bots/plain/README.md", marks=pytest.mark.proof),
    pytest.param("sample_bots/python/README.md", marks=pytest.mark.proof),
]
KITS = [
    pytest.param("sample_bots/shell/README.md", "jq", id="shell", marks=pytest.mark.proof),
    pytest.param("sample_bots/cpp/README.md", "protoc", id="cpp", marks=pytest.mark.proof),
]
"""The pages of the kits that are built without a network, and what each needs."""
PACKAGES = {"jq": "jq", "protoc": "protobuf-compiler"}


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of one language on a page, in order."""
    text = (ROOT / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def follow(page: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run all shell blocks of a page in a fresh copy of the project, from the first to the last."""
    shutil.copytree(
        ROOT / "sample_bots",
        folder / "sample_bots",
        ignore=shutil.ignore_patterns("__pycache__", "build", "target", "node_modules"),
    )
    (folder / "proto").symlink_to(ROOT / "proto")
    (folder / ".venv").symlink_to(Path(sys.executable).parent.parent)
    # Without -u: what activates an environment of Python 3.12 reads unset variables.
    script = "set -e\n. .venv/bin/activate\n" + "".join(blocks(page, "sh"))
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "COLUMNS": "100"}

    return subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.costly
@pytest.mark.long
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_work_one_after_the_other(page: str, tmp_path: Path) -> None:
    """Who types what a page shows, in its order, gets what it promises."""
    done = follow(page, tmp_path)

    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@pytest.mark.long
@pytest.mark.parametrize(("page", "needs"), KITS)
def test_the_commands_of_a_kit_work(page: str, needs: str, tmp_path: Path) -> None:
    """Who types what a kit's page shows has a bot that builds, keeps every rule, and plays."""
    need_program(needs, f"apt-get install {PACKAGES[needs]}")
    done = follow(page, tmp_path)

    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def test_no_page_has_the_shell_gather_a_ladder_s_own_copies() -> None:
    """A ladder keeps its bots in bots/: a pattern there names them by their digests."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("sample_bots/**/README.md")]
    wrong = [page.name for page in pages if re.search(r"ladder .* bots/", page.read_text())]

    assert wrong == []


def test_the_readme_shows_the_bot_that_it_copies() -> None:
    """The strategy on the page is the one in sample_bots/python/courtisans/random."""
    (shown,) = blocks("README.md", "python")
    source = (ROOT / "sample_bots/python/courtisans/random/bot.py").read_text()

    assert source.endswith(shown)
