"""A program's process at every level: what it gets, what is kept of what it prints, how it ends."""

import asyncio
import contextlib
import errno
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from referee.core.errors import RefereeError
from referee.core.faults import Fault, FaultKind
from referee.sandbox.contain import strict
from referee.sandbox.kernel import IS_LINUX
from referee.sandbox.levels import Sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Program
from tests.support.lacking import need_proc

Printed = Callable[..., str]
WithProcess = Callable[..., None]
Received = Callable[[BotProcess], Awaitable[bytes]]
KIND = FaultKind.DISCONNECTED


def test_both_outputs_are_kept(sandbox: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """Errors and other words stand as they came."""
    script = "import sys; print('one'); print('two', file=sys.stderr); print('three')"

    assert printed(sandbox, script, tmp_path) == "one\ntwo\nthree\n"


def test_only_the_end_of_the_output_is_kept(
    sandbox: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """However much a bot prints, the last 16 KiB are kept, and nothing blocks it."""
    output = printed(sandbox, "print('x' * 1_000_000); print('the end')", tmp_path)

    assert len(output) == 16 * 1024
    assert output.endswith("x\nthe end\n")


def test_output_that_is_no_text_is_kept_readable(
    sandbox: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """Bytes that are not UTF-8 are replaced."""
    assert printed(sandbox, "import os; os.write(1, b'a\\xffb')", tmp_path) == "a\ufffdb"


def test_outputs_can_be_opened_by_name(sandbox: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """As shell scripts do; of what can be read there is none."""
    if not Path("/dev/stdout").exists():  # a link to /proc, where there are both
        need_proc()
    script = (
        "for name in ('out', 'err'): print(name, file=open(f'/dev/std{name}', 'w'))\n"
        "print(repr(open('/dev/stdin').read()))"
    )

    assert printed(sandbox, script, tmp_path) == "out\nerr\n''\n"


def test_messages_can_be_opened_by_name(
    sandbox: Sandbox, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """Of a piped program these are stdin and stdout."""
    if not Path("/dev/stdout").exists():  # a link to /proc, where there are both
        need_proc()
    script = (
        "with open('/dev/stdin') as told, open('/dev/stdout', 'w') as told_back:\n"
        "    told_back.write(told.readline().upper())"
    )

    async def test(process: BotProcess) -> None:
        assert process.pipes is not None
        os.write(process.pipes.to_bot, b"hello\n")
        assert await received(process) == b"HELLO\n"

    with_process(sandbox, script, tmp_path, test, piped=True)


def test_a_bot_runs_in_its_folder(sandbox: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """Its own files are where it stands."""
    (tmp_path / "own").write_text("a file of its own")

    assert printed(sandbox, "print(open('own').read())", tmp_path).strip() == "a file of its own"


def test_a_bot_gets_nothing_of_the_referees_environment(
    sandbox: Sandbox, printed: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it gets is its own and what no program can do without."""
    monkeypatch.setenv("SECRET_OF_THE_REFEREE", "1")
    own = {"COURTYARD_ADDRESS": "unix:x"}
    names = printed(sandbox, "import os; print(*os.environ)", tmp_path, environment=own).split()
    python = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
    told = {"JDK_JAVA_OPTIONS", "LD_ORIGIN_PATH", "GOROOT"}
    strict = set() if sandbox.level is Level.TRUSTED else told
    allowed = {"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "PWD", *python, *strict}

    mark = set() if IS_LINUX else {"COURTYARD_BOT_MARK"}

    assert set(names) - allowed == {"COURTYARD_ADDRESS", *mark}


def test_python3_is_the_python_that_runs_the_referee(
    sandbox: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """So the kit that is installed beside the referee is there for bots."""
    script = "import sys, courtyard_kit, courtyard.v1; print(sys.prefix)"

    assert printed(sandbox, script, tmp_path).strip() == sys.prefix


def test_a_bot_has_no_stdin(sandbox: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """A bot that reads it is at its end at once."""
    assert printed(sandbox, "import sys; print(repr(sys.stdin.read()))", tmp_path) == "''\n"


def test_a_bot_holds_no_file_of_the_referees(
    sandbox: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """It has the three standard descriptors, and no other is open."""
    script = (
        "import os\n"
        "for number in range(256):\n"
        "    try: print(os.fstat(number) and number)\n"
        "    except OSError: pass"
    )

    assert printed(sandbox, script, tmp_path).split() == ["0", "1", "2"]


def test_messages_pass_through_pipes_and_words_beside_them(
    sandbox: Sandbox, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """Of a piped program, stdin and stdout are the referee's, and stderr is kept."""
    script = "import os; os.write(1, input()[::-1].encode()); os.write(2, b'aside')"

    async def test(process: BotProcess) -> None:
        assert process.pipes is not None
        os.write(process.pipes.to_bot, b"hello\n")
        assert await received(process) == b"olleh"
        assert await received(process) == b""
        await process.exited()
        await process.kill()
        assert process.output() == "aside"

    with_process(sandbox, script, tmp_path, test, piped=True)


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("pass", Fault(KIND, "gone: its process exited with status 0", exit_code=0)),
        ("exit(5)", Fault(KIND, "gone: its process exited with status 5", exit_code=5)),
        (
            "import os; os.kill(os.getpid(), 9)",
            Fault(KIND, "gone: its process was ended by SIGKILL", signal=9),
        ),
        (
            "import os; os.kill(os.getpid(), 11)",
            Fault(KIND, "gone: its process was ended by SIGSEGV", signal=11),
        ),
        (
            "import os; os.kill(os.getpid(), 40)",
            Fault(KIND, "gone: its process was ended by signal 40", signal=40),
        ),
    ],
)
def test_a_fault_says_how_the_process_ended(
    sandbox: Sandbox, with_process: WithProcess, tmp_path: Path, script: str, fault: Fault
) -> None:
    """Its status, or the signal that ended it, by name if it has one."""

    async def test(process: BotProcess) -> None:
        await process.exited()
        assert await process.ending(KIND, "gone") == fault

    with_process(sandbox, script, tmp_path, test)


@pytest.mark.sweep
def test_of_a_process_that_goes_on_a_fault_says_nothing(
    sandbox: Sandbox, with_process: WithProcess, tmp_path: Path
) -> None:
    """The end of a process is not waited for longer than a second."""

    async def test(process: BotProcess) -> None:
        assert not process.has_ended()
        assert await process.ending(KIND, "gone") == Fault(KIND, "gone")

    with_process(sandbox, "import time; time.sleep(100_000)", tmp_path, test)


def test_a_process_that_has_ended_can_be_killed_again(
    sandbox: Sandbox, with_process: WithProcess, tmp_path: Path
) -> None:
    """Killing is safe at any time."""

    async def test(process: BotProcess) -> None:
        await process.exited()
        assert process.has_ended()
        await process.kill()
        await process.kill()

    with_process(sandbox, "pass", tmp_path, test)


def test_nothing_stays_open(sandbox: Sandbox, with_process: WithProcess, tmp_path: Path) -> None:
    """What was opened for a process is closed with it, and so if it cannot be started."""

    async def test(process: BotProcess) -> None:
        process.usage()
        with pytest.raises(FileNotFoundError):
            await sandbox.start(Program(("no-such-program",), tmp_path))

    with_process(sandbox, "pass", tmp_path, test)  # what stays for ever is there after the first
    need_proc()
    descriptors = Path("/proc/self/fd")
    before = {path.name for path in descriptors.iterdir()}
    with_process(sandbox, "import time; time.sleep(100_000)", tmp_path, test)

    assert {path.name for path in descriptors.iterdir()} <= before


def test_a_start_that_is_given_up_leaves_nothing(
    sandbox: Sandbox, marked: Callable[[str], set[int]], tmp_path: Path
) -> None:
    """Whenever that happens, up to where the program runs."""
    mark = f"mark-{os.urandom(8).hex()}"
    program = Program(("python3", "-c", f"import time; time.sleep(100_000) # {mark}"), tmp_path)
    need_proc()
    descriptors = Path("/proc/self/fd")

    async def main(steps: int) -> None:
        starting = asyncio.ensure_future(sandbox.start(program))
        for _ in range(steps):
            await asyncio.sleep(0)
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await (await starting).kill()

    asyncio.run(main(10))
    before = {path.name for path in descriptors.iterdir()}
    for steps in range(6):
        asyncio.run(main(steps))

    assert marked(mark) == set()
    assert {path.name for path in descriptors.iterdir()} <= before


@pytest.mark.parametrize("command", ["no-such-program", "./no-such-file", "./bot.py", "."])
def test_what_cannot_be_started_says_why(sandbox: Sandbox, tmp_path: Path, command: str) -> None:
    """Missing programs, files that are no programs, and folders."""
    (tmp_path / "bot.py").write_text("print('not executable')")

    with pytest.raises(OSError, match=r"No such file|Permission denied"):
        asyncio.run(sandbox.start(Program((command,), tmp_path)))


def test_what_fails_but_the_command_is_not_the_bots_fault(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that has no pipe to give makes a match void."""

    def fail(**_: object) -> None:
        raise OSError(errno.ENOENT, "no such thing")

    monkeypatch.setattr("referee.sandbox.streams.Streams.open", fail)
    with pytest.raises(RefereeError, match="no such thing"):
        asyncio.run(sandbox.start(Program(("true",), tmp_path)))

    assert strict._taken == set()


def test_a_program_of_its_own_is_found(sandbox: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """A command may be a file in the program's folder."""
    (tmp_path / "bot").write_text("#!/bin/sh\necho run\n")
    (tmp_path / "bot").chmod(0o755)

    async def main() -> str:
        process = await sandbox.start(Program(("./bot",), tmp_path))
        await process.exited()
        await process.kill()
        return process.output()

    assert asyncio.run(main()) == "run\n"


def test_a_program_reads_what_it_needs_to_reach_the_referee(
    sandbox: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """A token that only its owner may read, in a private folder."""
    place = tmp_path / "place"
    place.mkdir(mode=0o700)
    (place / "token").touch(mode=0o600)
    (place / "token").write_text("a token")
    script = f"print(open('{sandbox.seen(place)}/token').read())"

    assert printed(sandbox, script, tmp_path, place=place) == "a token\n"


def test_a_program_has_a_home_for_scratch_that_does_not_stay(
    sandbox: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """It may write there, close folders to all, and link elsewhere; nothing else is touched."""
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o750)
    script = (
        "import os, pathlib, tempfile; home = pathlib.Path.home(); assert home == pathlib.Path("
        "tempfile.gettempdir()); (home / 'a' / 'b').mkdir(parents=True); (home / 'a/file').touch();"
        f"(home / 'link').symlink_to('{mine}'); (home / 'a').chmod(0); print(home)"
    )
    home = Path(printed(sandbox, script, tmp_path).strip())

    assert sandbox.level is not Level.TRUSTED or not home.exists()
    assert mine.stat().st_mode & 0o777 == 0o750
