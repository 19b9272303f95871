"""Versions of bots, and what submitting them gives."""

from dataclasses import dataclass
from enum import StrEnum

from referee.hosting.manifest import REMOTE


class SubmissionOutcome(StrEnum):
    """What became of a submission."""

    NEW = "new"
    """A version that the ladder had not seen."""
    UNCHANGED = "unchanged"
    """The version that plays already."""
    RETURNED = "returned"
    """An earlier version, which plays again."""
    REJECTED = "rejected"
    """A version that may not play; whatever played before plays on."""


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable upload of a bot."""

    id: int
    bot: str
    number: int
    """Counts the bot's versions from 1."""
    digest: str
    """Names its files; 64 hex digits."""
    command: tuple[str, ...]
    active: bool
    """Whether it is scheduled; at most one version of a bot is."""
    submitted_at: str
    """UTC, ISO 8601."""
    transport: str = "grpc"
    """How its messages travel."""
    build: tuple[tuple[str, ...], ...] = ()
    """The commands that make it ready to start; often none."""
    rejected: str | None = None
    """Why it may not play, in one line; None if it may."""

    @property
    def is_remote(self) -> bool:
        """Whether it stays on its author's machine and joins from there."""
        return self.transport == REMOTE

    @property
    def at_gate(self) -> str:
        """Return what a remote one is called where it joins, such as "ada@2"."""
        return f"{self.bot}@{self.number}"

    def __str__(self) -> str:
        """Return how the version is called in sentences."""
        return f"{self.bot} version {self.number}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot's files as they were submitted, before they are a version."""

    bot: str
    digest: str
    command: tuple[str, ...]
    transport: str
    build: tuple[tuple[str, ...], ...]
    author: str | None = None
    """Who submits it; None: the ladder's owner."""


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """What came of building an entry and of letting it play a validation match."""

    rejected: str | None
    """Why it may not play, in one line; None if it may."""
    build_log: str | None = None
    """What the build printed, the end of it; None if there is nothing to build."""
    record: bytes | None = None
    """Of the validation match, packed by `ladder.storage.records`; None if there was none."""
    printed: str = ""
    """What the bot printed in the validation match, the end of it."""
    tried_at: str = ""
    """UTC, ISO 8601; set when it is stored."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What a submission did."""

    version: Version
    outcome: SubmissionOutcome
    replaced: Version | None
    """The version that played until now, if it no longer does."""
    was_retired: bool
    """The bot existed, but none of its versions played."""
