"""Runs on a cluster whose workers have no bots' files until they are asked to play."""

import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.model.errors import StalledError
from ladder.runner.cluster import link
from ladder.runner.cluster.bot_store import pack
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.reach import Cluster
from ladder.runner.line_progress import LineProgress
from ladder.runner.run import run
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.planner import RunLimits
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.ladders import Command, MakeBot

PLAYER = (Path(__file__).parents[4] / "sample_bots/python/courtisans/random/bot.py").read_text()
BUILD = """build = [["python3", "-c", "open('player.py', 'w').write(open('bot.py').read())"]]\n"""
STORE = "store"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A scheduler and a worker with an empty store, in processes; the folder of all."""
    folder = tmp_path_factory.mktemp("cluster")
    ClusterCertificates(folder / "certificates").make()
    processes = list[subprocess.Popen[str]]()

    def start(*arguments: str) -> str:
        command = [sys.executable, "-m", "ladder", *arguments]
        processes.append(
            subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, bufsize=1)
        )
        assert processes[-1].stdout is not None
        return processes[-1].stdout.readline()

    said = start("scheduler", "--host", "127.0.0.1", "--port", "0")
    (address,) = re.findall(r"tls://127\.0\.0\.1:\d+", said)
    (folder / "address").write_text(address)
    assert "plays" in start("worker", address, "--cores", "2", "--name", "ares", "--store", STORE)
    yield folder
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def entered(home: Home, command: Command, make_bot: MakeBot) -> Home:
    """A ladder whose bots all play by what their builds make."""
    folders = []
    for name in ("ann", "bob", "cid", "dan"):
        folder = make_bot(name, manifest=BUILD)
        (folder / "bot.py").write_text(f"# {name} {home.path}\n{PLAYER}")
        manifest = folder / "bot.toml"
        manifest.write_text(manifest.read_text().replace("bot.py", "player.py", 1))
        folders.append(folder)
    assert command("submit", "--ladder", home.path, *folders).status == 0
    return home


def run_there(command: Command, cluster: Path, home: Home, rounds: int = 1) -> tuple[int, str]:
    """Play rounds on the cluster; return the status and what was said."""
    address = (cluster / "address").read_text()
    options = ("--cluster", address, "--certificates", cluster / "certificates")
    ended = command("run", "--rounds", rounds, "--ladder", home.path, *options)
    return ended.status, ended.out + ended.err


@pytest.mark.costly
def test_bots_are_fetched_and_built(cluster: Path, command: Command, entered: Home) -> None:
    """A worker without any files plays bots with build steps: it gets them and builds them."""
    status, said = run_there(command, cluster, entered)

    assert (status, re.findall("Played 1 match", said)) == (0, ["Played 1 match"]), said
    here = cluster / STORE / "bots"
    stored = {path.name for path in entered.bots.iterdir()}
    assert stored <= {path.name for path in here.iterdir()}
    for built in entered.bots.glob("*.build"):
        assert (here / built.name / "player.py").is_file()


@pytest.mark.costly
def test_files_are_sent_once(
    cluster: Path, command: Command, entered: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that has a bot's files is not sent them again, by this run or the next."""
    sent = Counter[str]()
    monkeypatch.setattr(
        link, "pack", lambda home, digest: sent.update([digest]) or pack(home, digest)
    )
    for _ in range(2):
        status, said = run_there(command, cluster, entered, rounds=4)
        assert status == 0, said

    assert sent == {path.name: 1 for path in entered.bots.iterdir() if path.suffix != ".build"}


@pytest.mark.costly
def test_a_worker_that_fails_does_not_hold_up_the_run(
    cluster: Path, entered: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match with which workers fail by a bug of theirs is void, and the run says why."""
    (tmp_path / "only_here.py").write_text("def play_batch(batch): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(link, "play_batch", importlib.import_module("only_here").play_batch)
    at = Cluster((cluster / "address").read_text(), ClusterCertificates(cluster / "certificates"))
    with Ladder.open(entered) as ladder, pytest.raises(StalledError, match="'only_here'"):
        run(ladder, LadderPlanner(ladder), at, LineProgress(), limits=RunLimits(matches=4))


@pytest.mark.costly
def test_files_with_a_wrong_digest_are_refused(
    cluster: Path, command: Command, entered: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If something else arrives than a bot's files, one line says so, and nothing is kept of it."""
    first, *_ = sorted(path for path in entered.bots.iterdir() if path.suffix != ".build")
    before = sorted((cluster / STORE / "bots").iterdir())
    monkeypatch.setattr(link, "pack", lambda home, _: pack(home, first.name))

    _, said = run_there(command, cluster, entered)

    assert "Played 0 matches" in said, said
    assert re.search(
        rf"the files of \w+ version 1: other files arrived: their digest is "
        rf"{first.name[:12]}…",
        said.replace("\n", " "),
    ), said
    kept = {*(cluster / STORE / "bots").iterdir()} - {*before}
    assert {path.name for path in kept} <= {first.name, f"{first.name}.build"}
