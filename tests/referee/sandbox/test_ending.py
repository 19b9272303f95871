"""A program ends whole, however it forks: with its match, by itself, and with a killed referee."""

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from referee.sandbox.cgroups.cgroup_files import Unavailable, own_group, remove_stale
from referee.sandbox.cgroups.cgroup_v1 import GroupsV1
from referee.sandbox.contain import strict
from referee.sandbox.host_checks import find_groups
from referee.sandbox.levels import Sandbox
from referee.sandbox.meter import process_tree
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level
from tests.support.lacking import need_level, need_linux, skip
from tests.support.processes import Watched
from tests.support.waiting import until

WithProcess = Callable[..., None]
Received = Callable[[BotProcess], Awaitable[bytes]]
Marked = Callable[[str], set[int]]

DAEMON = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(1, b"d")
            while True: time.sleep(100_000)
        os._exit(0)
while True: time.sleep(100_000)
"""
"""Three daemons, each in a session of its own, that listen to no one."""


@pytest.fixture
def mark() -> str:
    """What is among the arguments of one test's processes alone."""
    return f"mark-{os.urandom(8).hex()}"


async def hear_from_daemons(process: BotProcess, received: Received) -> None:
    """Wait until all three are there."""
    heard = b""
    while len(heard) < 3:
        heard += await received(process)


@pytest.mark.parametrize("frozen", [False, True])
def test_no_daemon_is_left(
    sandbox: Sandbox,
    with_process: WithProcess,
    received: Received,
    marked: Marked,
    mark: str,
    tmp_path: Path,
    *,
    frozen: bool,
) -> None:
    """When the killing is over, all are gone that the program has started."""

    async def test(process: BotProcess) -> None:
        await hear_from_daemons(process, received)
        assert len(marked(mark)) >= 4
        if frozen:  # it need not go on first
            process.freeze()
        await process.kill()
        assert marked(mark) == set()

    with_process(sandbox, f"{DAEMON}# {mark}", tmp_path, test, piped=True)


def test_daemons_end_with_their_program(
    sandbox: Sandbox,
    with_process: WithProcess,
    received: Received,
    marked: Marked,
    mark: str,
    tmp_path: Path,
) -> None:
    """A program is over when its first process is, and that is seen."""
    script = DAEMON.rpartition("while True")[0] + f"input() # {mark}"

    async def test(process: BotProcess) -> None:
        await hear_from_daemons(process, received)
        assert process.pipes is not None
        os.write(process.pipes.to_bot, b"\n")
        await process.exited()
        assert process.has_ended()
        await process.kill()
        assert marked(mark) == set()

    with_process(sandbox, script, tmp_path, test, piped=True)


REFEREE = """
import asyncio, os, sys
from pathlib import Path
from referee.sandbox.cgroups import cgroup_v1
from referee.sandbox.cgroups.cgroup_files import own_group
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level, Program

if sys.argv[5:]:
    cgroup_v1.parent_of_freezers = lambda: own_group("freezer")

async def main():
    program = Program(("python3", "-c", sys.argv[2]), Path(sys.argv[3]), piped=True)
    process = await open_sandbox(Level(sys.argv[1])).start(program)
    heard = b""
    while True:
        await asyncio.sleep(0.001)
        try:
            heard += os.read(process.pipes.from_bot, 100)
        except BlockingIOError:
            continue
        if len(heard) == 3:
            if len(sys.argv) > 4:
                process.freeze()
            os.write(1, heard)

asyncio.run(main())
"""


def has_freezer_of_version_1() -> bool:
    """Whether control groups of version 1 are used here, and one of them freezes."""
    with contextlib.suppress(Unavailable):
        return isinstance(find_groups(), GroupsV1) and own_group("freezer").exists()
    return False


@pytest.mark.sweep
@pytest.mark.parametrize("wish", [[], ["frozen"], ["frozen", "by version 1"]])
def test_a_killed_referee_leaves_nothing(
    sandbox: Sandbox, marked: Marked, mark: str, tmp_path: Path, wish: list[str]
) -> None:
    """SIGKILL leaves it no time for anything: the kernel or the supervisor ends its bots.

    A helper ends those that a freezer of version 1 holds: the kernel alone could not.
    """
    if wish[1:] and not (sandbox.level is Level.STRICT_CG and has_freezer_of_version_1()):
        skip(
            "no freezer of version 1 holds bots here",
            "mount -t cgroup -o freezer freezer /sys/fs/cgroup/freezer",
        )
    script = f"{DAEMON}# {mark}"
    command = [sys.executable, "-c", REFEREE, sandbox.level.value, script, str(tmp_path), *wish]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as referee:
        assert referee.stdout is not None
        assert referee.stdout.read(3) == b"ddd"
        watched = [Watched(pid) for pid in marked(mark) - {referee.pid}]
        referee.kill()
    for process in watched:
        assert process.ends()

    assert marked(mark) == set()


def test_a_killed_referee_leaves_no_control_group(mark: str, tmp_path: Path) -> None:
    """A helper removes its groups once they are empty, in all trees."""
    need_level(Level.STRICT_CG)
    command = [sys.executable, "-c", REFEREE, Level.STRICT_CG.value, f"{DAEMON}# {mark}"]
    with subprocess.Popen([*command, str(tmp_path)], stdout=subprocess.PIPE) as referee:
        assert referee.stdout is not None
        assert referee.stdout.read(3) == b"ddd"
        left = [*Path("/sys/fs/cgroup").glob(f"**/courtyard-{referee.pid}-*")]
        referee.kill()

    assert left
    until(lambda: not any(group.exists() for group in left))


STARTING = """
import asyncio, os, signal, sys
from pathlib import Path
from referee.sandbox.levels import Level, open_sandbox
from referee.sandbox.process import _line
from referee.sandbox.program import Program
from referee.sandbox.spawner import in_spawner

async def main():
    piped = sys.argv[4] == "piped"
    program = Program(("python3", "-c", sys.argv[1]), Path(sys.argv[2]), piped=piped)
    launcher = open_sandbox(Level.STRICT)._launcher
    launched = in_spawner(launcher.launch, program).result()
    if sys.argv[3] != "is launched":
        launched.find(await _line(launched.report))
        while not os.path.exists(os.path.join("/proc", str(launched.root), "root", "bot")):
            pass
    if sys.argv[3] == "is at the door":
        launched.go()
        while not launched.program():
            pass
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.mark.sweep
@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("moment", ["is launched", "is in its sandbox", "is at the door"])
@pytest.mark.parametrize("how", ["piped", "not piped"])
def test_a_program_that_has_not_begun_ends_with_the_referee(
    marked: Marked, mark: str, tmp_path: Path, moment: str, how: str
) -> None:
    """Killed while it starts one, the referee leaves nothing: what was not let in never begins."""
    script = f"import time; time.sleep(100_000)  # {mark}"
    command = [sys.executable, "-c", STARTING, script, str(tmp_path), moment, how]
    subprocess.run(command, env=os.environ | {"TMPDIR": str(tmp_path)}, check=False)

    while left := marked(mark):
        with contextlib.suppress(ProcessLookupError):
            descriptor = os.pidfd_open(left.pop())
            assert select.select([descriptor], [], [], 30)[0]
            os.close(descriptor)


def test_a_user_is_given_back(sandbox: Sandbox, with_process: WithProcess, tmp_path: Path) -> None:
    """However many programs one after the other, there are users for all."""

    async def test(process: BotProcess) -> None:
        await process.exited()

    with_process(sandbox, "pass", tmp_path, test)

    assert strict._taken == set()


def test_who_kills_its_own_group_kills_no_more(
    sandbox: Sandbox, with_process: WithProcess, tmp_path: Path
) -> None:
    """A signal to all that it may reach ends the program, and the referee is none of these."""

    async def test(process: BotProcess) -> None:
        await process.exited()
        assert process.has_ended()

    with_process(sandbox, "import os; os.kill(0, 9)", tmp_path, test)


def test_the_groups_of_a_process_that_no_parent_has_waited_for_are_removed(tmp_path: Path) -> None:
    """It has ended, though it is listed still; those of a living process stay."""
    need_linux()
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        assert process_tree.is_zombie(ended.pid)
        assert not process_tree.is_zombie(os.getpid())
        for pid in (ended.pid, os.getpid()):
            (tmp_path / f"courtyard-{pid}-0").mkdir()

        remove_stale(tmp_path)

    assert [folder.name for folder in tmp_path.iterdir()] == [f"courtyard-{os.getpid()}-0"]


LIVES_ON = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(100_000,)).start()
print(end="x", flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""


def test_a_process_lives_as_long_as_one_of_its_threads() -> None:
    """Though the system lists it as ended once its first thread is over."""
    need_linux()
    with subprocess.Popen([sys.executable, "-c", LIVES_ON], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        status = Path(f"/proc/{process.pid}/status")
        until(lambda: "\nState:\tZ" in status.read_text())
        assert not process_tree.is_zombie(process.pid)
        process.kill()


def test_a_bot_whose_first_thread_is_over_has_ended(
    sandbox: Sandbox, with_process: WithProcess, tmp_path: Path
) -> None:
    """So a bot that was just killed plays no other match while its threads end."""
    need_linux()

    async def test(process: BotProcess) -> None:
        until(process.has_ended)

    with_process(sandbox, LIVES_ON, tmp_path, test)
