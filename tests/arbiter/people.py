"""The standings of authors and teams, by the places of their bots."""

from collections.abc import Iterator

from facts import Json, Tournament, differs


def check_people(cup: Tournament, told: dict[str, list[Json]]) -> Iterator[str]:
    """Say what is told wrongly in the standings, each under what they are by."""
    right = {by: lines for by in ("author", "team") if (lines := _standings(cup, by))}
    yield from differs("standings by", sorted(told), sorted(right))
    for by in told.keys() & right.keys():
        for line, due in zip(told[by], right[by], strict=False):
            yield from differs(f"standings by {by}", line, due)
        yield from differs(f"lines by {by}", len(told[by]), len(right[by]))


def _standings(cup: Tournament, by: str) -> list[Json]:
    """The lowest sum first; none if no bot has a place, or none's author or team is known."""
    bots: dict[str, list[Json]] = {}
    for line in cup.told["table"]:
        if line.get(by) and line["place"] is not None and line["bot"] not in cup.late:
            bots.setdefault(line[by], []).append(line)
    best = min(map(len, bots.values()), default=0)
    sums = {name: sum(line["place"] for line in own[:best]) for name, own in bots.items()}
    return [
        {
            "place": 1 + sum(other < sums[name] for other in sums.values()),
            by: name,
            "places": sums[name],
            "bots": [
                {"bot": line["bot"], "place": line["place"], "counts": number < best}
                for number, line in enumerate(bots[name])
            ],
        }
        for name in sorted(bots, key=lambda name: (sums[name], name))
    ]
