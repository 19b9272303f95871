"""Every command and every file that the documents show works as it stands there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "sample_bots/README.md", "sample_bots/python/README.md"]


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of one language on a page, in order."""
    text = (ROOT / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_work_one_after_the_other(page: str, tmp_path: Path) -> None:
    """All shell blocks of a page run in a fresh copy of the folder, from the first to the last."""
    shutil.copytree(
        ROOT / "sample_bots",
        tmp_path / "sample_bots",
        ignore=shutil.ignore_patterns("__pycache__", "build", "target", "node_modules"),
    )
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parent.parent)
    # Without -u: what activates an environment of Python 3.12 reads unset variables.
    script = "set -e\n. .venv/bin/activate\n" + "".join(blocks(page, "sh"))
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "COLUMNS": "100"}

    done = subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def test_the_readme_shows_the_bot_that_it_copies() -> None:
    """The strategy on the page is the one in sample_bots/python/courtisans/random."""
    (shown,) = blocks("README.md", "python")
    source = (ROOT / "sample_bots/python/courtisans/random/bot.py").read_text()

    assert source.endswith(shown)
