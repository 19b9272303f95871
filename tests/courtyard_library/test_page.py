"""docs/python.md works as it stands there, and tells of all that is public."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import courtyard
import pytest

from tests.support.lacking import need_module

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text()


@pytest.mark.long
def test_the_examples_run(ladder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first to the last, in one program."""
    shutil.copytree(ladder, tmp_path / "my-ladder")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE):
        exec(block, names)  # noqa: S102 -- the code of our own page

    assert (tmp_path / "match.json").is_file()


@pytest.mark.proof
@pytest.mark.parametrize("trains", [False, True])
def test_a_reader_comes_from_an_empty_folder_to_a_ladder(trains: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """By the script of the page, training for seconds, or with the weights that the bot has."""
    _, begin, rest = PAGE.partition("ladder new-bot my-bot")
    script = begin + rest.partition("```")[0]
    script = script.replace("--effect 0.2", "--effect 0.2 --most 8").replace(
        "--rounds 3", "--rounds 1"
    )
    if trains:
        need_module("sb3_contrib", "pip install sb3-contrib matplotlib")
        script = script.replace("--minutes 2", "--minutes 0.2 --matches 6")
    else:
        script = re.sub(r"python my-bot/train.py.*\n", "", script)
        script = re.sub(r"python - <<END.*?\nEND\n", "", script, flags=re.DOTALL)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    done = subprocess.run(
        ["/bin/sh", "-ec", script],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert (tmp_path / "curve.svg").is_file() == trains


def test_the_page_tells_of_every_public_name() -> None:
    """None is left to be found in the sources."""
    assert [name for name in courtyard.__all__ if name not in PAGE] == []
