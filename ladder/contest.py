"""What a ladder of its own is played for: a tournament or a duel.

It is stored with the ladder's settings, once, when everybody has been entered and before the first
match. Everything else follows from it and from the matches.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ladder import tournament
from ladder.errors import SettingsError, StoreError
from ladder.ladder import Ladder
from ladder.models import Version
from ladder.planning import Planner
from ladder.store import matches
from ladder.store import settings as stored_settings

if TYPE_CHECKING:  # they need numpy, which is slow to import
    from ladder import duel

    Plan = tournament.Plan | duel.Plan


def begin(ladder: Ladder, plan: "Plan") -> None:
    """Note what the ladder is played for; raise `SettingsError` if it has matches of its own."""
    kind = "tournament" if isinstance(plan, tournament.Plan) else "duel"
    with ladder.database.write() as tx:
        if matches.last_round(tx):
            raise SettingsError(f"{ladder.home.path}: this ladder has matches of its own already")
        stored_settings.begin_contest(tx, {"contest": kind, **asdict(plan)})


def read(ladder: Ladder) -> "Plan | None":
    """Return what the ladder is played for; None if it is a standing one. Raise `StoreError`."""
    with ladder.database.read() as tx:
        stored = stored_settings.read(tx).contest
    if stored is None:
        return None
    try:
        return _plan({**stored})
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"the database is damaged: its contest: {error!r}") from error


def planner_of(ladder: Ladder) -> Planner | None:
    """Return who plans for a ladder that is played for something; None if it is a standing one."""
    plan, seats = read(ladder), ladder.settings.seats
    if plan is None:
        return None
    if isinstance(plan, tournament.Plan):
        return tournament.TournamentPlanner(plan, seats)
    from ladder.duel import DuelPlanner  # noqa: PLC0415 - slow to import

    return DuelPlanner(plan, seats)


def labels(versions: Mapping[int, Version]) -> dict[int, str]:
    """Return what versions are called: `bot`, or `bot@number` if there are several of the bot."""
    several = [version.bot for version in versions.values()]
    return {
        number: f"{v.bot}@{v.number}" if several.count(v.bot) > 1 else v.bot
        for number, v in versions.items()
    }


def _plan(fields: dict[str, Any]) -> "Plan":
    contest = fields.pop("contest")
    if contest == "tournament":
        entrants = tuple(fields.pop("entrants"))
        kind, seeding = tournament.Kind(fields.pop("kind")), fields.pop("seeding", "given")
        return tournament.Plan(kind, entrants, seeding=tournament.Seeding(seeding), **fields)
    if contest != "duel":
        raise ValueError(f"unknown kind {contest!r}")
    from ladder import duel  # noqa: PLC0415 - slow to import
    from ladder.rating.duel import Plan as Test  # noqa: PLC0415 - the same

    return duel.Plan(test=Test(**fields.pop("test")), **fields)
