"""Who goes on: from the groups into the knockout, and from each round of it into the next."""

from collections.abc import Iterator
from fractions import Fraction

from facts import Json, Meeting, Tournament, differs
from ranking import Ranking


def check_advancing(cup: Tournament) -> Iterator[str]:
    """Say who plays on that should not, and who should and does not."""
    if cup.format not in ("knockout", "groups"):
        return
    rounds = cup.knockout_rounds()
    entering = _entering(cup) if rounds else set[str]()
    if cup.format == "groups":
        yield from _check_groups(cup)
    byes = {r["round"]: set(r["byes"]) for r in cup.rounds}
    for i, meetings in enumerate(rounds):
        tables = [m for m in meetings if m.told["stage"] != "third place"]
        here = [b for m in tables for b in m.told["entrants"]]
        resting = byes[meetings[0].round]
        where = f"round {meetings[0].round}"
        yield from differs(f"{where}: plays or rests", {*here} | resting, entering)
        if i and resting:
            yield f"{where}: byes after the first round of the knockout"
        if not i:
            yield from _check_byes(cup, resting, entering)
        losers = {b for m in tables for b in m.told["entrants"]} - _on(tables)
        third = (
            [m for m in rounds[i + 1] if m.told["stage"] == "third place"]
            if i + 1 < len(rounds)
            else []
        )
        for match in third:
            yield from differs(f"{where}: third place", set(match.told["entrants"]), losers)
        entering = _on(tables) | resting


def _on(tables: list[Meeting]) -> set[str]:
    return {bot for meeting in tables for bot in meeting.told["goes_on"]}


def _entering(cup: Tournament) -> set[str]:
    if cup.format == "knockout":
        return set(cup.bots)
    return {bot for table in cup.told["cross"] for bot in _best(cup, table)}


def _check_byes(cup: Tournament, resting: set[str], entering: set[str]) -> Iterator[str]:
    """The best seeds have the byes; after groups these are the first ones of theirs."""
    if cup.format == "knockout":
        yield from differs("byes", resting, set(cup.bots[: len(resting)]))
    else:
        yield from differs("byes", len(resting - entering), 0)


def _check_groups(cup: Tournament) -> Iterator[str]:
    size, tables = cup.options["group_size"], cup.told["cross"]
    sizes = [len(table["table"]) for table in tables]
    yield from differs("number of groups", len(tables), -(-len(cup.bots) // size))
    if max(sizes) - min(sizes) > 1:
        yield f"groups of {sizes}"
    for table in tables:
        ranking = _ranking(cup, table)
        order = ranking.order()
        yield from differs(table["group"], [line["bot"] for line in table["table"]], order)
        places = ranking.places()
        for line in table["table"]:
            yield from differs(f"group place of {line['bot']}", line["place"], places[line["bot"]])
            yield from differs(
                f"group score of {line['bot']}", line["score"], ranking.score(line["bot"])
            )
        on = {
            line["bot"]: line["goes_on_by"]
            for line in table["table"]
            if line["goes_on_by"] is not None
        }
        if cup.knockout_rounds() or cup.told["over"]:
            yield from differs(f"{table['group']} goes on by", on, _why(cup, table))


def _ranking(cup: Tournament, table: Json) -> Ranking:
    bots = [bot for bot in cup.bots if any(line["bot"] == bot for line in table["table"])]
    return Ranking(cup, bots, [m for m in cup.meetings if m.told["stage"] == table["group"]])


def _there(cup: Tournament, table: Json) -> list[str]:
    """The order of a group without those who left before the knockout."""
    last = max(
        r["round"] for r in cup.rounds if any(m["stage"].startswith("group") for m in r["meetings"])
    )
    return [b for b in _ranking(cup, table).order() if cup.is_there(b, last + 1)]


def _best(cup: Tournament, table: Json) -> list[str]:
    most = min(cup.options["advancing"], len(table["table"]) - 1)
    return _there(cup, table)[:most]


def _why(cup: Tournament, table: Json) -> dict[str, str]:
    """What told each from the first who does not go on."""
    ranking, there, best = _ranking(cup, table), _there(cup, table), _best(cup, table)
    if len(there) == len(best):
        return dict.fromkeys(best, "")
    out = there[len(best)]
    return {bot: _told_apart(ranking, bot, out) for bot in best}


def _told_apart(ranking: Ranking, bot: str, out: str) -> str:
    if ranking.score(bot) != ranking.score(out):
        return "score"
    ahead, behind = ranking.compared(bot), ranking.compared(out)
    return next((name for name in ahead if ahead[name] != behind[name]), "seed")


def group_order(cup: Tournament) -> dict[str, tuple[int, Fraction]]:
    """All of the groups by place in the group and score there, which part them, then by seed."""
    rankings = [_ranking(cup, table) for table in cup.told["cross"]]
    level = {b: (place, -r.score(b)) for r in rankings for b, place in r.places().items()}
    order = sorted(level, key=lambda bot: (level[bot], cup.bots.index(bot)))
    return {bot: level[bot] for bot in order}
