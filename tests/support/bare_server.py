"""A bare server of grpc.aio with TLS: what gRPC itself needs for waiting bots.

As a program with the files of a chain and a key, it prints its port and serves until its input
ends. It admits everybody.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import uvloop

from referee.wire import envelope
from tests.support.remote_bots import HERE


async def play(_requests: object, context: "grpc.aio.ServicerContext[Any, Any]") -> None:
    """Welcome each bot, and wait until it leaves."""
    await context.read()
    await context.write(envelope.welcome("1", "anybody", ""))
    await context.read()


async def serve(credentials: grpc.ServerCredentials) -> None:
    """Serve on any free port."""
    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("courtyard.v1.Referee", {"Play": handler}),)
    )
    port = server.add_secure_port(f"{HERE}:0", credentials)
    await server.start()
    sys.stdout.write(f"{HERE}:{port}\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop(None)


if __name__ == "__main__":
    chain, key = (Path(file).read_bytes() for file in sys.argv[1:])
    uvloop.run(serve(grpc.ssl_server_credentials([(key, chain)])))
