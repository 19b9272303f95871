"""Who met whom, and on which seats, in all matches ever scheduled."""

from collections import Counter
from collections.abc import Iterable
from copy import copy
from itertools import combinations

from ladder.model.pairing import Seating


class History:
    """Counts over all matches ever scheduled, whatever their outcome.

    Void matches count too: otherwise the schedule would depend on how far the matches had got when
    a round was planned, and the ladder would not be reproducible.
    """

    def __init__(self, tables: Iterable[Seating] = ()) -> None:
        """Begin with these matches."""
        self._matches: Counter[int] = Counter()
        self._meetings: Counter[tuple[int, int]] = Counter()
        self._seats: Counter[tuple[int, int]] = Counter()
        self._last: dict[int, int] = {}
        self._tables = 0
        for table in tables:
            self.add(table)

    def add(self, table: Seating) -> None:
        """Count a match."""
        taken = [(version, seat) for seat, version in enumerate(table) if version is not None]
        versions = sorted(version for version, _ in taken)
        self._matches.update(versions)
        self._meetings.update(combinations(versions, 2))
        self._seats.update(taken)
        self._last.update(dict.fromkeys(versions, self._tables))
        self._tables += 1

    def copy(self) -> "History":
        """Return an independent copy."""
        twin = copy(self)
        counts = {name: own.copy() for name, own in vars(self).items() if isinstance(own, dict)}
        vars(twin).update(counts)  # a deep copy would look at each number
        return twin

    def __len__(self) -> int:
        """Return the number of matches."""
        return self._tables

    def played(self, version: int) -> int:
        """Return the number of the version's matches."""
        return self._matches.get(version, 0)

    def met(self, a: int, b: int) -> int:
        """Return the number of matches of both versions together."""
        return self._meetings.get((a, b) if a < b else (b, a), 0)

    def sat(self, version: int, seat: int) -> int:
        """Return how often the version sat on this seat."""
        return self._seats.get((version, seat), 0)

    def last(self, version: int) -> int:
        """Return the index, from 0, of the version's last match; -1 without one."""
        return self._last.get(version, -1)
