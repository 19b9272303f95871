"""A proof of remote play: a bad network between two hosts."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.model.matches import MatchState
from ladder.results import queries
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission.submit import submit
from tests.support import lossy
from tests.support.remote_bots import Keys

MakeBot = Callable[..., Path]
COMMAND = Path(sys.executable).with_name("ladder")
CUT_FOR_S = 2.0

_PROGRAM = """
import time
from pathlib import Path

from courtyard_kit.courtisans import Action, Position, run

asked = 0


def choose(position: Position) -> Action:
    global asked
    asked += 1
    if asked == 5:
        Path("cut").touch()
        time.sleep(0.5)
    return position.random_action()


run(choose, name="far")
"""


@pytest.fixture
def author(home: Home, make_remote_bot: MakeBot, tmp_path: Path) -> Path:
    """The folder of an author on another host, whose bot is on the ladder."""
    folder = tmp_path / "author"
    folder.mkdir()
    with Ladder.open(home) as ladder:
        submit(ladder, make_remote_bot("far"), lambda _: None, author="eve")
        (folder / "token").write_text(tokens.create(ladder, "eve"))
    (folder / "bot.py").write_text(_PROGRAM)
    return folder


@pytest.mark.proof
def test_a_bot_on_another_host_plays_through_loss_and_a_cut(
    home: Home, author: Path, tmp_path: Path
) -> None:
    """With 5 % packet loss and a cut of two seconds no decision is late."""
    lossy.need_hosts()
    keys = Keys.made(tmp_path, "10.94.0.1")
    gateway = ("--tls-cert", keys.of_gate.chain, "--tls-key", keys.of_gate.key)
    with lossy.Hosts(loss=0.05, seed=7) as hosts, BotThere(hosts, author, keys):
        where = ("--ladder", home.path, "--remote", "10.94.0.1:7411", "--rounds", "20")
        command = hosts.on("ladder", COMMAND, "run", *where, *gateway)
        done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert hosts.lost > 20
    with Ladder.open(home) as ladder:
        matches = queries.latest(ladder, 1000)
        records = [queries.record(ladder, match) for match in matches]
    assert {match.state for match in matches} == {MatchState.DONE}
    decided = [one for record in records for one in record.decisions if not one.stand_in]
    assert not any(one.HasField("fault") for one in decided)
    assert max(one.elapsed_us for one in decided) > CUT_FOR_S * 1e6 / 2


class BotThere:
    """The author's bot on the other host, and a cut of the network when it says so."""

    def __init__(self, hosts: lossy.Hosts, author: Path, keys: Keys) -> None:
        """Prepare it."""
        self._hosts = hosts
        self._author = author
        self._environment = {
            "COURTYARD_REMOTE": "10.94.0.1:7411",
            "COURTYARD_TOKEN_FILE": str(author / "token"),
            "COURTYARD_CA_FILE": str(keys.roots),
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        }
        self._over = threading.Event()
        self._watching = threading.Thread(target=self._watch)

    def __enter__(self) -> None:
        command = self._hosts.on("bot", sys.executable, "bot.py")
        self._process = subprocess.Popen(
            command, cwd=self._author, env=self._environment, stderr=subprocess.DEVNULL
        )
        self._watching.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watching.join()
        self._process.kill()
        self._process.wait()

    def _watch(self) -> None:
        while not (self._author / "cut").exists():
            if self._over.wait(0.05):
                return
        self._hosts.cut(CUT_FOR_S)
