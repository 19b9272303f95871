"""Packs the referee's records of matches for the database, and reads results from them.

A packed record is its deterministic protobuf encoding, compressed with zlib.
"""

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from ladder.model.errors import StoreError
from ladder.model.matches import DecisionTime, Played, SeatResult
from referee.core.errors import RefereeError
from referee.core.faults import Fault, FaultKind
from referee.match.record import Record
from referee.wire.envelope import read_fault

if TYPE_CHECKING:
    from referee.hosting.match_runner import MatchSpec

_LEVEL = 4
"""Of compression: the default takes 1.6 times as long, for a hundredth of the size."""


def pack(record: Record, printed: Mapping[int, str], spec: "MatchSpec") -> Played:
    """Return a match as it is stored.

    Raise `RefereeError` if the record is of another match, or if other rules than those of the
    ladder's machine played it.

    `printed` is the end of the bots' output, by seat.
    """
    if record.match_id != spec.match_id or len(record.outcomes) != len(spec.seats):
        raise RefereeError(f"the record is of another match: {record.match_id!r}")
    if spec.rules_version not in ("", record.rules_version):
        raise RefereeError(
            f"the worker plays {record.game} by rules {record.rules_version!r}, the ladder by "
            f"rules {spec.rules_version!r}: install the same game for both"
        )
    return Played(
        match_id=record.match_id,
        seats=seat_results(record),
        decisions=len(record.decisions),
        record=zlib.compress(record.SerializeToString(deterministic=True), _LEVEL),
        rules_version=record.rules_version,
        printed=dict(printed),
        paused_s=sum(record.pauses_us) / 1e6,
        thinking_s=_thinking_s(record),
    )


def _thinking_s(record: Record) -> tuple[float, ...]:
    thinking_us = [0] * len(record.outcomes)
    for decision in record.decisions:
        thinking_us[decision.seat] += decision.elapsed_us
    return tuple(each / 1e6 for each in thinking_us)


def unpack(packed: bytes) -> Record:
    """Return the packed record; raise `StoreError` if it is damaged.

    Only the canonical encoding is accepted: `pack` writes no other.
    """
    inflater = zlib.decompressobj()
    try:
        encoded = inflater.decompress(packed)
        record = Record.FromString(encoded)
    except (zlib.error, DecodeError) as error:
        raise StoreError(f"the stored record is damaged: {error}") from error
    if not inflater.eof or inflater.unused_data:
        raise StoreError("the stored record is damaged: it is truncated, or data follows it")
    if record.SerializeToString(deterministic=True) != encoded:
        raise StoreError("the stored record is damaged: it is not in its canonical encoding")
    return record


def fault_of(record: Record, seat: int) -> Fault | None:
    """Return the fault that a seat forfeited by; None if it did not forfeit."""
    faults = (d.fault for d in record.decisions if d.seat == seat and d.HasField("fault"))
    with _known_faults():
        return next(map(read_fault, faults), None)


def seat_results(record: Record) -> tuple[SeatResult, ...]:
    """Return the result of each seat according to the record, in order of seats."""
    with _known_faults():
        return tuple(
            SeatResult(
                rank=outcome.rank,
                points=outcome.points,
                forfeit=FaultKind(outcome.forfeit).name if outcome.forfeit else None,
            )
            for outcome in record.outcomes
        )


@contextmanager
def _known_faults() -> Iterator[None]:
    """Report a fault of no kind, which no referee writes, as damage."""
    try:
        yield
    except ValueError as error:
        raise StoreError(f"the stored record is damaged: {error}") from error


def decision_times_of(record: Record, seat: int) -> list[DecisionTime]:
    """Return the times of a seat's decisions by the record, up to the one that it forfeited by."""
    return list(_decision_times(record, seat))


def _decision_times(record: Record, seat: int) -> Iterator[DecisionTime]:
    own = (
        d for d in record.decisions if d.seat == seat and (d.HasField("fault") or not d.stand_in)
    )
    for number, decision in enumerate(own, start=1):
        yield DecisionTime(
            number=number,
            charged_us=decision.elapsed_us,
            wall_us=decision.wall_us or decision.elapsed_us,  # older records have the one alone
            cpu_us=decision.cpu_us,
            delay_us=decision.delay_us,
            bank_left_us=decision.bank_left_us,
        )
