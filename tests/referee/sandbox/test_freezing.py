"""Freezing and measuring a program with all that it has started."""

import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from referee.sandbox.kernel import IS_LINUX, usable_cores
from referee.sandbox.levels import Sandbox, open_sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level
from tests.support.lacking import need_level, need_watching, skip

WithProcess = Callable[..., None]
Received = Callable[[BotProcess], Awaitable[bytes]]

SPINNERS = """
import os, threading
def spin():
    while True: pass
if os.fork() == 0:
    os.write(1, b"s")
    spin()
threading.Thread(target=spin, daemon=True).start()
os.write(1, b"s")
spin()
"""


def need_pressure() -> None:
    """Skip where the kernel does not say for how long a control group's processes waited."""
    if (
        not Path("/proc/pressure/cpu").exists()
        or " cgroup2 " not in Path("/proc/mounts").read_text()
    ):
        skip("this kernel has no pressure accounting", "boot it with psi=1, and mount cgroup2")


def spend(seconds: float) -> None:
    """Use so much CPU time: others that can run get some too meanwhile."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def cpu_seconds(marked: set[int]) -> float:
    """The CPU time that these processes have used, in ticks of the clock."""
    ticks = 0
    for process in marked:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def test_a_frozen_program_gets_no_time(
    sandbox: Sandbox,
    with_process: WithProcess,
    received: Received,
    marked: Callable[[str], set[int]],
    tmp_path: Path,
) -> None:
    """Neither its threads nor its children run until it is let go, and then all of them do."""
    mark = f"mark-{os.urandom(8).hex()}"

    async def test(process: BotProcess) -> None:
        heard = b""
        while len(heard) < 2:
            heard += await received(process)
        process.freeze()
        process.freeze()
        before = cpu_seconds(marked(mark))
        spend(0.1)
        assert cpu_seconds(marked(mark)) - before < 0.03
        process.thaw()
        before = cpu_seconds(marked(mark))
        while cpu_seconds(marked(mark)) - before < 0.1:
            spend(0.01)

    with_process(sandbox, f"{SPINNERS}# {mark}", tmp_path, test, piped=True)


def test_a_program_that_waits_goes_on_where_it_was(
    sandbox: Sandbox, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """Messages that came meanwhile are there."""

    async def test(process: BotProcess) -> None:
        assert process.pipes is not None
        for _ in range(20):
            process.freeze()
            os.write(process.pipes.to_bot, b"x\n")
            process.thaw()
            assert await received(process) == b"x"

    script = "import os\nwhile True: os.write(1, input().encode())"
    with_process(sandbox, script, tmp_path, test, piped=True)


def test_what_was_never_frozen_can_be_let_go(
    sandbox: Sandbox, with_process: WithProcess, tmp_path: Path
) -> None:
    """And what has ended can be frozen, or killed when it is."""

    async def test(process: BotProcess) -> None:
        process.thaw()
        await process.exited()
        process.freeze()
        process.thaw()
        await process.kill()
        process.freeze()
        process.thaw()

    with_process(sandbox, "pass", tmp_path, test)


def test_cpu_time_is_that_of_the_program(
    sandbox: Sandbox, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """As exactly as the program itself can tell, its threads included."""
    need_watching()
    script = (
        "import os, threading, time\n"
        "def spin():\n"
        "    while time.process_time() < 0.3: pass\n"
        "thread = threading.Thread(target=spin); thread.start(); thread.join()\n"
        "os.write(1, str(time.process_time()).encode()); input()"
    )

    async def test(process: BotProcess) -> None:
        said = float(await received(process)) * 1e6
        used = process.usage().cpu_us
        # A control group counts bubblewrap, too. Where Linux is not asked itself, it counts ticks.
        tick = 0 if IS_LINUX else 1e6 / os.sysconf("SC_CLK_TCK")
        assert said - 2 * tick <= used < 2 * said

    with_process(sandbox, script, tmp_path, test, piped=True)


def test_a_control_group_counts_children(
    sandbox: Sandbox, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """The other levels miss them, and say so in their docstring."""
    script = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    while time.process_time() < 0.3: pass\n"
        "    os._exit(0)\n"
        "os.wait(); os.write(1, b'!'); input()"
    )

    async def test(process: BotProcess) -> None:
        await received(process)
        assert (process.usage().cpu_us >= 300_000) == (sandbox.level is Level.STRICT_CG)

    with_process(sandbox, script, tmp_path, test, piped=True)


@pytest.mark.costly
def test_a_control_group_counts_the_waits_of_children(
    with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """Several that share cores wait for them, however idle their parent is."""
    need_level(Level.STRICT_CG)
    need_pressure()
    sandbox = open_sandbox(Level.STRICT_CG)
    script = (
        "import os, time\n"
        f"for _ in range({2 * usable_cores()}):\n"
        "    if os.fork() == 0:\n"
        "        while time.process_time() < 0.3: pass\n"
        "        os._exit(0)\n"
        f"for _ in range({2 * usable_cores()}): os.wait()\n"
        "os.write(1, b'!'); input()"
    )

    async def test(process: BotProcess) -> None:
        await received(process)
        assert process.usage().delay_us > 200_000

    with_process(sandbox, script, tmp_path, test, piped=True)


def test_usage_stays_when_the_program_is_gone(
    sandbox: Sandbox, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """The last that was read, so that sums never fall."""
    need_watching()

    async def test(process: BotProcess) -> None:
        await received(process)
        before = process.usage()
        await process.kill()
        after = process.usage()
        assert before.cpu_us > 0
        assert after.cpu_us >= before.cpu_us
        assert after.delay_us >= before.delay_us

    # Outside Linux, CPU time is told in hundredths of a second.
    program = """
import os, time
while time.process_time() < 0.05: pass
os.write(1, b"!")
input()
"""
    with_process(sandbox, program, tmp_path, test, piped=True)
