"""The ladder's values as the door's messages. `answers` decides what an author may see."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from courtyard.v1 import ladder_pb2 as pb
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from ladder.model.bots import SubmissionOutcome, Version
from ladder.model.matches import MatchLine, MatchState, SeatLine, SeatResult
from ladder.results.author_log import Lived, Thought
from ladder.results.standings import Standing
from ladder.server.public.snapshot import About
from referee.core.clock import ClockConfig
from referee.core.faults import Fault, FaultKind

_STATES = {
    MatchState.PLANNED: pb.MATCH_STATE_PLANNED,
    MatchState.RUNNING: pb.MATCH_STATE_RUNNING,
    MatchState.DONE: pb.MATCH_STATE_DONE,
    MatchState.VOID: pb.MATCH_STATE_VOID,
}
_OUTLOOKS = {
    SubmissionOutcome.NEW: pb.OUTLOOK_NEW,
    SubmissionOutcome.UNCHANGED: pb.OUTLOOK_UNCHANGED,
    SubmissionOutcome.RETURNED: pb.OUTLOOK_RETURNED,
    SubmissionOutcome.REJECTED: pb.OUTLOOK_REJECTED,
}


def timestamp(stored: str) -> Timestamp:
    """Return a time that is stored in ISO 8601."""
    found = Timestamp()
    found.FromDatetime(datetime.fromisoformat(stored))
    return found


def clock_fields(clock: ClockConfig) -> dict[str, int]:
    """Return the fields of a clock's message."""
    return {
        "startup_ms": clock.startup_ms,
        "decision_limit_ms": clock.decision_limit_ms,
        "bank_ms": clock.bank_ms,
        "increment_ms": clock.increment_ms,
    }


def version_message(version: Version, about: About, *, own: bool) -> pb.Version:
    """Return a version as its author sees it, or as others do."""
    return pb.Version(
        bot=version.bot,
        number=version.number,
        active=version.active,
        submitted_at=timestamp(version.submitted_at),
        language=about.language,
        description=about.description,
        own=own,
        digest=version.digest if own else "",
        rejected=(version.rejected or "") if own else "",
    )


def submission_message(
    version: pb.Version, outlook: str, replaced: int | None, *, was_retired: bool
) -> pb.Submission:
    """Return what a submission did."""
    return pb.Submission(
        version=version,
        outlook=_OUTLOOKS[SubmissionOutcome(outlook)],
        replaced=replaced,
        was_retired=was_retired,
    )


def standing_message(row: Standing) -> pb.Standing:
    """Return a line of the standings."""
    return pb.Standing(
        rank=row.rank,
        bot=row.bot,
        version=row.version,
        mu=row.mu,
        sigma=row.sigma,
        matches=row.matches,
        win_share=row.win_share,
        average_points=row.average_points,
        fault_rate=row.fault_rate,
        rank_interval=_interval(row.rank_low, row.rank_high),
        better_than_next=row.better_than_next,
        matches_to_separate=row.matches_to_separate,
        blocks=row.blocks,
        provisional=row.provisional,
    )


def match_message(line: MatchLine, own: Collection[str], *, public: bool) -> pb.Match:
    """Return a match for the author of these bots."""
    seats = [_seat_message(seat, own, public=public) for seat in line.seats]
    message = pb.Match(
        match_id=line.match_id,
        round=line.round,
        index=line.index,
        state=_STATES[line.state],
        public=public,
        seats=seats,
    )
    if public and line.finished_at is not None:
        message.decisions = line.decisions or 0
        message.finished_at.CopyFrom(timestamp(line.finished_at))
    return message


def log_message(lived: Lived, match: pb.Match, *, whole: bool) -> pb.Log:
    """Return how a bot lived through a match; whole: with what it printed."""
    return pb.Log(
        match=match,
        seat=lived.seat,
        thoughts=[_thought_message(thought) for thought in lived.thoughts],
        fault=fault_fields(lived.fault) if lived.fault else None,
        has_printed=bool(lived.printed),
        printed=(lived.printed or "") if whole else "",
    )


def fault_fields(fault: Fault) -> Any:
    """Return the fields of a fault's message."""
    return {
        "kind": fault.kind.value,
        "reason": fault.reason,
        "overrun_ms": fault.overrun_ms,
        "exit_code": fault.exit_code,
        "signal": fault.signal,
        "received": fault.received,
    }


def _seat_message(seat: SeatLine, own: Collection[str], *, public: bool) -> pb.MatchSeat:
    if seat.version is None:
        return pb.MatchSeat(outcome=_outcome(seat.result) if public else None)
    mine = seat.version.bot in own
    return pb.MatchSeat(
        bot=seat.version.bot,
        version=seat.version.number,
        own=mine,
        outcome=_outcome(seat.result) if public or mine else None,
    )


def _outcome(result: SeatResult | None) -> Any:
    if result is None:
        return None
    forfeit = FaultKind[result.forfeit].value if result.forfeit else 0
    return {"rank": result.rank, "points": result.points, "forfeit": forfeit}


def _thought_message(thought: Thought) -> pb.Thought:
    return pb.Thought(
        number=thought.number,
        charged=_duration(thought.charged_us),
        wall=_duration(thought.wall_us),
        cpu=_duration(thought.cpu_us),
        delay=_duration(thought.delay_us),
        bank_left=_duration(thought.bank_left_us),
    )


def _duration(us: int) -> Duration:
    found = Duration()
    found.FromMicroseconds(us)
    return found


def _interval(low: float | None, high: float | None) -> pb.Interval | None:
    return None if low is None or high is None else pb.Interval(low=low, high=high)
