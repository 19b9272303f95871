"""Matches, from the plan to the line that lists them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ladder.model.bots import Version


class MatchState(StrEnum):
    """Where a match is on its way; stored as it is written here."""

    PLANNED = "planned"
    """Its round was scheduled; nobody plays it now."""
    RUNNING = "running"
    """A worker plays it, or did when the ladder was killed."""
    DONE = "done"
    """Its result is stored. Final."""
    VOID = "void"
    """Given up after several attempts; it has no result. Final, unless it is postponed."""


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """Versions on seats, not yet played; a seat without a version is the stand-in's."""

    match_id: str
    round: int
    index: int
    """Its place within the round, from 0."""
    seats: tuple[Version | None, ...]
    attempts: int = 0
    """How often it was void."""
    deal: str = ""
    """Names its deal; matches of one deal are a block. Empty: one of its own, named as it is."""

    @property
    def remote(self) -> tuple[Version, ...]:
        """Those on its seats that play from elsewhere."""
        return tuple(version for version in self.seats if version and version.is_remote)

    @property
    def needs_a_worker(self) -> bool:
        """Whether bots of this machine play in it, or none at all."""
        return not self.remote or any(v and not v.is_remote for v in self.seats)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one seat came out of a match."""

    rank: int
    """From 1; equal places share the smaller number."""
    points: int
    forfeit: str | None
    """The kind of fault that it forfeited by, such as "TIMEOUT"; None if it did not forfeit."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match that came to its end, as its worker hands it in."""

    match_id: str
    seats: tuple[SeatResult, ...]
    decisions: int
    record: bytes
    """The whole record, packed by `ladder.storage.records`."""
    printed: Mapping[int, str] = field(default_factory=dict)
    """What the bots printed in it, the end of it, by seat; kept for their authors."""
    paused_s: float = 0.0
    """For how many seconds the referee was paused meanwhile."""


@dataclass(frozen=True, slots=True)
class SeatLine:
    """One seat of a match that is shown."""

    version: Version | None
    result: SeatResult | None


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match that is shown."""

    match_id: str
    round: int
    index: int
    state: MatchState
    attempts: int
    """How often it was void."""
    reason: str | None
    """Why it was last void."""
    decisions: int | None
    finished_at: str | None
    seats: tuple[SeatLine, ...]
    deal: str = ""
    """Names its deal; matches of one deal are a block."""
    postponed: bool = False
    """Whether it is void only until the ladder is run again."""
