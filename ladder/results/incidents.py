"""Events out of the ordinary in matches: the answer to a protest.

Interruptions and void attempts are stored as they happen. Pauses during which a match was played on
are in its record, and annulments among the director's decisions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from ladder.model.directives import Directive, DirectiveKind
from ladder.model.incidents import Incident, IncidentKind
from ladder.model.matches import MatchLine
from ladder.results import queries
from ladder.results.visibility import visible
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import directives, incidents, match_lines, matches
from ladder.storage.tables.bots import all_versions
from ladder.storage.tables.bots import known as known_bot
from ladder.storage.tables.records import unpack

_LATER = "the reason is told once its deal is played on all seats"
_DECIDED = {
    DirectiveKind.ANNUL: IncidentKind.ANNULLED,
    DirectiveKind.RETRACT: IncidentKind.RETRACTED,
}


def of_match(ladder: Ladder, match: MatchLine) -> Sequence[Incident]:
    """Return what happened to a match, the first first."""
    with ladder.database.read() as tx:
        return _of_match(tx, match, [*_decisions(directives.all_of(tx))])


def of_bot(ladder: Ladder, bot: str, limit: int) -> list[tuple[MatchLine, Sequence[Incident]]]:
    """Return a bot's last matches, the newest first, with what its author may know happened.

    Raise `UnknownBotError`.
    """
    lines = queries.latest(ladder, limit, bot)
    with ladder.database.read() as tx:
        return [*zip(lines, _for_author(tx, lines), strict=True)]


def for_author(ladder: Ladder, match: MatchLine) -> Sequence[Incident]:
    """Return what the author of a bot may know happened to its match, the first first.

    A stored reason may reveal the deal, and a pause that is in the record when the match ended, so
    both are left out while the deal is in play.
    """
    with ladder.database.read() as tx:
        (found,) = _for_author(tx, [match])
    return found


def public(tx: Transaction, given: Sequence[Directive]) -> Sequence[Incident]:
    """Return what anyone may know happened to the matches of a ladder, the newest first.

    Stored reasons may reveal the deal, or the owner's machines, so they are left out; the
    director's reasons are public. `given` are its decisions.
    """
    stored = [replace(each, why="") for each in incidents.all_of(tx)]
    return sorted([*stored, *_decisions(given)], key=attrgetter("happened_at"), reverse=True)


def to_data(incident: Incident) -> dict[str, str]:
    """Return what happened as JSON values."""
    return {"kind": incident.kind, "why": incident.why, "at": incident.happened_at}


def of_ladder(ladder: Ladder, bot: str | None = None) -> list[tuple[Incident, MatchLine]]:
    """Return what is stored and decided of all matches, or of a bot's, the newest first.

    Without pauses during which a match was played on: only its record has them. Raise
    `UnknownBotError`.
    """
    with ladder.database.read() as tx:
        if bot is not None:
            known_bot(tx, bot)
        found = [*incidents.all_of(tx), *_decisions(directives.all_of(tx))]
        known = all_versions(tx)
        lines = {
            match_id: match_lines.line(tx, match_id, known)
            for match_id in {incident.match_id for incident in found}
        }
    listed = sorted(found, key=attrgetter("happened_at"), reverse=True)
    return [
        (incident, lines[incident.match_id])
        for incident in listed
        if bot is None or _plays(lines[incident.match_id], bot)
    ]


def _plays(line: MatchLine, bot: str) -> bool:
    return any(seat.version and seat.version.bot == bot for seat in line.seats)


def _of_match(tx: Transaction, match: MatchLine, decided: Sequence[Incident]) -> list[Incident]:
    stored = incidents.of_match(tx, match.match_id)
    waited = _pauses(match.match_id, matches.record(tx, match.match_id), match.finished_at or "")
    return _in_order([*stored, *waited, *_about(match, decided)])


def _about(match: MatchLine, decided: Sequence[Incident]) -> list[Incident]:
    return [each for each in decided if each.match_id == match.match_id]


def _in_order(found: Sequence[Incident]) -> list[Incident]:
    return sorted(found, key=attrgetter("happened_at"))


def _for_author(tx: Transaction, lines: Sequence[MatchLine]) -> Iterator[Sequence[Incident]]:
    decided = [*_decisions(directives.all_of(tx))]
    in_play = matches.deals_in_play(tx)
    for line in lines:
        if visible(line, in_play).record:
            yield _of_match(tx, line, decided)
        else:
            stored = incidents.of_match(tx, line.match_id)
            withheld = [replace(each, why=_LATER) for each in stored]
            yield _in_order([*withheld, *_about(line, decided)])


def _decisions(given: Sequence[Directive]) -> Iterator[Incident]:
    for decided in given:
        if decided.match_id is not None and decided.kind in _DECIDED:
            kind = _DECIDED[decided.kind]
            yield Incident(decided.match_id, kind, decided.why or "", decided.given_at)


def _pauses(match_id: str, packed: bytes | None, finished_at: str) -> Iterator[Incident]:
    """Yield the pauses of the referee that a played match got over."""
    if packed is None:
        return
    for length_us in unpack(packed).pauses_us:
        why = f"for {length_us / 1e6:.1f} s while it was played; no bot paid for that"
        yield Incident(match_id, IncidentKind.PAUSED, why, finished_at)
