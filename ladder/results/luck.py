"""The effect of luck for each version in recent matches, and for each seat of a match.

Luck has the mean 0, so only recent matches are read: over many it comes to nothing anyway.
"""

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from ladder.model.errors import StoreError
from ladder.results import queries
from ladder.results.visibility import visible
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from ladder.storage.tables.records import unpack
from referee.core.errors import UsageError
from referee.games import game_named
from referee.games.base import ConfigError
from referee.match.luck import NORMAL_95, MatchLuck, match_luck

MOST_MATCHES = 400
"""The number of latest matches that a report reads; each takes about as long as to verify it."""

_MOST_KEPT = 4096


@dataclass(frozen=True, slots=True)
class VersionLuck:
    """The mean of a version's recent matches, in points."""

    matches: int
    points: float
    luck: float
    """The effect of luck, relative to the tables' means."""
    error: float
    """Half the 95 % interval of that."""


def is_measured(game: str) -> bool:
    """Return whether a game is installed and measures luck."""
    try:
        return game_named(game).luck is not None
    except ConfigError:
        return False


_measured: dict[bytes, MatchLuck] = {}
"""By packed record: a match is on its own page, on those of its bots, and in the report."""


def luck_of(packed: bytes) -> MatchLuck | None:
    """Return the luck of a stored match; None if its game measures none.

    Raise `StoreError` or `UsageError` if the record is damaged or played by other rules.
    """
    found = _measured.get(packed) or match_luck(unpack(packed))
    if found:
        remember(packed, found)
    return found


def remember(packed: bytes, luck: MatchLuck) -> None:
    """Keep the luck of a stored match, as another process measured it."""
    if len(_measured) >= _MOST_KEPT:
        _measured.clear()
    _measured[packed] = luck


def recent_luck(ladder: Ladder, versions: Mapping[int, int]) -> dict[int, VersionLuck]:
    """Return the luck of the versions with these numbers, by their ids, in public matches."""
    if not is_measured(ladder.settings.game):
        return {}
    lines = {line.match_id: line for line in queries.latest(ladder, MOST_MATCHES)}
    with ladder.database.read() as tx:
        in_play = matches.deals_in_play(tx)
        shown = [name for name, line in lines.items() if visible(line, in_play).result]
        packed = matches.records_of(tx, shown)
    of_version = defaultdict[int, list[tuple[float, float, float]]](list)
    for name, body in packed.items():
        with suppress(UsageError, StoreError):  # played by other rules; `verify` reports damage
            found = luck_of(body)
            for number, seat in enumerate(lines[name].seats if found else ()):
                if found and seat.version and seat.result and seat.version.id in versions:
                    gained = found.points[number], found.covariance[number][number]
                    of_version[versions[seat.version.id]].append((seat.result.points, *gained))
    return {version: _mean(played) for version, played in of_version.items()}


def _mean(played: list[tuple[float, float, float]]) -> VersionLuck:
    points, luck, variance = map(sum, zip(*played, strict=True))
    n = len(played)
    return VersionLuck(n, points / n, luck / n, NORMAL_95 * variance**0.5 / n)
