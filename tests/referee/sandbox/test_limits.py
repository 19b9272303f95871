"""What a program may use, and what becomes of it when it uses more."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from referee.core.faults import FaultKind
from referee.sandbox.contain.environment import environment
from referee.sandbox.levels import Sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Limits, Program
from tests.support.lacking import need_watching

WithProcess = Callable[..., None]
Printed = Callable[..., str]
Received = Callable[[BotProcess], Awaitable[bytes]]

HOG = """
import os, time
def fill(mib):
    held = bytearray(mib << 20)
    held[::4096] = bytes(len(held[::4096])).replace(b"\\0", b"x")
    return held
"""
ONE = f"{HOG}held = fill(600)\nprint('all of it')\ntime.sleep(100_000)"
MANY = f"""{HOG}
for _ in range(6):
    if os.fork() == 0:
        held = fill(100)
        time.sleep(100_000)
for _ in range(6): os.wait()
print("all of them are gone")
"""


@pytest.mark.parametrize("script", [ONE, MANY], ids=["one", "many"])
def test_who_takes_more_memory_than_it_may_is_killed(
    sandbox: Sandbox, with_process: WithProcess, small: Limits, tmp_path: Path, script: str
) -> None:
    """In one process or in many; its fault says so."""
    need_watching()

    async def test(process: BotProcess) -> None:
        if sandbox.level is Level.STRICT_CG and script == MANY:
            # Version 1 kills one process after the other, and not those that wait for them.
            while not process.overrun:  # noqa: ASYNC110 -- a number in a file
                await asyncio.sleep(0.001)
        else:
            await process.exited()
            fault = await process.ending(FaultKind.DISCONNECTED, "gone")
            assert fault.signal == 9
            assert "200 MiB of memory that it may use" in fault.reason
        assert "200 MiB of memory that it may use" in process.overrun
        assert "all of it" not in process.output()

    with_process(sandbox, script, tmp_path, test, limits=small)


def test_shared_memory_counts_once(
    sandbox: Sandbox,
    with_process: WithProcess,
    received: Received,
    small: Limits,
    tmp_path: Path,
) -> None:
    """Processes that share what they hold hold no more than one of them."""
    script = (
        f"{HOG}held = fill(100)\n"
        "for _ in range(5):\n    if os.fork() == 0: time.sleep(100_000)\n"
        "os.write(1, b'!'); time.sleep(100_000)"
    )

    async def test(process: BotProcess) -> None:
        assert await received(process) == b"!"
        process._watch.look()
        assert process.overrun == ""

    with_process(sandbox, script, tmp_path, test, limits=small, piped=True)


FORKS = """
import os, sys, time
count = 0
try:
    while count < 200:
        if os.fork() == 0: time.sleep(100_000)
        count += 1
except OSError: pass
print(count)
"""


def test_who_starts_more_processes_than_it_may_is_stopped(
    sandbox: Sandbox, with_process: WithProcess, small: Limits, tmp_path: Path
) -> None:
    """The system refuses them, or the watchdog kills it."""
    need_watching()
    script = FORKS if sandbox.level is not Level.TRUSTED else f"{FORKS}time.sleep(100_000)"

    async def test(process: BotProcess) -> None:
        await process.exited()
        await process.kill()
        if sandbox.level is Level.TRUSTED:
            assert "of the 24 processes and threads that it may have" in process.overrun
        else:
            assert 10 < int(process.output()) < 24

    with_process(sandbox, script, tmp_path, test, limits=small)


def test_two_programs_do_not_share_a_limit(
    strict: Sandbox, with_process: WithProcess, received: Received, small: Limits, tmp_path: Path
) -> None:
    """Each may start as many processes as if it were alone."""
    script = f"{FORKS}time.sleep(100_000)"

    async def test(first: BotProcess) -> None:
        program = Program(("python3", "-c", script), tmp_path, limits=small, piped=True)
        other = await strict.start(program)
        try:
            assert int(await received(first)) > 10
            assert int(await received(other)) > 10
        finally:
            await other.kill()

    with_process(strict, script, tmp_path, test, limits=small, piped=True)


def test_a_file_has_a_largest_size(
    sandbox: Sandbox, printed: Printed, small: Limits, tmp_path: Path
) -> None:
    """A process that writes more gets an error."""
    script = (
        "import os, signal, tempfile; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "try:\n"
        "    with open(tempfile.gettempdir() + '/x', 'wb', 0) as file:\n"
        "        while True: file.write(bytes(65536))\n"
        "except OSError as error: print(error.strerror)\n"
        "print(os.stat(tempfile.gettempdir() + '/x').st_size)"
    )

    assert printed(sandbox, script, tmp_path, limits=small) == "File too large\n1048576\n"


def test_all_files_together_have_a_largest_size(
    strict: Sandbox, printed: Printed, small: Limits, tmp_path: Path
) -> None:
    """In /tmp and in /dev/shm; there is nowhere else to write."""
    script = (
        "import os\n"
        "total = 0\n"
        "for folder in ('/tmp', '/dev/shm', '/', '/bot', '/run', '/run/courtyard', '/usr',\n"
        "               '/etc', '/dev', '/proc', '/var/tmp', '/dev/mqueue'):\n"
        "    try:\n"
        "        for number in range(40):\n"
        "            with open(f'{folder}/file{number}', 'wb', 0) as file:\n"
        "                for _ in range(4): total += file.write(bytes(262144))\n"
        "    except OSError: pass\n"
        "print(total)"
    )

    assert int(printed(strict, script, tmp_path, limits=small)) <= 3 * 1024**2


def test_what_no_process_holds_is_limited(
    strict: Sandbox, with_process: WithProcess, small: Limits, tmp_path: Path
) -> None:
    """Sockets, and files without content: the kernel has to remember them."""
    sockets = "import socket, time; held = [socket.socketpair() for _ in range(COUNT)]"
    files = "import time\nfor number in range(COUNT): open(f'{folder}/{number}', 'x').close()"
    limits = replace(small, open_files=200, processes=24)
    for script, count, what in (
        (f"import os\n[os.fork() for _ in range(3)]\n{sockets}", 90, "400 sockets"),
        (f"folder = '/tmp'\n{files}", 2100, "2048 files in /tmp"),
        (f"folder = '/dev/shm'\n{files}", 2100, "2048 files in /dev/shm"),
    ):

        async def test(process: BotProcess, what: str = what) -> None:
            await process.exited()
            assert f"of the {what} that it may have" in process.overrun

        script = f"{script.replace('COUNT', str(count))}\ntime.sleep(100_000)"  # noqa: PLW2901
        with_process(strict, script, tmp_path, test, limits=limits)


PIECES = """
import ctypes, os, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
start = libc.mmap(None, 60_000 * 4096, 1, 0x22, -1, 0)
for page in range(0, 60_000, 2): libc.mprotect(start + page * 4096, 4096, 0)
for _ in range(12):
    if os.fork() == 0: break
time.sleep(100_000)
"""


@pytest.mark.costly
def test_memory_is_not_in_too_many_pieces(
    strict: Sandbox, with_process: WithProcess, tmp_path: Path
) -> None:
    """No process holds any of it, but the kernel has to know each."""

    async def test(process: BotProcess) -> None:
        await process.exited()
        assert "pieces that it may have" in process.overrun

    with_process(strict, PIECES, tmp_path, test)


def test_open_files_are_limited(
    sandbox: Sandbox, printed: Printed, small: Limits, tmp_path: Path
) -> None:
    """A process that opens more gets an error."""
    script = (
        "import os\n"
        "try:\n    for _ in range(100): os.dup(0)\n"
        "except OSError as error: print(error.strerror)"
    )
    limits = replace(small, open_files=64)

    assert printed(sandbox, script, tmp_path, limits=limits) == "Too many open files\n"


# A control group freezes what it holds, however it forks.
@pytest.mark.parametrize("sandbox", [Level.STRICT, Level.TRUSTED], indirect=True)
def test_who_cannot_be_frozen_is_killed(
    sandbox: Sandbox,
    with_process: WithProcess,
    monkeypatch: pytest.MonkeyPatch,
    small: Limits,
    tmp_path: Path,
) -> None:
    """Who starts processes faster than they can be stopped may not think on another's time."""
    need_watching()
    for way in ("meter.process_tree", "portable_kernel"):
        monkeypatch.setattr(f"referee.sandbox.{way}._MOST_PASSES", 0)

    async def test(process: BotProcess) -> None:
        process.freeze()
        await process.exited()
        fault = await process.ending(FaultKind.DISCONNECTED, "gone")
        assert fault.reason.endswith("its processes start others too fast to be stopped")

    with_process(sandbox, "import time; time.sleep(100_000)", tmp_path, test, limits=small)


def test_a_proxy_with_a_password_is_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that may use the network learns by which way, but no secret of its owner."""
    monkeypatch.setenv("HTTP_PROXY", "http://somebody:password@proxy:1")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:1")
    with_network = environment({}, home="/tmp", network=True)  # noqa: S108
    without = environment({}, home="/tmp", network=False)  # noqa: S108

    assert "HTTP_PROXY" not in with_network
    assert with_network["HTTPS_PROXY"] == "http://proxy:1"
    assert "HTTPS_PROXY" not in without
    assert os.pathsep in without["PATH"]
