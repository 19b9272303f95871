"""How ratings moved: the fold over the finished matches again, this time with every step kept.

The store keeps where the fold stands, not how it came there. A `Curves` that is given a longer list
of the same matches goes on from where it was, so a server folds each match once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.models import MatchLine, Place, Rating
from ladder.store.ratings import Rater


@dataclass(frozen=True, slots=True)
class Curve:
    """A version's ratings after each of its rated matches, the first one first."""

    ratings: Sequence[Rating]


class Curves:
    """The curves of all versions of one ladder."""

    def __init__(self, rater: Rater) -> None:
        """Begin before the first match."""
        self._rater = rater
        self._current: dict[int, Rating] = {}
        self._steps: dict[int, list[Rating]] = {}
        self._folded = 0
        self._last: str | None = None

    def follow(self, lines: Sequence[MatchLine]) -> Mapping[int, Curve]:
        """Return the curves by version id; `lines` are all rated matches, in their order."""
        if not self._goes_on(lines):  # the ladder is another one than it was
            self._current, self._steps, self._folded = {}, {}, 0
        for line in lines[self._folded :]:
            self._fold(line)
        self._folded = len(lines)
        self._last = lines[-1].match_id if lines else None
        return {version: Curve(tuple(steps)) for version, steps in self._steps.items()}

    def _goes_on(self, lines: Sequence[MatchLine]) -> bool:
        """Return whether what was folded is how these matches begin."""
        if not self._folded:
            return True
        return len(lines) >= self._folded and lines[self._folded - 1].match_id == self._last

    def _fold(self, line: MatchLine) -> None:
        places = [
            Place(seat.version.id, seat.result.rank, seat.result.forfeit is not None)
            for seat in line.seats
            if seat.version is not None and seat.result is not None
        ]
        if len({place.version for place in places}) < len(places):
            return  # copies of one version are no strangers
        after = self._rater.rate(places, self._current)
        self._current |= after
        for version, rating in after.items():
            self._steps.setdefault(version, []).append(rating)
