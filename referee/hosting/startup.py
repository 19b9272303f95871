"""Open a bot's endpoint, wait for its Hello, and explain why none came."""

import asyncio
import errno
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from referee.core.faults import BotFault, Fault, FaultKind
from referee.hosting.scripts import explained
from referee.match.deadline import in_time
from referee.match.decision_timing import DecisionTiming
from referee.match.record import REFEREE_VERSION
from referee.sandbox.process import BotProcess
from referee.transports import TRANSPORTS
from referee.transports.base import Connection, Endpoint
from referee.transports.grpc import GrpcEndpoint

OF_THE_MACHINE = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC)
"""Errors of starting a command for which the machine is to blame."""


def new_endpoint(transport: str, *, tcp: bool) -> Endpoint:
    """Return the endpoint of a new process; with `tcp`, gRPC listens on loopback TCP."""
    token = secrets.token_urlsafe(24)
    if tcp and transport == "grpc":
        return GrpcEndpoint(token, REFEREE_VERSION, tcp=True)
    return TRANSPORTS[transport](token, REFEREE_VERSION)


async def hello(
    process: BotProcess, endpoint: Endpoint, startup_ms: int, timing: DecisionTiming
) -> Connection:
    """Wait for a bot's Hello; raise `BotFault` if the bot exits or runs out of time first."""
    connecting = asyncio.ensure_future(endpoint.connection(process.pipes))
    exiting = asyncio.ensure_future(process.exited())
    try:
        await in_time(
            timing,
            startup_ms * 1000,
            asyncio.wait((connecting, exiting), return_when=asyncio.FIRST_COMPLETED),
        )
    except TimeoutError:
        raise _late(endpoint, startup_ms, timing) from None
    else:
        return await _result(connecting, process, endpoint)
    finally:
        connecting.cancel()
        exiting.cancel()


async def _result(
    connecting: "asyncio.Future[Connection]", process: BotProcess, endpoint: Endpoint
) -> Connection:
    if not connecting.done():
        reason = f"no Hello{_refused(endpoint)}"
        raise BotFault(await process.ending(FaultKind.FAILED_TO_START, reason))
    try:
        return connecting.result()
    except BotFault as error:
        fault = await process.ending(FaultKind.FAILED_TO_START, error.fault.reason)
        raise BotFault(fault) from None


def _late(endpoint: Endpoint, startup_ms: int, timing: DecisionTiming) -> BotFault:
    """Return the error for a bot that did not say Hello in time."""
    conditions = timing.conditions(timing.measured())
    reason = f"no Hello{_refused(endpoint)} within {startup_ms} ms"
    held_up = conditions.held_up(startup_ms * 1000)
    return BotFault(
        Fault(FaultKind.FAILED_TO_START, reason),
        machine=str(conditions),
        void_reason=f"{reason}: {conditions}" if held_up else "",
    )


def advised(
    error: BotFault, endpoint: Endpoint, printed: str, started: tuple[Path, Sequence[str]]
) -> BotFault:
    """Return the error for a bot that said no Hello, with advice on what may be wrong.

    `started` is its folder and its command.
    """
    fault = error.fault
    runs = fault.exit_code is None and fault.signal is None
    parts = (fault.reason, endpoint.advice(printed, runs=runs), error.machine)
    reason = explained("; ".join(filter(None, parts)), *started, printed)
    rule = endpoint.refusal.rule if endpoint.refusal else fault.rule
    fault = replace(fault, reason=reason, rule=rule)
    return BotFault(fault, printed, void_reason=error.void_reason)


def _refused(endpoint: Endpoint) -> str:
    return f" ({endpoint.refusal})" if endpoint.refusal else ""
