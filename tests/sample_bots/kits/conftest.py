"""The kits of other languages than Python, built in their folders and run on their carriers.

A build that is up to date is not made again. The first one needs the network where a language has
its packages there.
"""

import asyncio
import fcntl
import os
import subprocess
import tempfile
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import courtyard.v1
import pytest

from ladder.cli.doctor import NEEDED
from ladder.submission.starter_kits import KITS, VENDOR_SCRIPT
from referee.hosting.manifest import Manifest, load_manifest
from referee.match.match import Match
from referee.sandbox.streams import Pipes
from referee.transports import TRANSPORTS
from referee.transports.base import Connection
from tests.support.lacking import skip

SAMPLE_BOTS = Path(__file__).parents[3] / "sample_bots"
PROTO = Path(next(iter(courtyard.v1.__path__))).parents[1]
SECONDS = 60.0
"""How long anything may take on a busy machine."""
LANGUAGES = [name for name in KITS if name != "python"]
WITHOUT_BUILD = "shell"


@dataclass(frozen=True, slots=True)
class Program:
    """A bot that runs and has said Hello."""

    process: subprocess.Popen[bytes]
    connection: Connection

    async def ask(self, request: bytes) -> bytes:
        """Send a request and return what comes back."""
        await self.connection.send(request)
        return await asyncio.wait_for(self.connection.receive(), SECONDS)

    async def play(self, match: Match) -> None:
        """Decide for every seat of a match, to its end."""
        while (due := match.due) is not None:
            fault = match.answer(await self.ask(due.payload), elapsed_us=0)
            assert fault is None, fault
        for ending in match.endings():
            await self.connection.send(ending)

    async def end(self) -> int:
        """End the stream and return the status with which the bot exits."""
        self.connection.close()
        return await asyncio.to_thread(self.process.wait, SECONDS)


Running = Callable[[Manifest], AbstractAsyncContextManager[Program]]
Build = Callable[[Path], Manifest]


@pytest.fixture(scope="session")
def build() -> Build:
    """Run the steps of a bot's build, once a folder in all processes of a run of the tests.

    Another build would change the folder while a test copies it. C++ is not optimised, which takes
    twice as long.
    """
    this_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))

    def make(folder: Path) -> Manifest:
        manifest = load_manifest(folder)
        name = f"{manifest.name}-{zlib.crc32(bytes(folder)):x}-{os.getuid()}.lock"
        with (Path(tempfile.gettempdir()) / name).open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.seek(0)
            if lock.read() != this_run:
                fetch = [["sh", VENDOR_SCRIPT]] if (folder / VENDOR_SCRIPT).exists() else []
                for step in (*fetch, *manifest.build):
                    environment = {"COURTYARD_PROTO": str(PROTO), "CXXFLAGS": "-O0"}
                    subprocess.run(step, cwd=folder, check=True, env=os.environ | environment)
                lock.truncate(0)
                lock.write(this_run)
        return manifest

    return make


@pytest.fixture(scope="session")
def lacking() -> Callable[[str], str]:
    """Say how to get what a language's toolchain lacks here; nothing if it is all there."""

    def remedies(language: str) -> str:
        tools = NEEDED[language]
        missing = [tool for tool in tools if not (v := tool.version()) or tool.is_old(v)]
        return "; ".join(dict.fromkeys(tool.remedy for tool in missing))

    return remedies


@pytest.fixture(
    scope="module",
    params=[
        name if name == WITHOUT_BUILD else pytest.param(name, marks=pytest.mark.proof)
        for name in LANGUAGES
    ],
)
def language(request: pytest.FixtureRequest, lacking: Callable[[str], str]) -> str:
    """A language whose toolchain is here."""
    name: str = request.param
    if remedy := lacking(name):
        skip(f"the toolchain of the kit for {name} is not complete", remedy)
    return name


@pytest.fixture(scope="module")
def kit(language: str, build: Build) -> Manifest:
    """A kit that is built."""
    return build(SAMPLE_BOTS / language)


@pytest.fixture(scope="session")
def running() -> Running:
    """Start a bot on its own carrier."""

    @asynccontextmanager
    async def start(bot: Manifest) -> AsyncIterator[Program]:
        with tempfile.TemporaryDirectory() as folder:
            place = TRANSPORTS[bot.transport]("the token", "1.0")
            await place.open(Path(folder))
            own = bot.directory / bot.command[0]
            process = subprocess.Popen(  # noqa: ASYNC220 -- nothing else runs meanwhile
                [own if own.is_file() else bot.command[0], *bot.command[1:]],
                cwd=bot.directory,
                env={"PATH": os.environ["PATH"], **place.environment(folder)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            try:
                assert process.stdin
                assert process.stdout
                pipes = Pipes(to_bot=process.stdin.fileno(), from_bot=process.stdout.fileno())
                os.set_blocking(pipes.to_bot, False)
                os.set_blocking(pipes.from_bot, False)
                connection = await asyncio.wait_for(place.connection(pipes), SECONDS)
                yield Program(process, connection)
            finally:
                process.kill()
                process.communicate()
                await place.stop()

    return start
