"""Encodes the ladder's values as messages, as far as a viewer may see them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from courtyard.v1 import ladder_pb2 as pb
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from ladder.model.bots import Submission, SubmissionOutcome, Version
from ladder.model.incidents import Incident, IncidentKind
from ladder.model.matches import MatchLine, MatchState, SeatResult
from ladder.model.rules import RulesPlayed
from ladder.results.author_log import Lived, Thought
from ladder.results.standings import Standing
from ladder.results.visibility import Visible
from ladder.server.public.snapshot import About
from referee.core.clock import ClockConfig
from referee.core.faults import Fault, FaultKind

_STATES = {
    MatchState.PLANNED: pb.MATCH_STATE_PLANNED,
    MatchState.RUNNING: pb.MATCH_STATE_RUNNING,
    MatchState.DONE: pb.MATCH_STATE_DONE,
    MatchState.VOID: pb.MATCH_STATE_VOID,
    MatchState.DROPPED: pb.MATCH_STATE_DROPPED,
}
_OUTLOOKS = {
    SubmissionOutcome.NEW: pb.OUTLOOK_NEW,
    SubmissionOutcome.UNCHANGED: pb.OUTLOOK_UNCHANGED,
    SubmissionOutcome.RETURNED: pb.OUTLOOK_RETURNED,
    SubmissionOutcome.REJECTED: pb.OUTLOOK_REJECTED,
}

_INCIDENTS = {
    IncidentKind.INTERRUPTED: pb.INCIDENT_KIND_INTERRUPTED,
    IncidentKind.PAUSED: pb.INCIDENT_KIND_PAUSED,
    IncidentKind.RETRIED: pb.INCIDENT_KIND_RETRIED,
    IncidentKind.GIVEN_UP: pb.INCIDENT_KIND_GIVEN_UP,
    IncidentKind.VOID: pb.INCIDENT_KIND_VOID,
    IncidentKind.ANNULLED: pb.INCIDENT_KIND_ANNULLED,
    IncidentKind.RETRACTED: pb.INCIDENT_KIND_RETRACTED,
}


def timestamp(stored: str) -> Timestamp:
    """Convert a stored time, which is in ISO 8601."""
    found = Timestamp()
    found.FromDatetime(datetime.fromisoformat(stored))
    return found


def clock_fields(clock: ClockConfig) -> dict[str, int]:
    """Return a clock as fields of a message."""
    return {
        "startup_ms": clock.startup_ms,
        "decision_limit_ms": clock.decision_limit_ms,
        "bank_ms": clock.bank_ms,
        "increment_ms": clock.increment_ms,
    }


def version_message(version: Version, about: About, *, own: bool) -> pb.Version:
    """Encode a version, for its author (`own`) or for others."""
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


def submission_message(version: pb.Version, done: Submission) -> pb.Submission:
    """Encode the result of a submission."""
    return pb.Submission(
        version=version,
        outlook=_OUTLOOKS[done.outcome],
        replaced=done.replaced.number if done.replaced else None,
        was_retired=done.was_retired,
    )


def standing_message(row: Standing) -> pb.Standing:
    """Encode a row of the standings."""
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


def rules_messages(rules: RulesPlayed) -> list[pb.RulesPlayed]:
    """Encode which versions of the rules count."""
    by_state = ((rules.counted, False), (rules.dropped, True))
    return [
        pb.RulesPlayed(version=version, matches=matches, dropped=dropped)
        for played, dropped in by_state
        for version, matches in played.items()
    ]


def match_message(line: MatchLine, may: Visible) -> pb.Match:
    """Encode a match as far as a viewer may see it."""
    seats = [_seat_message(line, seat, may) for seat in range(len(line.seats))]
    message = pb.Match(
        match_id=line.match_id,
        round=line.round,
        index=line.index,
        state=_STATES[line.state],
        public=may.result,
        seats=seats,
    )
    if may.result and line.finished_at is not None:
        message.decisions = line.decisions or 0
        message.finished_at.CopyFrom(timestamp(line.finished_at))
    return message


def log_message(lived: Lived, match: pb.Match, *, whole: bool) -> pb.Log:
    """Encode the log of a bot in a match; `whole` includes the bot's output."""
    return pb.Log(
        match=match,
        seat=lived.seat,
        thoughts=[_timing_message(timing) for timing in lived.thoughts],
        fault=fault_fields(lived.fault) if lived.fault else None,
        has_printed=bool(lived.printed),
        printed=(lived.printed or "") if whole else "",
    )


def incidents_message(match: pb.Match, happened: Sequence[Incident]) -> pb.MatchIncidents:
    """Encode what happened to a match, as far as its viewer may know it."""
    told = [
        pb.Incident(
            kind=_INCIDENTS[each.kind], why=each.why, happened_at=timestamp(each.happened_at)
        )
        for each in happened
    ]
    return pb.MatchIncidents(match=match, incidents=told)


def fault_fields(fault: Fault) -> Any:
    """Return a fault as fields of a message."""
    return {
        "kind": fault.kind.value,
        "reason": fault.reason,
        "overrun_ms": fault.overrun_ms,
        "exit_code": fault.exit_code,
        "signal": fault.signal,
        "received": fault.received,
    }


def _seat_message(line: MatchLine, number: int, may: Visible) -> pb.MatchSeat:
    seat = line.seats[number]
    outcome = _outcome(seat.result) if may.outcome(number) else None
    if seat.version is None:
        return pb.MatchSeat(outcome=outcome)
    return pb.MatchSeat(
        bot=seat.version.bot,
        version=seat.version.number,
        own=number in may.own_seats,
        outcome=outcome,
    )


def _outcome(result: SeatResult | None) -> Any:
    if result is None:
        return None
    forfeit = FaultKind[result.forfeit].value if result.forfeit else 0
    return {"rank": result.rank, "points": result.points, "forfeit": forfeit}


def _timing_message(timing: Thought) -> pb.Thought:
    return pb.Thought(
        number=timing.number,
        charged=_duration(timing.charged_us),
        wall=_duration(timing.wall_us),
        cpu=_duration(timing.cpu_us),
        delay=_duration(timing.delay_us),
        bank_left=_duration(timing.bank_left_us),
    )


def _duration(us: int) -> Duration:
    found = Duration()
    found.FromMicroseconds(us)
    return found


def _interval(low: float | None, high: float | None) -> pb.Interval | None:
    return None if low is None or high is None else pb.Interval(low=low, high=high)
