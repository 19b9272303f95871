"""Records of matches: packed for the store, and what the ladder itself reads of them.

Packed is the record's deterministic protobuf encoding, compressed by zlib. The messages are the
referee's own: here they are only handed through.
"""

import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError

from ladder.model.errors import StoreError
from ladder.model.matches import Played, SeatResult
from referee.core.errors import RefereeError
from referee.core.faults import Fault, FaultKind
from referee.match.record import record_from_json
from referee.wire.envelope import read_fault

if TYPE_CHECKING:
    from referee.hosting.host import MatchSpec

_Record = type(record_from_json("{}"))


def pack(record: Any, printed: Mapping[int, str], spec: "MatchSpec") -> Played:
    """Return the result of the match that was to be played; `RefereeError` if it is not of it.

    `printed` is the end of what the bots printed in it, by seat.
    """
    if record.match_id != spec.match_id or len(record.outcomes) != len(spec.seats):
        raise RefereeError(f"the record is of another match: {record.match_id!r}")
    return Played(
        match_id=record.match_id,
        seats=seat_results(record),
        decisions=len(record.decisions),
        record=zlib.compress(record.SerializeToString(deterministic=True)),
        printed=dict(printed),
        paused_s=sum(record.pauses_us) / 1e6,
    )


def unpack(packed: bytes) -> Any:
    """Return the record that was packed; raise `StoreError` if it is damaged.

    A record has one encoding: what decodes to one, but is encoded otherwise, was not packed here.
    """
    inflater = zlib.decompressobj()
    try:
        encoded = inflater.decompress(packed)
        record = _Record.FromString(encoded)
    except (zlib.error, DecodeError) as error:
        raise StoreError(f"the stored record is damaged: {error}") from error
    if not inflater.eof or inflater.unused_data:
        raise StoreError("the stored record is damaged: it is cut short, or more stands after it")
    if record.SerializeToString(deterministic=True) != encoded:
        raise StoreError("the stored record is damaged: it is not in its canonical encoding")
    return record


def fault_of(record: Any, seat: int) -> Fault | None:
    """Return the fault by which a seat forfeited, if it did."""
    faults = (d.fault for d in record.decisions if d.seat == seat and d.HasField("fault"))
    return next(map(read_fault, faults), None)


def seat_results(record: Any) -> tuple[SeatResult, ...]:
    """Return how the seats came out, by the record alone; the index is the seat."""
    return tuple(
        SeatResult(
            rank=outcome.rank,
            points=outcome.points,
            forfeit=FaultKind(outcome.forfeit).name if outcome.forfeit else None,
        )
        for outcome in record.outcomes
    )
