"""The contest that a ladder plays: a tournament or a duel.

The plan is stored with the ladder's settings, once, after all bots have entered and before the
first match. Everything else follows from the plan and the matches.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from ladder.model.directives import ByePoints
from ladder.model.errors import SettingsError, StoreError
from ladder.model.settings import Settings
from ladder.model.tournaments import KeptApart, Kind, Seeding
from ladder.scheduling.planner import Planner
from ladder.scheduling.tournament import planner as tournament
from ladder.scheduling.tournament.timed_planner import TimedPlanner
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from ladder.storage.tables import settings as stored_settings

if TYPE_CHECKING:  # duels need numpy, which is slow to import
    from ladder.scheduling.duel import planner as duel

    Plan = tournament.TournamentPlan | duel.DuelPlan

_DRAFT = "draft of a tournament"


@dataclass(frozen=True, slots=True)
class Draft:
    """A requested tournament whose bots have not all entered: the arguments of the command."""

    words: tuple[str, ...]
    """The bots as named, with paths that hold in any folder."""
    standing: str | None
    """The folder of the standing ladder that some bots come from."""
    seeding: str | None
    plan: Mapping[str, Any]
    """The rules as far as they are known, as JSON values."""
    forbidden: Sequence[tuple[str, str]] = ()
    """The pairs of bots, by name, that may not meet."""


def prepare(ladder: Ladder, draft: Draft) -> None:
    """Store the draft, so that an interrupted command can be continued without arguments."""
    with ladder.changing_settings() as tx:
        stored_settings.begin_contest(tx, {"contest": _DRAFT, **asdict(draft)})


def draft_of(ladder: Ladder) -> Draft | None:
    """Return the draft of a ladder whose bots have not all entered, if any; raise `StoreError`."""
    with ladder.database.read() as tx:
        stored = {**(stored_settings.read(tx).contest or {})}
    if stored.pop("contest", None) != _DRAFT:
        return None
    try:
        words = tuple(map(str, stored.pop("words")))
        forbidden = tuple((str(one), str(other)) for one, other in stored.pop("forbidden", ()))
        return Draft(words, forbidden=forbidden, **stored)
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"the database is damaged: its contest: {error!r}") from error


def plan_of(draft: Draft) -> tournament.TournamentPlan:
    """Return a draft's plan, without entrants; raise `StoreError` if it is damaged."""
    try:
        plan = _plan({"contest": "tournament", **draft.plan})
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"the database is damaged: its contest: {error!r}") from error
    if not isinstance(plan, tournament.TournamentPlan):
        raise StoreError("the database is damaged: its contest is not a tournament")
    return plan


def begin(ladder: Ladder, plan: "Plan") -> None:
    """Store the ladder's contest; raise `SettingsError` if the ladder already has matches."""
    kind = "tournament" if isinstance(plan, tournament.TournamentPlan) else "duel"
    with ladder.changing_settings() as tx:
        if matches.last_round(tx):
            raise SettingsError(f"{ladder.home.path}: this ladder has matches of its own already")
        stored_settings.begin_contest(tx, {"contest": kind, **asdict(plan)})


def read(ladder: Ladder) -> "Plan | None":
    """Return the ladder's contest; None for a standing ladder. Raise `StoreError` if damaged.

    Raise `SettingsError` if the contest has not begun, as its bots have not all entered.
    """
    with ladder.database.read() as tx:
        return of(stored_settings.read(tx), ladder.home)


def of(settings: Settings, home: Home) -> "Plan | None":
    """Return what the ladder in a folder is played for by its settings, as `read` does."""
    stored = settings.contest
    if stored is None:
        return None
    if stored.get("contest") == _DRAFT:
        raise SettingsError(
            f"{home.path}: the tournament in this folder has not begun, as not all of its "
            f"bots have entered; `ladder tournament FORMAT {home.path}` continues it"
        )
    try:
        return _plan({**stored})
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"the database is damaged: its contest: {error!r}") from error


def problems(ladder: Ladder) -> Iterator[str]:
    """Yield what is wrong with the stored contest, or with the tables planned for it."""
    try:
        plan = read(ladder)
        if plan is None or (
            isinstance(plan, tournament.TournamentPlan) and plan.rules != tournament.RULES
        ):
            return
        planner = _planner(plan, ladder.settings.seats)
        with ladder.database.read() as tx:
            planner.plan(tx)
    except StoreError as error:
        yield str(error)


def planner_of(ladder: Ladder) -> Planner | None:
    """Return the planner of the ladder's contest; None for a standing ladder."""
    plan = read(ladder)
    return None if plan is None else _planner(plan, ladder.settings.seats)


def _planner(plan: "Plan", seats: int) -> Planner:
    if isinstance(plan, tournament.TournamentPlan):
        return TimedPlanner(plan, seats)
    from ladder.scheduling.duel.planner import DuelPlanner  # noqa: PLC0415 - slow to import

    return DuelPlanner(plan, seats)


def _plan(fields: dict[str, Any]) -> "Plan":
    contest = fields.pop("contest")
    if contest == "tournament":
        entrants = tuple(fields.pop("entrants"))
        kind, seeding = Kind(fields.pop("kind")), fields.pop("seeding", "given")
        fields = {"rules": 1, "pairing": 1, "shared_places": False, **fields}
        if (late := fields.pop("late_bye", None)) is not None:
            fields["late_bye"] = ByePoints(late)
        if (apart := fields.pop("apart", None)) is not None:
            fields["apart"] = KeptApart(apart)
        if (start := fields.get("start")) is not None:
            datetime.fromisoformat(start)
        fields |= {name: tuple(fields.pop(name, ())) for name in ("authors", "teams")}
        fields["forbidden"] = tuple((one, other) for one, other in fields.pop("forbidden", ()))
        if not {*chain(*fields["forbidden"])} <= {*entrants}:
            raise ValueError("it forbids a pair with a bot that is no entrant")
        return tournament.TournamentPlan(kind, entrants, seeding=Seeding(seeding), **fields)
    if contest != "duel":
        raise ValueError(f"unknown kind {contest!r}")
    from ladder.scheduling.duel import planner as duel  # noqa: PLC0415 - slow to import
    from ladder.scheduling.duel.sequential import SequentialTest  # noqa: PLC0415 - the same

    return duel.DuelPlan(test=SequentialTest(**fields.pop("test")), **fields)
