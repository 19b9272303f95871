"""What is played next, and when nothing more is: the seam between a run and whoever plans for it.

A run asks its planner when its workers will soon have nothing to do. The planner answers from the
store alone: what was planned and what has come of it. A run that was killed and begun again
therefore goes on with the same matches, if the planner regards nothing that depends on which worker
was faster; so it waits for whole rounds, or looks at those that are over for sure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ladder.model import ids
from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch
from ladder.model.pairing import Block
from ladder.model.settings import Settings

if TYPE_CHECKING:
    from ladder.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class RunLimits:
    """When a run ends at the latest; matches that were begun by then are finished and stored."""

    matches: int | None = None
    """After so many matches, those left over from earlier runs included."""
    seconds: float | None = None
    """After so many seconds."""


class Planner(Protocol):
    """Says what to play, round after round."""

    def plan(self, tx: "Transaction") -> Sequence[Block] | None:
        """Return the next round; None if there is none, however the matches under way end.

        Nothing, if that cannot be said before more matches are over: then it is asked again.
        """

    def settled(self) -> str:
        """Return why there is no next round, or how far that is; empty if there is no saying."""

    def ahead(self) -> int | None:
        """Return how many matches it will plan yet, as far as is known; None if nobody knows."""


def planned_matches(
    settings: Settings, number: int, blocks: Sequence[Block], known: Mapping[int, Version]
) -> list[PlannedMatch]:
    """Return the matches of a round with their ids, block by block; `known` versions by id."""
    planned: list[PlannedMatch] = []
    for of_round, block in enumerate(blocks):
        deal = ids.deal_id(settings.ladder_id, number, of_round)
        for table in block.tables:
            seats = tuple(None if version is None else known[version] for version in table)
            digests = [version.digest if version else "" for version in seats]
            index = len(planned)
            match_id = ids.match_id(settings.secret, number, index, digests, deal)
            planned.append(PlannedMatch(match_id, number, index, seats, deal=deal))
    return planned
