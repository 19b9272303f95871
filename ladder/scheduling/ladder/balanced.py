"""Rounds of balanced groups: all play about equally often, against everybody, on every seat.

A round has just enough matches for every active version to play once. The seats that are left over
go to those that played least so far, one each; so a version plays once or twice a round, and while
the entrants stay the same no two of them are ever more than one match apart. With fewer versions
than seats a round is one match, and the stand-in takes the seats that are left.

A late entrant is given no other credit than that: it gets a left-over seat in every round until it
has caught up. Playing it more often would let the newcomer decide who else plays, and would spend
the others' matches on one opponent; its rating settles in a few dozen matches in any case.

Opponents are spread greedily: each version joins the table whose members it has met least. Seats
are given out so that, over the whole table, they are the ones that were sat on least.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from itertools import combinations, permutations

from referee.games.randomness import Stream

VersionId = int
Table = tuple[VersionId | None, ...]
"""Who sits where in one match; None is the stand-in. The index is the seat."""
Authors = Mapping[VersionId, str]
"""Whose a version is, for those that must not sit at one table with others of the same author."""
NO_AUTHORS: Authors = {}


class History:
    """Counts over all matches that were ever scheduled, whatever became of them.

    Void matches count too: otherwise the schedule would depend on how far the matches had come
    when a round was planned, and the same ladder could not be played again.
    """

    def __init__(self, tables: Iterable[Table] = ()) -> None:
        """Count these matches."""
        self._matches: Counter[VersionId] = Counter()
        self._meetings: Counter[tuple[VersionId, VersionId]] = Counter()
        self._seats: Counter[tuple[VersionId, int]] = Counter()
        self._last: dict[VersionId, int] = {}
        self._tables = 0
        for table in tables:
            self.add(table)

    def add(self, table: Table) -> None:
        """Count one match more."""
        taken = [(version, seat) for seat, version in enumerate(table) if version is not None]
        versions = sorted(version for version, _ in taken)
        self._matches.update(versions)
        self._meetings.update(combinations(versions, 2))
        self._seats.update(taken)
        self._last.update(dict.fromkeys(versions, self._tables))
        self._tables += 1

    def copy(self) -> "History":
        """Return a history of its own that begins like this one."""
        return deepcopy(self)

    def __len__(self) -> int:
        """Return the number of matches."""
        return self._tables

    def played(self, version: VersionId) -> int:
        """Return in how many matches the version was."""
        return self._matches[version]

    def met(self, a: VersionId, b: VersionId) -> int:
        """Return in how many matches both were."""
        return self._meetings[min(a, b), max(a, b)]

    def sat(self, version: VersionId, seat: int) -> int:
        """Return how often the version had this seat."""
        return self._seats[version, seat]

    def last(self, version: VersionId) -> int:
        """Return the number, from 0, of the match that the version was in last; -1 if in none."""
        return self._last.get(version, -1)


def fits(version: VersionId, group: Iterable[VersionId], authors: Authors) -> bool:
    """Tell whether a version may join a group: neither it nor its author sits there."""
    own = authors.get(version, version)
    return all(authors.get(other, other) != own for other in group)


def group_size(entrants: Sequence[VersionId], seats: int, authors: Authors) -> int:
    """Return how many of the entrants can sit at one table; the other seats are the stand-in's."""
    return min(seats, len({authors.get(version, version) for version in entrants}))


def completed(
    group: Sequence[VersionId],
    entrants: Sequence[VersionId],
    size: int,
    history: History,
    authors: Authors,
) -> list[VersionId]:
    """Fill a group up with those that played least, and of these met it least."""
    full = list(group)
    while len(full) < size:
        able = [version for version in entrants if fits(version, full, authors)]
        full.append(
            min(able, key=lambda v: (history.played(v), sum(history.met(v, w) for w in full)))
        )
    return full


def plan_round(
    active: Sequence[VersionId],
    seats: int,
    history: History,
    stream: Stream,
    authors: Authors = NO_AUTHORS,
) -> list[Table]:
    """Return the tables of the next round, `seats` wide, for at least one active version.

    The same arguments always give the same round. The order of `active` does not matter. An author
    with more bots than there are tables makes for more tables, at which others sit once more.
    """
    tables: list[Table] = []
    size = group_size(active, seats, authors)
    appearances = _appearances(active, size, history, stream)
    groups = _group(appearances, size, history, stream, authors)
    so_far, today = history.copy() if authors else history, History()
    for group in sorted(groups, key=lambda group: -len(group)):
        full = completed(group, sorted(active), size, so_far, authors)
        tables.append(seated(full, seats, history, today, stream))
        today.add(tables[-1])
        if authors:
            so_far.add(tables[-1])
    return tables


def _appearances(
    active: Sequence[VersionId], seats: int, history: History, stream: Stream
) -> list[VersionId]:
    """Return the versions as often as they play this round, those that play twice first."""
    by_matches = sorted(stream.shuffled(sorted(active)), key=history.played)
    left_over = -len(active) % seats if len(active) > seats else 0
    twice, once = by_matches[:left_over], by_matches[left_over:]
    return [version for version in twice for _ in range(2)] + stream.shuffled(once)


def _group(
    appearances: Sequence[VersionId],
    seats: int,
    history: History,
    stream: Stream,
    authors: Authors,
) -> list[list[VersionId]]:
    """Divide the appearances into tables on which nobody sits twice, nor two of one author.

    Fewer than `seats` versions play twice, and they come first, so no table is full while one of
    them still needs a second one: there is always a table to join. Where authors are to be kept
    apart, those with most appearances come first, and each goes to one of the emptiest tables: so
    there is one to join for all authors that appear no more often than there are tables.
    """
    groups: list[list[VersionId]] = [[] for _ in range(-(-len(appearances) // seats))]
    if authors:
        often = Counter(authors.get(version, version) for version in appearances)
        own = [authors.get(version, version) for version in appearances]
        order = sorted(range(len(own)), key=lambda i: (-often[own[i]], own.index(own[i])))
        appearances = [appearances[i] for i in order]
    for version in appearances:
        today = Counter(other for group in groups if version in group for other in group)
        choices = [g for g in groups if len(g) < seats and fits(version, g, authors)]
        if not choices:
            groups.append([version])
            continue
        if authors:
            emptiest = min(map(len, choices))
            choices = [group for group in choices if len(group) == emptiest]
        costs = [sum(history.met(version, v) + today[v] for v in group) for group in choices]
        cheapest = [g for g, cost in zip(choices, costs, strict=True) if cost == min(costs)]
        stream.choice(cheapest).append(version)
    return groups


def seated(
    group: Sequence[VersionId], seats: int, history: History, today: History, stream: Stream
) -> Table:
    """Give the group its seats: of all arrangements one whose seats were sat on least."""
    players: list[VersionId | None] = [*stream.shuffled(group), *[None] * (seats - len(group))]

    def taken(table: Table) -> int:
        sat = ((v, seat) for seat, v in enumerate(table) if v is not None)
        return sum(history.sat(v, seat) + today.sat(v, seat) for v, seat in sat)

    return min(permutations(players), key=taken)
