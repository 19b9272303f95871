"""The interface between a run and the planner that decides what it plays.

A run asks its planner when its workers will soon be idle. The planner answers from the database
alone: from the planned matches and their results. So a killed and restarted run goes on with the
same matches, provided that the planner ignores everything that depends on which worker was faster;
it therefore waits for whole rounds, or reads rounds that are certainly over. Where a ladder's bot
is marked as slow, that depends on timing, but still follows from what is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ladder.model import ids
from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch
from ladder.model.pairing import Block
from ladder.model.settings import Settings

if TYPE_CHECKING:
    from ladder.storage.db.database import Transaction
from itertools import zip_longest

from ladder.model.errors import StoreError
from ladder.model.matches import MatchLine
from ladder.model.pairing import Seating


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of a run; matches that have begun by then are finished and stored."""

    matches: int | None = None
    """The most matches, including those left over from earlier runs."""
    seconds: float | None = None
    """The most seconds."""


@runtime_checkable
class Preparing(Protocol):
    """A planner that can do most of its work before it is asked, beside the matches."""

    @property
    def may_prepare(self) -> bool:
        """Whether there may be something to prepare; costs nothing."""

    def prepare(self, tx: "Transaction") -> None:
        """Do what the next `plan` would do that depends on no more than results.

        It changes no plan. It runs in a thread, never during a `plan`.
        """


class Planner(Protocol):
    """Plans round after round."""

    def plan(self, tx: "Transaction") -> Sequence[Block] | None:
        """Return the blocks of the next round; None if there will be none.

        An empty sequence means that more matches have to end first; the run then asks again.
        """

    def settled(self) -> str:
        """Return why there is no next round, or how close the end is; empty if unknown."""

    def ahead(self) -> int | None:
        """Return how many matches are still to be planned, perhaps an estimate; None if unknown."""


@runtime_checkable
class PlansAhead(Protocol):
    """A planner that may plan several rounds from one state of the database."""

    def plan_more(self, tx: "Transaction") -> Sequence[Block]:
        """Return the blocks of the round after the one that was planned last, in this transaction.

        Empty if there is none as yet. However many rounds are planned at once, they are the same.
        """


@dataclass(frozen=True, slots=True)
class Awaited:
    """A round of a tournament that may not begin yet."""

    number: int
    """From 1."""
    starts_at: datetime
    """UTC."""
    pairings: tuple[str, ...]
    """The tables, a line each, unless the director decides otherwise."""


@runtime_checkable
class Timed(Protocol):
    """A planner whose rounds may have to wait for a time of day."""

    def awaited(self, tx: "Transaction", now: datetime) -> Awaited | None:
        """Return the round that `plan` returned last if it may not begin at this time, UTC."""

    def begin(self, tx: "Transaction", now: datetime) -> None:
        """Store that this round begins, in the transaction that stores its matches."""


def planned_matches(
    settings: Settings, number: int, blocks: Sequence[Block], known: Mapping[int, Version]
) -> list[PlannedMatch]:
    """Return a round's matches with their ids, block by block; `known` maps ids to versions."""
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


def check_tables(where: str, stored: Sequence[Sequence[MatchLine]], due: Sequence[Block]) -> None:
    """Raise `StoreError` if the stored deals, each with its matches, are not the blocks due.

    Only results are stored of a contest; who met whom and why follows from its plan. Were a stored
    match taken for another table's, its result would go to bots that did not play it.
    """
    tables = [tuple(match.seating for match in deal) for deal in stored]
    for i, (found, wanted) in enumerate(zip_longest(tables, [block.tables for block in due])):
        if found != wanted:
            raise StoreError(
                f"{where}, deal {i + 1}: the stored matches are not those that follow from the "
                f"plan, the results and the decisions: stored {_seatings(found)}, due "
                f"{_seatings(wanted)}. The database was changed, or another version of Courtyard "
                "planned this: restore a backup, or use the Courtyard that began it"
            )


def _seatings(tables: Sequence[Seating] | None) -> str:
    """Return the seatings of a deal's tables, by the versions' numbers in the database."""
    return " and ".join(map(_seats, tables or ())) or "none"


def _seats(table: Seating) -> str:
    return "(" + ", ".join("stand-in" if v is None else str(v) for v in table) + ")"
