"""A bot reached by its stdin and stdout, whatever the framing of the messages there."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from referee.core.faults import BotFault, Fault, FaultKind
from referee.sandbox.streams import Pipes
from referee.transports.advice import another_carrier
from referee.transports.framing import Framing
from referee.transports.handshake import Handshake, Refused
from referee.transports.pipes import PipeReader, PipeWriter
from referee.wire.quoting import quoted


class PipeConnection:
    """A bot's stdin and stdout."""

    def __init__(self, pipes: Pipes, framing: Framing) -> None:
        """Take the pipes over; needs a running event loop."""
        self._framing = framing
        self._reader = PipeReader(_taken_over(pipes.from_bot), framing)
        self._writer = PipeWriter(_taken_over(pipes.to_bot))

    async def send(self, message: bytes) -> None:
        """Send a RefereeMessage; raise `ConnectionError` if the stream has ended.

        If this is cancelled the rest is sent nevertheless, before anything else.
        """
        self._reader.look()
        await self._writer.write(self._framing.encode(message))

    async def receive(self) -> bytes:
        """Return the next BotMessage.

        Raise `ConnectionError` if the stream has ended, `BotFault` on what no message can be and on
        what was there before the last message was sent.
        """
        return await self._reader.receive()

    def begun(self) -> bytes:
        """Return what has come of a message that is not whole."""
        return bytes(self._framing.buffer)

    def unfinished(self) -> str:
        """Say what has come of a message that is not whole; empty if nothing has."""
        begun = self.begun()
        return f"{len(begun)} bytes that are no whole message: {quoted(begun)}" if begun else ""

    async def was_lost(self, after: float, within_s: float) -> bool:  # noqa: ARG002 -- no matter when
        """Say no: no passing of time ends a pipe."""
        return False

    def close(self) -> None:
        """Close the bot's stdin and read no more; the bot should exit."""
        self._reader.end()
        self._writer.close()

    def discard(self) -> None:
        """Close both pipes."""
        self._writer.close()
        self._reader.close()


class PipeEndpoint:
    """The place of one bot is the pipes of its process: whoever writes there is the bot."""

    name: ClassVar[str]
    framing: ClassVar[type[Framing]]

    def __init__(self, _token: str, referee_version: str) -> None:
        """Prepare a place; nobody has to prove anything with a token."""
        self._handshake = Handshake(referee_version)
        self._connection: PipeConnection | None = None
        self._first = b""
        """The first message, or what came instead."""

    @property
    def refusal(self) -> str:
        """Why the stream was refused, or what came instead of a Hello; empty if nothing came."""
        if self._handshake.refusal or self._connection is None:
            return self._handshake.refusal
        return self._connection.unfinished()

    def advice(self, printed: str, *, runs: bool) -> str:
        """Say what may be wrong with a bot that said no Hello; empty if nobody can tell."""
        begun = self._connection.begun() if self._connection is not None else b""
        written = self._first or begun
        if spoken := another_carrier(self.name, written + b"\n" + printed.encode()):
            return spoken
        if self.name == "stdio-json" and begun.startswith(b"{"):
            return "the line feed behind the message is missing"
        silent = runs and not written and not self.refusal
        return "nothing arrived: does the bot write its Hello, and flush it?" if silent else ""

    async def open(self, _folder: Path) -> None:
        """Do nothing: the pipes come with the process."""

    def environment(self, _seen: str) -> Mapping[str, str]:
        """Return what tells the bot how to talk."""
        return {"COURTYARD_TRANSPORT": self.name}

    async def connection(self, pipes: Pipes | None) -> PipeConnection:
        """Wait for Hello on the pipes of the bot's process; raise `BotFault` if it cannot come."""
        if pipes is None:
            raise ValueError(f"a bot with the transport {self.name} has no pipes")
        self._connection = connection = PipeConnection(pipes, self.framing())
        try:
            self._first = await connection.receive()
            await connection.send(self._handshake.enter(self._first))
        except BotFault as error:
            self._first = error.fault.received
            raise self._no_hello(self._handshake.refused(str(error))) from None
        except ConnectionError:
            raise self._no_hello(self._handshake.refused("the bot's stdout ended")) from None
        except Refused as error:
            raise self._no_hello(error) from None
        return connection

    @staticmethod
    def _no_hello(error: Refused) -> BotFault:
        return BotFault(Fault(FaultKind.FAILED_TO_START, f"no Hello ({error})"))

    async def stop(self) -> None:
        """Close the pipes."""
        if self._connection is not None:
            self._connection.discard()
            self._connection = None


def _taken_over(pipe: int) -> int:
    """Return a descriptor of our own for a pipe, and empty the one that its process knows.

    So the process can close its number whenever it likes, and we close the pipe when we like.
    """
    own = os.dup(pipe)
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(nothing, pipe, inheritable=False)
    os.close(nothing)
    return own
