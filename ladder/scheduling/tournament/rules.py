"""The rules of a tournament in words, derived from its plan."""

from collections.abc import Iterable, Mapping, Sequence

from ladder.model.directives import ByePoints
from ladder.model.tournaments import USUAL_DEALS, Kind, Seeding
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.apart import Pair
from ladder.scheduling.tournament.formats.bracket import advancing
from ladder.scheduling.tournament.formats.double_elimination import DoubleElimination
from ladder.scheduling.tournament.formats.gauntlet import Gauntlet
from ladder.scheduling.tournament.formats.groups import Groups
from ladder.scheduling.tournament.formats.knockout import Knockout
from ladder.scheduling.tournament.formats.round_robin import RoundRobin
from ladder.scheduling.tournament.formats.swiss import Swiss, rounds_needed
from ladder.scheduling.tournament.formats.tables import SEED
from ladder.scheduling.tournament.planner import ELIMINATING, TournamentPlan


def rules_of(plan: TournamentPlan, seats: int, names: Mapping[VersionId, str]) -> dict[str, str]:
    """Return the rules of a tournament at tables of `seats` seats, by topic."""
    rules = {
        "seeds": _seeds(plan, names),
        "rounds": _rounds(plan, seats, names),
        "tables": _tables(plan.kind, seats),
        "meetings": f"each is {counted(plan.deals, 'deal')} played on all rotations of the seats: "
        f"{plan.deals * seats} matches at a table of {seats}{_circles(seats)}",
        "score": _score(plan.kind),
        "byes": _byes(plan, seats),
    }
    if plan.kind is not Kind.GAUNTLET:
        rules["ties"] = _ties(plan)
    if plan.kind in ELIMINATING:
        rules["who goes on"] = _deciding(plan)
    n = len(plan.entrants)
    if plan.kind in _KEPT_APART and 0 < len(plan.pairs_apart().fellows) < n * (n - 1):
        rules["kept apart"] = f"bots of one {plan.apart}: {_KEPT_APART[plan.kind]}"
    return rules


_KEPT_APART = {
    Kind.SWISS: "they meet in as few pairs as possible without another rematch",
    Kind.GAUNTLET: "at larger tables as few as possible sit beside each other",
    Kind.KNOCKOUT: "they meet as late as possible",
    Kind.DOUBLE_ELIMINATION: "they meet as late as possible in the winners' bracket, and in as few "
    "pairs as possible without another rematch in the losers' bracket",
    Kind.GROUPS: "as few as possible are in one group, and in the knockout they meet as late as "
    "possible",
}


def forbidden_text(kind: Kind, forbidden: Iterable[Pair], names: Mapping[VersionId, str]) -> str:
    """Return which pairs may not meet, in words; they are given in both orders."""
    pairs = sorted({" and ".join(sorted((names[a], names[b]))) for a, b in forbidden})
    late = "; in the knockout they meet as late as possible" if kind is Kind.GROUPS else ""
    return ", ".join(pairs) + late


def _ties(plan: TournamentPlan) -> str:
    """Return the tie-breaks in words."""
    form = plan.form()
    shared = "; equals share a place" if plan.shared_places else ""
    decided = f"decided by {_in_turn(form.tie_breaks, plan)}"
    if not isinstance(form, Groups):
        return decided + shared
    advances = ", and in a group the better seed of them goes on" if shared else ""
    knockout = _in_turn(form.knockout.tie_breaks, plan)
    return f"in a group {decided}; in the knockout by {knockout}{shared}{advances}"


def _in_turn(tie_breaks: Sequence[str], plan: TournamentPlan) -> str:
    """Return the tie-breaks that part places."""
    return ", then ".join(name for name in tie_breaks if name != SEED or not plan.shared_places)


def options_of(plan: TournamentPlan, seats: int) -> dict[str, int | str]:
    """Return the options of a tournament, including defaults, by name."""
    found: dict[str, int | str] = {"seeding": plan.seeding.value}
    match plan.form():
        case Swiss() as form:
            found["rounds"] = form.rounds or rounds_needed(len(plan.entrants), seats)
            if plan.late_bye is not None:
                found |= {"late_bye": plan.late_bye.value, "half_byes": plan.most_half_byes}
        case RoundRobin() | Gauntlet() as form:
            found["rounds"] = form.cycles
        case Groups() as form:
            found |= {"group_size": form.size, "advancing": form.advancing}
            found["sudden_death"] = form.knockout.decider.deals
        case Knockout() | DoubleElimination() as form:
            found["sudden_death"] = form.decider.deals
    if plan.apart is not None:
        found["apart"] = plan.apart.value
    if plan.start is not None:
        found["start"] = plan.start
    if plan.every_s is not None:
        found["every_s"] = plan.every_s
    return found


def _seeds(plan: TournamentPlan, names: Mapping[VersionId, str]) -> str:
    how = {
        Seeding.RATING: "by rating",
        Seeding.DRAW: "by draw",
        Seeding.GIVEN: "in the order given",
    }
    seeds = ", ".join(f"{i} {names[e]}" for i, e in enumerate(plan.entrants, start=1))
    return f"{how[plan.seeding]}: {seeds}"


def _deciding(plan: TournamentPlan) -> str:
    """Return the rule for who goes on from a table of a knockout."""
    deals = USUAL_DEALS if plan.sudden_death is None else plan.sudden_death
    more = "1 more deal is" if deals == 1 else f"up to {deals} more deals are"
    play_on = (
        f"if that is level where it matters, {more} played on all rotations of the seats, one "
        "by one, until the scores of a deal differ (sudden death); then "
    )
    return (
        f"the higher score; {play_on if deals else ''}the points margin over the others at the "
        "table (of matches without a forfeit), then first places, then a lot drawn from the "
        "tournament's seed; the same decides who wins the final"
    )


def _rounds(plan: TournamentPlan, seats: int, names: Mapping[VersionId, str]) -> str:
    n = len(plan.entrants)
    match plan.kind:
        case Kind.ROUND_ROBIN:
            form = plan.form()
            count = len(form.schedule(n, seats)) if isinstance(form, RoundRobin) else 0
            return f"{count}, in which everyone meets everyone{_times(plan.rounds)}; {_EVEN}"
        case Kind.SWISS:
            count = plan.rounds or rounds_needed(n, seats)
            return f"{count}; bots with similar scores meet, and rematches are avoided if possible"
        case Kind.GAUNTLET:
            first = names[plan.entrants[0]]
            return (
                f"the challenger, {first}, sits at every table and meets each other bot"
                f"{_times(plan.rounds)}; only it is compared with the others, and no bot wins"
            )
        case Kind.KNOCKOUT:
            return _knockout(seats)
        case Kind.DOUBLE_ELIMINATION:
            return _double_elimination(seats)
        case Kind.GROUPS:
            form = plan.form()
            advancing = getattr(form, "advancing", 2)
            return (
                f"first a round robin in each group, whose {advancing} best go on, but never a "
                "whole group; then a knockout in which bots of one group meet as late as possible: "
                f"{_knockout(seats)}"
            )


_EVEN = "numbers of meetings differ by at most one"


def _knockout(seats: int) -> str:
    third = "; the losers of the round before it play for third place" if seats == 2 else ""  # noqa: PLR2004 - pairs
    return (
        f"{_going_on(seats)}, until all who are left fit on one table, the final{third}; the "
        "bracket is made once, by seed"
    )


def _double_elimination(seats: int) -> str:
    return (
        f"{_going_on(seats)}, in two brackets: losers of the first, which is made by seed, drop "
        "into the second, whose losers are out, and in which bots meet again only if that cannot "
        "be avoided; when all who are left fit on one table they play the final, which eliminates "
        "all but its winner once more, and those who are not out yet play it again"
    )


def _going_on(seats: int) -> str:
    on = advancing(seats)
    return f"of each table the {'best goes' if on == 1 else f'{on} best go'} on"


def _tables(kind: Kind, seats: int) -> str:
    if seats == 2:  # noqa: PLR2004 - pairs; the byes are a case of their own
        return "of 2 bots"
    smaller = "there are no stand-ins: a table with fewer bots plays the game for that many"
    match kind:
        case Kind.ROUND_ROBIN | Kind.GAUNTLET:
            return f"of {seats}, if there are that many bots; {smaller}"
        case Kind.SWISS:
            return (
                f"of {seats}; if the field does not divide, the fewest tables that seat all, "
                f"whose sizes differ by at most one; {smaller}"
            )
        case Kind.DOUBLE_ELIMINATION:
            return f"of {seats}; in a round of a bracket the sizes differ by at most one; {smaller}"
        case Kind.KNOCKOUT | Kind.GROUPS:
            less = _NOT_FULL if seats % advancing(seats) else ""
            return (
                f"of {seats}; those of the first round of a knockout differ by at most one, so "
                f"that the later ones are full{less}; {smaller}"
            )


_NOT_FULL = " (but for the final, of four, and one table of the round of 24)"


def _circles(seats: int) -> str:
    many = "; who sits before whom changes from deal to deal and from meeting to meeting"
    return many if seats > 2 else ""  # noqa: PLR2004 - of two each sits before the other


def _score(kind: Kind) -> str:
    of_match = (
        "of a match: the share of the others that came behind, ties as half, nothing "
        "for a forfeit; of a meeting: the mean of its matches; "
    )
    match kind:
        case Kind.ROUND_ROBIN:
            return of_match + "in all: the mean over the opponents, each counting once"
        case Kind.SWISS:
            return of_match + "in all: the sum of the meetings and byes"
        case Kind.GAUNTLET:
            return of_match + "of the challenger against each: the mean of their meetings"
        case Kind.KNOCKOUT | Kind.DOUBLE_ELIMINATION | Kind.GROUPS:
            return of_match + "in all: the mean of the meetings"


_BYES = {
    Kind.KNOCKOUT: "in the first round only, for the best seeds",
    Kind.DOUBLE_ELIMINATION: "in the first round, for the best seeds, and in rounds of the losers' "
    "bracket whose bots its tables do not divide",
    Kind.GROUPS: "do not count in a group; in the knockout there are byes in the first round only, "
    "for the best seeds",
    Kind.ROUND_ROBIN: "do not count: the score is the mean over the opponents",
    Kind.GAUNTLET: "none: a bot without a table misses nothing",
}


def _byes(plan: TournamentPlan, seats: int) -> str:
    if plan.kind is not Kind.SWISS:
        return _BYES[plan.kind]
    if seats > 2:  # noqa: PLR2004 - larger tables
        return f"none but on request and for late bots: {_given_byes(plan)}"
    return (
        "1/2 for the bot that an odd field leaves out; none has a second such bye before all have "
        f"had one; {_given_byes(plan)}"
    )


def _given_byes(plan: TournamentPlan) -> str:
    """Return the rule for byes that the pairing does not choose, in words."""
    most = plan.most_half_byes
    half = f", or 1/2 in at most {counted(most, 'round')} but the last" if most else ""
    late = {
        None: "1/2 for each round that it missed",
        ByePoints.ZERO: "0 for each round that it missed",
        ByePoints.HALF: f"1/2 for at most {counted(most, 'round')} that it missed",
    }
    return f"on request 0{half}; a late bot gets {late[plan.late_bye]}"


def counted(count: int, what: str) -> str:
    """Return a count with its noun."""
    return f"{count} {what}" + ("" if count == 1 else "s")


def _times(times: int | None) -> str:
    return f", {times} times over" if times and times > 1 else ""
