"""The tables of a double elimination, to the last seat, by docs/pairing.md."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations

from due import part, slots_apart, tiers
from facts import Meeting, Tournament, differs
from searching import Clashes, Lots, Met, by_deal, pairs_at
from tables import values_of

Table = list[str]
Before = Counter[tuple[str, str]]
FINALS = ("final", "second final", "third final")
PLACES = 5
"""The most at a table."""


class TwoBrackets:
    """A double elimination, played on by what is told of its tables."""

    def __init__(self, cup: Tournament) -> None:
        """Begin with all in the winners' bracket."""
        self._cup, self._seats = cup, cup.seats
        self._on = 2 if cup.seats > 3 else 1
        self._full_final = cup.seats // self._on * self._on
        self._fellows = Clashes(cup.bots, pairs_at([len(cup.bots)]), fellows=cup.fellows())
        self._winners = slots_apart(tiers(cup.bots, cup.seats), cup.seats, self._fellows)
        self._losers = Table()
        self._met: Met = Counter()
        self._before: Before = Counter()
        self._played: Counter[str] = Counter()

    def rounds(self) -> Iterator[tuple[list[tuple[str, Table]], Table]]:
        """The stage and circle of each table in each round, and who has a bye."""
        told = self._cup.knockout_rounds()
        number = 0
        while len(self._winners) + len(self._losers) > 1:
            number += 1
            if len(self._winners) + len(self._losers) <= self._seats:
                due = [("final", Table(), [[*self._winners, *self._losers]])]
            else:
                due = list(self._brackets(number))
            named = [(self._named(name), byes, tables) for name, byes, tables in due]
            circles = [
                (stage, self._seated(table)) for stage, _, tables in named for table in tables
            ]
            yield circles, [bot for _, byes, _ in named for bot in byes]
            if number > len(told):
                return
            orders = {frozenset(m.bots): list(m.told["scores"]) for m in told[number - 1]}
            if any(frozenset(table) not in orders for _, table in circles):
                return
            for _, table in circles:
                self._met.update(map(frozenset, combinations(table, 2)))
            self._go_on(due, orders)

    def _named(self, name: str) -> str:
        self._played[name] += 1
        if name == "final":
            return FINALS[self._played[name] - 1]
        return f"{name} round {self._played[name]}"

    def _seated(self, table: Table) -> Table:
        """The circle of a table, counted; the first stays where it is."""

        def cost(circle: Table) -> tuple[int, int]:
            pairs = list(zip(circle, circle[1:] + circle[:1], strict=True))
            return (
                sum(self._before[a, b] - self._before[b, a] for a, b in pairs),
                sum(self._before[pair] for pair in pairs),
            )

        best = min(([table[0], *others] for others in permutations(table[1:])), key=cost)
        self._before.update(zip(best, best[1:] + best[:1], strict=True))
        return best

    def _brackets(self, number: int) -> Iterator[tuple[str, Table, list[Table]]]:
        """Each bracket that plays, with its byes and tables."""
        there = len(self._winners)
        if there > self._on and (number == 1 or number % 2 == 0):
            there = self._size_below(there)
            byes, drawn = self._drawn(self._winners, there)
            part(drawn, self._fellows)
            yield "winners'", byes, drawn
        tables = -(-len(self._losers) // self._seats)
        left = max(there, self._full_final - self._on, self._on * tables)
        if left < len(self._losers):
            byes, drawn = self._drawn(self._losers, left)
            dealt = [*drawn, *([bot] for bot in reversed(byes))]
            pairs = pairs_at(map(len, dealt))
            clashes = Clashes(self._losers, pairs, self._met, fellows=self._cup.fellows())
            parted = by_deal(dealt, clashes)
            yield (
                "losers'",
                [table[0] for table in reversed(parted) if len(table) == 1],
                [table for table in parted if len(table) > 1],
            )

    def _size_below(self, n: int) -> int:
        if n <= self._full_final:
            return self._on
        sizes: list[int] = [self._full_final]
        while (full := sizes[-1] // self._on * self._seats) < n:
            sizes.append(full // self._on * self._on)
        return sizes[-1]

    def _drawn(self, slots: Table, left: int) -> tuple[Table, list[Table]]:
        count = min(left // self._on, len(slots) - left)
        byes = left - self._on * count
        tables: list[Table] = [[] for _ in range(count)]
        for i, bot in enumerate(slots[byes:]):
            forth, at = i // count % 2 == 0, i % count
            tables[at if forth else count - 1 - at].append(bot)
        return slots[:byes], tables

    def _go_on(
        self, due: list[tuple[str, Table, list[Table]]], orders: dict[frozenset[str], Table]
    ) -> None:
        dropped = Table()
        for name, byes, tables in due:
            ordered = [orders[frozenset(table)] for table in tables]
            if name == "final":
                first, *others = ordered[0]
                beaten = [bot for bot in others if bot in self._winners]
                self._losers = [*beaten, *([first] if first in self._losers else [])]
                self._winners = [first] if first in self._winners else []
            elif name == "winners'":
                dropped = _by_place(ordered, self._on, PLACES)
                self._winners = [*byes, *_by_place(ordered, 0, self._on)]
            else:
                self._losers = [*byes, *_by_place(ordered, 0, self._on)]
        self._losers = [*dropped, *self._losers]


def _by_place(ordered: list[Table], first: int, end: int) -> Table:
    """Those of these places at the tables, from 0: every other place in reverse order of tables."""
    found = Table()
    for place in range(first, end):
        bots = [table[place] for table in ordered if len(table) > place]
        found += reversed(bots) if place % 2 else bots
    return found


def check_two_brackets(cup: Tournament) -> Iterator[str]:
    """Say what is against the rules of a double elimination."""
    if cup.format != "double-elimination":
        return
    for told, (tables, byes) in zip(cup.rounds, TwoBrackets(cup).rounds(), strict=False):
        here = [(meeting["stage"], meeting["entrants"]) for meeting in told["meetings"]]
        yield from differs(f"tables of round {told['round']}", here, tables)
        yield from differs(f"byes of round {told['round']}", told["byes"], byes)
    for meeting in cup.meetings:
        if meeting.told["goes_on"]:
            yield from _check_order(cup, meeting)
    lost = Counter(b for m in cup.meetings for b in m.bots if b not in m.told["goes_on"])
    if any(times > 2 for times in lost.values()):
        yield f"eliminated more than twice: {dict(lost)}"
    if cup.told["over"]:
        yield from differs("left at the end", sum(lost[bot] < 2 for bot in cup.bots), 1)
        if cup.seats == 2:
            meetings = 2 * len(cup.bots) - 2 + max(lost[bot] for bot in cup.bots if lost[bot] < 2)
            yield from differs("meetings", len(cup.meetings), meetings)


def _check_order(cup: Tournament, meeting: Meeting) -> Iterator[str]:
    """Those at a table are told in its order, which decides their slots; lots part equals."""
    told = list(meeting.told["scores"])
    values = {bot: [-v for v in values_of(meeting, bot)] for bot in told}
    where = f"order at {meeting.told['stage']}"
    yield from differs(where, [values[b] for b in told], sorted(values.values()))
    if cup.told["lots"] is not None:
        lots = Lots(cup.told["lots"], "lot", str(meeting.round - 1))
        drawn = lots.shuffled(meeting.told["entrants"])
        yield from differs(where, told, sorted(told, key=lambda b: (values[b], drawn.index(b))))
