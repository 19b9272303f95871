"""docs/python.md works as it stands there, and tells of all that is public."""

import re
import shutil
from pathlib import Path

import courtyard
import pytest

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


def test_the_page_tells_of_every_public_name() -> None:
    """None is left to be found in the sources."""
    assert [name for name in courtyard.__all__ if name not in PAGE] == []
