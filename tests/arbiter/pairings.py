"""Who met whom: what each format says of its tables, if no bot left or came late."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from facts import Meeting, Tournament, differs, is_stage_of_knockout


def check_pairings(cup: Tournament) -> Iterator[str]:
    """Say which tables are against the rules."""
    yield from _check_seats(cup)
    yield from _check_forbidden(cup)
    if cup.format == "swiss":
        yield from _check_swiss(cup)
    if cup.format == "round-robin" and cup.told["over"]:
        yield from _check_round_robin(cup.bots, cup.meetings, cup.options["rounds"], cup.seats)
    if cup.format == "groups" and cup.knockout_rounds():
        yield from _check_groups(cup)
    if cup.format == "knockout" and cup.seats == 2 and not cup.fellows():
        yield from _check_bracket(cup)


def _check_seats(cup: Tournament) -> Iterator[str]:
    """No bot sits twice in a round; in a gauntlet the challenger sits at every table."""
    for told in cup.rounds:
        sat = Counter(b for m in told["meetings"] for b in m["entrants"])
        if any(times > 1 for times in sat.values()) or sat.keys() & set(told["byes"]):
            yield f"round {told['round']}: somebody sits twice, or sits and has a bye"
    for meeting in cup.meetings:
        if cup.format == "gauntlet" and cup.bots[0] not in meeting.told["entrants"]:
            yield f"round {meeting.round}: the challenger does not sit"


def _check_forbidden(cup: Tournament) -> Iterator[str]:
    """No forbidden pair meets, but in the knockout after groups."""
    for meeting in cup.meetings:
        forbidden = cup.forbidden(meeting.round)
        if not is_stage_of_knockout(cup.format, meeting.told["stage"]):
            for pair in combinations(meeting.told["entrants"], 2):
                if frozenset(pair) in forbidden:
                    yield f"round {meeting.round}: {' and '.join(pair)} may not meet"


def _check_groups(cup: Tournament) -> Iterator[str]:
    """Each group plays a round robin."""
    for table in cup.told["cross"]:
        bots = [line["bot"] for line in table["table"]]
        own = [m for m in cup.meetings if m.told["stage"] == table["group"]]
        yield from _check_round_robin(bots, own, 1, cup.seats)


def _check_round_robin(
    bots: list[str], meetings: list[Meeting], cycles: int, seats: int
) -> Iterator[str]:
    """Every two meet once a cycle at tables of two, elsewhere as evenly as can be."""
    met = Counter(frozenset(pair) for m in meetings for pair in combinations(m.told["entrants"], 2))
    times = {met[frozenset(pair)] for pair in combinations(bots, 2)}
    if min(times) < cycles or max(times) > min(times) + (seats > 2 and len(bots) > seats):
        yield f"two met {min(times)} times, and two others {max(times)} times"


def _check_swiss(cup: Tournament) -> Iterator[str]:
    first = [m.told["entrants"] for m in cup.meetings if m.round == 1]
    yield from _check_given_byes(cup)
    whole = [b for b in cup.bots[: len(cup.bots) - len(cup.late)] if (1, b) not in cup.given]
    seated = whole[: len(whole) - (len(whole) % 2 if cup.seats == 2 else 0)]
    all_there = all(cup.is_there(bot, 1) for bot in cup.bots) and 1 not in cup.late.values()
    if all_there and not cup.fellows() and not cup.forbidden(1):
        right = [sorted(seated[t :: len(first)]) for t in range(len(first))]
        yield from differs("first round", [sorted(table) for table in first], right)
    for told in cup.rounds:
        sizes = [len(m["entrants"]) for m in told["meetings"]]
        all_sit = cup.seats > 2 and not cup.late and not cup.given
        if max(sizes) - min(sizes) > 1 or (all_sit and told["byes"]):
            yield f"round {told['round']}: tables of {sizes}, byes of {told['byes']}"
    if not cup.left and not cup.late and not cup.given:
        byes = Counter(bot for told in cup.rounds for bot in told["byes"])
        if max(byes[b] for b in cup.bots) - min(byes[b] for b in cup.bots) > 1:
            yield f"byes: {dict(byes)}"


def _check_given_byes(cup: Tournament) -> Iterator[str]:
    """A bot with a bye does not sit; half a point is limited, and not in the last round."""
    for told in cup.rounds:
        sat = {bot for m in told["meetings"] for bot in m["entrants"]}
        if wrong := [bot for bot in sat if (told["round"], bot) in cup.given]:
            yield f"round {told['round']}: {wrong} asked for a bye, and sat"
    half = [(number, bot) for (number, bot), points in cup.given.items() if points]
    most = max(Counter(bot for _, bot in half).values(), default=0)
    if most > cup.options.get("half_byes", 1):
        yield f"{most} half-point byes"
    if any(number == cup.options["rounds"] for number, _ in half):
        yield "a half-point bye in the last round"


def _check_bracket(cup: Tournament) -> Iterator[str]:
    """Of the slots of a round the first meets the last, and who wins takes over the better one."""
    slots = list(cup.bots)
    for meetings in cup.knockout_rounds():
        tables = [m for m in meetings if m.told["stage"] != "third place"]
        resting = slots[: len(slots) - 2 * len(tables)]
        playing = slots[len(resting) :]
        right = [{a, b} for a, b in zip(playing, reversed(playing), strict=True)][: len(tables)]
        found = {frozenset(m.told["entrants"]): m for m in tables}
        yield from differs(f"round {meetings[0].round}", set(found), {frozenset(p) for p in right})
        if any(
            frozenset(pair) not in found or not found[frozenset(pair)].told["goes_on"]
            for pair in right
        ):
            return
        slots = [*resting, *(found[frozenset(pair)].told["goes_on"][0] for pair in right)]
