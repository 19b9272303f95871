"""A machine or container that has no memory left is not charged to bots."""

import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from courtyard.v1 import record_pb2

from referee.core.clock import ClockConfig
from referee.core.errors import NoMemoryError
from referee.core.faults import FaultKind
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.sandbox import process
from referee.sandbox.levels import open_sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level
from tests.support.lacking import need_level, need_linux
from tests.support.memory_group import memory_group, within

Play = Callable[..., record_pb2.Record]
BIN = Path(sys.executable).parent
BALLAST = '_BALLAST = bytearray(b"x") * (150 << 20)\n'
LACK = "the machine has no memory left"


@pytest.fixture
def play(
    bots: Path, random_bot: Path, entrant: Callable[[Path], BotSpec], patient: ClockConfig
) -> Play:
    """Play a match of this bot, which no group contains, with one that plays at random."""
    need_linux()

    def match(host: Host, name: str, *, again: bool = True) -> record_pb2.Record:
        table = (entrant(bots / name), entrant(random_bot))
        return host.play(MatchSpec("m", "courtisans", table, name, clock=patient, patient=again))

    return match


@pytest.fixture
def trusted() -> Host:
    """A host without a sandbox."""
    return Host(sandbox=open_sandbox(Level.TRUSTED))


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel counts one kill more whenever it is asked."""
    kills = count()
    monkeypatch.setattr(process, "kernel_kills", lambda: next(kills))


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("again", [True, False])
def test_who_is_killed_when_the_kernel_kills_does_not_pay(
    play: Play, trusted: Host, *, again: bool
) -> None:
    """Not in the last attempt either: the match is set aside."""
    with trusted as host, pytest.raises(NoMemoryError, match=f"seat 0, killed: .*{LACK}"):
        play(host, "killed", again=again)


@pytest.mark.costly
@pytest.mark.usefixtures("counting")
def test_who_exits_by_itself_pays(play: Play, trusted: Host) -> None:
    """Whatever the kernel kills meanwhile."""
    with trusted as host:
        record = play(host, "crasher")

    assert FaultKind(record.outcomes[0].forfeit) is FaultKind.DISCONNECTED


def test_who_kills_itself_pays(play: Play, trusted: Host) -> None:
    """Where the kernel has counted no kill."""
    with trusted as host:
        record = play(host, "killed")

    assert FaultKind(record.outcomes[0].forfeit) is FaultKind.DISCONNECTED


@pytest.mark.costly
@pytest.mark.usefixtures("counting")
def test_who_hoards_gets_no_try_without_end(
    play: Play, trusted: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who holds half of what it may is excused while the match is tried again, and then pays."""
    monkeypatch.setattr(BotProcess, "most_held", 1.0)
    with trusted as host:
        with pytest.raises(NoMemoryError):
            play(host, "killed")
        record = play(host, "killed", again=False)

    (fault,) = [decision.fault for decision in record.decisions if decision.HasField("fault")]
    assert FaultKind(fault.kind) is FaultKind.DISCONNECTED
    assert fault.signal == signal.SIGKILL
    assert LACK in fault.reason


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize(("again", "told"), [(True, ""), (False, "FAILED_TO_START")])
def test_a_start_that_fails_when_the_kernel_kills_is_void(
    play: Play, trusted: Host, monkeypatch: pytest.MonkeyPatch, *, again: bool, told: str
) -> None:
    """Its first process may have lost a child; a bot that hoards pays in the end."""
    monkeypatch.setattr(BotProcess, "most_held", float(not again))
    with trusted as host:
        if told:
            record = play(host, "exits", again=again)
            assert FaultKind(record.outcomes[0].forfeit).name == told
        else:
            with pytest.raises(NoMemoryError, match=f"exits: no Hello: .*status 7: {LACK}"):
                play(host, "exits", again=again)


def test_a_start_without_room_is_void(
    play: Play, trusted: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fork that gets no memory leaves no other trace."""
    monkeypatch.setattr("referee.sandbox.memory_usage.is_exhausted", lambda: True)
    with trusted as host, pytest.raises(NoMemoryError, match=LACK):
        play(host, "exits")


@pytest.mark.costly
@pytest.mark.usefixtures("counting")
def test_fewer_bots_stay_warm_then(play: Play, processes: Callable[[Host], set[int]]) -> None:
    """Those that are idle end, and half as many stay from now on."""
    with Host(sandbox=open_sandbox(Level.TRUSTED), warm_bots=2) as host:
        play(host, "liar")
        assert len(processes(host)) == 2
        with pytest.raises(NoMemoryError):
            play(host, "killed")

        assert len(processes(host)) == 1


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("level", list(Level))
def test_a_container_that_is_too_small_is_named(
    level: Level, tmp_path: Path, random_bot: Path
) -> None:
    """By the command as a user gives it: the match is void, and no bot forfeits."""
    need_level(level)
    for name in ("ann", "bob"):
        folder = tmp_path / name
        folder.mkdir()
        folder.chmod(0o755)
        text = (random_bot / "bot.toml").read_text()
        (folder / "bot.toml").write_text(text.replace('name = "random"', f'name = "{name}"'))
        (folder / "bot.py").write_text(BALLAST + (random_bot / "bot.py").read_text())
    play = [BIN / "referee", "play", "--sandbox", level, tmp_path / "ann", tmp_path / "bob"]

    with memory_group(250) as group:
        done = subprocess.run(
            within(group, *play), capture_output=True, text=True, check=False, cwd=tmp_path
        )

    assert done.returncode == 1
    assert LACK in done.stderr.splitlines()[-1]
    assert "forfeits" not in done.stdout
