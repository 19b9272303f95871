"""A bot's process: what it gets, what is kept of what it prints, how it ends."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from referee.faults import Fault, FaultKind
from referee.sandbox.process import BotProcess

KIND = FaultKind.DISCONNECTED


def with_process(
    script: str,
    test: Callable[[BotProcess], Awaitable[None]],
    folder: Path,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a coroutine function with the process of a Python script."""

    async def main() -> None:
        command = ["python3", "-c", script]
        process = await BotProcess.start(command, folder, environment or {})
        try:
            await test(process)
        finally:
            await process.kill()

    asyncio.run(main())


def printed(script: str, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """The end of what a script prints until it exits."""
    output: list[str] = []

    async def test(process: BotProcess) -> None:
        await process.exited()
        await process.kill()
        output.append(process.output())

    with_process(script, test, folder, environment)
    return output[0]


def test_both_outputs_are_kept(tmp_path: Path) -> None:
    """Errors and other words stand as they came."""
    script = "import sys; print('one'); print('two', file=sys.stderr); print('three')"

    assert printed(script, tmp_path) == "one\ntwo\nthree\n"


def test_only_the_end_of_the_output_is_kept(tmp_path: Path) -> None:
    """However much a bot prints, the last 16 KiB are kept, and nothing blocks it."""
    output = printed("print('x' * 1_000_000); print('the end')", tmp_path)

    assert len(output) == 16 * 1024
    assert output.endswith("x\nthe end\n")


def test_output_that_is_no_text_is_kept_readable(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are replaced."""
    assert printed("import os; os.write(1, b'a\\xffb')", tmp_path) == "a\ufffdb"


def test_a_bot_runs_in_its_folder(tmp_path: Path) -> None:
    """Its own files are where it stands."""
    assert printed("import os; print(os.getcwd())", tmp_path).strip() == str(tmp_path.resolve())


def test_a_bot_gets_nothing_of_the_referees_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it gets is its own and what no program can do without."""
    monkeypatch.setenv("SECRET_OF_THE_REFEREE", "1")
    names = printed("import os; print(*os.environ)", tmp_path, {"COURTYARD_ADDRESS": "unix:x"})
    allowed = {"PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "LANG", "LC_ALL", "TMPDIR"}

    assert set(names.split()) - allowed - {"LC_CTYPE"} == {"COURTYARD_ADDRESS"}


def test_python3_is_the_python_that_runs_the_referee(tmp_path: Path) -> None:
    """So the kit that is installed beside the referee is there for bots."""
    assert printed("import sys; print(sys.prefix)", tmp_path).strip() == sys.prefix


def test_a_bot_has_no_stdin(tmp_path: Path) -> None:
    """Whoever reads it is at its end at once."""
    assert printed("import sys; print(repr(sys.stdin.read()))", tmp_path) == "''\n"


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
            "import os; os.kill(os.getpid(), 40)",
            Fault(KIND, "gone: its process was ended by signal 40", signal=40),
        ),
    ],
)
def test_a_fault_says_how_the_process_ended(tmp_path: Path, script: str, fault: Fault) -> None:
    """Its status, or the signal that ended it, by name if it has one."""

    async def test(process: BotProcess) -> None:
        await process.exited()
        assert await process.ending(KIND, "gone") == fault

    with_process(script, test, tmp_path)


def test_of_a_process_that_goes_on_a_fault_says_nothing(tmp_path: Path) -> None:
    """The end of a process is not waited for longer than a second."""

    async def test(process: BotProcess) -> None:
        assert await process.ending(KIND, "gone") == Fault(KIND, "gone")

    with_process("import time; time.sleep(100_000)", test, tmp_path)


def test_a_process_that_has_ended_can_be_killed_again(tmp_path: Path) -> None:
    """Killing is safe at any time."""

    async def test(process: BotProcess) -> None:
        await process.exited()
        await process.kill()
        await process.kill()

    with_process("pass", test, tmp_path)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    """What was opened for a process is closed with it, and so if it cannot be started."""

    async def test(_process: BotProcess) -> None:
        with pytest.raises(FileNotFoundError):
            await BotProcess.start(["no-such-program"], tmp_path, {})

    descriptors = Path("/proc/self/fd")
    before = {path.name for path in descriptors.iterdir()}
    with_process("pass", test, tmp_path)

    assert {path.name for path in descriptors.iterdir()} <= before


@pytest.mark.parametrize("command", [["no-such-program"], ["./bot.py"], ["."]])
def test_what_cannot_be_started_says_why(tmp_path: Path, command: list[str]) -> None:
    """Missing programs, files that are no programs, and folders."""
    (tmp_path / "bot.py").write_text("print('not executable')")

    with pytest.raises(OSError, match=r"No such file|Permission denied"):
        asyncio.run(BotProcess.start(command, tmp_path, {}))
