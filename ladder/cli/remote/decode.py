"""Decodes answers of the author API into the ladder's values."""

from base64 import b64decode

from ladder.model.bots import Submission, ValidationResult, Version
from ladder.model.incidents import Incident
from ladder.model.matches import DecisionTime, MatchLine, SeatLine, SeatLog, SeatResult
from ladder.server.api import schemas
from referee.core.faults import Fault, FaultKind


def version_of(given: schemas.Version) -> Version:
    """Decode a version; the answer does not hold its command."""
    return Version(
        id=0,
        bot=given.bot,
        number=given.number,
        digest=given.digest or "",
        command=(),
        active=given.active,
        submitted_at=given.submitted_at,
        rejected=given.rejected,
    )


def submission_of(given: schemas.Submission) -> Submission:
    """Decode a submission that is over."""
    if given.version is None or given.outcome is None:
        raise ValueError("the submission is not over")
    version = version_of(given.version)
    replaced = _named(version.bot, given.replaced) if given.replaced else None
    return Submission(version, given.outcome, replaced, given.was_retired)


def validation_of(given: schemas.Validation) -> ValidationResult | None:
    """Decode a version's validation, without its record; None if there was none."""
    if given.tried_at is None:
        return None
    return ValidationResult(
        rejected=given.version.rejected,
        build_log=given.build_log,
        printed=given.printed,
        tried_at=given.tried_at,
    )


def match_of(given: schemas.Match) -> MatchLine:
    """Decode a match."""
    return MatchLine(
        match_id=given.match_id,
        round=given.round,
        index=given.index,
        state=given.state,
        attempts=0,
        reason=None,
        decisions=given.decisions,
        finished_at=given.finished_at,
        seats=tuple(_seat(seat) for seat in given.seats),
    )


def seat_log_of(given: schemas.Log) -> SeatLog | None:
    """Decode the log of a bot in a match; None if the match has no result.

    A list of logs omits the bot's output; "..." stands for it.
    """
    if given.seat is None:
        return None
    match = match_of(given.match)
    version, result = match.seats[given.seat].version, match.seats[given.seat].result
    if version is None or result is None:
        raise ValueError("the log is of a seat without a result")
    return SeatLog(
        match=match,
        seat=given.seat,
        version=version,
        result=result,
        decisions=[DecisionTime(**dict(each)) for each in given.decisions],
        fault=_fault(given.fault) if given.fault else None,
        printed=given.printed or ("..." if given.has_printed else None),
    )


def incidents_of(given: schemas.Log) -> list[tuple[Incident, MatchLine]]:
    """Decode what happened to a match."""
    match = match_of(given.match)
    return [
        (Incident(match.match_id, each.kind, each.why, each.happened_at), match)
        for each in given.incidents
    ]


def _named(bot: str, number: int) -> Version:
    return Version(
        id=0, bot=bot, number=number, digest="", command=(), active=False, submitted_at=""
    )


def _seat(given: schemas.Seat) -> SeatLine:
    version = _named(given.bot, given.version or 0) if given.bot else None
    return SeatLine(version, SeatResult(**dict(given.outcome)) if given.outcome else None)


def _fault(given: schemas.Fault) -> Fault:
    return Fault(
        kind=FaultKind[given.kind],
        reason=given.reason,
        overrun_ms=given.overrun_ms,
        exit_code=given.exit_code,
        signal=given.signal,
        received=b64decode(given.received),
    )
