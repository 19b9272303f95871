"""The process of the tables: plays the matches of all of them in one event loop.

It takes requests from the web process, each with a number, and answers with the same number. It
runs at a lower priority than what plays the ladder.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ladder.runner.child_process import Parent
from ladder.runner.json_log import log_as_json
from ladder.server.tables.messages import (
    COUNT,
    Answer,
    AskHint,
    AtTable,
    Compare,
    Fetch,
    Join,
    Leave,
    Look,
    Opened,
    Order,
    Request,
    TableError,
    TableSettings,
)
from ladder.server.tables.table import NOT_OVER, Table
from referee.core.errors import CourtyardError
from referee.core.scratch import short_folder
from referee.hosting.host import compile_for_bots
from referee.hosting.match_runner import MatchRunner
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from referee.transports.connections import raise_file_limit

_LOG = logging.getLogger("courtyard.run")

TABLES_A_VISITOR = 2
"""How many open tables a visitor may have."""
KEPT_S = 3600.0
"""How long a table is kept after its end."""
_WARM_BOTS = 4
"""The number of idle bots that stay for the next tables."""
_MORE_WARM_BOTS = 3
"""So many more stay for each table, while half of the machine's memory is available."""
_NICENESS = 10
_PROMISE_EVERY_S = 5.0
NO_TABLE = (
    "This table is gone: a table ends when the server is restarted, and is kept for an hour after "
    "its end."
)


class Tables:
    """All tables."""

    def __init__(
        self, settings: TableSettings, runner_at: Callable[[Level | None], MatchRunner]
    ) -> None:
        """Keep tables; `runner_at` returns what plays matches at a level."""
        self._most = settings.most
        self._study = settings.study
        self._runner_at = runner_at
        self._tables: dict[str, Table] = {}

    async def answer(self, request: Request) -> Any:
        """Answer a request; raise `TableError` if it is refused."""
        if isinstance(request, Order):
            return self._open(request)
        table = self._tables.get(request.table)
        if table is None:
            raise TableError(NO_TABLE, HTTPStatus.NOT_FOUND)
        return await answer_at(table, request)

    def _open(self, order: Order) -> Opened:
        open_now = [table for table in self._tables.values() if table.is_open]
        if sum(table.visitor == order.visitor for table in open_now) >= TABLES_A_VISITOR:
            raise TableError(
                f"You already have {TABLES_A_VISITOR} open tables: leave one of them first.",
                HTTPStatus.TOO_MANY_REQUESTS,
            )
        if len(open_now) >= self._most:
            raise TableError(
                f"All {self._most} tables are taken: try again later.",
                HTTPStatus.TOO_MANY_REQUESTS,
            )
        runner = self._runner_at(order.level)
        table = Table(order, observed=self._study is not None)
        self._tables[table.id] = table
        table.begin(runner, lambda: self._kept(table))
        table.join(table.secret, "")
        return Opened(table.id, table.secret)

    @property
    def open_now(self) -> int:
        """How many tables are open."""
        return sum(table.is_open for table in self._tables.values())

    def _kept(self, ended: Table) -> None:
        """Keep an ended table for a while, if there is room, and for a study its decisions."""
        if self._study is not None:
            self._study.keep(ended.decisions())
        asyncio.get_running_loop().call_later(KEPT_S, self._tables.pop, ended.id, None)
        over = [table.id for table in self._tables.values() if not table.is_open]
        for table in over[: max(0, len(over) - 2 * self._most)]:
            del self._tables[table]

    async def close(self) -> None:
        """Stop all matches."""
        await asyncio.gather(*(table.close() for table in self._tables.values()))


async def answer_at(table: Table, request: AtTable) -> Any:
    """Answer a request to a table; raise `TableError` if it is refused."""
    match request:
        case Look():
            return await table.look(request.secret, request.after)
        case Answer():
            table.answer(request.secret, request.question, request.option)
        case AskHint():
            table.hint(request.secret)
        case Join():
            return table.join(request.invitation, request.name)
        case Leave():
            table.leave(request.secret)
        case Fetch():
            if table.ended is None:
                raise TableError(NOT_OVER, HTTPStatus.CONFLICT)
            return table.ended.record.SerializeToString(deterministic=True)
        case Compare():
            return await table.compare(request.secret, request.bot)
    return None


def keep_tables(parent: Parent, settings: TableSettings) -> None:
    """Keep tables in this process, until None comes."""
    parent.prepare()
    if settings.json:
        log_as_json()
    raise_file_limit()
    _stand_back()
    compile_for_bots()
    with short_folder() as folder:
        asyncio.run(_Server(parent, settings, folder).serve())


def _stand_back() -> None:
    """Let what plays the ladder go first; bots inherit that, also those in control groups.

    Linux weighs sessions before processes, so this process has one of its own that stands back.
    """
    os.nice(_NICENESS)
    os.setsid()
    with contextlib.suppress(OSError):  # there are kernels that do not weigh sessions
        Path("/proc/self/autogroup").write_text(str(_NICENESS))


class _Server:
    """Takes the requests of the web process."""

    def __init__(self, parent: Parent, settings: TableSettings, folder: Path) -> None:
        self._parent = parent
        self._folder = folder
        self._most = settings.most
        self._runners: dict[Level | None, MatchRunner] = {}
        self._tables = Tables(settings, self._runner_at)
        self._closing = asyncio.Event()
        self._requests = set[asyncio.Task[None]]()
        self._sending = ThreadPoolExecutor(1)
        """Sends, so that a full pipe does not keep this process from reading its requests."""

    def _runner_at(self, level: Level | None) -> MatchRunner:
        if level not in self._runners:
            sandbox = open_sandbox(level)
            self._runners[level] = MatchRunner(
                sandbox,
                self._folder,
                warm_bots=_WARM_BOTS,
                more_warm_bots=_MORE_WARM_BOTS * self._most,
            )
        return self._runners[level]

    async def serve(self) -> None:
        """Answer until None comes."""
        loop, link = asyncio.get_running_loop(), self._parent.link
        loop.add_reader(link.fileno(), self._receive)
        while not self._closing.is_set():
            self._parent.heartbeat.promise()
            self._sending.submit(self._parent.send, (COUNT, self._tables.open_now))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), _PROMISE_EVERY_S)
        loop.remove_reader(link.fileno())
        await self._tables.close()
        for runner in self._runners.values():
            await runner.close()

    def _receive(self) -> None:
        """Take all requests that have come."""
        while self._parent.link.poll():
            received = self._parent.receive()
            if received is None:
                self._closing.set()
                return
            task = asyncio.create_task(self._answer(*received))
            self._requests.add(task)
            task.add_done_callback(self._requests.discard)

    async def _answer(self, number: int, request: Request) -> None:
        answer: Any
        try:
            answer = await self._tables.answer(request)
        except TableError as refusal:
            answer = refusal
        except CourtyardError as error:
            answer = TableError(f"The table failed: {error}.", HTTPStatus.SERVICE_UNAVAILABLE)
        except Exception:  # noqa: BLE001 - whatever it is, the web process gets an answer
            _LOG.exception("a table failed")
            answer = TableError("The table failed.", HTTPStatus.INTERNAL_SERVER_ERROR)
        self._sending.submit(self._parent.send, (number, answer))
