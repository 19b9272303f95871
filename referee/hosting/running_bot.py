"""A running bot: its process and its stream, over many matches.

It measures; `referee.core.verdicts` decides what a late or missing answer means.
"""

import asyncio
import math
import secrets
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from referee.core.clock import NOT_MEASURED, Measured
from referee.core.errors import UsageError
from referee.core.faults import ENDED_STREAM, BotFault, Fault, FaultKind, timeout
from referee.core.verdicts import (
    SECONDS_UNTIL_LOST,
    Came,
    Facts,
    charged_us,
    judge,
    with_memory,
)
from referee.hosting.manifest import Manifest
from referee.hosting.scripts import explained
from referee.match.decision_timing import DecisionTiming, in_time
from referee.match.match import Request
from referee.match.record import REFEREE_VERSION
from referee.sandbox.freeze.pauses import Pauses
from referee.sandbox.kernel import usable_cores
from referee.sandbox.levels import Sandbox
from referee.sandbox.meter.cpu_meters import Usage
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Limits, Program
from referee.transports import PIPED, TRANSPORTS
from referee.transports.base import Connection, Endpoint
from referee.transports.grpc import GrpcEndpoint

_SECONDS_TO_TAKE_A_MESSAGE = 1.0
_SECONDS_UNTIL_FROZEN = 0.02
"""Freezing costs as much as a decision, so a bot gets this long for its next request to come."""
_SECONDS_TO_WAKE = 0.1


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
    apart: bool = False
    """Whether its processes play only matches of this kind: what they see there, they could print
    in others."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it so that another process makes equal ones once: each match names some."""
        directory = str(self.directory)
        names = self.name, directory, self.command, self.version, self.digest, self.transport
        return _received_spec, (*names, self.made, self.apart)


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
    facts: Facts | None = None
    """The facts that may excuse the bot; None if its message came in time."""

    @property
    def machine(self) -> str:
        """The machine's load, if it may matter."""
        return self.facts.machine if self.facts else ""

    @property
    def reason(self) -> str:
        """Why the bot may forfeit, unless its message came in time."""
        return self.reply.reason if isinstance(self.reply, Fault) else "its answer was late"


class RunningBot:
    """A bot that has sent Hello."""

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
        self.speaks_plain = endpoint.speaks_plain
        """Whether it speaks the plain dialect."""
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

        Raise `BotFault` if it does not start, `OSError` or `RefereeError` if the machine failed.
        """
        began_ns = pauses.now_ns()
        folder = Path(tempfile.mkdtemp(dir=parent))
        endpoint = _new_endpoint(bot_spec.transport, tcp=tcp)
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
            cores = _cores(exact=sandbox.level is Level.STRICT_CG)
            measure = partial(_measured, process, pauses, Usage(0, 0), cores=cores)
            timing = DecisionTiming(pauses, measure, process, new=True)
            connection = await _hello(
                process, endpoint, startup_ms, timing, cores=cores, seen_ns=began_ns
            )
        except BaseException as error:
            failure = None
            if process is not None:
                await process.kill()
                if isinstance(error, BotFault):
                    where = bot_spec.directory, bot_spec.command
                    failure = _advised(error, endpoint, process.output(), where)
            await endpoint.stop()
            shutil.rmtree(folder, ignore_errors=True)
            if failure is not None:
                raise failure from None
            if isinstance(error, OSError):
                if judge(Facts(Came.NO_PROCESS, errno=error.errno)).is_void:
                    raise
                problem = f"{bot_spec.command[0]!r} cannot be started: {error.strerror}"
                reason = explained(problem, bot_spec.directory, bot_spec.command)
                raise BotFault(Fault(FaultKind.FAILED_TO_START, reason)) from None
            raise
        exact = sandbox.level is Level.STRICT_CG
        return cls(process, endpoint, connection, folder, pauses, exact=exact)

    async def ask(self, due: Request) -> Answer:
        """Send a request and wait for the answer for as long as the bot may work."""
        stopped_s, lost = await self._wake()
        timing = DecisionTiming(self._pauses, self.measured, self._process)
        if lost:
            return await self._lost(stopped_s, timing)
        came = Came.MESSAGE
        reply: bytes | Fault = b""
        try:
            answered = self._connection.exchange(due.payload, self.blocking_ms)
            if isinstance(answered, bytes):
                reply = answered
            else:
                reply = await in_time(timing, due.allowed_us, answered)
        except TimeoutError:
            came = Came.NOTHING
        except ConnectionError:
            reason = f"{ENDED_STREAM}{_after_a_stop(stopped_s)}"
            came, reply = Came.END, Fault(FaultKind.DISCONNECTED, reason)
        except BotFault as error:
            came, reply = Came.BREACH, error.fault
        measured = timing.measured()
        charged = charged_us(measured, self._owed_us, exact=self._exact)
        answer = Answer(reply, charged, measured)
        if came is not Came.MESSAGE or charged > due.allowed_us:
            answer = await self._reported(came, due.allowed_us, timing, answer)
        self._owed_us = 0
        self._used = self._process.last_usage
        self._seen_ns = self._pauses.now_ns()
        self._process.freeze_in(_SECONDS_UNTIL_FROZEN)
        return answer

    async def _reported(
        self, came: Came, allowed_us: int, timing: DecisionTiming, answer: Answer
    ) -> Answer:
        """Add to a late or missing answer what may excuse the bot."""
        facts = timing.facts(
            came,
            allowed_us,
            answer.measured,
            owed_us=self._owed_us,
            exact=self._exact,
            cores=self._cores,
            seen_ns=self._seen_ns,
        )
        reply = answer.reply
        if came is Came.NOTHING:
            begun = f"it sent {sent}; " if (sent := self._connection.unfinished()) else ""
            uncharged = answer.measured.uncharged(answer.charged_us)
            reply = timeout(allowed_us, uncharged=uncharged, machine=f"{begun}{facts.machine}")
        if isinstance(reply, Fault):
            reply, facts = await self._ended(reply, facts)
        return answer._replace(reply=reply, facts=facts)

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

    async def _lost(self, stopped_s: float, timing: DecisionTiming) -> Answer:
        reason = f"the bot's stream was lost{_after_a_stop(stopped_s)}"
        fault = Fault(FaultKind.DISCONNECTED, reason)
        facts = timing.facts(Came.LOSS, 0, NOT_MEASURED, seen_ns=self._seen_ns)
        fault, facts = await self._ended(fault, facts)
        return Answer(fault, 0, NOT_MEASURED, facts)

    async def _ended(self, fault: Fault, facts: Facts) -> tuple[Fault, Facts]:
        """Add to a fault how the process ended, and what is known of memory."""
        if fault.kind is FaultKind.DISCONNECTED:
            fault = await self._process.ending(fault.kind, fault.reason)
        return with_memory(fault, facts, self._process.memory(fault))

    def measured(self, began_ns: int) -> Measured:
        """Return the measurements of the decision that began at this monotonic time."""
        return _measured(self._process, self._pauses, self._used, began_ns, self._cores)

    async def notify(self, message: bytes) -> None:
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
        facts = Facts(Came.END, pause=self._pauses.latest(), seen_ns=self._seen_ns)
        fault, facts = await self._ended(Fault(FaultKind.DISCONNECTED, ENDED_STREAM), facts)
        return BotFault(fault, self.output(), facts)

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


def _new_endpoint(transport: str, *, tcp: bool) -> Endpoint:
    """Return the endpoint of a new process; with `tcp`, gRPC listens on loopback TCP."""
    token = secrets.token_urlsafe(24)
    if tcp and transport == "grpc":
        return GrpcEndpoint(token, REFEREE_VERSION, tcp=True)
    return TRANSPORTS[transport](token, REFEREE_VERSION)


async def _hello(
    process: BotProcess, endpoint: Endpoint, startup_ms: int, timing: DecisionTiming, **known: Any
) -> Connection:
    """Wait for a bot's Hello; raise `BotFault` if the bot exits or runs out of time first.

    `known` are facts that only the caller knows.
    """
    connecting = asyncio.ensure_future(endpoint.connection(process.pipes))
    exiting = asyncio.ensure_future(process.exited())
    came, reason = Came.END, ""
    try:
        await in_time(
            timing,
            startup_ms * 1000,
            asyncio.wait((connecting, exiting), return_when=asyncio.FIRST_COMPLETED),
        )
        if connecting.done():
            return connecting.result()
    except TimeoutError:
        came, reason = Came.NOTHING, f" within {startup_ms} ms"
    except BotFault as error:
        reason = error.fault.reason
    finally:
        connecting.cancel()
        exiting.cancel()
    if came is Came.NOTHING or not reason:
        refused = f" ({endpoint.refusal})" if endpoint.refusal else ""
        reason = f"no Hello{refused}{reason}"
    facts = timing.facts(came, startup_ms * 1000, timing.measured(), **known)
    fault = Fault(FaultKind.FAILED_TO_START, reason)
    if came is Came.END:
        fault = await process.ending(fault.kind, reason)
    fault, facts = with_memory(fault, facts, process.memory(fault))
    raise BotFault(fault, facts=facts)


def _advised(
    error: BotFault, endpoint: Endpoint, printed: str, started: tuple[Path, Sequence[str]]
) -> BotFault:
    """Return the error for a bot that sent no Hello, with advice on what may be wrong.

    `started` is its folder and its command.
    """
    fault, facts = error.fault, error.facts
    if facts is None or facts.lacked_memory:
        return BotFault(fault, printed, facts)
    runs = fault.exit_code is None and fault.signal is None
    load = facts.machine if facts.came is Came.NOTHING else ""
    parts = (fault.reason, endpoint.advice(printed, runs=runs), load)
    reason = explained("; ".join(filter(None, parts)), *started, printed)
    rule = endpoint.refusal.rule if endpoint.refusal else fault.rule
    return BotFault(replace(fault, reason=reason, rule=rule), printed, facts)
