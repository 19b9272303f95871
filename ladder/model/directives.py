"""What the director of a tournament decides."""

from dataclasses import dataclass
from enum import StrEnum


class DirectiveKind(StrEnum):
    """What the director of a tournament may decide; stored as it is written here."""

    WITHDRAW = "withdraw"
    """A bot plays no more; its results stand by the rules of the format."""
    DISQUALIFY = "disqualify"
    """The same for a reason, and the bot is placed last."""
    ENTER = "enter"
    """A bot enters late."""
    PAUSE = "pause"
    """No match begins from now on."""
    RESUME = "resume"
    """Matches begin again."""
    ANNUL = "annul"
    """A match does not count."""
    RETRACT = "retract"
    """What was decided last about a bot or match is as if it had not been."""


@dataclass(frozen=True, slots=True)
class Directive:
    """A decision of a tournament's director."""

    kind: DirectiveKind
    after_round: int
    """The last round of the ladder that was planned by then: it holds for those after it."""
    why: str | None = None
    version: int | None = None
    """The id of the version that it is about; None of pauses and matches."""
    match_id: str | None = None
    """The match that it is about."""
    given_at: str = ""
    """UTC, ISO 8601; set when it is stored."""
