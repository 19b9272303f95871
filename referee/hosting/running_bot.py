"""A running bot: its process and its stream, over many matches.

Theory of time. The referee measures a decision from just before it sends the request to the arrival
of the answer. On a crowded machine that is longer than the bot worked, as its process also waited
for a core. Its work is max(CPU time, wall time - waiting). Threads that wait for each other cannot
stretch the wait, as their CPU time is then as long as the wall time. Where no bot can evade the
sandbox's count of CPU time, the referee charges the work. Elsewhere it charges the wall time, and
the work decides only who is to blame: if the answer is late by wall time but the bot worked no
longer than allowed, the machine made it late. The referee waits for a silent bot until it has
worked for the allowed time: one that spins gets there slowly, one that sleeps at once.

Theory of lost streams. A stopped bot cannot end its stream. So if the stream ends long after the
stop began, or as soon as the bot continues, something counted the stopped time: the keep-alive of
its gRPC library, or something on the machine. The time of the end tells this apart from a stream
that the bot itself ended: the referee sees an end from before the stop soon after the stop, and it
gives the bot a moment to wake up before it sends a request.

Theory of pauses. While the referee did not run, an answer may have come at any time. So it deducts
pauses from the wall time, but not the work that the bot is known to have done. If the bot is late
nevertheless, or lost its stream, it may have been stopped too, or a clock of its own went on: the
referee then gives no verdict, unless the bot's work alone exceeded the allowed time.
"""

import asyncio
import math
import shutil
import tempfile
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from referee.core.clock import NOT_MEASURED, Measured
from referee.core.errors import PausedError, UsageError
from referee.core.faults import ENDED_STREAM, BotFault, Fault, FaultKind, NoMemoryError, timeout
from referee.hosting.manifest import Manifest
from referee.hosting.scripts import explained
from referee.hosting.startup import OF_THE_MACHINE, advised, hello, new_endpoint
from referee.match.deadline import in_time
from referee.match.decision_timing import DecisionTiming, fills_memory
from referee.match.match import Request
from referee.sandbox.freeze.pauses import Pause, Pauses
from referee.sandbox.kernel import usable_cores
from referee.sandbox.levels import Sandbox
from referee.sandbox.meter.cpu_meters import Usage
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Limits, Program
from referee.transports import PIPED
from referee.transports.base import Connection, Endpoint

_SECONDS_TO_TAKE_A_MESSAGE = 1.0
_SECONDS_UNTIL_FROZEN = 0.02
"""Freezing costs as much as a decision, so a bot gets this long for its next request to come."""
SECONDS_UNTIL_LOST = 10.0
"""No library's default keep-alive is this short, and the referee sees a bot's own acts sooner."""
_SECONDS_TO_WAKE = 0.1
NS_TO_RECOVER = 2_000_000_000
"""The machine may still be slow this long after a pause."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """How to start a bot."""

    name: str
    directory: Path
    """Working folder of its command."""
    command: tuple[str, ...]
    version: str = ""
    """Its version on a ladder; empty outside a ladder."""
    digest: str = ""
    """SHA-256 of its bundle in hex; empty if it has none."""
    transport: str = "grpc"
    """How its messages travel."""
    made: int = 0
    """Identifies this content of the directory among earlier ones; 0 if there were none."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it so that another process makes equal ones once: each match names some."""
        directory = str(self.directory)
        names = self.name, directory, self.command, self.version, self.digest, self.transport
        return _received_spec, (*names, self.made)


@lru_cache(maxsize=1024)
def _received_spec(name: str, directory: str, *others: Any) -> BotSpec:
    return BotSpec(name, Path(directory), *others)


def bot_spec_of(manifest: Manifest) -> BotSpec:
    """Return how to start a bot in its author's folder; raise `UsageError` for a remote bot."""
    if manifest.is_remote:
        raise UsageError(
            f"{manifest.name} is a remote bot, which its author starts to join a ladder: to run it "
            "here, give its bot.toml a command and another transport"
        )
    return BotSpec(
        manifest.name, manifest.directory, manifest.command, transport=manifest.transport
    )


class Answer(NamedTuple):
    """The outcome of a request."""

    reply: bytes | Fault
    """The bot's message, or the fault instead of one."""
    charged_us: int
    """The time to charge, in microseconds."""
    measured: Measured
    held_up: Measured | None = None
    """Measurements that blame the machine for a late or missing answer; None if none do."""
    unfit: bool = False
    """Whether the referee's own wait for a core suffices to blame the machine."""
    lost: bool = False
    """Whether the stream was lost while the bot was stopped; it then got no request."""
    pause: Pause | None = None
    """A pause of the referee that may have made the bot late or lost its stream."""
    machine: str = ""
    """The machine's load, if the bot is late."""
    no_memory: NoMemoryError | None = None


class RunningBot:
    """A bot that has said Hello."""

    def __init__(
        self,
        process: BotProcess,
        endpoint: Endpoint,
        connection: Connection,
        folder: Path,
        pauses: Pauses,
        *,
        exact: bool,
    ) -> None:
        """Take over what `start` started; `exact`: the bot cannot evade the count of CPU time."""
        self._pauses = pauses
        self._process = process
        self._endpoint = endpoint
        self._connection = connection
        self._folder = folder
        self._exact = exact
        self._cores = _cores(exact=exact)
        self._used = process.usage()
        """Its usage at the end of its last decision."""
        self._owed_us = 0
        """CPU time used while stopped, to be charged with the next answer."""
        self._seen_ns = pauses.now_ns()
        """When it was last known to be well: the end of its start or last decision."""
        process.freeze_in(_SECONDS_UNTIL_FROZEN)
        self.usable = True
        """Whether its stream is as the protocol expects; only then the bot plays again."""
        self.blocking_ms = 0
        """How long to block the event loop for an answer, before waiting with the loop."""
        self.seeds: set[str] = set()
        """The master seeds of its matches: it may know their deals."""

    @classmethod
    async def start(
        cls,
        bot_spec: BotSpec,
        startup_ms: int,
        parent: Path,
        sandbox: Sandbox,
        pauses: Pauses,
        *,
        tcp: bool = False,
    ) -> "RunningBot":
        """Start a bot with a folder of its own below `parent`.

        Raise `BotFault` if it does not start, `PausedError` if a pause of the referee may be why,
        and `OSError` or `RefereeError`, such as `NoMemoryError`, if the machine failed.
        """
        began_ns = pauses.now_ns()
        folder = Path(tempfile.mkdtemp(dir=parent))
        endpoint = new_endpoint(bot_spec.transport, tcp=tcp)
        process: BotProcess | None = None
        try:
            await endpoint.open(folder)
            process = await sandbox.start(
                Program(
                    command=bot_spec.command,
                    directory=bot_spec.directory,
                    place=folder,
                    environment=endpoint.environment(sandbox.seen(folder)),
                    piped=bot_spec.transport in PIPED,
                )
            )
            timing = _beginning(process, pauses, _cores(exact=sandbox.level is Level.STRICT_CG))
            connection = await hello(process, endpoint, startup_ms, timing)
        except BaseException as error:
            pause = None
            if process is not None:
                if isinstance(error, BotFault) and not fills_memory(process):
                    pause = pauses.last(began_ns)
                await process.kill()
            failure = None
            if process is not None and isinstance(error, BotFault):
                where = bot_spec.directory, bot_spec.command
                failure = advised(error, endpoint, process.output(), where)
            await endpoint.stop()
            shutil.rmtree(folder, ignore_errors=True)
            if pause is not None:
                raise PausedError(f"{pause}; {bot_spec.name} did not start: {failure}") from None
            if failure is not None:
                raise failure from None
            if isinstance(error, OSError) and error.errno not in OF_THE_MACHINE:
                told = f"{bot_spec.command[0]!r} cannot be started: {error.strerror}"
                reason = explained(told, bot_spec.directory, bot_spec.command)
                raise BotFault(Fault(FaultKind.FAILED_TO_START, reason)) from None
            raise
        exact = sandbox.level is Level.STRICT_CG
        return cls(process, endpoint, connection, folder, pauses, exact=exact)

    async def ask(self, due: Request) -> Answer:
        """Send a request and wait for the answer for as long as the bot may work."""
        stopped_s, lost = await self._wake()
        if lost:
            return await self._lost(stopped_s)
        timing = DecisionTiming(self._pauses, self.measured, self._process)
        reply: bytes | Fault
        try:
            answered = self._connection.exchange(due.payload, self.blocking_ms)
            if isinstance(answered, bytes):
                reply = answered
            else:
                reply = await in_time(timing, due.allowed_us, answered)
        except TimeoutError:
            reply = timeout(due.allowed_us)
        except ConnectionError:
            reply = Fault(FaultKind.DISCONNECTED, f"{ENDED_STREAM}{_after_a_stop(stopped_s)}")
        except BotFault as error:
            reply = error.fault
        measured = timing.measured()
        charged_us = self._owed_us + (measured.worked_us if self._exact else measured.running_us)
        answer = Answer(reply, charged_us, measured)
        if isinstance(reply, Fault) or charged_us > due.allowed_us:
            answer = self._judged(due.allowed_us, timing, answer)
        self._owed_us = 0
        self._used = self._process.last_usage
        if isinstance(answer.reply, Fault):
            answer = await self._ended(answer, answer.reply)
        self._seen_ns = self._pauses.now_ns()
        self._process.freeze_in(_SECONDS_UNTIL_FROZEN)
        return answer

    def _judged(self, allowed_us: int, timing: DecisionTiming, answer: Answer) -> Answer:
        """Add to a late or missing answer what speaks for the bot."""
        reply, measured = answer.reply, answer.measured
        kind = reply.kind if isinstance(reply, Fault) else FaultKind.TIMEOUT
        conditions = timing.conditions(measured)
        pause = None
        if kind is FaultKind.DISCONNECTED:
            pause = self._pauses.last(self._seen_ns)
        elif kind is FaultKind.TIMEOUT and conditions.ran_us // self._cores <= allowed_us:
            pause = self._pauses.last(timing.began_ns - NS_TO_RECOVER)
        pause = None if pause and fills_memory(self._process) else pause
        if isinstance(reply, Fault) and kind is FaultKind.TIMEOUT:
            told = f"it sent {sent}; " if (sent := self._connection.unfinished()) else ""
            uncharged = measured.uncharged(answer.charged_us)
            reply = timeout(allowed_us, uncharged=uncharged, machine=f"{told}{conditions}")
        left_us = allowed_us - self._owed_us
        if self._exact and not isinstance(reply, Fault):
            held_up = unfit = conditions.read_late(left_us)
        else:
            held_up, unfit = conditions.held_up(allowed_us), conditions.unfit(left_us)
        return answer._replace(
            reply=reply,
            held_up=held_up,
            unfit=unfit is not None,
            pause=pause,
            machine=str(conditions) if kind is FaultKind.TIMEOUT else "",
        )

    async def is_connected(self) -> bool:
        """Return whether an idle bot, which owes no answer, still has its stream."""
        if self._stopped_s() < SECONDS_UNTIL_LOST:
            return not await self._connection.was_lost(-math.inf, 0)
        self._go_on()
        lost = await self._connection.was_lost(-math.inf, _SECONDS_TO_WAKE)
        self._process.freeze_in(_SECONDS_UNTIL_FROZEN)
        return not lost

    async def _wake(self) -> tuple[float, bool]:
        """Continue the bot; return the seconds it was stopped, and whether its stream was lost.

        A process that has ended did not lose its stream, but ended it.
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
        """Continue the bot; charge the CPU time it used while stopped with its next answer."""
        self._owed_us += self._process.thaw()

    async def _lost(self, stopped_s: float) -> Answer:
        reason = f"the bot's stream was lost{_after_a_stop(stopped_s)}"
        fault = Fault(FaultKind.DISCONNECTED, reason)
        lost = Answer(fault, 0, NOT_MEASURED, lost=True, pause=self._pauses.last(self._seen_ns))
        return await self._ended(lost, fault)

    async def _ended(self, answer: Answer, fault: Fault) -> Answer:
        """Add to a fault how the process ended, and whether the machine had no memory left."""
        try:
            if fault.kind is FaultKind.DISCONNECTED:
                fault = await self._process.ending(fault.kind, fault.reason)
            self._process.check_memory(fault)
        except NoMemoryError as error:
            return answer._replace(reply=error.fault, no_memory=error)
        return answer._replace(reply=fault)

    def measured(self, began_ns: int) -> Measured:
        """Return the measurements of the decision that began at this monotonic time."""
        return _measured(self._process, self._pauses, self._used, began_ns, self._cores)

    async def tell(self, message: bytes) -> None:
        """Send a message that needs no answer; a bot that does not take it becomes unusable."""
        self._go_on()
        try:
            if not self._connection.begin(message):
                async with asyncio.timeout(_SECONDS_TO_TAKE_A_MESSAGE):
                    await self._connection.sent()
        except (TimeoutError, ConnectionError):
            self.usable = False
        self._process.freeze_in(_SECONDS_UNTIL_FROZEN)

    def begin_match(self) -> None:
        """Drop what was of earlier matches."""
        self._process.forget_output()
        self._process.seems_well()

    def rest(self) -> None:
        """Stop it at once, as it is stopped between matches."""
        self._process.freeze()

    async def left(self) -> BotFault:
        """Return how an idle bot has left that was to stay."""
        self._go_on()
        fault = await self._process.ending(FaultKind.DISCONNECTED, ENDED_STREAM)
        return BotFault(fault, self.output())

    def has_ended(self) -> bool:
        """Return whether its process has ended."""
        return self._process.has_ended()

    def output(self) -> str:
        """Return the end of the bot's output in this match."""
        return self._process.output()

    async def stop(self) -> None:
        """End the stream, kill the whole process tree, and remove the bot's folder."""
        self._connection.close()
        await self._process.kill()
        await self._endpoint.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def _beginning(process: BotProcess, pauses: Pauses, cores: int) -> DecisionTiming:
    """Begin the timing of a new process."""

    def measure(began_ns: int) -> Measured:
        return _measured(process, pauses, Usage(0, 0), began_ns, cores)

    return DecisionTiming(pauses, measure, process, new=True)


def _cores(*, exact: bool) -> int:
    """Return how many cores a bot can keep busy at once; it inherits those of the referee."""
    return Limits().cores if exact else usable_cores()


def _measured(
    process: BotProcess, pauses: Pauses, before: Usage, began_ns: int, cores: int
) -> Measured:
    """Return the measurements since `began_ns`, given the usage before."""
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
    """Return how long a stop lasted, as words for a reason; empty if too short to matter."""
    return f" after it was stopped for {stopped_s:.1f} s" if stopped_s >= SECONDS_UNTIL_LOST else ""
