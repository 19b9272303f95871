"""How a tournament is played in a terminal: to which round, and what is shown meanwhile."""

from typing import TYPE_CHECKING

from ladder.cli.console import say
from ladder.model.errors import LadderError, SettingsError
from ladder.scheduling.tournament.planner import (
    TournamentPlan,
    TournamentProgress,
    directives_of,
    progress_of,
    stored_rounds,
)
from ladder.scheduling.tournament.timed_planner import TimedPlanner

if TYPE_CHECKING:
    from ladder.scheduling.tournament.summary import TournamentSummary
    from ladder.storage.ladder import Ladder

NEXT = "next"
_LEADERS = 10


def planner_until(ladder: "Ladder", plan: TournamentPlan, until: str | None) -> TimedPlanner | None:
    """Return what plans the rounds that are to be played; None if there are none.

    Raise `SettingsError` if the tournament cannot stop there.
    """
    now = _now(ladder, plan)
    last = _last_round(until, now)
    if not now.pending or (last is not None and last < now.number):
        return None
    return TimedPlanner(plan, ladder.settings.seats, last)


def repeated(command: str, until: str | None) -> str:
    """Return the command that continues, until the same round."""
    return command if until is None else f"{command} --until-round {until}"


def print_stopped(ladder: "Ladder", plan: TournamentPlan, until: str | None, command: str) -> None:
    """Print that a tournament has stopped before its end, if it was to.

    Raise `LadderError` if its next round has no pairing.
    """
    shown = summary_of(ladder, plan)
    now = shown.progress
    if why := now.why_unpaired(shown.names):
        raise LadderError(why)
    if until is not None and not now.over:
        say(
            f"\nStopped before round {now.number}, whose pairings are above. To play it: "
            f"{repeated(command, NEXT)}"
        )


def _now(ladder: "Ladder", plan: TournamentPlan) -> TournamentProgress:
    """Return a tournament's progress."""
    with ladder.database.read() as tx:
        return progress_of(plan, ladder.settings.seats, stored_rounds(tx), directives_of(tx))


def summary_of(ladder: "Ladder", plan: TournamentPlan) -> "TournamentSummary":
    """Return a tournament with the names of its bots."""
    from ladder.scheduling.tournament.summary import stored_summary

    with ladder.database.read() as tx:
        return stored_summary(tx, plan, ladder.settings.seats)


def leaders(ladder: "Ladder", plan: TournamentPlan) -> list[str]:
    """Return the first lines of the table, by the deals that are over."""
    show = summary_of(ladder, plan)
    lines = show.progress.lines[:_LEADERS] if show.is_placed() else []
    width = max((len(show.names[line.entrant]) for line in lines), default=0)
    return [
        f"{show.place(line) or '':>4}  {show.names[line.entrant]:{width}}  {float(line.score):5.2f}"
        for line in lines
    ]


def _last_round(until: str | None, now: TournamentProgress) -> int | None:
    """Return the last round to play, from 1; None for all."""
    if until is None or until == NEXT:
        return None if until is None else now.number
    try:
        number = int(until)
    except ValueError:
        number = -1
    if number < 0:
        raise SettingsError(f"--until-round takes the number of a round, or {NEXT}, not {until!r}")
    if now.under_way and number < now.number:
        raise SettingsError(
            f"round {now.number} has begun and is played to its end: use --until-round {now.number}"
        )
    return number
