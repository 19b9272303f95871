"""Matches: as planned, as played, and as listed."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ladder.model.bots import Version
from ladder.model.pairing import Seating
from referee.core.by_value import by_value
from referee.core.faults import Fault


class MatchState(StrEnum):
    """The state of a match; stored as written here."""

    PLANNED = "planned"
    """Scheduled, and not being played."""
    RUNNING = "running"
    """A worker plays it, or did when the run was killed."""
    DONE = "done"
    """The result is stored, and counts."""
    DROPPED = "dropped"
    """The result is stored, and does not count: the owner has dropped its version of the rules."""
    VOID = "void"
    """Given up after several attempts, without a result. Final unless postponed."""

    @property
    def has_result(self) -> bool:
        """Whether it was played to its end, and its result is stored."""
        return self in (MatchState.DONE, MatchState.DROPPED)


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match that is not yet played; the stand-in takes seats without a version."""

    match_id: str
    round: int
    index: int
    """Its index within the round, from 0."""
    seats: tuple[Version | None, ...]
    attempts: int = 0
    """The number of void attempts."""
    deal: str = ""
    """The name of its deal; matches of one deal form a block. Empty: its own, named by its id."""
    is_spar: bool = False
    """Whether it is an unrated match that an author has asked for."""
    remote: tuple[Version, ...] = field(init=False, repr=False, compare=False)
    """The remote versions on its seats."""
    local: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The ids of the local versions on its seats."""
    local_versions: frozenset[int] = field(init=False, repr=False, compare=False)
    """The same, each once."""

    def __post_init__(self) -> None:
        """Tell the remote versions from the local ones, once: a run asks often."""
        seated = [version for version in self.seats if version]
        object.__setattr__(self, "remote", tuple(v for v in seated if v.is_remote))
        object.__setattr__(self, "local", tuple(v.id for v in seated if not v.is_remote))
        object.__setattr__(self, "local_versions", frozenset(self.local))

    @property
    def needs_a_worker(self) -> bool:
        """Whether it has a local bot, or no bots at all."""
        return bool(self.local) or not self.remote


@by_value
@dataclass(frozen=True, slots=True)
class SeatResult:
    """The result of one seat in a match."""

    rank: int
    """From 1; tied seats share the smaller number."""
    points: int
    forfeit: str | None
    """The kind of fault by which it forfeited, such as "TIMEOUT"; None if it did not."""

    @property
    def crashed(self) -> bool:
        """Whether it forfeited: then it is behind all that did not, in no order."""
        return self.forfeit is not None


@by_value
@dataclass(frozen=True, slots=True)
class Played:
    """A finished match, as its worker returns it."""

    match_id: str
    seats: tuple[SeatResult, ...]
    decisions: int
    record: bytes
    """The complete record, packed by `ladder.storage.tables.records`."""
    printed: Mapping[int, str] = field(default_factory=dict)
    """The end of each bot's output, by seat, for the bot's author."""
    paused_s: float = 0.0
    """For how many seconds the referee was paused during the match."""
    thinking_s: tuple[float, ...] = ()
    """The thinking time of each seat's bot in all, in seconds; empty if unknown."""
    rules_version: str = ""
    """The version of the rules that played it."""


@dataclass(frozen=True, slots=True)
class SeatLine:
    """One seat of a listed match."""

    version: Version | None
    result: SeatResult | None


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A listed match."""

    match_id: str
    round: int
    index: int
    state: MatchState
    attempts: int
    """The number of void attempts."""
    reason: str | None
    """Why its last attempt was void, or why it is dropped."""
    decisions: int | None
    finished_at: str | None
    seats: tuple[SeatLine, ...]
    deal: str = ""
    """The name of its deal; matches of one deal form a block."""
    postponed: bool = False
    """Whether it is void only until the next run."""
    rules_version: str | None = None
    """The version of the rules that played it; None before."""

    @property
    def seating(self) -> Seating:
        """The version ids on its seats."""
        return tuple(seat.version.id if seat.version else None for seat in self.seats)


@dataclass(frozen=True, slots=True)
class DecisionTime:
    """The time of one decision, in microseconds."""

    number: int
    """Of the request, from 1."""
    charged_us: int
    """The time that it paid from the bank."""
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
        """The time charged for its median decision; 0 if it made none."""
        return statistics.median(t.charged_us for t in self.decisions) if self.decisions else 0
