"""What the tests of the sandbox share: scripts run at every level that this machine offers."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from referee.sandbox.levels import Sandbox, open_sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Limits, Program
from tests.support.lacking import need_level, need_proc

Test = Callable[[BotProcess], Awaitable[None]]
WithProcess = Callable[..., None]
Printed = Callable[..., str]


def opened(level: Level) -> Sandbox:
    """The sandbox of a level; where it cannot be had the test is skipped, and says what to do."""
    need_level(level)
    return open_sandbox(level)


@pytest.fixture(params=list(Level))
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each level in turn."""
    return opened(request.param)


@pytest.fixture
def strict() -> Sandbox:
    """The level at which a hostile program is contained, and a watchdog holds what it takes.

    With control groups a program sees and reaches the same.
    """
    return opened(Level.STRICT)


@pytest.fixture(scope="session")
def with_process() -> WithProcess:
    """Run a coroutine function with the process of a Python script."""

    def run(sandbox: Sandbox, script: str, folder: Path, test: Test, **more: object) -> None:
        async def main() -> None:
            program = Program(("python3", "-c", script), folder, **more)  # type: ignore[arg-type]
            process = await sandbox.start(program)
            try:
                await test(process)
            finally:
                await process.kill()

        asyncio.run(main())

    return run


@pytest.fixture(scope="session")
def printed(with_process: WithProcess) -> Printed:
    """Return the end of what a script prints until it exits."""

    def run(sandbox: Sandbox, script: str, folder: Path, **more: object) -> str:
        output: list[str] = []

        async def test(process: BotProcess) -> None:
            await process.exited()
            await process.kill()
            output.append(process.output())

        with_process(sandbox, script, folder, test, **more)
        return output[0]

    return run


@pytest.fixture(scope="session")
def received() -> Callable[[BotProcess], Awaitable[bytes]]:
    """Wait until a piped program writes something; at its end, b""."""

    async def read(process: BotProcess) -> bytes:
        assert process.pipes is not None
        descriptor = process.pipes.from_bot
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().add_reader(descriptor, ready.set_result, None)
        try:
            await ready
        finally:
            asyncio.get_running_loop().remove_reader(descriptor)
        return os.read(descriptor, 65536)

    return read


@pytest.fixture(scope="session")
def marked() -> Callable[[str], set[int]]:
    """Find all living processes that have a text among their arguments, wherever they are."""
    need_proc()

    def find(mark: str) -> set[int]:
        return {
            int(path.name) for path in Path("/proc").glob("[0-9]*") if mark in _command_line(path)
        }

    return find


def _command_line(process: Path) -> str:
    try:
        return (process / "cmdline").read_text(errors="replace")
    except OSError:
        return ""


@pytest.fixture(scope="session")
def small() -> Limits:
    """Limits that a test can reach quickly."""
    return Limits(
        memory_bytes=200 * 1024**2, processes=24, file_bytes=1024**2, scratch_bytes=2 * 1024**2
    )
