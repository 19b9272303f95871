"""Authors elsewhere: their bots, and the network between them and the ladder, which can be cut."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from tests.support.bot_clients import BotClients
from tests.support.remote_bots import Network


class Far:
    """Remote bots that join through a network of ours, again and again, until this is left."""

    def __init__(self, gateway: str, roots: Path, tokens: Mapping[str, str]) -> None:
        """Let these bots join with these tokens at this gateway, once it is open."""
        host, _, port = gateway.rpartition(":")
        self._network = Network(host, int(port))
        self._roots = roots
        self._tokens = tokens
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._carry)
        self._began = threading.Event()
        self._over = asyncio.Event()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Send the bots."""
        self._thread.start()
        self._began.wait()
        self._stack.enter_context(
            BotClients(self._network.address, self._roots, self._tokens, max_matches=2)
        )
        return self

    def __exit__(self, *_: object) -> None:
        """Call them back."""
        self._stack.close()
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _carry(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._stay())

    async def _stay(self) -> None:
        async with self._network:
            self._began.set()
            await self._over.wait()

    @contextmanager
    def cut(self, seconds: float) -> Iterator[None]:
        """Break every connection, and let nothing pass for at most so long."""
        self._loop.call_soon_threadsafe(self._network.cut)
        self._loop.call_soon_threadsafe(self._loop.call_later, seconds, self._network.heal)
        yield

    @contextmanager
    def stalled(self, seconds: float) -> Iterator[None]:
        """Let nothing pass for at most so long, without an error at either end."""
        self._loop.call_soon_threadsafe(self._network.stall)
        self._loop.call_soon_threadsafe(self._loop.call_later, seconds, self._network.heal)
        yield
