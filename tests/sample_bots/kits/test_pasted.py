"""A kit of one file can be written in a browser."""

from pathlib import Path

import pytest

from ladder.server.web import author_pages
from ladder.storage.files.archive import unpack
from ladder.storage.ladder import Ladder
from ladder.submission import starter_kits
from ladder.submission.submit import submit
from tests.support.lacking import skip
from tests.support.new_ladder import new_ladder


@pytest.mark.sweep
@pytest.mark.parametrize("kit", ["shell-plain", "go-plain", "cpp-plain", "cpp", "shell"])
def test_one_file_becomes_a_bot_in_each_language(kit: str, tmp_path: Path) -> None:
    """What is pasted into a kit is built without a network, and plays, under its own name."""
    if (template := starter_kits.templates("courtisans").get(kit)) is None:
        skip(f"the toolchain of the kit for {kit} is missing", "see `ladder doctor`")
    code = (template.folder / template.code).read_text()
    archive, folder = tmp_path / "archive", tmp_path / "eva"
    archive.write_bytes(author_pages._made("eva", template, "courtisans", code, is_kit=True))
    unpack(archive, folder)
    with Ladder.open(new_ladder(tmp_path / "own", "a seed")) as own:
        entered = submit(own, folder, lambda _: None, author="ann")

    assert (entered.version.bot, entered.version.rejected) == ("eva", None)
    newest = starter_kits.newest_template(folder, "eva")
    assert newest is not None
    assert newest.code == template.code
