"""Derives the results of meetings from the stored matches."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import groupby

from ladder.model.matches import MatchLine, MatchState
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import ABSENT, Meeting, MeetingResult, Ranks

Blocks = Sequence[Sequence[MatchLine]]
"""The blocks of a round in order, each with all its matches."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal of a meeting: its matches, or the absent entrants if too few were left to play."""

    matches: Sequence[MatchLine]
    absent: frozenset[VersionId] | None = None
    """The entrants absent from an unplayed deal; None if it was played."""


@dataclass(frozen=True, slots=True)
class _Match:
    """A match between the entrants of a meeting, in the meeting's order."""

    ranks: Ranks
    forfeits: tuple[str, ...]
    points: tuple[int, ...] | None
    """None after a forfeit: then chance plays on, so points mean nothing."""
    played: bool = True


def result_of(
    meeting: Meeting,
    deals: Sequence[Deal],
    sudden_death: Sequence[Deal] = (),
    annulled: Container[str] = (),
) -> MeetingResult | None:
    """Return the result of a meeting from its complete deals; None if none is complete.

    A deal with an annulled match does not count; in sudden death such a deal decides nothing.
    """
    played = [match for deal in deals for match in _matches(meeting, deal, annulled)]
    return _result(meeting, played, sudden_death, annulled) if played else None


def level(
    meeting: Meeting,
    absent: frozenset[VersionId] = frozenset(),
    sudden_death: Sequence[Deal] = (),
    annulled: Container[str] = (),
) -> MeetingResult:
    """Return the result of an unplayed meeting: all present entrants are level."""
    return _result(meeting, [_unplayed(meeting, absent)], sudden_death, annulled)


def _result(
    meeting: Meeting,
    played: Sequence[_Match],
    sudden_death: Sequence[Deal],
    annulled: Container[str],
) -> MeetingResult:
    more = [_matches(meeting, deal, annulled) for deal in sudden_death]
    every = [*played, *(match for deal in more for match in deal)]
    return MeetingResult(
        meeting,
        tuple(match.ranks for match in played),
        sudden_death=tuple(tuple(match.ranks for match in deal) for deal in more),
        points=tuple(match.points for match in every if match.points),
        forfeits=tuple(match.forfeits for match in every),
        unplayed=sum(not match.played for match in every),
    )


def is_open(match: MatchLine) -> bool:
    """Return whether a match has still to be played."""
    return match.state not in (MatchState.DONE, MatchState.VOID)


def by_round_and_block(lines: Sequence[MatchLine]) -> list[Blocks]:
    """Group matches, which are in order, by round and block."""
    rounds = [list(group) for _, group in groupby(lines, key=lambda match: match.round)]
    return [[list(block) for _, block in groupby(of, key=lambda m: m.deal)] for of in rounds]


def _matches(meeting: Meeting, deal: Deal, annulled: Container[str]) -> list[_Match]:
    """Return the matches of a deal; none if it does not count."""
    if deal.absent is not None:
        return [_unplayed(meeting, deal.absent)]
    complete = deal.matches and all(match.state is MatchState.DONE for match in deal.matches)
    if not complete or any(match.match_id in annulled for match in deal.matches):
        return []
    return [_match(meeting, match) for match in deal.matches]


def _match(meeting: Meeting, match: MatchLine) -> _Match:
    """Return the match between the entrants, without the stand-in.

    Entrants that forfeited are behind all that did not, and absent ones behind all that were
    present; both are unordered among themselves.
    """
    seated = {seat.version.id: seat.result for seat in match.seats if seat.version and seat.result}
    order = {
        e: (2, 0) if e not in seated else (1, 0) if seated[e].forfeit else (0, seated[e].rank)
        for e in meeting.entrants
    }
    kinds = tuple((seated[e].forfeit or "") if e in seated else ABSENT for e in meeting.entrants)
    return _Match(
        ranks=tuple(1 + sum(o < order[e] for o in order.values()) for e in meeting.entrants),
        forfeits=kinds,
        points=None if any(kinds) else tuple(seated[e].points for e in meeting.entrants),
    )


def _unplayed(meeting: Meeting, absent: frozenset[VersionId]) -> _Match:
    """Return an unplayed match: all present entrants are level, and ahead of the absent ones."""
    behind = 1 + sum(e not in absent for e in meeting.entrants)
    return _Match(
        ranks=tuple(behind if e in absent else 1 for e in meeting.entrants),
        forfeits=tuple(ABSENT if e in absent else "" for e in meeting.entrants),
        points=None,
        played=False,
    )
