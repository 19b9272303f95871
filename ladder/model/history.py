"""The meetings of versions, with their seats, in all matches ever scheduled."""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from copy import copy
from itertools import combinations
from typing import Self

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

    def packed(self) -> bytes:
        """Return the counts as bytes."""
        meetings = [(*pair, times) for pair, times in self._meetings.items()]
        seats = [(*taken, times) for taken, times in self._seats.items()]
        own = [(version, times, self._last[version]) for version, times in self._matches.items()]
        return zlib.compress(json.dumps([self._tables, own, meetings, seats]).encode())

    @classmethod
    def unpacked(cls, body: bytes, number: Callable[[int], int] = int) -> Self:
        """Return what `packed` packed, with each version's new number; nothing of no bytes."""
        history = cls()
        if not body:
            return history
        history._tables, own, meetings, seats = json.loads(zlib.decompress(body))
        for version, times, last in own:
            history._matches[number(version)] = times
            history._last[number(version)] = last
        for a, b, times in meetings:
            one, other = sorted((number(a), number(b)))
            history._meetings[one, other] = times
        for version, seat, times in seats:
            history._seats[number(version), seat] = times
        return history

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
