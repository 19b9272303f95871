"""The planned matches that wait to begin."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator

from ladder.model.matches import PlannedMatch


class Waiting:
    """Matches in the order in which they were planned; those put back come first."""

    def __init__(self, planned: Iterable[PlannedMatch]) -> None:
        """Begin with these."""
        self._matches: OrderedDict[str, PlannedMatch] = OrderedDict()
        self._remote: dict[str, PlannedMatch] = {}
        """Those with a remote bot."""
        self.add(planned)

    def add(self, planned: Iterable[PlannedMatch]) -> None:
        """Add matches at the end."""
        for match in planned:
            self._matches[match.match_id] = match
            if match.remote:
                self._remote[match.match_id] = match

    def put_back(self, match: PlannedMatch) -> None:
        """Add a match that is to be played again, as the first one."""
        self.add([match])
        self._matches.move_to_end(match.match_id, last=False)

    def remove(self, match: PlannedMatch) -> None:
        """Remove a match that waits."""
        del self._matches[match.match_id]
        self._remote.pop(match.match_id, None)

    @property
    def remote(self) -> list[PlannedMatch]:
        """The waiting matches with a remote bot."""
        return [*self._remote.values()]

    def __iter__(self) -> Iterator[PlannedMatch]:
        """Yield the matches, the next one first."""
        return iter(self._matches.values())

    def __contains__(self, match: PlannedMatch) -> bool:
        """Return whether a match waits."""
        return match.match_id in self._matches

    def __len__(self) -> int:
        """Return how many matches wait."""
        return len(self._matches)
