"""Balanced rounds: all versions play equally often, against all others, on every seat.

A round has just enough matches for every active version to play once. Left-over seats go to the
versions with the fewest matches, one each; so a version plays once or twice a round, and while the
entrants stay the same their numbers of matches differ by at most one. With fewer versions than
seats a round is one match, and the stand-in takes the empty seats.

A late entrant catches up by these left-over seats alone, one in every round. Playing it more often
would let the newcomer determine who else plays, and would spend the others' matches on one
opponent; its rating settles in a few dozen matches in any case.

Opponents are chosen greedily: each version joins the table whose members it has met least. Seats
are assigned so that, summed over the table, versions get the seats they have had least. While the
entrants stay the same a version's counts of seats differ by two at most, but for few cases of
three, nearly all at tables of two: where two meet that both have had the same seat twice more
often, one of them gets it again. Of 20,000 random fields 4 to 8 end so after 30 rounds.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ladder.model.history import History
from referee.games.randomness import Stream

VersionId = int
Table = tuple[VersionId | None, ...]
"""The version on each seat of a match, by seat; None is the stand-in."""
Authors = Mapping[VersionId, str]
"""The authors of versions that must not meet others of the same author."""
NO_AUTHORS: Authors = {}


def fits(version: VersionId, group: Iterable[VersionId], authors: Authors) -> bool:
    """Return whether a version may join a group: neither it nor its author is in it."""
    if not authors:
        return version not in group
    own = authors.get(version, version)
    return all(authors.get(other, other) != own for other in group)


def group_size(entrants: Sequence[VersionId], seats: int, authors: Authors) -> int:
    """Return how many of the entrants can sit at one table; the stand-in takes the other seats."""
    return min(seats, len({authors.get(version, version) for version in entrants}))


def completed(
    group: Sequence[VersionId],
    entrants: Sequence[VersionId],
    size: int,
    history: History,
    authors: Authors,
) -> list[VersionId]:
    """Fill the group up with the versions that played least, and of these met it least."""
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
    """Return the tables of the next round, of `seats` seats each, for at least one active version.

    The same arguments always give the same round; the order of `active` does not matter. If an
    author has more bots than a round has tables, tables are added, at which others play once more.
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
    """Return each version as often as it plays this round, versions that play twice first."""
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
    """Divide the appearances into tables without repeated versions or authors.

    Fewer than `seats` versions play twice, and they come first, so no table is full while one of
    them still needs a second one: there is always a table to join. If authors are kept apart,
    authors with the most appearances come first, and each version joins one of the emptiest tables:
    so there is a table for every author with no more appearances than tables.
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
        least = min(costs)
        cheapest = [g for g, cost in zip(choices, costs, strict=True) if cost == least]
        stream.choice(cheapest).append(version)
    return groups


def seated(
    group: Sequence[VersionId], seats: int, history: History, today: History, stream: Stream
) -> Table:
    """Return the arrangement of the group whose seats its versions have had least."""
    players: list[VersionId | None] = [*stream.shuffled(group), *[None] * (seats - len(group))]
    sat = [
        [0 if v is None else history.sat(v, seat) + today.sat(v, seat) for seat in range(seats)]
        for v in players
    ]

    return tuple([players[player] for player in _least_taken(sat)])


def _least_taken(sat: Sequence[Sequence[int]]) -> list[int]:
    """Return the player of each seat so that the sum is least; the first such order of players.

    `sat[player][seat]` counts. Works out, for each set of players, the least that the last seats
    can cost them.
    """
    n = len(sat)
    least = [0] * (1 << n)
    for left in range(1, 1 << n):
        seat = n - left.bit_count()
        least[left] = min(
            [sat[p][seat] + least[left & ~(1 << p)] for p in range(n) if left >> p & 1]
        )
    order: list[int] = []
    left = (1 << n) - 1
    for seat in range(n):
        order.append(
            next(
                p
                for p in range(n)
                if left >> p & 1 and sat[p][seat] + least[left & ~(1 << p)] == least[left]
            )
        )
        left &= ~(1 << order[-1])
    return order
