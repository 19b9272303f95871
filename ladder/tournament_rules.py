"""The rules of a tournament in words, as they follow from its plan."""

from collections.abc import Mapping

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.deciding import Decider
from ladder.scheduling.tournaments.round_robin import rounds_of
from ladder.scheduling.tournaments.swiss import rounds_needed
from ladder.tournament import Kind, Plan, Seeding


def rules_of(plan: Plan, seats: int, names: Mapping[VersionId, str]) -> dict[str, str]:
    """Return what holds in a tournament at tables of so many seats, by topic."""
    matches = plan.deals * seats
    rules = {
        "seeds": _seeds(plan, names),
        "rounds": _rounds(plan, seats, names),
        "meetings": f"each is {counted(plan.deals, 'deal')} played on all {seats} rotations of the "
        f"seats: {matches} matches",
        "score": "of a match: the share of the others that came behind, a shared place as "
        "half; of a meeting: the mean of its matches",
        "byes": _byes(plan.kind),
        "ties": f"decided by {', then '.join(plan.form().tie_breaks)}",
    }
    if plan.kind in (Kind.KNOCKOUT, Kind.GROUPS):
        rules["who goes on"] = _deciding(plan, seats)
    return rules


def _seeds(plan: Plan, names: Mapping[VersionId, str]) -> str:
    how = {
        Seeding.RATING: "by rating",
        Seeding.DRAW: "by draw",
        Seeding.GIVEN: "as they were named",
    }
    seeds = ", ".join(f"{i} {names[e]}" for i, e in enumerate(plan.entrants, start=1))
    return f"{how[plan.seeding]}: {seeds}"


def _deciding(plan: Plan, seats: int) -> str:
    """Return how it is decided who goes on from a table of a knockout."""
    if plan.sudden_death is None:
        return f"decided by {', then '.join(Decider().criteria)}"
    deals = plan.sudden_death
    more = "1 more deal is" if deals == 1 else f"up to {deals} more deals are"
    play_on = (
        f"if that is level where it matters, {more} played on all {seats} rotations, one "
        "by one, until the scores of a deal differ (sudden death); then "
    )
    return (
        f"the higher score; {play_on if deals else ''}the points margin over the others at the "
        "table (of matches without a forfeit), then first places, then a lot drawn from the "
        "tournament's seed; in the final it is decided so who is first"
    )


def _rounds(plan: Plan, seats: int, names: Mapping[VersionId, str]) -> str:
    n = len(plan.entrants)
    on = max(1, seats // 2)
    knockout = (
        f"of each table the {'best goes' if on == 1 else f'{on} best go'} on, "
        "until all who are left fit on one table, the final"
    )
    match plan.kind:
        case Kind.ROUND_ROBIN:
            count = len(list(rounds_of(plan.entrants, seats))) * (plan.rounds or 1)
            return f"{count}, until everybody has met everybody{_times(plan.rounds)}"
        case Kind.SWISS:
            count = plan.rounds or rounds_needed(n, seats)
            return f"{count}; those meet who stand alike, if they have not met"
        case Kind.GAUNTLET:
            first = names[plan.entrants[0]]
            return f"{first} sits at every table and meets each other{_times(plan.rounds)}"
        case Kind.KNOCKOUT:
            return knockout
        case Kind.GROUPS:
            form = plan.form()
            advancing = getattr(form, "advancing", 2)
            return (
                f"first a round robin in each group, whose {advancing} best go on; then a "
                f"knockout: {knockout}"
            )


def _byes(kind: Kind) -> str:
    match kind:
        case Kind.SWISS:
            return "1/2 for each; they go to the last in line of those that had the fewest"
        case Kind.KNOCKOUT:
            return "if the tables are not full, the best seeds with the fewest go on unplayed"
        case Kind.GROUPS:
            return (
                "none in the score, which is a mean; in the knockout the best seeds go on "
                "unplayed if the tables are not full"
            )
        case Kind.ROUND_ROBIN:
            return "count nothing: the score is the mean of the meetings"
        case Kind.GAUNTLET:
            return "none: the score is that against the first seed"


def counted(count: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{count} {what}" + ("" if count == 1 else "s")


def _times(times: int | None) -> str:
    return f", {times} times over" if times and times > 1 else ""
