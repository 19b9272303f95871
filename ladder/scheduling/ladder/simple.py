"""Simple schedulers: balanced, random and Swiss."""

from collections.abc import Sequence

from ladder.model.history import History
from ladder.scheduling.ladder.balanced import Table, VersionId, completed, fits, plan_round
from ladder.scheduling.ladder.policy import Past, only_table, strength_of, with_seats
from referee.games.randomness import Stream


def balanced(
    entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
) -> list[Table]:
    """Plan whole balanced rounds: equally many matches, all opponents, all seats."""
    tables: list[Table] = []
    history = past.history.copy()
    while len(tables) < count:
        for table in plan_round(entrants, seats, history, stream, past.authors):
            tables.append(table)
            history.add(table)
    return tables


def at_random(
    entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
) -> list[Table]:
    """Plan random tables; each group is equally likely if all may meet."""
    if (tables := only_table(entrants, seats, past, stream, count)) is not None:
        return tables
    ordered = sorted(entrants)
    size = past.group_size(entrants, seats)
    groups = [_drawn(stream.shuffled(ordered), size, past) for _ in range(count)]
    return with_seats(groups, seats, past, stream)


def _drawn(shuffled: Sequence[VersionId], size: int, past: Past) -> list[VersionId]:
    """Return the first of the shuffled versions that can sit together."""
    group: list[VersionId] = []
    for version in shuffled:
        if len(group) < size and fits(version, group, past.authors):
            group.append(version)
    return group


def swiss(
    entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
) -> list[Table]:
    """Plan whole rounds in which versions of similar strength meet, preferably new opponents.

    From the strongest down, a version without a table opens one; of the next `seats` + 2 versions,
    those that its table has met least join. Left-over versions, which have played most, sit the
    round out.
    """
    if (tables := only_table(entrants, seats, past, stream, count)) is not None:
        return tables
    groups: list[list[VersionId]] = []
    history = past.history.copy()
    while len(groups) < count:
        size = past.group_size(entrants, seats)
        for group in _swiss_round(entrants, size, past, history, stream):
            history.add(tuple(group))
            groups.append(group)
    return with_seats(groups, seats, past, stream)


def _swiss_round(
    entrants: Sequence[VersionId], seats: int, past: Past, history: History, stream: Stream
) -> list[list[VersionId]]:
    by_matches = sorted(stream.shuffled(sorted(entrants)), key=history.played)
    playing = by_matches[: len(by_matches) - len(by_matches) % seats]
    waiting = sorted(stream.shuffled(playing), key=lambda v: -strength_of(v, past))
    groups = []
    while waiting:
        group = [waiting.pop(0)]
        while len(group) < seats:
            near = [v for v in waiting if fits(v, group, past.authors)][: seats + 2]
            if not near:  # an author with many bots: others sit once more
                group = completed(group, sorted(entrants), seats, history, past.authors)
                break
            joins = min(near, key=lambda v: (sum(history.met(v, w) for w in group), near.index(v)))
            waiting.remove(joins)
            group.append(joins)
        groups.append(group)
    return groups
