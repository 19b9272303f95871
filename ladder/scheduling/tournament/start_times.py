"""When the rounds of a tournament may begin."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from ladder.model.directives import Directive, DirectiveKind
from ladder.model.moments import duration, in_words
from ladder.scheduling.tournament.planner import TournamentPlan


def start_of(
    plan: TournamentPlan,
    number: int,
    directives: Sequence[Directive],
    begun: Mapping[int, datetime],
) -> datetime | None:
    """Return when a round, from 1, may begin, UTC; None if as soon as it can.

    `begun` holds the beginnings of earlier rounds. The director's last decision about a round
    goes before the plan.
    """
    decided = [
        each.starts_at
        for each in directives
        if each.kind is DirectiveKind.START and each.round == number
    ]
    if decided and decided[-1]:
        return datetime.fromisoformat(decided[-1])
    if number == 1:
        return None if plan.start is None else datetime.fromisoformat(plan.start)
    if plan.every_s is None or number - 1 not in begun:
        return None
    return begun[number - 1] + timedelta(seconds=plan.every_s)


def times_of(plan: TournamentPlan) -> str:
    """Return the rule for when rounds begin, in words; empty if there is none."""
    start = plan.start and in_words(datetime.fromisoformat(plan.start))
    first = f"the first round starts at {start}" if start else ""
    every = (
        f"each later round at least {duration(plan.every_s)} after the start of the one before"
        if plan.every_s
        else ""
    )
    return ", ".join(filter(None, [first, every]))
