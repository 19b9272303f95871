"""Group commit: what happens within a moment is stored in one transaction.

A commit costs more than a match's rows, and it waits for the disk. So results, and the marks of
matches begun, are gathered for a moment. Nothing is reported before its commit has returned; until
then a match counts as open, so that a run killed meanwhile plays it again.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from ladder.model.matches import PlannedMatch, Played
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches

_LONGEST_S = 0.05
"""For how long at most something is gathered."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A result, and the match it is of."""

    match: PlannedMatch
    played: Played


@dataclass(slots=True)
class GroupCommit:
    """Gathers what the next transaction stores."""

    _begun: dict[str, None] = field(default_factory=dict)
    """The matches begun since the last commit, in order."""
    _results: list[PlayedMatch] = field(default_factory=list)
    _due: float | None = None
    """When the next commit is due, by the monotonic clock; None: never."""

    def begin(self, match: PlannedMatch) -> None:
        """Gather the mark that a match is running."""
        self._begun[match.match_id] = None
        self._wait_at_most(_LONGEST_S)

    def end(self, result: PlayedMatch) -> None:
        """Gather a result; one with a remote bot is due at once, as the bot may not play again."""
        self._begun.pop(result.match.match_id, None)
        self._results.append(result)
        self._wait_at_most(0.0 if result.match.remote else _LONGEST_S)

    def __len__(self) -> int:
        """Return how many results are gathered."""
        return len(self._results)

    @property
    def seconds_left(self) -> float | None:
        """In how many seconds the next commit is due; None if nothing is gathered."""
        return None if self._due is None else max(0.0, self._due - time.monotonic())

    def take(self) -> tuple[list[str], list[PlayedMatch]]:
        """Return and forget the matches begun and the results."""
        taken = [*self._begun], self._results
        self._begun, self._results, self._due = {}, [], None
        return taken

    def _wait_at_most(self, seconds: float) -> None:
        due = time.monotonic() + seconds
        self._due = due if self._due is None else min(self._due, due)


def store(ladder: Ladder, begun: Sequence[str], results: Sequence[PlayedMatch]) -> None:
    """Store in one transaction which matches run, and results."""
    with ladder.database.write() as tx:
        matches.start(tx, *begun)
        if results:
            matches.finish(tx, *(result.played for result in results))
