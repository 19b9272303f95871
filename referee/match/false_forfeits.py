"""Forfeits that earlier referees blamed on bots whose stream the referee itself had ended.

Until 2026-11-22 the server of a seat pinged a bot that was stopped, and ended the stream when there
was no answer for a minute. The record says that the bot ended its stream. What tells the truth is
how long the others had thought since its last answer, or what its gRPC library printed.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from referee.core.faults import ENDED_STREAM, FaultKind
from referee.match.record import Record

_PING_TIMEOUT_US = 60_000_000
_AT_ONCE_US = 1_000_000
"""A stream that is lost already is found so before the bot can do anything."""
_REASON = re.compile(re.escape(ENDED_STREAM) + "($|:)")
"""A referee that pings nobody goes on with how long the bot was stopped, if that was for long."""
_PRINTED = re.compile("ping[_ ]timeout", re.IGNORECASE)


class FalseForfeit(NamedTuple):
    """A forfeit that was most likely no bot's fault."""

    seat: int
    why: str
    """What shows it."""


def false_forfeits(record: Record, printed: Mapping[int, str]) -> Iterator[FalseForfeit]:
    """Yield the false forfeits of a match by its record, and by what the bots printed, by seat.

    Only gRPC has pings: seats of bots on other carriers are the caller's to leave out.
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


def _lost_at_once(decision: Any, took_us: int) -> bool:
    fault = decision.fault
    return (
        decision.HasField("fault")
        and fault.kind == FaultKind.DISCONNECTED
        and _REASON.match(fault.reason) is not None
        and took_us < _AT_ONCE_US
    )
