"""Halite III's matchmaking: a version that is due, and opponents of similar strength.

After `matchmaking.py` of the contest's coordinator: 25 % of the matches are for one of the 15
longest idle versions with fewer than 400 matches, 65 % for one of the 20 that have played least, 10
% for the longest idle version. Opponents are drawn from the n nearest in strength, where n is 5 /
(0.01 + u) ^ 0.65 for a random u: mostly 5 to 10, sometimes everyone. This scheduler serves as a
comparison: if match-ups are not transitive, it converges to a wrong order.
"""

from collections.abc import Sequence

from ladder.scheduling.ladder.balanced import History, Table, VersionId, fits
from ladder.scheduling.ladder.policy import Past, only_table, strength_of, uniform, with_seats
from referee.games.randomness import Stream

_NEW = 400
_LONGEST_IDLE = 15
_FEWEST = 20


def halite(
    entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
) -> list[Table]:
    """Plan tables one by one."""
    if (tables := only_table(entrants, seats, past, stream, count)) is not None:
        return tables
    everybody = sorted(entrants)
    history = past.history.copy()
    groups = []
    size = past.group_size(entrants, seats)
    for _ in range(count):
        due = _due(everybody, history, stream)
        groups.append([due, *_opponents(due, everybody, size - 1, past, stream)])
        history.add(tuple(groups[-1]))
    return with_seats(groups, seats, past, stream)


def _due(everybody: Sequence[VersionId], history: History, stream: Stream) -> VersionId:
    """Return the version for which the next match is."""
    kind = uniform(stream)
    waiting = sorted(stream.shuffled(everybody), key=history.last)
    new = [version for version in waiting if history.played(version) < _NEW]
    if kind >= 0.75 and new:  # noqa: PLR2004 - the shares are in the module's docstring
        return stream.choice(new[:_LONGEST_IDLE])
    if kind >= 0.10:  # noqa: PLR2004
        keys = {v: (1 + uniform(stream)) / (1 + history.played(v)) for v in waiting}
        return stream.choice(sorted(waiting, key=lambda v: -keys[v])[:_FEWEST])
    return waiting[0]


def _opponents(
    due: VersionId, everybody: Sequence[VersionId], wanted: int, past: Past, stream: Stream
) -> list[VersionId]:
    """Draw opponents from the versions nearest in strength."""
    own = strength_of(due, past)
    others = stream.shuffled([version for version in everybody if version != due])
    nearest = sorted(others, key=lambda v: abs(strength_of(v, past) - own))
    reach = max(wanted, int(5 / (0.01 + uniform(stream)) ** 0.65))
    group = [due]
    for version in [*stream.shuffled(nearest[:reach]), *nearest[reach:]]:
        if len(group) <= wanted and fits(version, group, past.authors):
            group.append(version)
    return group[1:]
