"""Transports on a bot's stdin and stdout, with either framing."""

import os
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import ClassVar

from referee.core.faults import BotFault, Fault, FaultKind
from referee.core.plain import quoted
from referee.core.rules import Rule
from referee.sandbox.streams import Pipes
from referee.transports.framing import Framed, Framing, JsonLines
from referee.transports.handshake import Handshake, Refusal, Refused, another_carrier
from referee.transports.pipes import PipeReader, PipeWriter


class PipeConnection:
    """A bot's stdin and stdout."""

    def __init__(self, pipes: Pipes, framing: Framing) -> None:
        """Take over the pipes; needs a running event loop."""
        self._framing = framing
        self._reader = PipeReader(_taken_over(pipes.from_bot), framing)
        self._writer = PipeWriter(_taken_over(pipes.to_bot))

    def begin(self, message: bytes) -> bool:
        """Send what there is room for of a RefereeMessage; return whether that was all.

        If not, await `sent`; the rest is sent before anything else, whether or not that is done.
        Raise `ConnectionError` if the stream has ended.
        """
        self._reader.look()
        return self._writer.begin(self._framing.encode(message))

    async def sent(self) -> None:
        """Wait until all is sent; raise `ConnectionError` if the stream ends before."""
        await self._writer.finish()

    async def send(self, message: bytes) -> None:
        """Do both: send a whole RefereeMessage."""
        if not self.begin(message):
            await self.sent()

    async def receive(self) -> bytes:
        """Return the next BotMessage.

        Raise `ConnectionError` if the stream has ended, `BotFault` on bad bytes and on bytes that
        came before the last request was sent.
        """
        return await self._reader.receive()

    def exchange(self, message: bytes, blocking_ms: int) -> bytes | Awaitable[bytes]:
        """Send a RefereeMessage; return the next BotMessage, or what awaits it.

        Blocks for at most `ms` milliseconds, and for twice as many if the answer comes in parts.
        """
        if not self.begin(message):
            return self._finish_exchange()
        answer = self._reader.poll(blocking_ms) if blocking_ms else None
        return self.receive() if answer is None else answer

    async def _finish_exchange(self) -> bytes:
        await self.sent()
        return await self.receive()

    def begun(self) -> bytes:
        """Return the received part of an incomplete message."""
        return bytes(self._framing.buffer)

    def unfinished(self) -> str:
        """Describe the received part of an incomplete message; empty if there is none."""
        begun = self.begun()
        return f"{len(begun)} bytes that are not a whole message: {quoted(begun)}" if begun else ""

    async def was_lost(self, after: float, within_s: float) -> bool:  # noqa: ARG002 -- no matter when
        """Return False: no passing of time ends a pipe."""
        return False

    def close(self) -> None:
        """Close the bot's stdin and stop reading; the bot should exit."""
        self._reader.end()
        self._writer.close()

    def discard(self) -> None:
        """Close both pipes."""
        self._writer.close()
        self._reader.close()


class PipeEndpoint:
    """The pipes of a bot's process as its endpoint: only the bot can write there."""

    name: ClassVar[str]
    framing: ClassVar[type[Framing]]

    def __init__(self, _token: str, referee_version: str) -> None:
        """Prepare an endpoint; the pipes need no token."""
        self._handshake = Handshake(referee_version)
        self._connection: PipeConnection | None = None
        self._first = b""
        """The first message, or the bytes received instead."""

    @property
    def refusal(self) -> Refusal | None:
        """Why the stream was refused, or what arrived instead of a Hello; None if nothing did."""
        if self._handshake.refusal or self._connection is None:
            return self._handshake.refusal
        begun = self._connection.unfinished()
        return Refusal(begun, Rule.START) if begun else None

    @property
    def speaks_plain(self) -> bool:
        """Whether the bot's Hello declares the plain dialect."""
        return self._handshake.speaks_plain

    def advice(self, printed: str, *, runs: bool) -> str:
        """Return advice for a bot that sent no Hello; empty if there is none."""
        begun = self._connection.begun() if self._connection is not None else b""
        written = self._first or begun
        if advice := another_carrier(self.name, written + b"\n" + printed.encode()):
            return advice
        if self.name == "stdio-json" and begun.startswith(b"{"):
            return "the line feed behind the message is missing"
        silent = runs and not written and not self.refusal
        return "nothing arrived: does the bot write its Hello, and flush it?" if silent else ""

    async def open(self, _folder: Path) -> None:
        """Do nothing: the pipes come with the process."""

    def environment(self, _seen: str) -> Mapping[str, str]:
        """Return the variable that names the transport."""
        return {"COURTYARD_TRANSPORT": self.name}

    async def connection(self, pipes: Pipes | None) -> PipeConnection:
        """Wait for Hello on the pipes of the bot's process; raise `BotFault` if none can come."""
        if pipes is None:
            raise ValueError(f"a bot with the transport {self.name} has no pipes")
        self._connection = connection = PipeConnection(pipes, self.framing())
        try:
            self._first = await connection.receive()
            await connection.send(self._handshake.enter(self._first))
        except BotFault as error:
            self._first = error.fault.received
            raise self._no_hello(self._handshake.refused(str(error), Rule.HELLO_FIRST)) from None
        except ConnectionError:
            refused = self._handshake.refused("the bot's stdout ended", Rule.START)
            raise self._no_hello(refused) from None
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


class StdioEndpoint(PipeEndpoint):
    """The endpoint of a bot that speaks protobuf on stdin and stdout."""

    name = "stdio"
    framing = Framed


class StdioJsonEndpoint(PipeEndpoint):
    """The endpoint of a bot that speaks JSON on stdin and stdout."""

    name = "stdio-json"
    framing = JsonLines


def _taken_over(pipe: int) -> int:
    """Return a new descriptor for a pipe, and point the old number at /dev/null.

    So the owner of the old number can close it at any time without closing our pipe.
    """
    own = os.dup(pipe)
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(nothing, pipe, inheritable=False)
    os.close(nothing)
    return own
