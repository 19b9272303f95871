"""Messages that are nearly right, over every carrier into matches; a million of them as a proof."""

import asyncio
import os
import random
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
import uvloop
from courtyard.v1 import referee_pb2
from google.protobuf import json_format

from referee.core.faults import BotFault, Fault
from referee.sandbox.streams import Pipes
from referee.transports.framing import Framed, JsonLines
from referee.transports.grpc import GrpcConnection, GrpcEndpoint
from referee.transports.stdio import PipeConnection
from referee.wire import envelope

Mutate = Callable[[random.Random, bytes], bytes]
Check = Callable[[Fault], None]

QUICK = 800
MOST_TAKEN = 3
"""Of the messages in one case; changed bytes can hold thousands."""
ALLOWED_GROWTH = 24 * 1024 * 1024
"""What allocators keep for themselves."""


class Fuzz:
    """Throws nearly right messages at the referee's end of a carrier."""

    def __init__(self, targets: Any, mutated: Mutate, checked: Check) -> None:
        """Take what the fixtures give."""
        self.targets = targets
        self.mutated = mutated
        self.checked = checked

    def run(self, transport: str, seed: str, cases: int, folder: Path) -> None:
        """Try `cases` cases."""
        chance = random.Random(seed)
        trying = self._over_grpc if transport == "grpc" else self._over_pipes
        uvloop.run(trying(transport, chance, cases, folder))

    def taken(self, number: int, message: bytes) -> None:
        """Hand a message on as the referee does: to a match, or as a Hello."""
        self.targets.answer(number, message)
        try:
            envelope.read_hello(message)
        except BotFault as error:
            self.checked(error.fault)

    async def _over_pipes(
        self, transport: str, chance: random.Random, cases: int, _folder: Path
    ) -> None:
        right = [carried(transport, message) for message in self.targets.right]
        for _ in range(cases):
            number = chance.randrange(len(right))
            data = self.mutated(chance, right[number])
            connection = connected(transport, data[:60_000])  # no more than a pipe takes
            try:
                for _ in range(MOST_TAKEN):
                    self.taken(number, await connection.receive())
            except BotFault as error:
                self.checked(error.fault)
            except ConnectionError:
                pass
            finally:
                connection.discard()

    async def _over_grpc(
        self, _transport: str, chance: random.Random, cases: int, folder: Path
    ) -> None:
        async with grpc_stream(folder) as (connection, stream):
            for _ in range(cases):
                number = chance.randrange(len(self.targets.right))
                await stream.write(self.mutated(chance, self.targets.right[number]))
                self.taken(number, await connection.receive())


def carried(transport: str, message: bytes) -> bytes:
    """Return the bytes of a bot that says this."""
    if transport == "stdio":
        return Framed.encode(message)
    parsed = referee_pb2.BotMessage.FromString(message)
    return json_format.MessageToJson(parsed, indent=None).encode() + b"\n"


def connected(transport: str, data: bytes) -> PipeConnection:
    """Return a connection to a bot that wrote this and ended."""
    from_bot, stdout = os.pipe()
    stdin, to_bot = os.pipe()
    for descriptor in (from_bot, stdout, stdin, to_bot):
        os.set_blocking(descriptor, False)
    assert os.write(stdout, data) == len(data)
    framing = Framed() if transport == "stdio" else JsonLines()
    connection = PipeConnection(Pipes(to_bot, from_bot), framing)
    for end in (stdout, stdin, from_bot, to_bot):
        os.close(end)
    return connection


@asynccontextmanager
async def grpc_stream(folder: Path) -> AsyncIterator[tuple[GrpcConnection, Any]]:
    """Return both ends of a stream that takes any bytes as messages."""
    place = GrpcEndpoint("token", "9.9")
    await place.open(folder)
    address = place.environment(str(folder))["COURTYARD_ADDRESS"]
    hello = referee_pb2.Hello(protocol_version=1, seat_token="token")
    async with grpc.aio.insecure_channel(address) as channel:
        stream: Any = channel.stream_stream("/courtyard.v1.Referee/Play")()
        await stream.write(referee_pb2.BotMessage(hello=hello).SerializeToString())
        yield await place.connection(None), stream
    await place.stop()


@pytest.fixture
def fuzz(targets: Any, mutated: Mutate, checked: Check) -> Fuzz:
    """Throw nearly right messages."""
    return Fuzz(targets, mutated, checked)


@pytest.mark.sweep
@pytest.mark.parametrize("transport", ["grpc", "stdio", "stdio-json"])
def test_nearly_right_messages(fuzz: Fuzz, transport: str, tmp_path: Path) -> None:
    """Each is taken or is a fault; some of either, or the test would say nothing."""
    fuzz.run(transport, "quick", QUICK, tmp_path)

    assert fuzz.targets.accepted > QUICK / 20
    assert fuzz.targets.refused > QUICK / 20


@pytest.mark.proof
@pytest.mark.parametrize(
    ("transport", "cases"), [("grpc", 200_000), ("stdio", 400_000), ("stdio-json", 400_000)]
)
def test_a_million_nearly_right_messages(
    fuzz: Fuzz,
    transport: str,
    cases: int,
    tmp_path: Path,
    proof_cases: Callable[[int], int],
    memory: Callable[[], int],
) -> None:
    """Each is taken or is a fault, and the memory does not grow with their number."""
    fuzz.run(transport, "warm", proof_cases(cases // 10), tmp_path)
    before = memory()
    fuzz.run(transport, "proof", proof_cases(cases), tmp_path)

    assert memory() - before < ALLOWED_GROWTH


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
"""How a client begins, with empty settings."""


def thrown_at(address: Path, data: bytes) -> None:
    """Send these bytes over a connection of their own, until the other side has closed it.

    Otherwise most would be refused unread, as more connections at once than a seat may have.
    """
    with socket.socket(socket.AF_UNIX) as other:
        other.settimeout(60)
        other.connect(str(address))
        other.sendall(data)
        with suppress(ConnectionResetError, BrokenPipeError):  # closed before all was read
            other.shutdown(socket.SHUT_WR)
            while other.recv(4096):
                pass


@pytest.mark.parametrize("cases", [20, pytest.param(5_000, marks=pytest.mark.proof)])
def test_any_bytes_on_the_socket_of_grpc(
    cases: int, mutated: Mutate, tmp_path: Path, proof_cases: Callable[[int], int]
) -> None:
    """What is no gRPC at all does no harm: the bot is let in afterwards."""
    chance = random.Random("socket")

    async def main() -> None:
        async with grpc_stream(tmp_path) as (connection, stream):
            for _ in range(proof_cases(cases)):
                frame = chance.randbytes(9) + chance.randbytes(chance.randrange(100))
                data = mutated(chance, PREFACE + frame)
                await asyncio.to_thread(thrown_at, tmp_path / "seat.sock", data)
            await stream.write(b"still here")
            assert await connection.receive() == b"still here"

    uvloop.run(main())
