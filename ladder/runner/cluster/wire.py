"""What a run and the workers of a cluster tell each other: plain data, packed as MessagePack.

A batch of matches goes to a worker; how they ended, or why the worker refuses them, comes back. An
order names a bot by the digest of its files, as the worker keeps files of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import msgpack

from ladder.model.bots import Version
from ladder.model.errors import LadderError
from ladder.model.matches import PlannedMatch, Played, SeatResult
from ladder.runner.worker import Failed
from referee.core.clock import ClockConfig
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec


@dataclass(frozen=True, slots=True)
class BotOrder:
    """A local bot that a worker is to run."""

    name: str
    version: str
    digest: str
    """Identifies its files; 64 hex digits."""
    build: tuple[tuple[str, ...], ...]
    """The commands that build it; often none."""
    network: bool
    """Whether its build may use the network."""
    command: tuple[str, ...]
    transport: str


@dataclass(frozen=True, slots=True)
class MatchOrder:
    """A match that a worker is to play."""

    match_id: str
    game: str
    seats: tuple[BotOrder | None, ...]
    """None: the stand-in."""
    master_seed: str
    config: Mapping[str, Any]
    clock: ClockConfig
    patient: bool
    request_step_ms: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What a run asks of every worker."""

    courtyard: str
    """The Courtyard that the run is of, by `edition.edition`."""
    level: str
    """The level at which bots are contained."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Matches for one core of a worker, which plays them one after the other."""

    terms: Terms
    orders: tuple[MatchOrder, ...]


@dataclass(frozen=True, slots=True)
class BatchEnded:
    """How the matches of a batch ended."""

    worker: str
    """The worker's name."""
    seconds: float
    """How long the worker took."""
    outcomes: tuple[Played | Failed, ...]


@dataclass(frozen=True, slots=True)
class WorkerRefused:
    """A worker plays nothing for this run."""

    worker: str
    reason: str


def order_of(
    match: PlannedMatch, spec: MatchSpec, may_use_network: Callable[[Version], bool]
) -> MatchOrder:
    """Return what to ask of a worker; the builds of some versions `may_use_network`."""
    versions = {version.digest: version for version in match.seats if version is not None}
    seats = [
        None
        if bot is None
        else BotOrder(
            name=bot.name,
            version=bot.version,
            digest=bot.digest,
            build=(version := versions[bot.digest]).build,
            network=bool(version.build) and may_use_network(version),
            command=bot.command,
            transport=bot.transport,
        )
        for bot in spec.seats
    ]
    return MatchOrder(
        match_id=spec.match_id,
        game=spec.game,
        seats=tuple(seats),
        master_seed=spec.master_seed,
        config=spec.config,
        clock=spec.clock,
        patient=spec.patient,
        request_step_ms=spec.request_step_ms,
    )


def spec_of(order: MatchOrder, bots: Mapping[str, tuple[Path, int]]) -> MatchSpec:
    """Return a match as a worker plays it; `bots` has the folder of each digest, and its making."""
    seats = [
        None
        if bot is None
        else BotSpec(
            name=bot.name,
            directory=bots[bot.digest][0],
            command=bot.command,
            version=bot.version,
            digest=bot.digest,
            transport=bot.transport,
            made=bots[bot.digest][1],
        )
        for bot in order.seats
    ]
    return MatchSpec(
        match_id=order.match_id,
        game=order.game,
        seats=tuple(seats),
        master_seed=order.master_seed,
        config=order.config,
        clock=order.clock,
        patient=order.patient,
        request_step_ms=order.request_step_ms,
    )


def pack_batch(batch: Batch) -> bytes:
    """Return a batch as it travels."""
    return _packed({"terms": batch.terms, "orders": batch.orders})


def unpack_batch(packed: bytes) -> Batch:
    """Return a batch that arrived; raise `LadderError` if it is none."""
    try:
        content = msgpack.unpackb(packed, strict_map_key=False)
        return Batch(Terms(**content["terms"]), tuple(map(_order, content["orders"])))
    except _BROKEN as error:
        raise LadderError(f"malformed batch of matches: {error!r}") from None


def pack_answer(answer: BatchEnded | WorkerRefused) -> bytes:
    """Return a worker's answer as it travels."""
    if isinstance(answer, WorkerRefused):
        return _packed({"refused": answer})
    outcomes = [
        {"played" if isinstance(outcome, Played) else "failed": outcome}
        for outcome in answer.outcomes
    ]
    return _packed({"worker": answer.worker, "seconds": answer.seconds, "outcomes": outcomes})


def unpack_answer(packed: bytes) -> BatchEnded | WorkerRefused:
    """Return a worker's answer that arrived; raise `LadderError` if it is none."""
    try:
        content = msgpack.unpackb(packed, strict_map_key=False)
        if "refused" in content:
            return WorkerRefused(**content["refused"])
        outcomes = tuple(map(_outcome, content["outcomes"]))
        return BatchEnded(str(content["worker"]), float(content["seconds"]), outcomes)
    except _BROKEN as error:
        raise LadderError(f"malformed answer of a worker: {error!r}") from None


_BROKEN = (ValueError, TypeError, KeyError, AttributeError, msgpack.UnpackException)


def _packed(content: Mapping[str, Any]) -> bytes:
    packed = msgpack.packb(content, default=_fields)
    if not isinstance(packed, bytes):
        raise TypeError(type(packed))
    return packed


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of one of our values, without copies as by `dataclasses.asdict`."""
    if isinstance(value, Mapping):
        return dict(value)
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _order(order: Mapping[str, Any]) -> MatchOrder:
    seats = tuple(None if seat is None else _bot(seat) for seat in order["seats"])
    return MatchOrder(**{**order, "seats": seats, "clock": ClockConfig(**order["clock"])})


def _bot(bot: Mapping[str, Any]) -> BotOrder:
    build = tuple(tuple(step) for step in bot["build"])
    return BotOrder(**{**bot, "build": build, "command": tuple(bot["command"])})


def _outcome(outcome: Mapping[str, Any]) -> Played | Failed:
    if "failed" in outcome:
        return Failed(**outcome["failed"])
    played = outcome["played"]
    seats = tuple(SeatResult(**seat) for seat in played["seats"])
    thinking_s = tuple(map(float, played["thinking_s"]))
    return Played(**{**played, "seats": seats, "thinking_s": thinking_s})
