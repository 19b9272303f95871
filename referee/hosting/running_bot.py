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

Theory of pauses. While the referee did not run, an answer may have come, and nobody knows when. So
a pause is taken off the time on the wall, but not what the bot is known to have worked. A bot that
is late nevertheless, or that lost its stream, may be so because it was stopped as well, or because
a clock of its own went on: no verdict is given then, unless its work alone was more than it might.
"""

import asyncio
import errno
import math
import os
import secrets
import shutil
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from referee.core.clock import NOT_MEASURED, Measured
from referee.core.errors import PausedError, UsageError
from referee.core.faults import ENDED_STREAM, BotFault, Fault, FaultKind, timeout
from referee.hosting.manifest import Manifest
from referee.hosting.starting import advised, hello
from referee.match.deadline import in_time
from referee.match.fitness import Watched, fills_memory
from referee.match.match import Request
from referee.match.record import REFEREE_VERSION
from referee.sandbox.levels import Sandbox
from referee.sandbox.meters import Usage
from referee.sandbox.pauses import Pause, Pauses
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Limits, Program
from referee.transports import PIPED, TRANSPORTS
from referee.transports.base import Connection, Place
from referee.transports.grpc import GrpcPlace

_SECONDS_TO_TAKE_A_MESSAGE = 1.0
_SECONDS_UNTIL_FROZEN = 0.02
"""Freezing costs as much as a decision: bots that are asked again at once are spared it."""
SECONDS_UNTIL_LOST = 10.0
"""No library's keep-alive is that short by default, and nothing that a bot did is seen so late."""
_SECONDS_TO_WAKE = 0.1
NS_TO_RECOVER = 2_000_000_000
"""So soon after a pause a machine may still be slow."""
_OF_THE_MACHINE = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC)
"""Reasons for which a command cannot be started that are not the command's."""


@dataclass(frozen=True, slots=True)
class BotSpec:
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


def entrant_of(manifest: Manifest) -> BotSpec:
    """Return a bot in its author's folder; raise `UsageError` if only its author can start it."""
    if manifest.is_remote:
        raise UsageError(
            f"{manifest.name} is a remote bot, which its author starts to join a ladder: to try it "
            "here, give its bot.toml a command and another transport"
        )
    return BotSpec(
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
    held_up: Measured | None = None
    """What shows that it was late, or never came, because of the machine; None if nothing does."""
    unfit: bool = False
    """That shows by what the referee had to wait, whatever the bot did."""
    lost: bool = False
    """The stream was lost while the bot was stopped: it was asked nothing."""
    pause: Pause | None = None
    """The referee was paused, which may be why the bot is late or has lost its stream."""
    machine: str = ""
    """How the machine was, if the bot is late."""


class RunningBot:
    """One bot that has said Hello."""

    def __init__(
        self,
        process: BotProcess,
        place: Place,
        connection: Connection,
        folder: Path,
        pauses: Pauses,
        *,
        exact: bool,
    ) -> None:
        """Hold what `start` has started; `exact`: its CPU time cannot be evaded."""
        self._pauses = pauses
        self._process = process
        self._place = place
        self._connection = connection
        self._folder = folder
        self._exact = exact
        self._cores = _cores(exact=exact)
        self._used = process.usage()
        """What it had used at the end of its last decision."""
        self._owed_us = 0
        """CPU time that it used while it was stopped, and has not yet paid for."""
        self._seen_ns = pauses.now_ns()
        """When it was last known to be well: when its last decision ended, or its start."""
        process.freeze_in(_SECONDS_UNTIL_FROZEN)
        self.usable = True
        """Whether its stream is where the protocol says it is: only then it may play again."""
        self.seeds: set[str] = set()
        """The master seeds of the matches that it was in: it may know their deals."""

    @classmethod
    async def start(
        cls,
        entrant: BotSpec,
        startup_ms: int,
        parent: Path,
        sandbox: Sandbox,
        pauses: Pauses,
        *,
        tcp: bool = False,
    ) -> "RunningBot":
        """Start a bot with a folder of its own below `parent`.

        Raise `BotFault` if it does not start; `OSError` and `RefereeError` are the machine's, and
        `PausedError` is raised if it does not start while the referee is paused.
        """
        began_ns = pauses.now_ns()
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
            watched = _beginning(process, pauses, _cores(exact=sandbox.level is Level.STRICT_CG))
            connection = await hello(process, place, startup_ms, watched)
        except BaseException as error:
            excuse = None
            if process is not None:
                if isinstance(error, BotFault) and not fills_memory(process):
                    excuse = pauses.last(began_ns)
                await process.kill()
            failure = None
            if process is not None and isinstance(error, BotFault):
                failure = advised(error, place, process.output())
            await place.stop()
            shutil.rmtree(folder, ignore_errors=True)
            if excuse is not None:
                raise PausedError(f"{excuse}; {entrant.name} did not start: {failure}") from None
            if failure is not None:
                raise failure from None
            if isinstance(error, OSError) and error.errno not in _OF_THE_MACHINE:
                reason = f"{entrant.command[0]!r} cannot be started: {error.strerror}"
                raise BotFault(Fault(FaultKind.FAILED_TO_START, reason)) from None
            raise
        exact = sandbox.level is Level.STRICT_CG
        return cls(process, place, connection, folder, pauses, exact=exact)

    async def ask(self, due: Request) -> Answer:
        """Send a request and wait for the answer, for as long as the bot may work."""
        stopped_s, lost = await self._wake()
        if lost:
            return await self._lost(stopped_s)
        watched = Watched(self._pauses, self.measured, self._process)
        reply: bytes | Fault
        try:
            reply = await in_time(watched, due.allowed_us, self._exchange(due.payload))
        except TimeoutError:
            reply = timeout(due.allowed_us)
        except ConnectionError:
            reply = Fault(FaultKind.DISCONNECTED, f"{ENDED_STREAM}{_after_a_stop(stopped_s)}")
        except BotFault as error:
            reply = error.fault
        measured = watched.measured()
        charged_us = self._owed_us + (measured.worked_us if self._exact else measured.running_us)
        answer = Answer(reply, charged_us, measured)
        if isinstance(reply, Fault) or charged_us > due.allowed_us:
            answer = self._judged(due.allowed_us, watched, answer)
        self._owed_us = 0
        self._used = self._process.usage()
        if isinstance(answer.reply, Fault) and answer.reply.kind is FaultKind.DISCONNECTED:
            ending = await self._process.ending(answer.reply.kind, answer.reply.reason)
            answer = replace(answer, reply=ending)
        self._seen_ns = self._pauses.now_ns()
        self._process.freeze_in(_SECONDS_UNTIL_FROZEN)
        return answer

    async def _exchange(self, payload: bytes) -> bytes:
        await self._connection.send(payload)
        return await self._connection.receive()

    def _judged(self, allowed_us: int, watched: Watched, answer: Answer) -> Answer:
        """Return an answer that is late, or none, with what speaks for the bot."""
        reply, measured = answer.reply, answer.measured
        kind = reply.kind if isinstance(reply, Fault) else FaultKind.TIMEOUT
        conditions = watched.conditions(measured)
        pause = None
        if kind is FaultKind.DISCONNECTED:
            pause = self._pauses.last(self._seen_ns)
        elif kind is FaultKind.TIMEOUT and conditions.ran_us // self._cores <= allowed_us:
            pause = self._pauses.last(watched.began_ns - NS_TO_RECOVER)
        if pause is not None and fills_memory(self._process):
            pause = None
        if isinstance(reply, Fault) and kind is FaultKind.TIMEOUT:
            uncharged = measured.uncharged(answer.charged_us)
            reply = _silent(allowed_us, uncharged, self._connection.unfinished(), str(conditions))
        unfit = conditions.unfit(allowed_us - self._owed_us)
        # What an answer is charged by its exact work holds no wait of the bot's own.
        was_charged_work = self._exact and not isinstance(reply, Fault)
        held_up = unfit if was_charged_work else conditions.held_up(allowed_us)
        return replace(
            answer,
            reply=reply,
            held_up=held_up,
            unfit=unfit is not None,
            pause=pause,
            machine=str(conditions) if kind is FaultKind.TIMEOUT else "",
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
        pause = self._pauses.last(self._seen_ns)
        return Answer(fault, 0, NOT_MEASURED, lost=True, pause=pause)

    def measured(self, began_ns: int) -> Measured:
        """Return what the decision that began then has taken so far."""
        return _measured(self._process, self._pauses, self._used, began_ns, self._cores)

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


def _beginning(process: BotProcess, pauses: Pauses, cores: int) -> Watched:
    """Watch a process that has just begun."""

    def measure(began_ns: int) -> Measured:
        return _measured(process, pauses, Usage(0, 0), began_ns, cores)

    return Watched(pauses, measure, process, new=True)


def _cores(*, exact: bool) -> int:
    """Return how many cores a bot may keep busy at once: it begins on those of the referee."""
    return Limits().cores if exact else len(os.sched_getaffinity(0))


def _measured(
    process: BotProcess, pauses: Pauses, before: Usage, began_ns: int, cores: int
) -> Measured:
    """Return what a bot took since a moment, at which it had used so much before."""
    paused_us = pauses.paused_us(began_ns)
    wall_us = (time.monotonic_ns() - began_ns) // 1000
    now = process.usage()
    cpu_us = max(0, now.cpu_us - before.cpu_us)
    return Measured(
        wall_us=wall_us,
        cpu_us=cpu_us,
        delay_us=min(wall_us, max(0, now.delay_us - before.delay_us)),
        credited_us=max(0, min(paused_us, wall_us - cpu_us // cores)),
    )


def _after_a_stop(stopped_s: float) -> str:
    """Return what to say of a stop that was long enough to matter to whoever looks for a cause."""
    return f" after it was stopped for {stopped_s:.1f} s" if stopped_s >= SECONDS_UNTIL_LOST else ""


def _place(transport: str, *, tcp: bool) -> Place:
    token = secrets.token_urlsafe(24)
    if tcp and transport == "grpc":
        return GrpcPlace(token, REFEREE_VERSION, tcp=True)
    return TRANSPORTS[transport](token, REFEREE_VERSION)


def _silent(allowed_us: int, uncharged: str, unfinished: str, machine: str) -> Fault:
    """Return the fault of a bot that gave no answer, with what it sent instead."""
    told = f"it sent {unfinished}; {machine}" if unfinished else machine
    return timeout(allowed_us, uncharged=uncharged, machine=told)
