"""The tournaments of a ladder, a line each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ladder.server.public.snapshot import Contest, Snapshot


class TournamentState(StrEnum):
    """The state of a tournament."""

    NEXT = "next"
    """Its next round has not begun."""
    PLAYING = "playing"
    PAUSED = "paused"
    """By its director."""
    WAITING = "waiting"
    """For a decision of its director, as its next round has no pairing."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class TournamentLine:
    """A listed tournament."""

    name: str
    """Its name in addresses."""
    title: str
    format: str
    game: str
    """The game's title."""
    seats: int
    bots: int
    matches: int
    """How many are public."""
    state: TournamentState
    round: int
    """The current or next round, or at the end the last one; from 1."""
    winners: Sequence[str]
    """The bots in first place; none before the end, and in a gauntlet."""
    updated_at: str | None
    """When its last public match was finished: UTC, ISO 8601."""


def tournament_lines(shown: Mapping[str, Snapshot]) -> list[TournamentLine]:
    """Return a line for each tournament, by their names in addresses; the newest first."""
    lines = [_line(name, each, each.contest) for name, each in shown.items()]
    return sorted(lines, key=lambda line: line.updated_at or "~", reverse=True)


def _line(name: str, snapshot: Snapshot, contest: object) -> TournamentLine:
    if not isinstance(contest, Contest):
        raise TypeError(f"{name} is no tournament")
    now = contest.shown.progress
    return TournamentLine(
        name=name,
        title=snapshot.title,
        format=contest.shown.plan.kind.value,
        game=snapshot.game_title,
        seats=snapshot.seats,
        bots=len(now.field.entrants),
        matches=len(snapshot.finished),
        state=_state(contest),
        round=now.number,
        winners=contest.shown.winners(),
        updated_at=snapshot.updated_at,
    )


def _state(contest: Contest) -> TournamentState:
    now = contest.shown.progress
    if now.over:
        return TournamentState.OVER
    if contest.shown.paused:
        return TournamentState.PAUSED
    if now.unpaired:
        return TournamentState.WAITING
    return TournamentState.PLAYING if now.under_way else TournamentState.NEXT
