"""Open a bot's endpoint, wait for its Hello, and explain why none came."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.core.faults import BotFault, Fault, FaultKind
from referee.core.verdicts import Came, with_memory
from referee.hosting.scripts import explained
from referee.match.deadline import in_time
from referee.match.decision_timing import DecisionTiming
from referee.match.record import REFEREE_VERSION
from referee.sandbox.process import BotProcess
from referee.transports import TRANSPORTS
from referee.transports.base import Connection, Endpoint
from referee.transports.grpc import GrpcEndpoint


def new_endpoint(transport: str, *, tcp: bool) -> Endpoint:
    """Return the endpoint of a new process; with `tcp`, gRPC listens on loopback TCP."""
    token = secrets.token_urlsafe(24)
    if tcp and transport == "grpc":
        return GrpcEndpoint(token, REFEREE_VERSION, tcp=True)
    return TRANSPORTS[transport](token, REFEREE_VERSION)


async def hello(
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


def advised(
    error: BotFault, endpoint: Endpoint, printed: str, started: tuple[Path, Sequence[str]]
) -> BotFault:
    """Return the error for a bot that said no Hello, with advice on what may be wrong.

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
