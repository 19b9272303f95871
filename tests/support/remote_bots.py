"""Support for tests of remote bots: certificates, a network to cut, and a bot's own end."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import grpc
import grpc.aio
import trustme
from courtyard.v1 import referee_pb2, referee_pb2_grpc

from referee.transports.certificates import Certificates
from referee.transports.gateway import NotAdmittedError

Stream = grpc.aio.StreamStreamCall[Any, Any]
HERE = "127.0.0.1"


@dataclass(frozen=True)
class Keys:
    """One authority's certificates, as files and for clients."""

    of_gate: Certificates
    roots: Path
    authority: trustme.CA

    @classmethod
    def made(cls, folder: Path, *names: str) -> Self:
        """Make an authority and a gateway's certificate for these hosts."""
        authority = trustme.CA()
        chain, key, roots = folder / "gateway.pem", folder / "gateway.key", folder / "roots.pem"
        made = cls(Certificates(chain, key), roots, authority)
        for file, content in zip((chain, key), made.issued(*names), strict=True):
            file.write_bytes(content)
        authority.cert_pem.write_to_path(roots)
        return made

    def issued(self, *names: str) -> tuple[bytes, bytes]:
        """Return a gateway's new certificate, with its chain, and its key."""
        issued = self.authority.issue_cert(*(names or (HERE, "localhost")))
        chain = b"".join(part.bytes() for part in issued.cert_chain_pems)
        return chain, issued.private_key_pem.bytes()

    def shown_at(self, address: str) -> str:
        """Dial, and return the serial number of the server's certificate."""
        context = ssl.create_default_context(cafile=str(self.roots))
        context.set_alpn_protocols(["h2"])
        host, _, port = address.rpartition(":")
        with (
            socket.create_connection((host, int(port))) as plain,
            context.wrap_socket(plain, server_hostname=host) as secured,
        ):
            certificate = secured.getpeercert()
        assert certificate
        return str(certificate["serialNumber"])

    def mutual(self) -> Certificates:
        """Return the certificates of a gateway that requires bots' certificates."""
        return Certificates(self.of_gate.chain, self.of_gate.key, self.roots)

    @contextmanager
    def for_bot(self, *, own: bool = False) -> Iterator[grpc.ChannelCredentials]:
        """Yield what a bot needs to dial, perhaps with its own certificate."""
        key = chain = None
        if own:
            issued = self.authority.issue_cert("bot.example")
            key = issued.private_key_pem.bytes()
            chain = issued.cert_chain_pems[0].bytes()
        yield grpc.ssl_channel_credentials(self.roots.read_bytes(), key, chain)


def quiet(_level: int, _text: str) -> None:
    """Ignore messages for a server's owner."""


class Registry:
    """Admits bots by their authors' tokens, until a token is revoked."""

    def __init__(self, **bots_of_tokens: str) -> None:
        """Take these tokens, each with its author's bots, separated by spaces."""
        self.bots = {token: names.split() for token, names in bots_of_tokens.items()}
        self.there: dict[str, int] = {}
        """Each connected bot, and how many matches it can play at once."""

    def admit(self, token: str, name: str) -> str:
        """Return a bot's name with its version, which is 1."""
        if token not in self.bots:
            raise NotAdmittedError("the token is wrong, expired or revoked", known=False)
        bot = name.partition("@")[0]
        if bot not in self.bots[token]:
            raise NotAdmittedError(f"you have no remote bot {bot!r}", known=True)
        return f"{bot}@1"

    def notice(self, name: str, most: int) -> None:
        """Note a connected bot."""
        self.there[name] = most


@asynccontextmanager
async def dialled(
    address: str, credentials: grpc.ChannelCredentials | None
) -> AsyncIterator[grpc.aio.Channel]:
    """Open a channel with its own connection; without credentials in plain text."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
    if credentials is None:
        channel = grpc.aio.insecure_channel(address, options)
    else:
        channel = grpc.aio.secure_channel(address, credentials, options)
    async with channel:
        yield channel


def hello(name: str = "ada", token: str = "ann", **fields: Any) -> referee_pb2.BotMessage:  # noqa: S107
    """Return a remote bot's Hello."""
    said = referee_pb2.Hello(protocol_version=1, name=name, seat_token=token, **fields)
    return referee_pb2.BotMessage(hello=said)


async def joined(channel: grpc.aio.Channel, first: referee_pb2.BotMessage) -> Stream:
    """Open a stream that says this first."""
    stream: Stream = referee_pb2_grpc.RefereeStub(channel).Play()
    await stream.write(first)
    return stream


async def heard(stream: Stream) -> referee_pb2.RefereeMessage:
    """Return the bot's next message."""
    message = await stream.read()
    assert isinstance(message, referee_pb2.RefereeMessage), message
    return message


async def ending(stream: Stream) -> tuple[grpc.StatusCode, str]:
    """Return how a stream ends, whatever comes before."""
    with contextlib.suppress(grpc.aio.AioRpcError):
        while await stream.read() is not grpc.aio.EOF:
            pass
    return await stream.code(), await stream.details() or ""


class Network:
    """A route to an address that can be cut: a TCP proxy on loopback."""

    def __init__(self, host: str, port: int) -> None:
        """Lead to an address."""
        self._target = host, port
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.address = ""

    async def __aenter__(self) -> Self:
        """Listen."""
        self._server = await asyncio.start_server(self._carry, HERE, 0)
        self.address = f"{HERE}:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close everything."""
        self.cut()
        assert self._server is not None
        self._server.close()
        self.heal()

    def cut(self) -> None:
        """Break every connection; accept new ones, but pass nothing on."""
        self._flowing.clear()
        for writer in list(self._open):
            writer.transport.abort()

    def stall(self) -> None:
        """Silently pass nothing on any more, like a pulled cable."""
        self._flowing.clear()

    def heal(self) -> None:
        """Pass everything on again."""
        self._flowing.set()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        await self._flowing.wait()
        try:
            there, back = await asyncio.open_connection(*self._target)
        except OSError:  # nothing listens there
            writer.transport.abort()
            self._open.discard(writer)
            return
        self._open.add(back)
        with contextlib.suppress(asyncio.CancelledError):  # the loop ends
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pass_on(reader, back))
                both.create_task(self._pass_on(there, writer))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
        writer.close()
        self._open.discard(writer)
