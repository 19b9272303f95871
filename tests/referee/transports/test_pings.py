"""What a seat's server and its bot ask of each other beside messages: nothing that time could end.

A relay between them reads the frames of HTTP/2 (RFC 9113) as they pass.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import grpc
import grpc.aio
from courtyard.v1 import referee_pb2, referee_pb2_grpc

from referee.match.match import Match, MatchSetup
from referee.transports.grpc import GrpcConnection, GrpcEndpoint

TOKEN = "the token"  # noqa: S105 -- of no place but these
PREFACE = len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
PING = 6
ACK = 1


class Frame(NamedTuple):
    """A passing frame's head."""

    sender: str
    kind: int
    flags: int


async def pass_on(
    sender: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seen: list[Frame]
) -> None:
    """Pass frames on until they end."""
    try:
        if sender == "bot":
            writer.write(await reader.readexactly(PREFACE))
        while True:
            head = await reader.readexactly(9)
            seen.append(Frame(sender, head[3], head[4]))
            writer.write(head + await reader.readexactly(int.from_bytes(head[:3])))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


@asynccontextmanager
async def relayed(place: GrpcEndpoint, folder: Path) -> AsyncIterator[tuple[Path, list[Frame]]]:
    """Open an endpoint; give a socket to it, and the frames that have passed."""
    seen: list[Frame] = []
    relays: list[asyncio.Task[None] | None] = []

    async def relay(from_bot: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        relays.append(asyncio.current_task())
        from_place, to_place = await asyncio.open_unix_connection(folder / "seat.sock")
        await asyncio.gather(
            pass_on("bot", from_bot, to_place, seen), pass_on("seat", from_place, to_bot, seen)
        )

    await place.open(folder)
    server = await asyncio.start_unix_server(relay, folder / "relay.sock")
    try:
        yield folder / "relay.sock", seen
    finally:
        await place.stop()
        server.close()
        await asyncio.gather(*filter(None, relays))


async def play(connection: GrpcConnection, match: Match) -> None:
    """Let the bot play a match to its end."""
    while (due := match.due) is not None:
        await connection.send(due.payload)
        assert match.answer(await connection.receive(), 0) is None
    await connection.send(match.endings()[0])


def test_a_seat_pings_no_bot(tmp_path: Path) -> None:
    """A seat answers the bot's pings; a stopped bot could not answer."""

    async def main() -> None:
        place = GrpcEndpoint(TOKEN, "9.9")
        async with relayed(place, tmp_path) as (socket, seen):
            async with grpc.aio.insecure_channel(f"unix:{socket}") as channel:
                stream = referee_pb2_grpc.RefereeStub(channel).Play()
                hello = referee_pb2.Hello(protocol_version=1, name="bot", seat_token=TOKEN)
                await stream.write(referee_pb2.BotMessage(hello=hello))
                await stream.read()
                connection = await place.connection(None)
                for number in range(20):
                    await stream.write(referee_pb2.BotMessage(match_id=str(number)))
                    await connection.receive()
                    await connection.send(b"\x0a\x01x")
                    await stream.read()
            assert {frame.sender for frame in seen} == {"bot", "seat"}
            assert not [f for f in seen if f.sender == "seat" and f.kind == PING and f.flags != ACK]

    asyncio.run(main())


def test_the_python_kit_and_its_seat_ping_each_other_never(
    tmp_path: Path, random_bot: Path
) -> None:
    """Thus no timer can expire when the bot resumes after a stop."""

    async def main() -> None:
        place = GrpcEndpoint(TOKEN, "9.9")
        async with relayed(place, tmp_path) as (socket, seen):
            told = {**place.environment(str(tmp_path)), "COURTYARD_ADDRESS": f"unix:{socket}"}
            bot = await asyncio.create_subprocess_exec(
                sys.executable, "bot.py", cwd=random_bot, env={**os.environ, **told}
            )
            connection = await place.connection(None)
            for number in range(3):
                alone = frozenset({1, 2})
                setup = MatchSetup(str(number), "courtisans", 3, "a seed", without_bot=alone)
                await play(connection, Match(setup))
            connection.close()
            assert await bot.wait() == 0
            assert {frame.sender for frame in seen} == {"bot", "seat"}
            assert PING not in {frame.kind for frame in seen}

    asyncio.run(main())
