"""Runs the application until it is asked to stop."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator, Sequence

import uvicorn

from ladder.errors import LadderError
from ladder.web.app import make_app
from ladder.web.data import Source

_GRACE_S = 5
"""How long requests under way may take when the server is asked to stop."""


class _Server(uvicorn.Server):
    """A server that leaves signals to `serve`."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture nothing."""
        yield


def serve(
    sources: Sequence[Source],
    host: str,
    port: int,
    started: Callable[[str], object],
    beside: contextlib.AbstractAsyncContextManager[object],
) -> None:
    """Serve the pages of these ladders until Ctrl-C or SIGTERM; `started` is told the address.

    `beside` is entered meanwhile: what else this process serves.
    Raise `LadderError` if the address cannot be used. Port 0 takes any that is free.
    """
    try:
        listening = socket.create_server((host, port), family=_family(host))
    except OSError as error:
        raise LadderError(f"{host}:{port}: {error.strerror}") from error
    config = uvicorn.Config(
        make_app(sources),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    with listening:
        started(_address(listening))
        asyncio.run(_serve(_Server(config), listening, beside))


async def _serve(
    server: _Server,
    listening: socket.socket,
    beside: contextlib.AbstractAsyncContextManager[object],
) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _stop, server)
    async with beside:
        await server.serve(sockets=[listening])


def _stop(server: _Server) -> None:
    """Stop gracefully; at once when asked a second time."""
    server.force_exit = server.should_exit
    server.should_exit = True


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
