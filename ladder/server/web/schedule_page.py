"""The schedule page: the progress, the next matches, and sheets with all finished matches.

No page links to all sheets. Each links to its neighbours and to some further away, ten times as far
each time. So any sheet is a few links away, and a sheet of an export seldom changes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ladder.model.matches import MatchLine, MatchState
from ladder.model.settings import Aim
from ladder.results.standings import standings
from ladder.server.public.matches import AT_HAND, PublicMatches
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.verdicts import marks, moved
from ladder.storage.tables.match_lines import ANY, Wanted
from referee.core.faults import FaultKind

SHEET = 100
"""Matches per sheet. All sheets but the last are full and never change."""
LATEST_SHOWN = AT_HAND
SHEETS_NEAR = 10
"""The number of newest sheets that are linked one by one."""
NEXT_SHOWN = 12
_PLACE = re.compile(r"(\d{1,9})\.(\d{1,9})")


@dataclass(frozen=True, slots=True)
class SheetLink:
    """A page of consecutive matches, as others link to it."""

    number: int
    """From 1."""
    last: int
    """The number of its last match among all finished ones, from 1."""

    @property
    def first(self) -> int:
        """The number of its first match."""
        return (self.number - 1) * SHEET + 1

    @property
    def name(self) -> str:
        """The name of its page."""
        return f"{self.number}.html"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page of consecutive matches."""

    link: SheetLink
    lines: Sequence[MatchLine]
    """The newest first."""
    newer: Sequence[SheetLink]
    """The nearest first."""
    older: Sequence[SheetLink]
    marks: Mapping[str, str]
    """Those of them that were close, by id; what was an upset changes with the ratings."""


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
    marks: Mapping[str, str]
    """Those of them that are upsets or close, by id."""
    sheets: Sequence[SheetLink]
    """The newest first, and some older ones."""

    @property
    def planned(self) -> int:
        """The number of matches in any state."""
        return self.done + self.embargoed + self.waiting + self.void


def rounds(snapshot: Snapshot) -> Rounds:
    """Return the progress of a ladder's schedule."""
    waiting = [m for m in snapshot.waiting if m.state is not MatchState.RUNNING]
    of_round = snapshot.round_size if snapshot.waiting else 0
    return Rounds(
        round=snapshot.round,
        done=len(snapshot.finished),
        embargoed=snapshot.embargoed,
        waiting=len(snapshot.waiting),
        void=snapshot.void,
        goal=None if snapshot.contest else _goal(snapshot),
        playing=[m for m in snapshot.waiting if m.state is MatchState.RUNNING],
        of_round=of_round,
        over_of_round=of_round - sum(match.round == snapshot.round for match in snapshot.waiting),
        rest=rest(snapshot),
        next=waiting[:NEXT_SHOWN],
        latest=(latest := snapshot.finished[: -LATEST_SHOWN - 1 : -1]),
        marks=marks(latest, snapshot.strengths),
        sheets=newest_sheets(len(snapshot.finished)),
    )


FAULTS = {ANY: "any fault", **{kind.name: kind.name for kind in FaultKind}}
"""The values of a search's fault, with words for each."""


@dataclass(frozen=True, slots=True)
class Search:
    """Matches that a reader looks for."""

    wanted: Wanted
    lines: Sequence[MatchLine]
    """The newest first, at most a sheet of them."""
    marks: Mapping[str, str]
    """Those of them that are upsets or close, by id."""
    moved: Mapping[str, float]
    """By about how much they moved the bot's rating, by id."""
    unknown: Sequence[str]
    """The names in the search that no bot has."""
    older: str
    """The `before` of the next sheet of them; empty if there is none."""


def search(snapshot: Snapshot, asked: Mapping[str, str]) -> Search:
    """Return the matches that the fields of a search ask for; values out of range are ignored."""
    bot, opponent = (asked.get(name, "").strip() for name in ("bot", "opponent"))
    if opponent and not bot:
        bot, opponent = opponent, ""
    fault = asked.get("fault", "")
    place = _PLACE.fullmatch(asked.get("before", ""))
    before = (int(place[1]), int(place[2])) if place else None
    wanted = Wanted(bot, opponent, fault if fault in FAULTS else "", before)
    names = {tally.version.bot for tally in snapshot.tallies}
    unknown = [name for name in (bot, opponent) if name and name not in names]
    lines = [] if unknown else snapshot.finished.latest(SHEET + 1, wanted)
    shown = lines[:SHEET]
    moves = {line.match_id: moved(line, bot, snapshot.strengths) for line in shown if bot}
    return Search(
        wanted,
        shown,
        marks(shown, snapshot.strengths),
        {match: by for match, by in moves.items() if by is not None},
        unknown,
        older=f"{shown[-1].round}.{shown[-1].index}" if len(lines) > SHEET else "",
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


def sheet_count(matches: int) -> int:
    """Return how many sheets this number of finished matches fills."""
    return -(-matches // SHEET)


def newest_sheets(matches: int) -> list[SheetLink]:
    """Return the newest sheets of these matches and some older ones, down to the first."""
    last = sheet_count(matches)
    near = range(last, max(0, last - SHEETS_NEAR), -1)
    far = [last - step + 1 for step in _steps(last) if step > SHEETS_NEAR]
    first = [1] if last > SHEETS_NEAR else []
    return [_link(number, matches) for number in dict.fromkeys([*near, *far, *first])]


def sheet(finished: PublicMatches, number: int) -> Sheet:
    """Return a sheet of the finished matches."""
    matches = len(finished)
    own, count = _link(number, matches), sheet_count(matches)
    newer = [number + step for step in _steps(count - number)]
    older = [number - step for step in _steps(number - 1)]
    return Sheet(
        link=own,
        lines=(lines := finished[own.first - 1 : own.last][::-1]),
        marks=marks(lines, {}),
        newer=[_link(each, matches) for each in newer],
        older=[_link(each, matches) for each in older],
    )


def _link(number: int, matches: int) -> SheetLink:
    return SheetLink(number, min(number * SHEET, matches))


def _steps(most: int) -> list[int]:
    """Return 1, 10, 100 and so on up to a number."""
    return [10**power for power in range(len(str(most))) if 10**power <= most]
