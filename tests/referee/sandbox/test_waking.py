"""What is stopped stays stopped, within its limits, whatever would wake it."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from referee.core.faults import FaultKind
from referee.core.verdicts import RECOVERY_NS
from referee.sandbox.cgroups import cgroup_v1
from referee.sandbox.cgroups.cgroup_files import Unavailable, own_group
from referee.sandbox.cgroups.cgroup_v1 import GroupsV1
from referee.sandbox.contain.strict import Strict
from referee.sandbox.freeze import stopper
from referee.sandbox.freeze.signal_freezer import SignalFreezer
from referee.sandbox.kernel import kernel
from referee.sandbox.levels import Sandbox
from referee.sandbox.meter.process_tree import cpu_ns
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level
from tests.support.lacking import need_watching, skip
from tests.support.system_calls import numbers

from .conftest import opened
from .test_freezing import spend

WithProcess = Callable[..., None]
Printed = Callable[..., str]
Received = Callable[[BotProcess], Awaitable[bytes]]
Marked = Callable[[str], set[int]]
FREEZER = "mount -t cgroup -o freezer freezer /sys/fs/cgroup/freezer"
SPINNER = "import os\nos.write(1, b's')\nwhile True: pass\n"
WAKE = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    failed = libc.syscall(*map(ctypes.c_long, (NUMBERS[name], *arguments))) < 0
    return errno.errorcode[ctypes.get_errno()] if failed else "done"
import os
own, event = os.getpid(), ctypes.addressof(ctypes.create_string_buffer(64))
"""
CONTINUE = int(signal.SIGCONT)
WAYS = {
    "kill": f"call('kill', own, {CONTINUE})",
    "kill with more bits than the kernel reads": f"call('kill', own, {CONTINUE} | 1 << 32)",
    "tkill": f"call('tkill', own, {CONTINUE})",
    "tgkill": f"call('tgkill', own, own, {CONTINUE})",
    "rt_sigqueueinfo": f"call('rt_sigqueueinfo', own, {CONTINUE}, event)",
    "rt_tgsigqueueinfo": f"call('rt_tgsigqueueinfo', own, own, {CONTINUE}, event)",
    "pidfd_send_signal": f"call('pidfd_send_signal', -1, {CONTINUE}, 0, 0)",
    "timer_create": "call('timer_create', 1, 0, event)",
    "mq_notify": "call('mq_notify', 0, 0)",
    "fcntl(F_SETSIG)": f"call('fcntl', 0, 10, {CONTINUE})",
    "prctl(PR_SET_PDEATHSIG)": f"call('prctl', 1, {CONTINUE})",
    "clone": f"call('clone', {CONTINUE}, 0, 0, 0, 0)",
}


@pytest.fixture(params=["a freezer of version 1", *Level])
def any_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Each level in turn; that with control groups with both versions' freezers."""
    if request.param in list(Level):
        return opened(Level(request.param))
    if opened(Level.STRICT_CG):
        monkeypatch.setattr(cgroup_v1, "parent_of_freezers", lambda: own_group("freezer"))
    try:
        return Sandbox(Strict(GroupsV1.find()))
    except Unavailable as error:
        skip(f"no freezer of version 1 holds bots here, as {error}", FREEZER)


async def settled(process: BotProcess, pids: set[int]) -> None:
    """Wait until these processes use no more CPU time, or are gone."""
    quiet = 0
    while quiet < 5 and not process.has_ended():
        before = [cpu_ns(pid) for pid in pids]
        await asyncio.sleep(0.01)
        quiet = quiet + 1 if before == [cpu_ns(pid) for pid in pids] else 0


def wake(pids: set[int]) -> None:
    """Send SIGCONT, as a program's own timer can at `trusted`."""
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def test_no_call_wakes(strict: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """The filter refuses each way to be sent SIGCONT that it can see."""
    script = WAKE + "".join(f"print({call})\n" for call in WAYS.values())
    script = f"NUMBERS = {numbers(script)}\n{script}"
    said = dict(zip(WAYS, printed(strict, script, tmp_path).split(), strict=True))

    assert said == dict.fromkeys(WAYS, "EPERM")


def test_the_processes_of_a_program_are_one_group(
    strict: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """So none is woken by another's death; who asks for a group of its own goes on without."""
    script = (
        "import os, subprocess\n"
        "print(os.getpgid(0), os.getsid(0), flush=True)\n"
        "code = 'import os; os.setpgid(0, 0); os.setsid(); print(os.getpgid(0), os.getsid(0))'\n"
        "subprocess.run(['python3', '-c', code], start_new_session=True, check=True)\n"
    )
    first, second = printed(strict, script, tmp_path).splitlines()

    assert first == second


def test_who_wakes_is_stopped_again_and_killed_in_the_end(
    any_sandbox: Sandbox,
    with_process: WithProcess,
    received: Received,
    marked: Marked,
    tmp_path: Path,
) -> None:
    """A freezer lets no process wake; where there is none, the third time is the last."""
    mark = f"mark-{os.urandom(8).hex()}"

    async def test(process: BotProcess) -> None:
        await received(process)
        process.freeze()
        for _ in range(3):
            await settled(process, marked(mark))
            assert not process.has_ended()
            wake(marked(mark))
        await settled(process, marked(mark))
        assert process.has_ended() == (any_sandbox.level is not Level.STRICT_CG)
        if process.has_ended():
            fault = await process.ending(FaultKind.DISCONNECTED, "gone")
            assert fault.reason.endswith("it did not stay stopped while others were to move")
        else:
            assert process.thaw() == 0

    with_process(any_sandbox, f"{SPINNER}# {mark}", tmp_path, test, piped=True)


def test_who_was_woken_when_all_went_on_is_only_stopped_again(
    any_sandbox: Sandbox,
    with_process: WithProcess,
    received: Received,
    marked: Marked,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However often: a user who stops and continues the referee may continue its bots as well."""
    mark = f"mark-{os.urandom(8).hex()}"
    monkeypatch.setattr(stopper, "unsure_ns", lambda _: RECOVERY_NS)  # as after a pause

    async def test(process: BotProcess) -> None:
        await received(process)
        process.freeze()
        for _ in range(5):
            await settled(process, marked(mark))
            wake(marked(mark))
        await settled(process, marked(mark))
        assert not process.has_ended()

    with_process(any_sandbox, f"{SPINNER}# {mark}", tmp_path, test, piped=True)


def test_a_program_is_stopped_when_that_is_due(
    any_sandbox: Sandbox,
    with_process: WithProcess,
    received: Received,
    marked: Marked,
    tmp_path: Path,
) -> None:
    """Though nothing looks; and not if it was let go on before."""
    mark = f"mark-{os.urandom(8).hex()}"

    async def test(process: BotProcess) -> None:
        await received(process)
        process.freeze_in(1000)
        process.thaw()
        assert process.frozen_since is None
        process.freeze_in(0)
        await settled(process, marked(mark))
        assert process.frozen_since is not None
        process.thaw()
        before = sum(map(cpu_ns, marked(mark)))
        while sum(map(cpu_ns, marked(mark))) == before:
            spend(0.001)

    with_process(any_sandbox, f"{SPINNER}# {mark}", tmp_path, test, piped=True)


def test_time_that_was_used_while_stopped_is_told(
    monkeypatch: pytest.MonkeyPatch, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """Unless it is no more than a stop may cost, which may be the kernel's work."""
    used_us = [19_000, 21_000, 400_000]
    end = SignalFreezer.end

    def ended(freezer: SignalFreezer) -> None:
        end(freezer)
        freezer.used_ns = 1000 * used_us.pop(0)

    monkeypatch.setattr(SignalFreezer, "end", ended)

    async def test(process: BotProcess) -> None:
        await received(process)
        told = []
        while used_us:
            process.freeze()
            told.append(process.thaw())
        assert told == [0, 21_000, 400_000]

    with_process(opened(Level.TRUSTED), SPINNER, tmp_path, test, piped=True)


@pytest.mark.parametrize("level", [Level.STRICT, Level.TRUSTED])
def test_limits_hold_while_a_program_is_stopped(
    level: Level, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """The watchdog looks at what was stopped with more than it may hold."""
    need_watching()

    async def test(process: BotProcess) -> None:
        await received(process)
        launched = process._launched
        process.freeze()
        launched.limits = replace(launched.limits, memory_bytes=1024**2)
        await process.exited()
        assert process.overrun.endswith("of the 1 MiB of memory that it may use")

    with_process(opened(level), SPINNER, tmp_path, test, piped=True)


@pytest.mark.parametrize("level", [Level.STRICT, Level.TRUSTED])
def test_a_process_that_was_missed_is_found(
    level: Level, with_process: WithProcess, received: Received, marked: Marked, tmp_path: Path
) -> None:
    """One that started while the tree was read is stopped by a later look, and counts as awake."""
    mark = f"mark-{os.urandom(8).hex()}"

    async def test(process: BotProcess) -> None:
        await received(process)
        freezer = SignalFreezer(process._launched.root)
        assert freezer.look()
        assert freezer.wakes == 1
        await settled(process, marked(mark))
        freezer.end()

    with_process(opened(level), f"{SPINNER}# {mark}", tmp_path, test, piped=True)


@pytest.mark.parametrize("level", [Level.STRICT, Level.TRUSTED])
def test_a_process_that_had_no_core_yet_goes_on(
    level: Level, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """One stopped before it ran, which has used no CPU time, is let go with the others."""
    need_watching()

    async def test(process: BotProcess) -> None:
        await received(process)
        freezer = SignalFreezer(process._launched.root)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernel, "cpu_ns", lambda _: 0)
            assert freezer.begin()
            freezer.end()
        os.write(process.pipes.to_bot if process.pipes else -1, b"x\n")
        async with asyncio.timeout(60.0):
            assert await received(process) == b"x"

    script = "import os\nos.write(1, b's')\nwhile True: os.write(1, input().encode())"
    with_process(opened(level), script, tmp_path, test, piped=True)
