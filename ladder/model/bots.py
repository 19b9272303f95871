"""Versions of bots, and the outcome of submissions."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from referee.hosting.manifest import REMOTE

VALIDATION_SEAT = 0
"""The bot's seat in its validation match."""


class SubmissionOutcome(StrEnum):
    """The outcome of a submission."""

    NEW = "new"
    """A new version."""
    UNCHANGED = "unchanged"
    """The version already plays."""
    RETURNED = "returned"
    """Files submitted before play again: as a new version, if another has passed meanwhile."""
    ALIKE = "alike"
    """The version that played plays on: the files answered its requests as it did."""
    REJECTED = "rejected"
    """The version may not play; the version that played before still plays."""


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable upload of a bot."""

    id: int
    bot: str
    number: int
    """Numbers the bot's versions from 1."""
    digest: str
    """Identifies its files; 64 hex digits."""
    command: tuple[str, ...]
    active: bool
    """Whether the version plays; at most one version of a bot does."""
    submitted_at: str
    """UTC, ISO 8601."""
    transport: str = "grpc"
    """The transport of its messages."""
    build: tuple[tuple[str, ...], ...] = ()
    """The commands that build it; often none."""
    rejected: str | None = None
    """Why it may not play, in one line; None if it may."""
    slow: bool = False
    """Whether it thinks so long that the plans of others do not wait for its matches."""

    @property
    def is_remote(self) -> bool:
        """Whether it runs on its author's machine and connects to the gateway."""
        return self.transport == REMOTE

    @property
    def gateway_name(self) -> str:
        """The name under which a remote bot joins the gateway, such as "ada@2"."""
        return f"{self.bot}@{self.number}"

    def __str__(self) -> str:
        """Return the version's name for sentences."""
        return f"{self.bot} version {self.number}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot as submitted, before it becomes a version."""

    bot: str
    digest: str
    command: tuple[str, ...]
    transport: str
    build: tuple[tuple[str, ...], ...]
    author: str | None = None
    """The submitting author; None is the ladder's owner."""

    def __str__(self) -> str:
        """Name the entry in sentences."""
        return f"{self.bot}'s entry"


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """The result of building an entry and playing its validation match."""

    rejected: str | None
    """Why it may not play, in one line; None if it may."""
    build_log: str | None = None
    """The end of the build's output; None if there is nothing to build."""
    record: bytes | None = None
    """The packed record of the validation match (see `ladder.storage.tables.records`), if any."""
    printed: str = ""
    """The end of the bot's output in the validation match."""
    tried_at: str = ""
    """UTC, ISO 8601; set when it is stored."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A completed submission."""

    version: Version
    outcome: SubmissionOutcome
    replaced: Version | None
    """The version that this one replaced, if any."""
    was_retired: bool
    """Whether the bot existed but none of its versions played."""

    def __str__(self) -> str:
        """Return what became of it, as a sentence."""
        version = self.version
        if self.outcome is SubmissionOutcome.REJECTED:
            return f"{version} is rejected: {version.rejected}"
        if self.outcome is SubmissionOutcome.UNCHANGED:
            return f"{version.bot} is unchanged: version {version.number} already plays."
        if self.outcome is SubmissionOutcome.ALIKE:
            return (
                f"{version} plays on and keeps its record: these files answer as it did, and are "
                "no new try. To enter them as a new version, change the release in bot.toml."
            )
        returned = self.outcome is SubmissionOutcome.RETURNED
        files = ", with files submitted before" if returned else ""
        instead = f"; it replaces version {self.replaced.number}" if self.replaced else ""
        note = " (the bot was retired)" if self.was_retired else ""
        return f"{version} plays{files}{instead}{note}."


def labels(versions: Mapping[int, Version]) -> dict[int, str]:
    """Return a label for each version: `bot`, or `bot@number` if several are of the same bot."""
    several = [version.bot for version in versions.values()]
    return {
        number: f"{v.bot}@{v.number}" if several.count(v.bot) > 1 else v.bot
        for number, v in versions.items()
    }
