"""Decodes messages of the author API into the ladder's values."""

from courtyard.v1 import ladder_pb2 as pb
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from ladder.model.bots import Submission, SubmissionOutcome, ValidationResult, Version
from ladder.model.incidents import Incident, IncidentKind
from ladder.model.matches import MatchLine, MatchState, SeatLine, SeatResult
from ladder.model.ratings import Rating
from ladder.model.rules import RulesPlayed
from ladder.results.author_log import Lived, Thought
from ladder.results.standings import Standing
from referee.core.faults import Fault, FaultKind

_STATES = {
    pb.MATCH_STATE_PLANNED: MatchState.PLANNED,
    pb.MATCH_STATE_RUNNING: MatchState.RUNNING,
    pb.MATCH_STATE_DONE: MatchState.DONE,
    pb.MATCH_STATE_VOID: MatchState.VOID,
    pb.MATCH_STATE_DROPPED: MatchState.DROPPED,
}
_OUTLOOKS = {
    pb.OUTLOOK_NEW: SubmissionOutcome.NEW,
    pb.OUTLOOK_UNCHANGED: SubmissionOutcome.UNCHANGED,
    pb.OUTLOOK_RETURNED: SubmissionOutcome.RETURNED,
    pb.OUTLOOK_REJECTED: SubmissionOutcome.REJECTED,
}

_INCIDENTS = {
    pb.INCIDENT_KIND_INTERRUPTED: IncidentKind.INTERRUPTED,
    pb.INCIDENT_KIND_PAUSED: IncidentKind.PAUSED,
    pb.INCIDENT_KIND_RETRIED: IncidentKind.RETRIED,
    pb.INCIDENT_KIND_GIVEN_UP: IncidentKind.GIVEN_UP,
    pb.INCIDENT_KIND_VOID: IncidentKind.VOID,
    pb.INCIDENT_KIND_ANNULLED: IncidentKind.ANNULLED,
    pb.INCIDENT_KIND_RETRACTED: IncidentKind.RETRACTED,
}


def stored_time(message: Timestamp) -> str:
    """Convert a time to the form in which the ladder stores it."""
    return f"{message.ToDatetime().isoformat(timespec='seconds')}+00:00"


def version_of(message: pb.Version) -> Version:
    """Decode a version; the message does not hold its command."""
    return Version(
        id=0,
        bot=message.bot,
        number=message.number,
        digest=message.digest,
        command=(),
        active=message.active,
        submitted_at=stored_time(message.submitted_at),
        rejected=message.rejected or None,
    )


def submission_of(message: pb.Submission) -> Submission:
    """Decode the result of a submission."""
    version = version_of(message.version)
    replaced = _named(version.bot, message.replaced) if message.HasField("replaced") else None
    return Submission(version, _OUTLOOKS[message.outlook], replaced, message.was_retired)


def validation_of(message: pb.GetTrialResponse) -> ValidationResult | None:
    """Decode a version's validation, without its record; None if there was none."""
    if not message.HasField("tried_at"):
        return None
    return ValidationResult(
        rejected=message.version.rejected or None,
        build_log=message.build_log or None,
        printed=message.printed,
        tried_at=stored_time(message.tried_at),
    )


def standing_of(message: pb.Standing) -> Standing:
    """Decode a row of the standings."""

    def known(name: str) -> float | None:
        return getattr(message, name) if message.HasField(name) else None

    ranks, ranked = message.rank_interval, message.HasField("rank_interval")
    more = message.matches_to_separate if message.HasField("matches_to_separate") else None
    return Standing(
        rank=message.rank,
        bot=message.bot,
        version=message.version,
        mu=message.mu,
        sigma=message.sigma,
        conservative=Rating(message.mu, message.sigma).conservative,
        matches=message.matches,
        win_share=known("win_share"),
        average_points=known("average_points"),
        fault_rate=known("fault_rate"),
        rank_low=round(ranks.low) if ranked else None,
        rank_high=round(ranks.high) if ranked else None,
        better_than_next=known("better_than_next"),
        matches_to_separate=more,
        blocks=message.blocks,
        provisional=message.provisional,
    )


def rules_of(message: pb.ListStandingsResponse) -> RulesPlayed:
    """Decode which versions of the rules count."""
    counted = {
        each.version: each.matches if each.HasField("matches") else None
        for each in message.rules
        if not each.dropped
    }
    dropped = {each.version: each.matches for each in message.rules if each.dropped}
    return RulesPlayed(counted, dropped)


def match_of(message: pb.Match) -> MatchLine:
    """Decode a match."""
    finished = message.HasField("finished_at")
    return MatchLine(
        match_id=message.match_id,
        round=message.round,
        index=message.index,
        state=_STATES[message.state],
        attempts=0,
        reason=None,
        decisions=message.decisions if finished else None,
        finished_at=stored_time(message.finished_at) if finished else None,
        seats=tuple(_seat(seat) for seat in message.seats),
    )


def lived_of(message: pb.Log) -> Lived:
    """Decode the log of a bot in a match.

    A list of logs omits the bot's output; "..." stands for it.
    """
    match = match_of(message.match)
    version, result = match.seats[message.seat].version, match.seats[message.seat].result
    if version is None or result is None:
        raise ValueError("the log is of a seat without a result")
    return Lived(
        match=match,
        seat=message.seat,
        version=version,
        result=result,
        thoughts=[_timing(timing) for timing in message.thoughts],
        fault=_fault(message) if message.HasField("fault") else None,
        printed=message.printed or ("..." if message.has_printed else None),
    )


def incidents_of(message: pb.MatchIncidents) -> list[tuple[Incident, MatchLine]]:
    """Decode what happened to a match."""
    match = match_of(message.match)
    return [
        (
            Incident(
                match.match_id, _INCIDENTS[each.kind], each.why, stored_time(each.happened_at)
            ),
            match,
        )
        for each in message.incidents
    ]


def _named(bot: str, number: int) -> Version:
    return Version(
        id=0, bot=bot, number=number, digest="", command=(), active=False, submitted_at=""
    )


def _seat(message: pb.MatchSeat) -> SeatLine:
    version = _named(message.bot, message.version) if message.bot else None
    if not message.HasField("outcome"):
        return SeatLine(version, None)
    outcome = message.outcome
    forfeit = FaultKind(outcome.forfeit).name if outcome.forfeit else None
    return SeatLine(version, SeatResult(outcome.rank, outcome.points, forfeit))


def _fault(message: pb.Log) -> Fault:
    fault = message.fault
    return Fault(
        kind=FaultKind(fault.kind),
        reason=fault.reason,
        overrun_ms=fault.overrun_ms,
        exit_code=fault.exit_code if fault.HasField("exit_code") else None,
        signal=fault.signal if fault.HasField("signal") else None,
        received=fault.received,
    )


def _timing(message: pb.Thought) -> Thought:
    return Thought(
        number=message.number,
        charged_us=_us(message.charged),
        wall_us=_us(message.wall),
        cpu_us=_us(message.cpu),
        delay_us=_us(message.delay),
        bank_left_us=_us(message.bank_left),
    )


def _us(message: Duration) -> int:
    return message.ToMicroseconds()
