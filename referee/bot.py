"""A running bot: its process and its stream, over many matches."""

import asyncio
import errno
import secrets
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from referee.faults import BotFault, Fault, FaultKind
from referee.match import Request, timeout
from referee.record import REFEREE_VERSION
from referee.sandbox.process import BotProcess
from referee.transports.grpc import GrpcConnection, GrpcListener

_GRACE_S = 0.05
"""How much longer than allowed an answer is waited for, so that a late one can be called late."""
_SECONDS_TO_TAKE_A_MESSAGE = 1.0
_OF_THE_MACHINE = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC)
"""Reasons for which a command cannot be started that are not the command's."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that can be started."""

    name: str
    directory: Path
    """Where its command runs."""
    command: tuple[str, ...]
    version: str = ""
    """Its version on a ladder; empty where versions are not counted."""
    digest: str = ""
    """SHA-256 of its bundle in hex; empty where there is none."""


class RunningBot:
    """One bot that has said Hello."""

    def __init__(
        self,
        process: BotProcess,
        listener: GrpcListener,
        connection: GrpcConnection,
        folder: Path,
    ) -> None:
        """Hold what `start` has started."""
        self._process = process
        self._listener = listener
        self._connection = connection
        self._folder = folder
        self.usable = True
        """Whether its stream is where the protocol says it is: only then it may play again."""

    @classmethod
    async def start(
        cls, entrant: Entrant, startup_ms: int, parent: Path, *, tcp: bool = False
    ) -> "RunningBot":
        """Start a bot in a folder of its own below `parent`; raise `BotFault` if it does not start.

        It listens on a Unix socket in that folder, or on loopback TCP. `OSError` and `RefereeError`
        are the machine's, not the bot's.
        """
        folder = Path(tempfile.mkdtemp(dir=parent))
        token = secrets.token_urlsafe(24)
        token_file = folder / "token"
        token_file.touch(mode=0o600)
        token_file.write_text(token)
        listener = GrpcListener(token, REFEREE_VERSION)
        address = await listener.start("127.0.0.1:0" if tcp else f"unix:{folder / 'seat.sock'}")
        environment = {"COURTYARD_ADDRESS": address, "COURTYARD_TOKEN_FILE": str(token_file)}
        process: BotProcess | None = None
        try:
            process = await BotProcess.start(entrant.command, entrant.directory, environment)
            connection = await _connection(process, listener, startup_ms)
        except BaseException as error:
            if process is not None:
                await process.kill()
            await listener.stop()
            shutil.rmtree(folder, ignore_errors=True)
            if process is not None and isinstance(error, BotFault):
                error.printed = process.output()
            if isinstance(error, OSError) and error.errno not in _OF_THE_MACHINE:
                reason = f"{entrant.command[0]!r} cannot be started: {error.strerror}"
                raise BotFault(Fault(FaultKind.FAILED_TO_START, reason)) from None
            raise
        return cls(process, listener, connection, folder)

    async def ask(self, due: Request) -> tuple[bytes | Fault, int]:
        """Send a request; return the answer, or why there is none, and the microseconds it took."""
        began = time.monotonic_ns()
        reply: bytes | Fault
        try:
            async with asyncio.timeout(due.allowed_us / 1e6 + _GRACE_S):
                await self._connection.send(due.payload)
                reply = await self._connection.receive()
        except TimeoutError:
            reply = timeout(due.allowed_us)
        except ConnectionError:
            elapsed_us = (time.monotonic_ns() - began) // 1000
            reason = "the bot ended its stream instead of answering"
            return await self._process.ending(FaultKind.DISCONNECTED, reason), elapsed_us
        return reply, (time.monotonic_ns() - began) // 1000

    async def tell(self, message: bytes) -> None:
        """Send what needs no answer; a bot that does not take it is not usable any more."""
        try:
            async with asyncio.timeout(_SECONDS_TO_TAKE_A_MESSAGE):
                await self._connection.send(message)
        except (TimeoutError, ConnectionError):
            self.usable = False

    def has_ended(self) -> bool:
        """Tell whether its process is gone."""
        return self._process.has_ended()

    def output(self) -> str:
        """Return the end of what the bot printed."""
        return self._process.output()

    async def stop(self) -> None:
        """End the stream, kill the process with its group, and remove its folder."""
        self._connection.close()
        await self._process.kill()
        await self._listener.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


async def _connection(
    process: BotProcess, listener: GrpcListener, startup_ms: int
) -> GrpcConnection:
    """Wait for the bot's Hello; raise `BotFault` if it exits or its time runs out before."""
    connecting = asyncio.ensure_future(listener.connection())
    exiting = asyncio.ensure_future(process.exited())
    try:
        await asyncio.wait(
            (connecting, exiting),
            timeout=startup_ms / 1000,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if connecting.done():
            return connecting.result()
        refused = f" ({listener.refusal})" if listener.refusal else ""
        kind = FaultKind.FAILED_TO_START
        if exiting.done():
            raise BotFault(await process.ending(kind, f"no Hello{refused}"))
        raise BotFault(Fault(kind, f"no Hello{refused} within {startup_ms} ms"))
    finally:
        connecting.cancel()
        exiting.cancel()
