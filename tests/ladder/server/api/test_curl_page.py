"""docs/curl.md leads an author with curl and tar alone from a folder to a retired bot."""

import re
import subprocess
from pathlib import Path

import pytest

from ladder.model.matches import PlannedMatch
from ladder.results import queries
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from tests.ladder.server.api.matches import BLOCK, finish, some_record
from tests.support.api_server import serving
from tests.support.lacking import need_program
from tests.support.ladders import MakeBot
from tests.support.waiting import until

PAGE = Path(__file__).parents[4] / "docs" / "curl.md"
PAUSE = "touch submitted; until test -e played; do sleep 0.05; done\n"
"""Between two parts of the page, the ladder plays."""


def play(ladder: Ladder) -> None:
    """Play one of two matches of a deal, with the new bot on the first seat."""
    (version,) = queries.versions(ladder, "my-bot")
    with ladder.database.write() as tx:
        seats = (version, None, None, None)
        planned = [PlannedMatch(id_, 1, n, seats, deal="d" * 32) for n, id_ in enumerate(BLOCK)]
        matches.add(tx, planned)
    finish(ladder, BLOCK[0], some_record("courtisans", 4))


@pytest.mark.costly
def test_the_page_works(ladder: Ladder, token: str, make_bot: MakeBot, tmp_path: Path) -> None:
    """Each line of the page does what it says, against a real server."""
    need_program("curl", "apt-get install curl")
    (tmp_path / "ann.token").write_text(f"{token}\n")
    make_bot("my-bot").rename(tmp_path / "my-bot")
    before, after = PAGE.read_text().split("## Look")
    blocks = [
        "\n".join(re.findall(r"```sh\n(.*?)```", part, re.DOTALL)) for part in (before, after)
    ]
    script = f"set -eu\n{blocks[0]}\n{PAUSE}{blocks[1]}"
    with (
        serving([ladder]) as address,
        subprocess.Popen(
            ["bash", "-c", script],
            cwd=tmp_path,
            env={"LADDER": f"http://{address}", "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as author,
    ):
        until(lambda: (tmp_path / "submitted").exists() or author.poll() is not None)
        if author.poll() is None:
            play(ladder)
        (tmp_path / "played").touch()
        said, wrong = author.communicate()

    assert (author.returncode, wrong) == (0, ""), said
    assert "my-bot version 1 plays." in said
    assert "my-bot is unchanged: version 1 already plays." in said
    assert '"printed":"mine"' in said
    assert "event: standings" in said
    assert '"active":false,"description":"counts cards"' in said
    assert queries.versions(ladder, "my-bot")[0].active
