"""Encodes the ladder's values for the author API, as far as a viewer may see them."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict

from ladder.model import bots, incidents, matches
from ladder.model.spars import Spar
from ladder.results.visibility import Visible
from ladder.scheduling.spar import summarize
from ladder.server.api import schemas
from ladder.server.public.snapshot import About
from referee.conformance.check.rules import DEMANDS, recorded_rule
from referee.core import faults


def version(of: bots.Version, about: About, *, own: bool) -> schemas.Version:
    """Encode a version, for its author (`own`) or for others."""
    return schemas.Version(
        bot=of.bot,
        number=of.number,
        active=of.active,
        submitted_at=of.submitted_at,
        language=about.language,
        description=about.description,
        own=own,
        digest=of.digest if own else None,
        rejected=of.rejected if own else None,
    )


def match(line: matches.MatchLine, may: Visible) -> schemas.Match:
    """Encode a match as far as a viewer may see it."""
    return schemas.Match(
        match_id=line.match_id,
        round=line.round,
        index=line.index,
        state=line.state,
        public=may.result,
        seats=[_seat(seat, number, may) for number, seat in enumerate(line.seats)],
        decisions=line.decisions if may.result else None,
        finished_at=line.finished_at if may.result else None,
    )


def spar(of: Spar) -> schemas.Spar:
    """Encode a spar for its author."""
    found = summarize(of)
    return schemas.Spar(
        id=of.id,
        bot=of.challenger.bot,
        version=of.challenger.number,
        asked_at=of.asked_at,
        matches=len(of.matches),
        played=found.played,
        waiting=found.waiting,
        void=found.void,
        forfeits=found.forfeits,
        place=found.place,
        points=found.points,
        pairs=[
            schemas.SparPair(
                opponent=each.opponent.bot,
                version=each.opponent.number,
                **{name: value for name, value in asdict(each).items() if name != "opponent"},
            )
            for each in found.pairs
        ],
        shared_at=None if of.shared_as is None else f"spars/{of.shared_as}/",
    )


def spar_match(of: Spar, line: matches.MatchLine) -> schemas.Match:
    """Encode a match of a spar for its author; it is never public."""
    over = line.state.has_result
    may = Visible(result=over, record=False, embargoed=False, own_seats=(of.seat(line),))
    return match(line, may).model_copy(update={"public": False})


def log(
    line: schemas.Match,
    seat_log: matches.SeatLog | None,
    happened: Sequence[incidents.Incident],
    *,
    whole: bool,
) -> schemas.Log:
    """Encode what a bot did in a match, if it has a result; `whole`: with its output."""
    reported = [
        schemas.Incident(kind=each.kind, why=each.why, happened_at=each.happened_at)
        for each in happened
    ]
    if seat_log is None:
        return schemas.Log(match=line, incidents=reported)
    return schemas.Log(
        match=line,
        seat=seat_log.seat,
        decisions=[schemas.Decision(**asdict(each)) for each in seat_log.decisions],
        fault=_fault(seat_log.fault) if seat_log.fault else None,
        has_printed=bool(seat_log.printed),
        printed=seat_log.printed if whole else None,
        incidents=reported,
    )


def _seat(seat: matches.SeatLine, number: int, may: Visible) -> schemas.Seat:
    outcome = seat.result if may.outcome(number) else None
    return schemas.Seat(
        bot=seat.version.bot if seat.version else None,
        version=seat.version.number if seat.version else None,
        own=number in may.own_seats,
        outcome=schemas.SeatOutcome(**asdict(outcome)) if outcome else None,
    )


def _fault(fault: faults.Fault) -> schemas.Fault:
    rule = recorded_rule(fault)
    return schemas.Fault(
        kind=fault.kind.name,
        reason=fault.reason,
        overrun_ms=fault.overrun_ms,
        exit_code=fault.exit_code,
        signal=fault.signal,
        received=b64encode(fault.received).decode(),
        rule=rule,
        demand=DEMANDS[rule].replace("`", ""),
    )
