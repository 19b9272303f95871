"""Pages and author API of a ladder whose database is on a PostgreSQL server."""

import http.client
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ladder.cli.remote.client import RemoteLadder
from ladder.cli.remote.upload import UploadProgress
from ladder.model.errors import ApiError
from ladder.storage import tokens
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.api_server import serving as serving_here
from tests.support.ladders import Command, Enter, MakeBot
from tests.support.played_ladder import played_ladder
from tests.support.postgresql import Cluster
from tests.support.waiting import until

COMMAND = Path(sys.executable).with_name("ladder")
SECONDS_TO_COME_BACK = 60.0
TOLD = {
    "authors' calls are refused",
    "the ladder cannot be read",
    "the ladder can be read again",
}
"""What the log may say of a lost server; the pages may not have noticed a short loss."""


@dataclass
class Served:
    """A running `ladder serve` with the author API."""

    pages: str
    """HOST:PORT, of the author API too."""
    said: list[str] = field(default_factory=list)
    """What it wrote to stderr, once it has ended."""

    def get(self, path: str) -> tuple[int, str]:
        """Return the status and the text of a page."""
        with closing(http.client.HTTPConnection(self.pages, timeout=30)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()


@contextmanager
def serving(*words: object) -> Iterator[Served]:
    """Run `ladder serve` with these words while the block runs."""
    common = ("serve", "--port", "0")
    with subprocess.Popen(
        [COMMAND, *common, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        served = Served(urlsplit(process.stdout.readline().split()[1]).netloc)
        try:
            yield served
        finally:
            process.terminate()
            _, err = process.communicate()
        assert process.returncode == 0
        served.said = err.splitlines()


class Silent(UploadProgress):
    """Hears nothing of a submission."""

    def say(self, text: str) -> None:
        """Do nothing."""

    def sent(self, done: int, total: int) -> None:
        """Do nothing."""


def refused(remote: RemoteLadder, bot: Path) -> str:
    """Return why a submission is refused."""
    with pytest.raises(ApiError) as raised:
        remote.submit(bot, Silent())
    return raised.value.reason


@pytest.fixture
def home_there(tmp_path: Path, enter: Enter, make_bot: MakeBot, server_database: Server) -> Home:
    """A played ladder on a server."""
    return played_ladder(tmp_path / "ladder", enter, make_bot, server_database)


@pytest.mark.proof
def test_a_server_that_is_gone_and_back(
    tmp_path: Path, enter: Enter, own_cluster: Cluster, make_bot: MakeBot
) -> None:
    """While the database server is gone, authors and readers are told so; then all goes on."""
    home_there = played_ladder(tmp_path / "ladder", enter, make_bot, own_cluster.new_database())
    with Ladder.open(home_there) as ladder:
        token = tokens.create(ladder, "zoe")
    with (
        serving("--ladder", home_there.path) as served,
        RemoteLadder(served.pages, token) as remote,
    ):
        before = remote.standings()
        path = re.findall(r'"\.\./(matches/[0-9a-f]+\.html)"', served.get("/rounds/1.html")[1])[0]
        own_cluster.stop()

        with pytest.raises(ApiError, match="the ladder cannot reach its database") as raised:
            remote.standings()
        assert raised.value.reason == "DATABASE_UNREACHABLE"
        assert refused(remote, make_bot("zed")) == "DATABASE_UNREACHABLE"
        assert served.get("/")[0] == 200
        assert served.get(f"/{path}")[0] == 503
        assert served.get("/health")[0] == 503

        own_cluster.start()
        with Ladder.open(home_there) as ladder:
            ladder.change({"title": "Spring cup"})
        shows(served, "Spring cup")
        assert served.get("/health")[0] == 200
        assert remote.standings() == before
        assert served.get(f"/{path}")[0] == 200

    told = [line.partition(":")[0] for line in served.said]
    assert "authors' calls are refused" in told
    assert len(told) == len(set(told)), "each is said once"
    assert set(told) <= TOLD


def shows(served: Served, title: str) -> None:
    """Wait until the pages show a title."""
    until(lambda: title in served.get("/")[1], SECONDS_TO_COME_BACK)


@pytest.mark.costly
def test_another_machine_shows_the_ladder(
    home_there: Home, server_database: Server, make_bot: MakeBot
) -> None:
    """`ladder serve --database URL` needs no folder; it serves what the ladder's own one does."""
    with Ladder.open(home_there) as ladder:
        ladder.change({"title": "Spring cup"})
        token = tokens.create(ladder, "zoe")
    with (
        serving("--database", server_database.url) as elsewhere,
        Ladder.open(home_there) as ladder,
        serving_here([ladder]) as here,
        RemoteLadder(elsewhere.pages, token) as remote,
        RemoteLadder(here, token) as at_home,
    ):
        served = Served(here)
        for path in ("/", "/bots/ann.html", "/rounds/1.html"):
            assert elsewhere.get(path) == served.get(path)
        assert remote.heading == at_home.heading
        assert remote.standings() == at_home.standings()
        match = remote.matches(None, 1)[0]
        assert remote.record(match.match_id) == at_home.record(match.match_id)
        assert refused(remote, make_bot("zed")) == "ONLY_SHOWN"
    assert elsewhere.said == []


@pytest.mark.costly
def test_what_another_machine_cannot_do(
    home_there: Home, server_database: Server, tmp_path: Path, command: Command, make_bot: MakeBot
) -> None:
    """Without the bots' files nothing is played or submitted, and one line says why."""
    twin = Home(tmp_path / "twin")
    twin.path.mkdir()
    twin.write_url(server_database)
    for words, why in (
        (("serve", "--database", server_database.url, "--play"), "--database only shows a ladder"),
        (
            ("serve", "--database", server_database.url, "--tables", "1"),
            "--tables needs the ladder",
        ),
        (
            ("serve", "--database", server_database.url, "--ladder", home_there.path),
            "--database only shows a ladder",
        ),
        (("serve", "--database", "mysql://x/y"), "the URL of a PostgreSQL database has the form"),
        (("submit", make_bot("zed"), "--ladder", twin.path), "bots are in another folder, perhaps"),
        (("run", "--ladder", twin.path), "the files of "),
    ):
        ended = command(*words)
        assert (ended.status, ended.err.count("\n")) == (1, 1), ended
        assert why in ended.err
