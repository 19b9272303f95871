"""Proofs of remote play: a bad network between two hosts, and a crowd."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from ladder import tokens
from ladder.execution.gatehouse import Gatehouse
from ladder.execution.gatekeeper import GateSettings
from ladder.home import Home
from ladder.ladder import Ladder, create
from ladder.models import MatchState, PlannedMatch
from ladder.progress import shown
from ladder.rounds import Rounds
from ladder.running import run
from ladder.settings import Deals, Scheduling
from ladder.submitting import submit
from referee.clock import ClockConfig
from referee.host import MatchSpec
from referee.sandbox.program import Level
from tests import lossy
from tests.crowd import Crowd
from tests.remote_bots import HERE, Keys

MakeBot = Callable[..., Path]
COMMAND = Path(sys.executable).with_name("ladder")
CUT_FOR_S = 2.0
PATIENT = ClockConfig(decision_limit_ms=120_000, bank_ms=1_200_000)

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
@pytest.mark.skipif(not lossy.is_possible(), reason=lossy.NEEDS)
def test_a_bot_on_another_host_plays_through_loss_and_a_cut(
    home: Home, author: Path, tmp_path: Path
) -> None:
    """One packet in twenty is lost, and for two seconds every one: no decision is too late."""
    keys = Keys.made(tmp_path, "10.94.0.1")
    gate = ("--tls-cert", keys.of_gate.chain, "--tls-key", keys.of_gate.key)
    with lossy.Hosts(loss=0.05, seed=7) as hosts, BotThere(hosts, author, keys):
        where = ("--ladder", home.path, "--remote", "10.94.0.1:7411", "--rounds", "20")
        command = hosts.on("ladder", COMMAND, "run", *where, *gate)
        done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert hosts.lost > 20
    with Ladder.open(home) as ladder:
        matches = ladder.latest(1000)
        records = [ladder.record(match) for match in matches]
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


@dataclass(frozen=True)
class Load:
    """What a crowd of remote bots costs the gate."""

    bots: int
    matches: int
    most_at_once: int
    cpu_ms: float
    """CPU time of the gate's process for a match."""
    seconds: float
    """Time on the wall for a match."""
    idle_mib: float
    """Memory of the gate's process with everybody there."""
    busy_mib: float
    """The most that it had while they played."""

    def __str__(self) -> str:
        """Return it in a line."""
        return (
            f"{self.bots} bots, {self.matches} matches, up to {self.most_at_once} at once: "
            f"{self.cpu_ms:.1f} ms of CPU and {self.seconds * 1000:.1f} ms a match, "
            f"{self.idle_mib:.0f} MiB idle, {self.busy_mib:.0f} MiB at most"
        )


@pytest.mark.proof
def test_a_crowd_costs_no_more_a_match_than_a_few(
    tmp_path: Path, make_remote_bot: MakeBot, proof_cases: Callable[[int], int]
) -> None:
    """500 bots are there, 50 matches and more are played at once, and not one is lost."""
    keys = Keys.made(tmp_path)
    few = load(tmp_path / "few", make_remote_bot, keys, bots=10, matches=proof_cases(300))
    many = load(tmp_path / "many", make_remote_bot, keys, bots=500, matches=proof_cases(1000))
    print(f"\n{few}\n{many}")  # noqa: T201 -- a measurement

    assert many.most_at_once >= 50
    assert many.cpu_ms <= 1.2 * few.cpu_ms
    assert many.busy_mib / many.most_at_once <= 1.2 * few.busy_mib / few.most_at_once


def load(folder: Path, make_remote_bot: MakeBot, keys: Keys, *, bots: int, matches: int) -> Load:
    """Let so many bots play about so many matches on a ladder of their own."""
    home = create(
        folder,
        game="courtisans",
        seats=4,
        config={},
        clock=PATIENT,
        seed="a seed",
        sandbox=Level.TRUSTED,
        scheduler=Scheduling.BALANCED,
        deals=Deals.INDEPENDENT,
    )
    names = [f"bot-{number}" for number in range(bots)]
    settings = GateSettings(f"{HERE}:0", keys.of_gate)
    with Ladder.open(home) as ladder, Gatehouse(home, settings, Level.TRUSTED) as gatehouse:
        token = tokens.create(ladder, "eve")
        for name in names:
            submit(ladder, make_remote_bot(name), lambda _: None, author="eve")
        remote = [tally.version for tally in ladder.tallies()]
        with Crowd(gatehouse.address, keys.roots, dict.fromkeys(names, token)):
            assert gatehouse.gather(remote, 300) == []
            rounds = max(1, round(matches / -(-bots // 4)))
            return played(ladder, gatehouse, rounds, bots)


def played(ladder: Ladder, gatehouse: Gatehouse, rounds: int, bots: int) -> Load:
    """Play, and measure what that costs the gate's process."""
    pid = gatehouse._child.process.pid
    idle, before, most = memory_mib(pid, "VmRSS"), cpu_s(pid), [0]
    submit_to_gate = gatehouse.submit

    def counted(match: PlannedMatch, spec: MatchSpec) -> None:
        submit_to_gate(match, spec)
        most.append(len(gatehouse._under_way))

    gatehouse.submit = counted  # type: ignore[method-assign]
    planner = Rounds(ladder, rounds, attendance=gatehouse.here)
    with shown(Console(file=StringIO())) as progress:
        report = run(ladder, planner, 1, progress, gatehouse=gatehouse)
    assert (report.void, report.left_over) == (0, 0)
    assert {match.state for match in ladder.latest(100_000)} == {MatchState.DONE}
    return Load(
        bots=bots,
        matches=report.matches,
        most_at_once=max(most),
        cpu_ms=1000 * (cpu_s(pid) - before) / report.matches,
        seconds=report.seconds / report.matches,
        idle_mib=idle,
        busy_mib=memory_mib(pid, "VmHWM"),
    )


def cpu_s(pid: int | None) -> float:
    """Return the CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid: int | None, line: str) -> float:
    """Return a line of what the kernel says of a process's memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    (value,) = (one.split()[1] for one in status.splitlines() if one.startswith(f"{line}:"))
    return int(value) / 1024
