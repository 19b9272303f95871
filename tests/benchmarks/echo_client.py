"""A bare grpcio client: answers every message with as many bytes as it is told."""

import sys
from typing import Any

import grpc.aio
import uvloop


async def echo(address: str, reply: bytes) -> None:
    """Answer until the stream ends."""
    async with grpc.aio.insecure_channel(address) as channel:
        stream: Any = channel.stream_stream("/echo/Echo")()
        await stream.write(reply)
        while await stream.read() is not grpc.aio.EOF:
            await stream.write(reply)


if __name__ == "__main__":
    uvloop.run(echo(sys.argv[1], b"x" * int(sys.argv[2])))
