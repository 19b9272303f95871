"""The part above the standings: a stranger's first questions, and the play now."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ladder.model.matches import MatchLine
from ladder.model.moments import duration
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.leaderboard_page import LeaderboardRow
from ladder.server.web.schedule_page import Rounds
from ladder.server.web.verdicts import Upset, upset

_SHOWN = 3
_FEW = 4
"""The fewest matches that show a pace."""
_ROUGH_S = 120
"""From this on a duration is shown in minutes."""


@dataclass(frozen=True, slots=True)
class FrontPage:
    """The part above the standings."""

    state: str
    """The ladder's state now, such as "Playing 2 tables, about 58s left in round 14"."""
    sure: str
    """How sure its answer is, such as "the top 3 is settled, P 0.96"; empty if unknown."""
    leader: LeaderboardRow | None
    """The first of the standings that is not provisional."""
    tables: Sequence[MatchLine]
    """Some of the matches that are being played."""
    latest: MatchLine | None
    """The newest match."""
    upset: Upset | None
    """The newest upset among the newest matches."""


def front_page(snapshot: Snapshot, rows: Sequence[LeaderboardRow], schedule: Rounds) -> FrontPage:
    """Return what stands above these standings."""
    upsets = (upset(line, snapshot.strengths) for line in schedule.latest)
    return FrontPage(
        state=state_of(snapshot, schedule),
        sure=_sure(snapshot, schedule),
        leader=next((row for row in rows if not row.standing.provisional), None),
        tables=schedule.playing[:_SHOWN],
        latest=schedule.latest[0] if schedule.latest else None,
        upset=next((found for found in upsets if found), None),
    )


def state_of(snapshot: Snapshot, schedule: Rounds) -> str:
    """Return what a ladder does now, in a few words."""
    if schedule.playing:
        tables = len(schedule.playing)
        return f"Playing {tables} {'table' if tables == 1 else 'tables'}{left_of(schedule)}"
    if snapshot.contest and snapshot.contest.shown.progress.over:
        return "Over"
    if schedule.rest:
        return "Resting"
    return f"Nothing plays, round {snapshot.round}" if snapshot.round else "Not begun"


def _sure(snapshot: Snapshot, schedule: Rounds) -> str:
    goal = schedule.goal
    if goal is None or snapshot.contest:
        return ""
    wanted = math.inf if goal.provisional else goal.wanted
    return f"{goal.question} is {how_sure(goal.chance, wanted)}"


def how_sure(chance: float, wanted: float) -> str:
    """Return whether an answer of this probability is settled, such as "settled, P 0.96"."""
    return f"{'settled' if chance >= wanted else 'not settled yet'}, P {chance:.2f}"


def left_of(schedule: Rounds) -> str:
    """Return about how long the round still takes, to follow a state; empty if unknown."""
    left = _left_s(schedule)
    return f", about {duration(left)} left in round {schedule.round}" if left else ""


def _left_s(schedule: Rounds) -> int | None:
    """Return how many seconds the round still takes at the newest matches' pace, roughly."""
    times = [
        datetime.fromisoformat(line.finished_at) for line in schedule.latest if line.finished_at
    ]
    left = schedule.of_round - schedule.over_of_round
    if len(times) < _FEW or not left:
        return None
    took = (max(times) - min(times)).total_seconds() / (len(times) - 1)
    seconds = max(1, math.ceil(left * took))
    return seconds if seconds < _ROUGH_S else 60 * round(seconds / 60)
