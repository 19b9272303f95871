"""The tables that are due in every round, to the last seat, by docs/pairing.md."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise, permutations
from pathlib import Path

from facts import Meeting, Tournament, differs
from ranking import Ranking
from searching import Clashes, Lots, Met, by_deal, by_line, by_places, pairs_at
from tables import values_of

DESIGNS = {
    (field["bots"], field["seats"]): field
    for field in json.loads(
        (Path(__file__).parents[2] / "docs" / "designs.json").read_text(encoding="utf-8")
    )
}
Before = Counter[tuple[str, str]]
Table = list[str]


def check_due(cup: Tournament) -> Iterator[str]:
    """Say which rounds have other tables than those that follow."""
    rounds = [[(m["stage"], m["entrants"]) for m in told["meetings"]] for told in cup.rounds]
    for number, (told, due) in enumerate(zip(rounds, _rounds(cup), strict=False), start=1):
        yield from differs(f"tables of round {number}", told, due)
    if cup.told["lots"] is not None:
        yield from _check_lots(cup)


def _check_lots(cup: Tournament) -> Iterator[str]:
    """Of those who are level to the end at a table of a knockout, the smaller lot is ahead."""
    for meeting in (m for of in cup.knockout_rounds() for m in of):
        bots = meeting.told["entrants"]
        lots = Lots(cup.told["lots"], "lot", str(meeting.round - 1)).shuffled(bots)
        values = {b: [-v for v in values_of(meeting, b)] for b in bots}
        order = sorted(bots, key=lambda b: (values[b], lots.index(b)))
        on = meeting.told["goes_on"]
        yield from differs(f"lots of round {meeting.round}", on, order[: len(on)])


def _rounds(cup: Tournament) -> Iterator[list[tuple[str, Table]]]:
    if cup.format == "round-robin":
        for tables in schedule(cup.bots, cup.seats, cup.options["rounds"]):
            yield [("", table) for table in tables]
    elif cup.format == "gauntlet":
        yield from _gauntlet(cup)
    elif cup.format == "swiss":
        for told in cup.rounds:
            yield [("", table) for table in _swiss(cup, told["round"])]
    elif cup.format == "knockout":
        clashes = Clashes(cup.bots, pairs_at([len(cup.bots)]), fellows=cup.fellows())
        slots = slots_apart(tiers(cup.bots, cup.seats), cup.seats, clashes)
        yield from _knockout(cup, slots, clashes)
    elif cup.format == "groups":
        yield from _groups(cup)


def neighbours(circle: Table) -> list[tuple[str, str]]:
    """Who sits right before whom."""
    return list(zip(circle, [*circle[1:], circle[0]], strict=True))


def seated(table: Table, before: Before) -> Table:
    """The circle of a table, counted."""
    circles = [[table[0], *others] for others in permutations(table[1:])]

    def cost(circle: Table) -> tuple[int, int]:
        pairs = neighbours(circle)
        return sum(before[a, b] - before[b, a] for a, b in pairs), sum(before[p] for p in pairs)

    best = min(circles, key=cost)
    before.update(neighbours(best))
    return best


def schedule(bots: list[str], seats: int, cycles: int) -> list[list[Table]]:
    """All rounds of a round robin, with circles."""
    n = len(bots)
    rounds = [
        [[bots[i] for i in table] for table in tables] for tables in _numbered(n, seats, cycles)
    ]
    tables = [table for each in rounds for table in each]
    before: Before = Counter()
    circles = [seated(table, before) for table in tables]
    for _ in range(5):
        last = list(circles)
        for i, table in enumerate(tables):
            before.subtract(neighbours(circles[i]))
            circles[i] = seated(table, before)
        if circles == last:
            break
    placed = iter(circles)
    return [[next(placed) for _ in each] for each in rounds]


def _numbered(n: int, seats: int, cycles: int) -> list[list[list[int]]]:
    if n <= seats:
        return [[list(range(n))]] * cycles
    if seats == 2:
        return list(_circle_method(n)) * cycles
    field = DESIGNS[n, seats]
    if rounds := field.get("rounds" if cycles == 1 else "rounds_of_more_cycles"):
        return list(rounds) * cycles
    found = []
    for number in range(cycles):
        turned = [] if "tables" in field else field["turned"][number]
        tables = [[(x + t) % n for x in b] for turns, b in turned for t in range(turns)]
        found += _first_fit(field.get("tables") or tables)
    return found


def _circle_method(n: int) -> Iterator[list[list[int]]]:
    even = n + n % 2
    for r in range(even - 1):
        ring = [0, *[1 + (i - r) % (even - 1) for i in range(even - 1)]]
        pairs = [[ring[i], ring[even - 1 - i]] for i in range(even // 2)]
        yield [pair for pair in pairs if n not in pair]


def _first_fit(tables: list[list[int]]) -> list[list[list[int]]]:
    rounds: list[list[list[int]]] = []
    for table in tables:
        for each in rounds:
            if not any(set(table) & set(other) for other in each):
                each.append(table)
                break
        else:
            rounds.append([table])
    return rounds


def _gauntlet(cup: Tournament) -> Iterator[list[tuple[str, Table]]]:
    one, *others = cup.bots
    before: Before = Counter()
    met: Counter[str] = Counter()
    for cycle in range(cup.options["rounds"]):
        while due := [b for b in others if met[b] <= cycle]:
            table = _opponents(cup, due, others)
            met.update(table)
            yield [("", seated([one, *table], before))]


def _opponents(cup: Tournament, due: list[str], others: list[str]) -> Table:
    full = cup.seats - 1
    sizes = [min(full, len(due) - i) for i in range(0, len(due), full)]
    clashes = Clashes(
        others, pairs_at([full] * len(sizes)), cup.forbidden(1), fellows=cup.fellows()
    )
    tables = by_places(due, sizes, clashes)
    table = next((t for t in tables if len(t) == full), tables[0])
    while len(table) < full and (more := [b for b in others if b not in {*due, *table}]):
        weights = [clashes.at([*table, b]) for b in more]
        table = [*table, more[weights.index(min(weights))]]
    return table


def _swiss(cup: Tournament, number: int) -> list[Table]:
    """The tables of a round, by what was known before it."""
    known = [d for d in cup.told["directives"] if not d["match"]]
    known += [d for d in cup.told["directives"] if d["match"] and d["after_round"] < number]
    past = Tournament(
        {**cup.told, "directives": known, "rounds": cup.told["rounds"][: number - 1]}, cup.records
    )
    entered = [b for b in cup.bots if cup.late.get(b, 0) <= number]
    playing = [b for b in entered if cup.left.get(b, number + 1) > number]
    paired = [b for b in playing if (number, b) not in cup.given]
    if len(paired) < 2:
        paired = playing
    groups = _by_standing(cup, past, paired, number)
    before: Before = Counter()
    for meeting in past.meetings:
        before.update(neighbours(meeting.told["entrants"]))
    return [seated(group, before) for group in groups]


def _by_standing(cup: Tournament, past: Tournament, paired: list[str], number: int) -> list[Table]:
    ranking = Ranking(past, cup.bots, past.meetings)
    line = sorted(paired, key=lambda b: (-ranking.score(b), cup.bots.index(b)))
    met: Met = Counter(
        frozenset(pair) for meeting in past.meetings for pair in combinations(meeting.bots, 2)
    )
    left_out: list[list[str]] = [[]]
    if cup.seats == 2 and len(line) % 2:
        byes = {b: sum((n, b) not in cup.given for n in ranking.byes(b)) for b in line}
        left_out = [[b] for b in reversed(line) if byes[b] == min(byes.values())]
    n = len(line) - len(left_out[0])
    count = least = -(-n // cup.seats)
    forbidden = cup.forbidden(number)
    first: list[Table] = []
    while not first or count <= n // 2:
        sizes = [len(range(t, n, count)) for t in range(count)]
        clashes = Clashes(line, pairs_at(sizes), forbidden, met, fellows=cup.fellows())
        tables = _least_clashing(line, left_out, sizes, clashes, None if number == 1 else met)
        if not any(pair <= set(table) for pair in forbidden for table in tables):
            return tables
        first, count = first or tables, count + 1
    raise ValueError(f"round {number}: a forbidden pair meets at {least} tables")


def _least_clashing(
    line: list[str],
    left_out: list[list[str]],
    sizes: list[int],
    clashes: Clashes,
    met: Met | None,
) -> list[Table]:
    """The tables without the first of those who may rest that leaves the least weight."""
    best: list[Table] = []
    for resting in left_out:
        there = [b for b in line if b not in resting]
        if met is None:
            tables = by_deal([there[t :: len(sizes)] for t in range(len(sizes))], clashes)
        else:
            tables = by_line(there, sizes, clashes, met)
        if not best or clashes.at(*tables) < clashes.at(*best):
            best = tables
        if not clashes.at(*best):
            break
    return best


def on_from(seats: int) -> int:
    """How many go on from a table."""
    return max(1, seats // 2)


def _next_size(n: int, seats: int) -> int:
    size = seats - seats % on_from(seats)
    while (most := size // on_from(seats) * seats) < n:
        size = most - most % on_from(seats)
    return size


def dealt(slots: list[str], count: int) -> list[Table]:
    """Slots dealt back and forth."""
    tables: list[Table] = [[] for _ in range(count)]
    for i, bot in enumerate(slots):
        row, column = divmod(i, count)
        tables[count - 1 - column if row % 2 else column].append(bot)
    return tables


def _drawn(slots: list[str], seats: int) -> tuple[list[str], list[Table]]:
    n = len(slots)
    if n <= seats:
        return [], [slots]
    left = _next_size(n, seats)
    count = min(left // on_from(seats), n - left)
    byes = left - on_from(seats) * count
    return slots[:byes], dealt(slots[byes:], count)


def _after(byes: list[str], going: list[list[str]]) -> list[str]:
    """The slots of the next round: those who go on take the best slots of their tables."""
    slots = list(byes)
    for row in range(max(map(len, going))):
        of_row = [on[row] for on in going]
        slots += reversed(of_row) if row % 2 else of_row
    return slots


def _knockout(
    cup: Tournament, slots: list[str], clashes: Clashes
) -> Iterator[list[tuple[str, Table]]]:
    before: Before = Counter()
    losers: list[str] = []
    for meetings in cup.knockout_rounds():
        byes, tables = _drawn(slots, cup.seats)
        part(tables, clashes)
        final = len(slots) <= cup.seats
        stage = "final" if final else f"round of {len(slots)}"
        due = [(stage, table) for table in tables]
        if final and cup.seats == len(losers) == 2:
            due.append(("third place", losers))
        circles = [(name, seated(table, before)) for name, table in due]
        yield circles
        on = _going_on(meetings, [circle for _, circle in circles])
        if final or on is None:
            return
        losers = [b for table, own in zip(tables, on, strict=True) for b in table if b not in own]
        slots = _after(byes, on)


def _going_on(meetings: list[Meeting], tables: list[Table]) -> list[list[str]] | None:
    told = {frozenset(m.told["entrants"]): m.told["goes_on"] for m in meetings}
    on = [told.get(frozenset(table), []) for table in tables]
    return on if all(on) else None


def part(tables: list[Table], clashes: Clashes) -> None:
    """Swap two bots as long as that leaves less weight; after a swap begin again."""
    while clashes.at(*tables) and _one_swap(tables, clashes):
        pass


def _one_swap(tables: list[Table], clashes: Clashes) -> bool:
    for one, other in combinations(tables, 2):
        places = [(i, j) for i in range(len(one)) for j in range(len(other))]
        for i, j in sorted(places, key=lambda at: (abs(at[0] - at[1]), -max(at))):
            before = clashes.at(one, other)
            one[i], other[j] = other[j], one[i]
            if clashes.at(one, other) < before:
                return True
            one[i], other[j] = other[j], one[i]
    return False


def tiers(bots: list[str], seats: int) -> list[list[str]]:
    """The classes of slots of a knockout."""
    ends, size = {0, len(bots), len(_drawn(bots, seats)[0])}, len(bots)
    while size > seats:
        size = _next_size(size, seats)
        ends.add(size)
    order = sorted(ends)
    return [bots[a:b] for a, b in pairwise(order)]


def _groups(cup: Tournament) -> Iterator[list[tuple[str, Table]]]:
    groups = dealt(cup.bots, -(-len(cup.bots) // cup.options["group_size"]))
    clashes = Clashes(cup.bots, pairs_at(map(len, groups)), cup.forbidden(1), fellows=cup.fellows())
    groups = [sorted(group, key=cup.bots.index) for group in by_deal(groups, clashes)]
    names = [table["group"] for table in cup.told["cross"]]
    plans = [schedule(group, cup.seats, 1) for group in groups]
    for number in range(max(map(len, plans))):
        yield [
            (name, table)
            for name, plan in zip(names, plans, strict=True)
            for table in (plan[number] if number < len(plan) else [])
        ]
    if not cup.knockout_rounds():
        return
    going = {t["group"]: _in_order(t["table"]) for t in cup.told["cross"]}
    mates = {frozenset(p) for bots in going.values() for p in combinations(bots, 2)}
    classes = [
        sorted((bots[i] for bots in going.values() if i < len(bots)), key=cup.bots.index)
        for i in range(max(map(len, going.values())))
    ]
    through = [bot for bots in going.values() for bot in bots]
    pairs = pairs_at([len(through)])
    clashes = Clashes(through, pairs, cup.forbidden(1), mates, fellows=cup.fellows())
    yield from _knockout(cup, slots_apart(classes, cup.seats, clashes), clashes)


def _in_order(lines: list[dict[str, object]]) -> list[str]:
    return [str(line["bot"]) for line in lines if line["goes_on_by"] is not None]


def slots_apart(classes: list[list[str]], seats: int, clashes: Clashes) -> list[str]:
    """The slots of a knockout: swaps within a class, so that those who clash meet late."""
    slots = [bot for each in classes for bot in each]
    paths = _paths(len(slots), seats)
    swaps, end = [], len(slots)
    for each in reversed(classes):
        own = combinations(range(end - len(each), end), 2)
        swaps += sorted(own, key=lambda at: (at[1] - at[0], at))
        end -= len(each)

    def meeting() -> list[int]:
        pairs = [
            (a, b, weight)
            for a, b in combinations(range(len(slots)), 2)
            if (weight := clashes.between(slots[a], slots[b]))
        ]
        return [sum(w for a, b, w in pairs if path[a] == path[b]) for path in paths]

    best, better = meeting(), True
    while better:
        better = False
        for i, j in swaps:
            slots[i], slots[j] = slots[j], slots[i]
            if (now := meeting()) < best:
                best, better = now, True
            else:
                slots[i], slots[j] = slots[j], slots[i]
    return slots


def _paths(n: int, seats: int) -> list[list[int]]:
    """Of each round before the final the table of each slot, if its bot is first at each table."""
    at, paths = list(range(n)), []
    while n > seats:
        byes, tables = _drawn([str(slot) for slot in range(n)], seats)
        table = {int(slot): len(byes) + t for t, each in enumerate(tables) for slot in each}
        table |= {int(slot): int(slot) for slot in byes}
        at = [table[slot] for slot in at]
        paths.append([slot if slot >= len(byes) else slot - n for slot in at])
        n = _next_size(n, seats)
    return paths
