"""Begins a duel, or continues one as it was begun."""

from collections.abc import Callable
from pathlib import Path

from ladder.model.errors import SettingsError
from ladder.scheduling import contest
from ladder.scheduling.duel.planner import DuelPlan
from ladder.scheduling.duel.sequential import SequentialTest
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from ladder.submission.contests import check_files, enter
from ladder.submission.entrants import Entrants


def folder_of(named: Entrants) -> Path:
    """Return the default folder of a duel."""
    names = [
        f"{one.bot}.{one.version.number}" if one.version else one.bot for one in named.each[:2]
    ]
    if named.home is None:
        return Path(f"duel-{'-'.join(names)}")
    return named.home / "duels" / "-".join(names)


def begun(
    ladder: Ladder,
    test: SequentialTest,
    named: Entrants,
    say: Callable[[str], None],
    to_go_on: str,
) -> DuelPlan:
    """Return the plan of the duel of A and B, perhaps with a third bot; enter them if it is new.

    Raise `SettingsError` if the ladder holds another contest, or other files of these bots; the
    error shows how to continue the duel (`to_go_on`).
    """
    if named.each[2:] and ladder.settings.seats % 2 == 0:
        raise SettingsError(
            f"--third needs a table of 3 or 5 seats: a table of {ladder.settings.seats} "
            "has no seat left over"
        )
    plan = contest.read(ladder)
    if plan is None:
        a, b, *third = (version.id for version in enter(ladder, named.each, say))
        plan = DuelPlan(a, b, third[0] if third else None, test)
        contest.begin(ladder, plan)
        return plan
    if not isinstance(plan, DuelPlan) or not _same(ladder, plan, test, named):
        raise SettingsError(
            f"{ladder.home.path}: this folder holds another contest; "
            "name another folder by --in DIR"
        )
    words = [one.word for one in named.each]
    check_files(ladder, words, named.home, plan.entrants, to_go_on)
    return plan


def _same(ladder: Ladder, plan: DuelPlan, test: SequentialTest, named: Entrants) -> bool:
    """Return whether the stored duel is the one asked for."""
    with ladder.database.read() as tx:
        known = bots.all_versions(tx)
    playing = [known[v].bot for v in plan.entrants]
    return (playing, plan.test) == ([one.bot for one in named.each], test)
