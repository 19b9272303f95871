"""Find forfeits of bots whose stream an earlier referee ended by itself.

Until 2026-11-22 a seat's server pinged stopped bots, and ended the stream after a minute without an
answer. The record then says that the bot ended its stream. The truth shows in how long the other
seats took since its last answer, or in the output of its gRPC library.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from courtyard.v1 import record_pb2

from referee.core.faults import ENDED_STREAM, FaultKind

_PING_TIMEOUT_US = 60_000_000
_AT_ONCE_US = 1_000_000
"""The referee notices an already lost stream before the bot can act."""
_REASON = re.compile(re.escape(ENDED_STREAM) + "($|:)")
"""A later referee, which sends no pings, adds how long the bot was stopped."""
_PRINTED = re.compile("ping[_ ]timeout", re.IGNORECASE)


class FalseForfeit(NamedTuple):
    """A forfeit that was most likely not the bot's fault."""

    seat: int
    why: str
    """The evidence."""


def false_forfeits(record: record_pb2.Record, printed: Mapping[int, str]) -> Iterator[FalseForfeit]:
    """Yield the false forfeits of a record; `printed` is each bot's output by seat.

    Only gRPC has pings: the caller must leave out seats of bots on other transports.
    """
    waited_us: dict[int, int] = {}
    for decision in record.decisions:
        seat, took_us = decision.seat, decision.wall_us or decision.elapsed_us
        waited = waited_us.get(seat, 0)
        if _lost_at_once(decision, took_us):
            if waited >= _PING_TIMEOUT_US:
                yield FalseForfeit(seat, f"it was stopped while others thought {waited // 10**6} s")
            elif _PRINTED.search(printed.get(seat, "")):
                yield FalseForfeit(seat, "its gRPC library printed that a ping was not answered")
        for other in waited_us:
            waited_us[other] += took_us
        waited_us[seat] = 0


def _lost_at_once(decision: record_pb2.RecordDecision, took_us: int) -> bool:
    fault = decision.fault
    return (
        decision.HasField("fault")
        and int(fault.kind) == FaultKind.DISCONNECTED
        and _REASON.match(fault.reason) is not None
        and took_us < _AT_ONCE_US
    )
