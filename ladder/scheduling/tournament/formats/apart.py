"""Which bots should not meet, and how bad it is if two of them do.

Relations between pairs, such as "forbidden", "have met" or "of one author", are ranked: one pair of
a worse relation outweighs all pairs at the tables of the others. So a search that knows only
weights avoids the worst relation first.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

from ladder.scheduling.ladder.balanced import VersionId

Pair = tuple[VersionId, VersionId]
Tables = Sequence[Sequence[VersionId]]


@dataclass(frozen=True, slots=True)
class Apart:
    """Which pairs should not meet, whatever was played; all in both orders."""

    fellows: frozenset[Pair] = frozenset()
    """The pairs of one author or team, which do not meet where that can be avoided."""
    forbidden: frozenset[Pair] = frozenset()
    """The pairs that never meet."""

    def and_forbidden(self, pairs: Collection[Pair]) -> "Apart":
        """Return the same with more forbidden pairs, in both orders."""
        return replace(self, forbidden=self.forbidden.union(pairs)) if pairs else self

    def forbidden_at(self, tables: Tables) -> list[Pair]:
        """Return the forbidden pairs that sit at one table."""
        if not self.forbidden:
            return []
        return [pair for t in tables for pair in combinations(t, 2) if pair in self.forbidden]


def of_one_name(names: Mapping[VersionId, str]) -> frozenset[Pair]:
    """Return the pairs of one name, such as their author's; an empty name is none."""
    of_each: dict[str, list[VersionId]] = {}
    for entrant, name in names.items():
        of_each.setdefault(name, []).append(entrant)
    of_each.pop("", None)
    return frozenset(pair for own in of_each.values() for pair in permutations(own, 2))


@dataclass(frozen=True, slots=True)
class Weights:
    """How bad meetings are: a weight for each pair, in both orders; 0 for those without one."""

    of: Mapping[Pair, int]
    units: tuple[int, ...] = (1,)
    """The weights of the relations, the worst first; the last is 1."""

    def at(self, tables: Tables) -> int:
        """Return the weight of all pairs at these tables."""
        if not self.of:
            return 0
        return sum(self.of.get(pair, 0) for table in tables for pair in combinations(table, 2))


def weighed(
    entrants: Collection[VersionId],
    pairs: int,
    *relations: Iterable[Pair],
    fellows: Iterable[Pair] = (),
) -> Weights:
    """Return the weights of entrants' pairs by relations, the worst first, in both orders.

    `pairs` is the most pairs that sit at tables together. `fellows` is the least relation; if all
    entrants are fellows, it tells none apart. Relations that no two of them have are left out.
    """
    there = set(entrants)
    among = [{p for p in each if there.issuperset(p)} for each in (*relations, fellows)]
    if len(among[-1]) == len(there) * (len(there) - 1):
        among.pop()
    present = [each for each in among if each]
    units = tuple((pairs + 1) ** power for power in reversed(range(len(present))))
    of: dict[Pair, int] = {}
    for unit, each in zip(units, present, strict=True):
        for pair in each:
            of[pair] = of.get(pair, 0) + unit
    return Weights(of, units or (1,))


def pairs_at(sizes: Iterable[int]) -> int:
    """Return the number of pairs at tables of these sizes."""
    return sum(size * (size - 1) // 2 for size in sizes)
