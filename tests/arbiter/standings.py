"""The final table, cross tables and what is said of each entrant, by the results of meetings."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import sqrt
from typing import Any

from advancing import group_order
from facts import Meeting, Tournament, differs
from ranking import Ranking
from tables import values_of

Z = 1.959964
"""Of 95 %, both sides."""


def check_standings(cup: Tournament) -> Iterator[str]:
    """Say what is told wrongly in the table and the cross tables."""
    yield from _check_cross(cup)
    yield from _check_notes(cup)
    if cup.format == "gauntlet":
        yield from _check_gauntlet(cup)
    elif cup.format in ("round-robin", "swiss"):
        ranking = Ranking(cup, cup.bots, cup.meetings)
        yield from _check_table(cup, ranking)
    else:
        yield from _check_means(cup)
        if cup.told["over"]:
            yield from _check_places(cup)


def _check_table(cup: Tournament, ranking: Ranking) -> Iterator[str]:
    order = _with_leavers_last(cup, ranking.order())
    yield from differs("order", [line["bot"] for line in cup.told["table"]], order)
    level = {bot: (_class(cup, bot), ranking.level(bot)) for bot in order}
    for bot in order:
        line = next(line for line in cup.told["table"] if line["bot"] == bot)
        yield from differs(f"place of {bot}", line["place"], _place(bot, order, level))
        yield from differs(f"score of {bot}", line["score"], ranking.score(bot))
        yield from differs(f"meetings of {bot}", line["meetings"], len(ranking.of(bot)))
        yield from differs(f"byes of {bot}", line["byes"], len(ranking.byes(bot)))
        for name, value in ranking.compared(bot).items():
            yield from differs(f"{name} of {bot}", line[name], value)


def _with_leavers_last(cup: Tournament, order: list[str]) -> list[str]:
    """Behind all others: whose results do not count, and behind these who is disqualified."""
    return sorted(order, key=lambda bot: _class(cup, bot))


def _class(cup: Tournament, bot: str) -> tuple[bool, bool]:
    return bot in cup.disqualified, bot in cup.uncounted


def _place(bot: str, order: list[str], level: dict[str, Any]) -> int:
    """One more than the bots before all that are level with it."""
    return 1 + next(i for i, other in enumerate(order) if level[other] == level[bot])


def _check_means(cup: Tournament) -> Iterator[str]:
    """The score of knockouts and groups is the mean of all meetings; byes of both stages count."""
    for line in cup.told["table"]:
        own = [m for m in cup.meetings if line["bot"] in m.bots]
        mean = sum((m.scores()[line["bot"]] for m in own), Fraction()) / max(1, len(own))
        yield from differs(f"score of {line['bot']}", line["score"], mean)
        yield from differs(f"meetings of {line['bot']}", line["meetings"], len(own))
        byes = [r for r in cup.rounds if line["bot"] in r["byes"]]
        yield from differs(f"byes of {line['bot']}", line["byes"], len(byes))


def _check_places(cup: Tournament) -> Iterator[str]:
    """Who was out in the same round is placed by score, place at the table and margin."""
    through: dict[str, Meeting] = {}
    for meeting in (m for of in cup.knockout_rounds() for m in of):
        through.update(dict.fromkeys(meeting.told["entrants"], meeting))

    def key(bot: str) -> tuple[Any, ...]:
        last = through[bot]
        stage = last.told["stage"]
        return (
            -last.round,
            stage == "third place",
            -last.scores()[bot],
            _at_table(last, bot),
            -last.margins()[bot],
        )

    order = sorted(through, key=lambda bot: (key(bot), cup.bots.index(bot)))
    level: dict[str, Any] = {bot: (_class(cup, bot), key(bot)) for bot in order}
    if cup.format == "groups":
        others = {b: values for b, values in group_order(cup).items() if b not in through}
        order += others
        level |= {bot: (_class(cup, bot), "group", values) for bot, values in others.items()}
    order = _with_leavers_last(cup, order)
    told = [line["bot"] for line in cup.told["table"]]
    yield from differs("places", told, order)
    for line in cup.told["table"]:
        place = _place(line["bot"], order, level)
        yield from differs(f"place of {line['bot']}", line["place"], place)
    stages = {bot: through[bot].told["stage"] for bot in through}
    for line in cup.told["table"]:
        group = next((t["group"] for t in cup.told["cross"] if _in(line["bot"], t)), "")
        right = "winner" if line["place"] == 1 else stages.get(line["bot"], group)
        yield from differs(f"reached by {line['bot']}", line["reached"], right)


def _at_table(meeting: Meeting, bot: str) -> int:
    """How many at a table are ahead of a bot; a lot parts only who goes on from who is out."""
    on = meeting.told["goes_on"]
    values = {b: (b in on, values_of(meeting, b)) for b in meeting.told["entrants"]}
    return sum(values[other] > values[bot] for other in values)


def _in(bot: str, table: dict[str, Any]) -> bool:
    return any(line["bot"] == bot for line in table["table"])


def _check_gauntlet(cup: Tournament) -> Iterator[str]:
    """The challenger's score against each, the hardest first, with Wilson's interval."""
    one, *others = cup.bots
    score = {o: _mean([m.against(one, o) for m in cup.met(one, o)]) for o in others}
    matches = {o: sum(m.played for m in cup.met(one, o)) for o in others}
    order = sorted(others, key=lambda o: (not cup.met(one, o), score[o], cup.bots.index(o)))
    order = _with_leavers_last(cup, order)
    yield from differs("order", [line["bot"] for line in cup.told["table"]], order)
    for line in cup.told["table"]:
        bot = line["bot"]
        yield from differs(f"place of {bot}", line["place"], None)
        yield from differs(f"score against {bot}", line["score"], score[bot])
        yield from differs(f"meetings with {bot}", line["meetings"], len(cup.met(one, bot)))
        low, high = _wilson(float(score[bot]), matches[bot])
        yield from differs(f"low end of {bot}", line["low"], low)
        yield from differs(f"high end of {bot}", line["high"], high)


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction()) / len(values) if values else Fraction(1, 2)


def _wilson(share: float, n: int) -> tuple[float, float]:
    if not n:
        return 0.0, 1.0
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def _check_cross(cup: Tournament) -> Iterator[str]:
    """Each cell is the mean of the meetings of two that count."""
    for table in cup.told["cross"]:
        told = {
            (line["bot"], other): cell
            for line in table["table"]
            for other, cell in line["against"].items()
        }
        bots = [line["bot"] for line in table["table"]]
        for pair in combinations(bots, 2):
            for one, other in (pair, pair[::-1]):
                own = [
                    m
                    for m in cup.met(one, other)
                    if m.told["stage"] == table["group"] or not table["group"]
                ]
                right = {"score": _mean([m.against(one, other) for m in own]), "meetings": len(own)}
                cell = told.get((one, other), {"score": Fraction(1, 2), "meetings": 0})
                yield from differs(f"{one} against {other}", cell["score"], right["score"])
                yield from differs(f"{one} with {other}", cell["meetings"], right["meetings"])


def _check_notes(cup: Tournament) -> Iterator[str]:
    """Forfeits are counted, and who never finished a match is named."""
    played = {b: [m for t in _seated(cup, b) for m in t if b in m.order] for b in cup.bots}
    forfeits = {b: sum(b in match.kinds for match in played[b]) for b in cup.bots}
    never = [b for b in cup.bots if played[b] and forfeits[b] == len(played[b])]
    yield from differs("never finished", cup.told["never_finished"], never)
    for line in cup.told["table"]:
        yield from differs(f"forfeits of {line['bot']}", line["forfeits"], forfeits[line["bot"]])


def _seated(cup: Tournament, bot: str) -> Iterator[list[Any]]:
    """The matches that count of each meeting that a bot was at."""
    for meeting in cup.meetings:
        if bot in meeting.told["entrants"] and meeting.told["match_ids"]:
            yield [match for match in meeting.counts if match.points and meeting.played]
