"""Forfeits, departures, late entries and the director's decisions, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ladder.model.directives import BYES, Directive, DirectiveKind
from ladder.model.tournaments import Kind
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats import deciding, tables
from ladder.scheduling.tournament.formats.base import ABSENT, MeetingResult
from ladder.scheduling.tournament.formats.deciding import TableDecision
from ladder.scheduling.tournament.planner import TournamentProgress
from ladder.scheduling.tournament.rules import counted

_ID_SHOWN = 12
SIGNS = {"withdrawn": "*", "disqualified": "**"}
"""The signs in tables of how entrants left."""
IF_THEY_LEAVE = {
    Kind.SWISS: "is no longer paired; its results stand",
    Kind.ROUND_ROBIN: "its results stand if it played at least half of its meetings, and those "
    "that it misses are lost; otherwise none of its meetings count (FIDE Tournament Rules, "
    "C.06, article 5.4)",
    Kind.GAUNTLET: "its results stand, and the meetings that it misses are lost",
    Kind.KNOCKOUT: "its opponents play on without it and are ahead of it; an opponent alone at a "
    "table goes on by walkover",
    Kind.DOUBLE_ELIMINATION: "its opponents play on without it and are ahead of it, until it is "
    "eliminated twice; an opponent alone at a table goes on by walkover",
    Kind.GROUPS: "in a group its results stand if it played at least half of its meetings, "
    "otherwise none of its meetings count (FIDE Tournament Rules, C.06, article 5.4); in the "
    "knockout its opponents go on by walkover",
}
"""The rules for an entrant that is withdrawn or disqualified."""
IF_THEY_RETURN = (
    "all its results count; what it missed stays lost, and a round that it missed without a "
    "meeting is a bye without points"
)
"""The rule for an entrant whose withdrawal or disqualification was taken back."""

_WHAT = {
    DirectiveKind.WITHDRAW: "{} is withdrawn",
    DirectiveKind.DISQUALIFY: "{} is disqualified",
    DirectiveKind.ENTER: "{} enters",
    DirectiveKind.PAUSE: "the tournament is paused",
    DirectiveKind.RESUME: "the tournament is resumed",
    DirectiveKind.ANNUL: "match {} is annulled",
    DirectiveKind.HALF_BYE: "{} has a half-point bye in round {}",
    DirectiveKind.ZERO_BYE: "{} has a zero-point bye in round {}",
    DirectiveKind.FORBID: "{} may not meet",
    DirectiveKind.START: "round {1} starts at {2}",
    DirectiveKind.RETRACT: "the last decision about {} is taken back",
}


def is_walkover(result: MeetingResult) -> bool:
    """Return whether a meeting was not played, as fewer than two entrants were present."""
    first = result.forfeits[:1]
    return any(sum(kind != ABSENT for kind in match) < 2 for match in first)  # noqa: PLR2004


def mark(result: MeetingResult, entrant: VersionId) -> str:
    """Return the mark for forfeits: "-" for every match, "+" if all others forfeited every match.

    The mark names the kinds, with counts unless a kind covers every match.
    """
    kinds, matches = Counter(result.forfeits_of(entrant)), result.matches
    if kinds:
        listed = ", ".join(f"{n}x {kind}" if n < matches else kind for kind, n in kinds.items())
        return f"- ({listed})" if kinds.total() == matches else f"({listed})"
    others = [other for other in result.meeting.entrants if other != entrant]
    return "+" if all(len(result.forfeits_of(other)) == matches for other in others) else ""


def decided_by(decision: TableDecision, deals: int) -> str:
    """Return what decided a table, after `deals` deals of sudden death."""
    after = f" after {counted(deals, 'more deal')}" if deals else ""
    ahead, behind = map(float, decision.values)
    match decision.by:
        case deciding.SUDDEN_DEATH:
            return f"{decision.by}, deal {decision.deal}: {ahead:.2f} to {behind:.2f}"
        case deciding.MARGIN:
            return f"{decision.by}{after}: {ahead:+.2f} to {behind:+.2f}"
        case tables.FIRSTS:
            return f"{decision.by}{after}: {ahead:.2f} to {behind:.2f}"
        case "":
            return "all go on"
    return decision.by + after


def forfeits_of(now: TournamentProgress, entrant: VersionId) -> list[str]:
    """Return the kind of each of an entrant's forfeits, except those by absence."""
    own = (result for result in now.field.results if entrant in result.meeting.entrants)
    return [kind for result in own for kind in result.forfeits_of(entrant) if kind != ABSENT]


def never_finished(now: TournamentProgress) -> list[VersionId]:
    """Return the entrants that played and forfeited every match."""
    played = Counter[VersionId]()
    for result in now.field.results:
        is_void = result.meeting in now.void  # its first match stands for those that do not count
        for match in result.forfeits[is_void:]:
            kinds = zip(result.meeting.entrants, match, strict=True)
            there = [entrant for entrant, kind in kinds if kind != ABSENT]
            if len(there) > 1:
                played.update(there)
    return [e for e in now.field.entrants if 0 < played[e] <= len(forfeits_of(now, e))]


def left_as(now: TournamentProgress, entrant: VersionId) -> str:
    """Return how an entrant left, one of `SIGNS`; empty if it did not leave."""
    if (departure := now.gone.get(entrant)) is None:
        return ""
    return "disqualified" if departure.disqualified else "withdrawn"


def legend(now: TournamentProgress) -> str:
    """Return the meaning of the signs of those who left; empty if all are there."""
    how = {left_as(now, entrant) for entrant in now.gone}
    return ", ".join(f"{sign} {left}" for left, sign in SIGNS.items() if left in how)


def status_of(now: TournamentProgress, entrant: VersionId) -> str:
    """Return an entrant's status, such as withdrawn or late; empty if regular."""
    if (departure := now.gone.get(entrant)) is not None:
        counts = "" if departure.counted else "; its results do not count"
        return f"{left_as(now, entrant)} from round {departure.round + 1} on{counts}"
    late, missed = now.late.get(entrant), now.missed.get(entrant)
    rounds = ", ".join(str(number + 1) for number in missed or ())
    remarks = {
        f"entered in round {(late or 0) + 1}": late is not None,
        f"missed round{'s' * (len(missed or ()) > 1)} {rounds}": bool(missed),
    }
    return "; ".join(text for text, holds in remarks.items() if holds)


def _decision_text(directive: Directive, names: Mapping[VersionId, str]) -> str:
    """Return a decision in words."""
    about = (directive.match_id or "")[:_ID_SHOWN]
    both = (version for version in (directive.version, directive.other) if version is not None)
    whom = " and ".join(names[version] for version in both) or about
    return _WHAT[directive.kind].format(whom, directive.round, directive.starts_at)


def _first_round(directive: Directive, now: TournamentProgress) -> int | None:
    """Return the first round, from 1, without an entrant that left or with a late or returned one.

    For a bye, its round; None for other decisions, retracted ones, and byes that lapsed.
    """
    number = now.applied.get(directive)
    lapsed = directive.kind in BYES and (number, directive.version) not in now.field.given_byes
    return None if number is None or lapsed else number + 1


def decisions_of(
    directives: Sequence[Directive], names: Mapping[VersionId, str], now: TournamentProgress
) -> list[dict[str, object]]:
    """Return the director's decisions as JSON values."""
    return [
        {
            "given_at": each.given_at,
            "kind": each.kind.value,
            "bot": None if each.version is None else names[each.version],
            "other": None if each.other is None else names[each.other],
            "match": each.match_id,
            "round": _first_round(each, now),
            "after_round": each.after_round,
            "what": _decision_text(each, names),
            "why": each.why,
        }
        for each in directives
    ]
