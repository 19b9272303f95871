"""The Python kit's plumbing: it speaks on every carrier, and says in one line why it cannot."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from referee.core.faults import Fault, FaultKind
from referee.match.match import Match, MatchSetup
from referee.sandbox.streams import Pipes
from referee.transports import TRANSPORTS
from referee.transports.base import Connection
from referee.wire.envelope import fault_notice

EVERY = pytest.mark.parametrize("transport", TRANSPORTS)
ON_PIPES = pytest.mark.parametrize("transport", ["stdio", "stdio-json"])


@asynccontextmanager
async def started(transport: str, program: Path, folder: Path) -> AsyncIterator[Connection]:
    """Start a bot and let it say Hello; it must exit with status 0 when its stream ends.

    What it prints to stderr is then in a file of that name in the folder.
    """
    place = TRANSPORTS[transport]("token", "9.9")
    await place.open(folder)
    with (
        (folder / "stderr").open("wb") as stderr,
        subprocess.Popen(  # noqa: ASYNC220 -- quickly done
            [sys.executable, program],
            env={"PYTHONDONTWRITEBYTECODE": "1", **place.environment(str(folder))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        ) as process,
    ):
        try:
            connection = await place.connection(pipes_of(process))
            yield connection
            connection.close()
            assert await asyncio.to_thread(process.wait) == 0
        finally:
            process.kill()
            await place.stop()


def pipes_of(process: "subprocess.Popen[bytes]") -> Pipes:
    """The referee's ends of its pipes."""
    assert process.stdin is not None
    assert process.stdout is not None
    pipes = Pipes(to_bot=process.stdin.fileno(), from_bot=process.stdout.fileno())
    os.set_blocking(pipes.to_bot, False)
    os.set_blocking(pipes.from_bot, False)
    return pipes


async def play(connection: Connection, match_id: str = "a match") -> None:
    """Let the bot play a match against the stand-in; what is no answer fails the test."""
    match = Match(MatchSetup(match_id, "courtisans", 2, match_id, without_bot=frozenset({1})))
    while (due := match.due) is not None:
        await connection.send(due.payload)
        assert match.answer(await connection.receive(), 0) is None
    await connection.send(match.endings()[0])


@EVERY
def test_a_bot_plays_match_after_match_on_every_carrier(
    transport: str, folder: Path, tmp_path: Path
) -> None:
    """It exits when the stream ends, and has printed nothing."""

    async def main() -> None:
        async with started(transport, folder / "random" / "bot.py", tmp_path) as stream:
            await play(stream, "first")
            await play(stream, "second")
        assert (tmp_path / "stderr").read_text() == ""

    asyncio.run(main())


@EVERY
def test_a_bot_is_told_of_its_fault(transport: str, folder: Path, tmp_path: Path) -> None:
    """It prints the reason to stderr and goes on."""

    async def main() -> None:
        async with started(transport, folder / "random" / "bot.py", tmp_path) as stream:
            fault = Fault(FaultKind.ILLEGAL_ACTION, "the hand has no such card")
            await stream.send(fault_notice("an earlier match", fault))
            await play(stream)
        said = "forfeited match an earlier match: the hand has no such card\n"
        assert (tmp_path / "stderr").read_text() == said

    asyncio.run(main())


TALKATIVE = """
import os
import subprocess
import sys

from courtyard_kit.courtisans import Action, Position, run

print("loading")
os.write(1, b"from below\\n")
subprocess.run(["echo", "from a child"], check=True)
sys.stdout.write("without an end ")


def choose(position: Position) -> Action:
    print("at turn", position.turn)
    try:
        input()
    except EOFError:
        print("nothing to read")
    return position.random_action()


run(choose, name="talkative")
"""


@ON_PIPES
def test_what_a_bot_prints_does_not_disturb_the_protocol(transport: str, tmp_path: Path) -> None:
    """It goes to stderr, from wherever it comes; and stdin is empty for the bot's own code."""
    program = tmp_path / "bot.py"
    program.write_text(TALKATIVE)

    async def main() -> None:
        async with started(transport, program, tmp_path) as stream:
            await play(stream)
        printed = (tmp_path / "stderr").read_text()
        for words in (
            "loading\n",
            "from below\n",
            "from a child\n",
            "without an end ",
            "at turn 1\n",
            "nothing to read\n",
        ):
            assert words in printed

    asyncio.run(main())


IMPORTS = """
import sys

from courtyard_kit.courtisans import Position, run

run(Position.random_action, name="light")
print(*sys.modules)
"""


@ON_PIPES
def test_a_bot_on_pipes_imports_little(transport: str, tmp_path: Path) -> None:
    """Neither grpc nor asyncio: they take longer to import than all the rest."""
    program = tmp_path / "bot.py"
    program.write_text(IMPORTS)

    async def main() -> None:
        async with started(transport, program, tmp_path) as stream:
            await play(stream)
        modules = (tmp_path / "stderr").read_text().split()
        assert "google.protobuf" in modules
        assert not {"grpc", "asyncio", "uvloop", "ssl", "socket", "subprocess"} & set(modules)

    asyncio.run(main())


SETTING = """
import os, sys

os.environ.update({chosen})
from courtyard_kit.courtisans import Position, run

run(Position.random_action, name="light")
print(os.environ["GRPC_EXPERIMENTS"], file=sys.stderr)
"""


@pytest.mark.parametrize("chosen", ["", "event_engine_client"])
def test_grpc_runs_without_its_event_engine(
    chosen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It knows the setting and says nothing of it; an author's own is kept."""
    program = tmp_path / "bot.py"
    set_by_author = {"GRPC_EXPERIMENTS": chosen} if chosen else {}
    program.write_text(SETTING.format(chosen=set_by_author))

    async def main() -> None:
        async with started("grpc", program, tmp_path) as stream:
            await play(stream)
        assert (tmp_path / "stderr").read_text() == f"{chosen or '-event_engine_client'}\n"

    asyncio.run(main())


@ON_PIPES
def test_a_bot_whose_referee_is_gone_says_so(transport: str, folder: Path, tmp_path: Path) -> None:
    """In one line, when it has something to say."""
    reading, writing = os.pipe()
    os.close(reading)
    ended = run(folder, {"COURTYARD_TRANSPORT": transport}, stdout=writing)
    os.close(writing)

    assert ended.returncode == 1
    assert ended.stderr == "the referee ended the stream\n"


def run(
    folder: Path, environment: dict[str, str], stdout: int = subprocess.PIPE
) -> "subprocess.CompletedProcess[str]":
    """Start the random bot with nothing to read, and wait for its end."""
    return subprocess.run(
        [sys.executable, "bot.py"],
        cwd=folder / "random",
        env={"PYTHONDONTWRITEBYTECODE": "1", **environment},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        (
            {},
            (
                "COURTYARD_TRANSPORT is not set: try `referee play` with the folder of this bot, "
                "or join a ladder by --connect HOST:PORT"
            ),
        ),
        (
            {"COURTYARD_TRANSPORT": "pigeon"},
            "COURTYARD_TRANSPORT is 'pigeon': this kit knows grpc, stdio and stdio-json",
        ),
        (
            {"COURTYARD_TRANSPORT": "grpc"},
            "COURTYARD_ADDRESS is not set: try `referee play` with the folder of this bot",
        ),
        (
            {"COURTYARD_ADDRESS": "unix:socket", "COURTYARD_TOKEN_FILE": "nothing"},
            "COURTYARD_TOKEN_FILE: nothing: No such file or directory",
        ),
        (
            {"COURTYARD_ADDRESS": "unix:nothing", "COURTYARD_TOKEN": "token"},
            "the referee ended the stream: UNAVAILABLE",
        ),
    ],
    ids=["no transport", "no such transport", "no address", "no token file", "no referee"],
)
def test_a_bot_that_cannot_play_says_why(
    environment: dict[str, str], line: str, folder: Path
) -> None:
    """It exits with status 1 and one line that begins with the reason."""
    ended = run(folder, environment)

    assert ended.returncode == 1
    assert ended.stderr.startswith(line)
    assert ended.stderr.count("\n") == 1
