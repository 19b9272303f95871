"""The gateway process: admits remote bots and plays their matches."""

import asyncio
import gc
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING

import uvloop

from ladder.model.errors import LadderError
from ladder.runner.child_process import Parent
from ladder.runner.log_limit import limit_log
from ladder.runner.warm_bots import WARM_BOTS
from ladder.runner.worker import Failed, ThinkingTimes
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables.records import pack
from referee.core.errors import AbsentError, CourtyardError, PausedError
from referee.core.scratch import short_folder
from referee.games.base import GameError
from referee.hosting.match_runner import Ended, MatchRunner, MatchSpec
from referee.match.record import REFEREE_VERSION
from referee.sandbox.levels import proven_sandbox
from referee.sandbox.program import Level
from referee.transports.certificates import Certificates

if TYPE_CHECKING:
    from referee.transports.gateway import BotGateway
from ladder.model.bots import Version
from ladder.storage import tokens
from ladder.storage.tables import bots
from referee.transports.gateway import NotAdmittedError

_LOG = logging.getLogger("courtyard.gateway")


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """The address and certificates of a gateway."""

    address: str
    """"host:port"; port 0 picks a free one."""
    certificates: Certificates


@dataclass(frozen=True, slots=True)
class CapacityChange:
    """How many matches a bot can play at once from now on; 0 means that it has left."""

    name: str
    capacity: int


@dataclass(frozen=True, slots=True)
class LogLine:
    """A log message for the ladder's owner."""

    level: int
    """A level of `logging`."""
    text: str


def run_gateway(parent: Parent, home: Home, settings: GatewaySettings, level: Level) -> None:
    """Run the gateway of a ladder, and play the specs that the run sends, until None.

    It sends the run its address first; raise `CourtyardError` if it cannot be opened.
    """
    parent.prepare()
    process = _GatewayProcess(parent)
    logging.basicConfig(handlers=[process.log], force=True)
    limit_log(process.log)
    uvloop.run(process.run(home, settings, level))


class _ToTheRun(logging.Handler):
    """Hands log lines to the run, which logs as its user wants."""

    def __init__(self, log: Callable[[int, str], None]) -> None:
        """Hand them over by this."""
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Hand over a line, and below it the traceback of a bug."""
        self._log(record.levelno, self.format(record))


class _GatewayProcess:
    """Runs a gateway."""

    def __init__(self, parent: Parent) -> None:
        """Communicate with the run, the parent."""
        self._parent = parent
        self._specs: asyncio.Queue[MatchSpec | None] = asyncio.Queue()
        self._sender = ThreadPoolExecutor(1, "link")
        """Sends to the run, which may be busy, so that no bot has to wait for it."""
        self.log = _ToTheRun(self._log)

    async def run(self, home: Home, settings: GatewaySettings, level: Level) -> None:
        """Open the gateway, and play until the run closes it."""
        with ExitStack() as stack:
            stack.callback(self._sender.shutdown)
            try:
                place = stack.enter_context(short_folder())
                gateway, address = await self._opened(stack, home, settings)
            except OSError as error:  # perhaps the disk is full
                where = f"{error.filename}: " if error.filename else ""
                raise LadderError(f"{where}{error.strerror or error}") from error
            gc.freeze()  # else a flood would let all that is imported be searched again and again
            self._send(address)
            match_runner = MatchRunner(
                proven_sandbox(level), place, warm_bots=WARM_BOTS, gateway=gateway
            )
            match_runner.on_decision = ThinkingTimes(self._send).note
            loop = asyncio.get_running_loop()
            Thread(target=self._listen, args=(loop,), daemon=True).start()
            async with asyncio.TaskGroup() as matches:
                while (spec := await self._specs.get()) is not None:
                    matches.create_task(self._play(match_runner, spec))
            await gateway.close()
            await match_runner.close()

    async def _opened(
        self, stack: ExitStack, home: Home, settings: GatewaySettings
    ) -> "tuple[BotGateway, str]":
        """Open the gateway; return it and its address; raise `CourtyardError` or `OSError`."""
        # grpc takes a tenth of a second to import, and the run itself needs none.
        from referee.transports.gateway import BotGateway  # noqa: PLC0415

        ladder = stack.enter_context(Ladder.open(home))
        gateway = BotGateway(Admission(ladder), self._notice, REFEREE_VERSION, self._log)
        credentials = settings.certificates.credentials(self._log)
        return gateway, await gateway.open(settings.address, credentials)

    async def _play(self, match_runner: MatchRunner, spec: MatchSpec) -> None:
        loop = asyncio.get_running_loop()
        try:
            ended = await match_runner.play(spec)
            await loop.run_in_executor(self._sender, self._hand_in, ended, spec)
        except AbsentError as error:
            self._send(Failed(spec.match_id, str(error), absent=True))
        except (CourtyardError, GameError) as error:
            paused = isinstance(error, PausedError)
            self._send(Failed(spec.match_id, str(error), paused=paused))
        except Exception as error:  # noqa: BLE001 -- one match must not end all the others
            _LOG.exception("match %s: a bug of Courtyard", spec.match_id)
            self._send(Failed(spec.match_id, f"a bug of the referee: {error!r}"))

    def _hand_in(self, ended: Ended, spec: MatchSpec) -> None:
        self._parent.send(pack(ended.record, ended.printed, spec))

    def _notice(self, name: str, capacity: int) -> None:
        self._send(CapacityChange(name, capacity))

    def _log(self, level: int, text: str) -> None:
        self._send(LogLine(level, text))

    def _send(self, message: object) -> None:
        self._sender.submit(self._parent.send, message)

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Receive specs from the run.

        A thread does that, as a connection watched by an event loop fails to send when it is full.
        """
        spec: MatchSpec | None
        while (spec := self._parent.receive()) is not None:
            loop.call_soon_threadsafe(self._specs.put_nowait, spec)
        loop.call_soon_threadsafe(self._specs.put_nowait, None)


class Admission:
    """Admits a remote bot if it presents a token of its author."""

    def __init__(self, ladder: Ladder) -> None:
        """Check against this ladder."""
        self._ladder = ladder

    def __call__(self, token: str, name: str) -> str:
        """Return the gateway name of the version that joins as `name`, NAME or NAME@VERSION.

        Raise `NotAdmittedError`, the same for another author's bots as for unknown ones.
        """
        author = tokens.author_of(self._ladder, token)
        if author is None:
            raise NotAdmittedError("the token is wrong, expired or revoked", known=False)
        bot, at, number = name.partition("@")
        with self._ladder.database.read() as tx:
            versions = bots.of_bot(tx, bot) if bots.author(tx, bot) == author else []
        fit = [v for v in versions if v.is_remote and v.rejected is None]
        if not fit:
            raise NotAdmittedError(f"you have no remote bot {bot!r} in this ladder", known=True)
        return _chosen(fit, number if at else None).gateway_name


def _chosen(fit: list[Version], number: str | None) -> Version:
    """Return the version of this number, by default the active one."""
    for version in fit:
        if version.active if number is None else str(version.number) == number:
            return version
    what = "is retired" if number is None else f"has no remote version {number}"
    raise NotAdmittedError(f"{fit[0].bot} {what}", known=True)
