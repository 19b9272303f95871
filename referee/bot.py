"""A running bot: its process and its stream, over many matches.

Theory of time. A decision is measured from before the sending of its request to the arrival of the
answer. On a crowded machine that is longer than the bot worked: its process could have run, and
waited for a core. What it worked is max(CPU time, wall time - waiting): the wait is left out, and
threads that wait for each other cannot stretch it, as then their CPU time is as long as the wall
time. Where the sandbox counts CPU time so that no bot can evade it, the work is what is charged.
Elsewhere the wall time is charged, and the work decides only whom to blame: an answer that is late
by the wall while the bot worked no longer than it might was late because of the machine. A bot that
is not heard of is waited for until it has worked as long as it might: one that spins gets there,
however slowly, and one that sleeps gets there at once.

Theory of lost streams. A bot that is stopped can end nothing. So if its stream ends long after the
stop began, or as soon as it goes on, something counted the time that it was stopped: keep-alives of
its gRPC library, or whatever else the machine did. That is told apart from a stream that the bot
itself ended by when the end is seen: what a bot did before the stop is seen soon after that, and
before it is asked anything, it is given a moment to wake up.
"""

import asyncio
import errno
import math
import secrets
import shutil
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from referee.clock import NOT_MEASURED, Measured, is_starved, patience_us
from referee.errors import UsageError
from referee.faults import ENDED_STREAM, BotFault, Fault, FaultKind, timeout
from referee.manifest import Manifest
from referee.match import Request
from referee.record import REFEREE_VERSION
from referee.sandbox.levels import Sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Program
from referee.transports import PIPED, TRANSPORTS
from referee.transports.base import Connection, Place
from referee.transports.grpc import GrpcPlace

_SECONDS_TO_TAKE_A_MESSAGE = 1.0
_SECONDS_UNTIL_FROZEN = 0.02
"""Freezing costs as much as a decision: bots that are asked again at once are spared it."""
SECONDS_UNTIL_LOST = 10.0
"""No library's keep-alive is that short by default, and nothing that a bot did is seen so late."""
_SECONDS_TO_WAKE = 0.1
_OF_THE_MACHINE = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC)
"""Reasons for which a command cannot be started that are not the command's."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that can be started."""

    name: str
    directory: Path
    """Where its command runs."""
    command: tuple[str, ...]
    version: str = ""
    """Its version on a ladder; empty where versions are not counted."""
    digest: str = ""
    """SHA-256 of its bundle in hex; empty where there is none."""
    transport: str = "grpc"
    """How its messages travel."""
    made: int = 0
    """Tells the files in the directory from others that were there before; 0 if there were none."""


def entrant_of(manifest: Manifest) -> Entrant:
    """Return a bot in its author's folder; raise `UsageError` if only its author can start it."""
    if manifest.is_remote:
        raise UsageError(
            f"{manifest.name} is a remote bot, which its author starts to join a ladder: to try it "
            "here, give its bot.toml a command and another transport"
        )
    return Entrant(
        manifest.name, manifest.directory, manifest.command, transport=manifest.transport
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request."""

    reply: bytes | Fault
    """The bot's message, or why there is none."""
    charged_us: int
    """The time to charge, in microseconds."""
    measured: Measured
    starved: bool
    """It was late, or never came, because of the machine."""
    lost: bool = False
    """The stream was lost while the bot was stopped: it was asked nothing."""


class RunningBot:
    """One bot that has said Hello."""

    def __init__(
        self,
        process: BotProcess,
        place: Place,
        connection: Connection,
        folder: Path,
        *,
        exact: bool,
    ) -> None:
        """Hold what `start` has started; `exact`: its CPU time cannot be evaded."""
        self._process = process
        self._place = place
        self._connection = connection
        self._folder = folder
        self._exact = exact
        self._used = process.usage()
        """What it had used at the end of its last decision."""
        self._owed_us = 0
        """CPU time that it used while it was stopped, and has not yet paid for."""
        process.freeze_in(_SECONDS_UNTIL_FROZEN)
        self.usable = True
        """Whether its stream is where the protocol says it is: only then it may play again."""
        self.seeds: set[str] = set()
        """The master seeds of the matches that it was in: it may know their deals."""

    @classmethod
    async def start(
        cls,
        entrant: Entrant,
        startup_ms: int,
        parent: Path,
        sandbox: Sandbox,
        *,
        tcp: bool = False,
    ) -> "RunningBot":
        """Start a bot with a folder of its own below `parent`.

        Raise `BotFault` if it does not start; `OSError` and `RefereeError` are the machine's.
        """
        folder = Path(tempfile.mkdtemp(dir=parent))
        place = _place(entrant.transport, tcp=tcp)
        process: BotProcess | None = None
        try:
            await place.open(folder)
            process = await sandbox.start(
                Program(
                    command=entrant.command,
                    directory=entrant.directory,
                    place=folder,
                    environment=place.environment(sandbox.seen(folder)),
                    piped=entrant.transport in PIPED,
                )
            )
            connection = await _connection(process, place, startup_ms)
        except BaseException as error:
            if process is not None:
                await process.kill()
            advised = None
            if process is not None and isinstance(error, BotFault):
                advised = _advised(error.fault, place, process.output())
            await place.stop()
            shutil.rmtree(folder, ignore_errors=True)
            if advised is not None:
                raise advised from None
            if isinstance(error, OSError) and error.errno not in _OF_THE_MACHINE:
                reason = f"{entrant.command[0]!r} cannot be started: {error.strerror}"
                raise BotFault(Fault(FaultKind.FAILED_TO_START, reason)) from None
            raise
        return cls(process, place, connection, folder, exact=sandbox.level is Level.STRICT_CG)

    async def ask(self, due: Request) -> Answer:
        """Send a request and wait for the answer, for as long as the bot may work."""
        stopped_s, lost = await self._wake()
        if lost:
            return await self._lost(stopped_s)
        began = time.monotonic_ns()
        reply: bytes | Fault
        try:
            async with asyncio.timeout(None) as patience:
                watch = _Watch(self, due.allowed_us, began, patience)
                try:
                    await self._connection.send(due.payload)
                    reply = await self._connection.receive()
                finally:
                    watch.stop()
        except TimeoutError:
            reply = timeout(due.allowed_us)
        except ConnectionError:
            reply = Fault(FaultKind.DISCONNECTED, f"{ENDED_STREAM}{_after_a_stop(stopped_s)}")
        except BotFault as error:
            reply = error.fault
        measured = self.measured(began)
        charged_us = self._owed_us + (measured.worked_us if self._exact else measured.wall_us)
        self._owed_us = 0
        if isinstance(reply, Fault) and reply.kind is FaultKind.TIMEOUT:
            uncharged = measured.uncharged(charged_us)
            reply = _silent(due.allowed_us, uncharged, self._connection.unfinished())
        self._used = self._process.usage()
        if isinstance(reply, Fault) and reply.kind is FaultKind.DISCONNECTED:
            reply = await self._process.ending(reply.kind, reply.reason)
        self._process.freeze_in(_SECONDS_UNTIL_FROZEN)
        return Answer(
            reply=reply,
            charged_us=charged_us,
            measured=measured,
            starved=is_starved(measured, due.allowed_us)
            and (not self._exact or isinstance(reply, Fault)),
        )

    async def is_connected(self) -> bool:
        """Tell whether a bot that waited for a match, and owes no answer, still has its stream."""
        if self._stopped_s() < SECONDS_UNTIL_LOST:
            return not await self._connection.was_lost(-math.inf, 0)
        self._go_on()
        lost = await self._connection.was_lost(-math.inf, _SECONDS_TO_WAKE)
        self._process.freeze_in(_SECONDS_UNTIL_FROZEN)
        return not lost

    async def _wake(self) -> tuple[float, bool]:
        """Let the bot go on; return how many seconds it was stopped, and if its stream was lost.

        A process that has ended has not lost its stream: it has ended it.
        """
        stopped_s = self._stopped_s()
        may_be_lost = stopped_s >= SECONDS_UNTIL_LOST and not self._process.has_ended()
        self._go_on()
        if not may_be_lost:
            return stopped_s, False
        lost_after = time.monotonic() - stopped_s + SECONDS_UNTIL_LOST
        return stopped_s, await self._connection.was_lost(lost_after, _SECONDS_TO_WAKE)

    def _stopped_s(self) -> float:
        since = self._process.frozen_since
        return 0.0 if since is None else time.monotonic() - since

    def _go_on(self) -> None:
        """Let the bot go on; what it used while it was stopped is charged with its next answer."""
        self._owed_us += self._process.thaw()

    async def _lost(self, stopped_s: float) -> Answer:
        reason = f"the bot's stream was lost{_after_a_stop(stopped_s)}"
        fault = await self._process.ending(FaultKind.DISCONNECTED, reason)
        return Answer(fault, 0, NOT_MEASURED, starved=False, lost=True)

    def measured(self, began_ns: int) -> Measured:
        """Return what the decision that began then has taken so far."""
        wall_us = (time.monotonic_ns() - began_ns) // 1000
        now = self._process.usage()
        return Measured(
            wall_us=wall_us,
            cpu_us=max(0, now.cpu_us - self._used.cpu_us),
            delay_us=min(wall_us, max(0, now.delay_us - self._used.delay_us)),
        )

    async def tell(self, message: bytes) -> None:
        """Send what needs no answer; a bot that does not take it is not usable any more."""
        self._go_on()
        try:
            async with asyncio.timeout(_SECONDS_TO_TAKE_A_MESSAGE):
                await self._connection.send(message)
        except (TimeoutError, ConnectionError):
            self.usable = False
        self._process.freeze_in(_SECONDS_UNTIL_FROZEN)

    def begin_match(self) -> None:
        """Forget what it printed before."""
        self._process.forget_output()

    def has_ended(self) -> bool:
        """Tell whether its process is gone."""
        return self._process.has_ended()

    def output(self) -> str:
        """Return the end of what the bot printed in this match."""
        return self._process.output()

    async def stop(self) -> None:
        """End the stream, kill the process with all that it started, and remove its folder."""
        self._connection.close()
        await self._process.kill()
        await self._place.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


class _Watch:
    """Ends the wait for an answer once the bot has worked for as long as it may."""

    def __init__(
        self, bot: RunningBot, allowed_us: int, began_ns: int, patience: asyncio.Timeout
    ) -> None:
        self._bot = bot
        self._allowed_us = allowed_us
        self._began_ns = began_ns
        self._patience = patience
        self._loop = asyncio.get_running_loop()
        self._look_again(patience_us(NOT_MEASURED, allowed_us))

    def _look_again(self, in_us: int) -> None:
        self._handle = self._loop.call_later(in_us / 1e6, self._look)

    def _look(self) -> None:
        left_us = patience_us(self._bot.measured(self._began_ns), self._allowed_us)
        if left_us:
            self._look_again(left_us)
        else:
            self._patience.reschedule(self._loop.time())

    def stop(self) -> None:
        """Watch no more."""
        self._handle.cancel()


def _after_a_stop(stopped_s: float) -> str:
    """Return what to say of a stop that was long enough to matter to whoever looks for a cause."""
    return f" after it was stopped for {stopped_s:.1f} s" if stopped_s >= SECONDS_UNTIL_LOST else ""


def _place(transport: str, *, tcp: bool) -> Place:
    token = secrets.token_urlsafe(24)
    if tcp and transport == "grpc":
        return GrpcPlace(token, REFEREE_VERSION, tcp=True)
    return TRANSPORTS[transport](token, REFEREE_VERSION)


async def _connection(process: BotProcess, place: Place, startup_ms: int) -> Connection:
    """Wait for the bot's Hello; raise `BotFault` if it exits or its time runs out before."""
    connecting = asyncio.ensure_future(place.connection(process.pipes))
    exiting = asyncio.ensure_future(process.exited())
    try:
        await asyncio.wait(
            (connecting, exiting),
            timeout=startup_ms / 1000,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if not connecting.done():
            raise BotFault(await _no_hello(process, place, startup_ms))
        try:
            return connecting.result()
        except BotFault as error:
            reason = await process.ending(FaultKind.FAILED_TO_START, error.fault.reason)
            raise BotFault(reason) from None
    finally:
        connecting.cancel()
        exiting.cancel()


def _advised(fault: Fault, place: Place, printed: str) -> BotFault:
    """Return the error for a bot that said no Hello, with what may be wrong with it."""
    runs = fault.exit_code is None and fault.signal is None
    advice = place.advice(printed, runs=runs)
    reason = f"{fault.reason}; {advice}" if advice else fault.reason
    return BotFault(replace(fault, reason=reason), printed)


def _silent(allowed_us: int, uncharged: str, unfinished: str) -> Fault:
    """Return the fault of a bot that gave no answer, with what it sent instead."""
    fault = timeout(allowed_us, uncharged=uncharged)
    return replace(fault, reason=f"{fault.reason}; it sent {unfinished}") if unfinished else fault


async def _no_hello(process: BotProcess, place: Place, startup_ms: int) -> Fault:
    refused = f" ({place.refusal})" if place.refusal else ""
    if process.has_ended():
        return await process.ending(FaultKind.FAILED_TO_START, f"no Hello{refused}")
    return Fault(FaultKind.FAILED_TO_START, f"no Hello{refused} within {startup_ms} ms")
