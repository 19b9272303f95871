"""What the author of a bot gets back of its matches: its own times, faults and output.

Nothing here tells more than the bot's own seat was told, nor anything of the others' time.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ladder.model.bots import Version
from ladder.model.errors import UnknownMatchError
from ladder.model.matches import MatchLine, SeatResult
from ladder.results import queries
from ladder.storage.ladder import Ladder
from ladder.storage.tables.records import fault_of
from referee.core.faults import Fault
from referee.match.record import Record


@dataclass(frozen=True, slots=True)
class DecisionTime:
    """The time of one decision, in microseconds."""

    number: int
    """Of the request, from 1."""
    charged_us: int
    """What it paid from the bank."""
    wall_us: int
    cpu_us: int
    """CPU time that the bot used, as far as it was seen."""
    delay_us: int
    """How long it waited for a core, as far as it was seen."""
    bank_left_us: int


@dataclass(frozen=True, slots=True)
class SeatLog:
    """One match as one of its bots played it."""

    match: MatchLine
    seat: int
    version: Version
    result: SeatResult
    decisions: Sequence[DecisionTime]
    fault: Fault | None
    printed: str | None
    """The end of what it printed; None if nothing is kept."""

    @property
    def slowest_us(self) -> int:
        """The most that it was charged for a decision; 0 if it made none."""
        return max((t.charged_us for t in self.decisions), default=0)

    @property
    def slowest_wall_us(self) -> int:
        """The most that a decision took by the clock on the wall; 0 if it made none."""
        return max((t.wall_us for t in self.decisions), default=0)

    @property
    def median_us(self) -> float:
        """What it was charged for its median decision; 0 if it made none."""
        return statistics.median(t.charged_us for t in self.decisions) if self.decisions else 0


def latest(ladder: Ladder, name: str, limit: int) -> list[SeatLog]:
    """Return the last finished matches of a bot, newest first; raise `UnknownBotError`."""
    lines = queries.latest(ladder, limit, name)
    return [found for line in lines if (found := seat_log(ladder, line, name))]


def seat_log(ladder: Ladder, match: MatchLine, name: str) -> SeatLog | None:
    """Return a match as a bot played it; None if it has no result.

    Raise `UnknownMatchError` if the bot is not in it.
    """
    for seat, taken in enumerate(match.seats):
        if taken.version and taken.version.bot == name:
            if taken.result is None:
                return None
            record = queries.record(ladder, match)
            return SeatLog(
                match=match,
                seat=seat,
                version=taken.version,
                result=taken.result,
                decisions=decision_times_of(record, seat),
                fault=fault_of(record, seat),
                printed=queries.printed(ladder, match, seat),
            )
    there = ", ".join(taken.version.bot for taken in match.seats if taken.version)
    raise UnknownMatchError(f"{name} is not in match {match.match_id}; in it are: {there}")


def decision_times_of(record: Record, seat: int) -> list[DecisionTime]:
    """Return the times of a seat's decisions by the record, up to the one that it forfeited by."""
    return list(_decision_times(record, seat))


def _decision_times(record: Record, seat: int) -> Iterator[DecisionTime]:
    own = (
        d for d in record.decisions if d.seat == seat and (d.HasField("fault") or not d.stand_in)
    )
    for number, decision in enumerate(own, start=1):
        yield DecisionTime(
            number=number,
            charged_us=decision.elapsed_us,
            wall_us=decision.wall_us or decision.elapsed_us,  # older records have the one alone
            cpu_us=decision.cpu_us,
            delay_us=decision.delay_us,
            bank_left_us=decision.bank_left_us,
        )
