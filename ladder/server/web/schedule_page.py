"""The schedule page: the progress, the next matches, and sheets with all finished matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ladder.model.matches import MatchLine, MatchState
from ladder.model.settings import Aim
from ladder.results.standings import standings
from ladder.server.public.snapshot import Snapshot

SHEET = 100
"""Matches per sheet. All sheets but the last are full and never change."""
LATEST_SHOWN = 25
NEXT_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page of consecutive matches."""

    number: int
    """From 1."""
    first: int
    """The number of its first match among all finished ones, from 1."""
    lines: Sequence[MatchLine]

    @property
    def last(self) -> int:
        """The number of its last match."""
        return self.first + len(self.lines) - 1

    @property
    def name(self) -> str:
        """The name of its page."""
        return f"{self.number}.html"


@dataclass(frozen=True, slots=True)
class Goal:
    """How certain the answer to the ladder's question is."""

    question: str
    """The answer in question, such as "the top 3"."""
    chance: float
    """The probability that the current answer is right."""
    wanted: float
    provisional: int
    """The number of bots with too few deals."""
    closest: tuple[str, str] | None
    """The neighbours in the ranking that take the most matches to separate, of those relevant."""
    matches: int | None
    """The estimated number of matches to separate them; None if there is no such pair."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The progress of the schedule."""

    round: int
    """The last round begun; 0 if none."""
    done: int
    embargoed: int
    """Finished matches that are not public yet."""
    waiting: int
    void: int
    goal: Goal | None
    """None before two bots have played, and in a tournament."""
    playing: Sequence[MatchLine]
    """The running matches."""
    of_round: int
    """The number of matches in the current round; 0 if there is none."""
    over_of_round: int
    """How many of these are finished."""
    rest: str
    """Why nothing is planned, if it is for want of bots; else empty."""
    next: Sequence[MatchLine]
    latest: Sequence[MatchLine]
    """The newest first."""
    sheets: Sequence[Sheet]

    @property
    def planned(self) -> int:
        """The number of matches in any state."""
        return self.done + self.embargoed + self.waiting + self.void


def rounds(snapshot: Snapshot) -> Rounds:
    """Return the progress of a ladder's schedule."""
    begun = [line.round for line in snapshot.finished[-1:]]
    begun += [match.round for match in snapshot.waiting[:1]]
    number = max(begun, default=0)
    waiting = [m for m in snapshot.waiting if m.state is not MatchState.RUNNING]
    of_round = snapshot.sizes.get(number, 0) if snapshot.waiting else 0
    return Rounds(
        round=number,
        done=len(snapshot.finished),
        embargoed=snapshot.embargoed,
        waiting=len(snapshot.waiting),
        void=snapshot.void,
        goal=None if snapshot.contest else _goal(snapshot),
        playing=[m for m in snapshot.waiting if m.state is MatchState.RUNNING],
        of_round=of_round,
        over_of_round=of_round - sum(match.round == number for match in snapshot.waiting),
        rest=rest(snapshot),
        next=waiting[:NEXT_SHOWN],
        latest=snapshot.finished[: -LATEST_SHOWN - 1 : -1],
        sheets=sheets(snapshot.finished),
    )


def rest(snapshot: Snapshot) -> str:
    """Return why a ladder plans nothing, if it is for want of bots; else an empty text."""
    if snapshot.contest or snapshot.waiting or snapshot.may_meet_here:
        return ""
    if snapshot.may_meet:
        return "Remote bots play while they are connected and have an opponent."
    return "No bot has an opponent: the ladder rests until another bot enters."


def _goal(snapshot: Snapshot) -> Goal | None:
    """Return how certain the ladder's answer is; None while there is nothing to compare."""
    rows = standings((t for t in snapshot.tallies if t.version.active), snapshot.strengths)
    if len(rows) < 2 or not snapshot.finished:  # noqa: PLR2004 - a comparison needs two
        return None
    best = min(snapshot.prospect.top, len(rows) - 1)
    by_order = snapshot.prospect.aim is Aim.RANKING
    open_pairs = [
        (row.matches_to_separate, row.bot, following.bot)
        for row, following in (pairwise(rows) if by_order else [(rows[best - 1], rows[best])])
        if row.matches_to_separate is not None
    ]
    more, *closest = max(open_pairs, default=(None, "", ""))
    return Goal(
        question="the whole order" if by_order else f"the top {best}",
        chance=snapshot.prospect.chance,
        wanted=snapshot.prospect.wanted,
        provisional=snapshot.prospect.provisional,
        closest=(closest[0], closest[1]) if more else None,
        matches=more,
    )


def sheets(finished: Sequence[MatchLine]) -> list[Sheet]:
    """Split all finished matches into sheets, in the order of the schedule."""
    return [
        Sheet(number, first + 1, finished[first : first + SHEET])
        for number, first in enumerate(range(0, len(finished), SHEET), start=1)
    ]
