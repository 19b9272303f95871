"""The web process's end: asks the process of the tables, and keeps it running.

If that process ends, all tables are gone; it is started again after a pause. One that gives no sign
of life is killed first.
"""

import asyncio
import contextlib
import itertools
import logging
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

from ladder.model.heartbeat import LONG_WORK_S
from ladder.runner.child_process import Child
from ladder.server.restarts import Pauses
from ladder.server.tables.client import TableClient
from ladder.server.tables.messages import (
    COUNT,
    Request,
    TableError,
    TableSettings,
)
from referee.core.errors import CourtyardError

_LOG = logging.getLogger("courtyard.run")

_LOOK_EVERY_S = 5.0
"""The interval between checks for a sign of life."""
_SECONDS_TO_LEAVE = 5.0
_MOST_ASKED = 2000
"""Requests without an answer yet, nearly all of them looks."""


class TableProcess(TableClient):
    """Asks the process of the tables."""

    def __init__(self, settings: TableSettings) -> None:
        """Prepare a process for these settings."""
        super().__init__(settings.most, settings.study)
        self._child = Child("the process of the tables", _keep_tables, settings)
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._over = asyncio.Event()
        self._over.set()
        self._why = ""
        self.open_tables = 0
        """How many tables were open when the process last told."""
        self._keeping: asyncio.Task[None] | None = None
        self._sending = ThreadPoolExecutor(1)
        """Sends, so that a process that is stuck does not keep the pages waiting."""

    @property
    def is_ready(self) -> bool:
        """Whether the process is running."""
        return not self._over.is_set()

    async def _ask(self, request: Request) -> Any:
        if self._over.is_set() or len(self._asked) >= _MOST_ASKED:
            raise TableError(
                "The tables are not ready: try again in a moment.", HTTPStatus.SERVICE_UNAVAILABLE
            )
        number = next(self._numbers)
        self._asked[number] = asyncio.get_running_loop().create_future()
        self._sending.submit(self._child.send, (number, request))
        try:
            answer = await self._asked[number]
        finally:
            del self._asked[number]
        if isinstance(answer, TableError):
            raise answer
        return answer

    def _receive(self) -> None:
        """Take all answers that have come."""
        link = self._child.link
        descriptor = link.fileno()
        try:
            while link.poll():
                number, answer = self._child.receive()
                if number == COUNT:
                    self.open_tables = answer
                waiting = self._asked.get(number)
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
        except CourtyardError as error:  # it has ended, and is reaped
            asyncio.get_running_loop().remove_reader(descriptor)
            self._why = str(error)
            self._over.set()
            self.open_tables = 0
            gone = TableError("The server of the tables was restarted.", HTTPStatus.BAD_GATEWAY)
            for waiting in self._asked.values():
                if not waiting.done():
                    waiting.set_result(gone)

    def start(self) -> None:
        """Start the process, and start it again whenever it ends."""
        self._keeping = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        """Run the process, and run it again whenever it ends."""
        pauses = Pauses()
        while True:
            began = time.monotonic()
            self._start()
            await self._ended()
            pause = pauses.after(time.monotonic() - began)
            _LOG.warning("%s, and all tables with it; restarting it in %.0f s", self._why, pause)
            await asyncio.sleep(pause)

    def _start(self) -> None:
        self._child.heartbeat.promise(LONG_WORK_S)  # it stands back, so its start may take long
        self._child.start()
        self._over.clear()
        asyncio.get_running_loop().add_reader(self._child.link.fileno(), self._receive)

    async def _ended(self) -> None:
        """Wait until the process has ended; kill it if it is stuck."""
        while not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), _LOOK_EVERY_S)
            if self._child.heartbeat.is_overdue and not self._over.is_set():
                _LOG.warning("the process of the tables is stuck: killing it")
                self._child.process.kill()

    async def close(self) -> None:
        """End the process, and with it all tables; those who look are told."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait([self._keeping])
        if self._over.is_set():
            return
        self._sending.submit(self._child.send, None)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), _SECONDS_TO_LEAVE)
        if not self._over.is_set():
            self._child.process.kill()
            await self._over.wait()
        self._sending.shutdown(wait=False)


def _keep_tables(*arguments: Any) -> None:
    """Keep tables, in the process of its own."""
    from ladder.server.tables.process import keep_tables  # noqa: PLC0415 - only there

    keep_tables(*arguments)


@contextlib.asynccontextmanager
async def opened_tables(settings: TableSettings) -> AsyncIterator[TableProcess]:
    """Keep the process of the tables running within the block."""
    client = TableProcess(settings)
    client.start()
    try:
        yield client
    finally:
        await client.close()
