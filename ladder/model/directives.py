"""Decisions of a tournament's director."""

from dataclasses import dataclass
from enum import StrEnum


class DirectiveKind(StrEnum):
    """The kinds of decision; stored as written here."""

    WITHDRAW = "withdraw"
    """A bot leaves; its results stand by the rules of the format."""
    DISQUALIFY = "disqualify"
    """A bot is expelled for a reason, and placed last."""
    ENTER = "enter"
    """A bot enters late."""
    PAUSE = "pause"
    """No match begins from now on."""
    RESUME = "resume"
    """Matches begin again."""
    ANNUL = "annul"
    """A match does not count."""
    HALF_BYE = "half-point bye"
    """A bot asked to miss a round, for half a point."""
    ZERO_BYE = "zero-point bye"
    """A bot asked to miss a round, for no point."""
    FORBID = "forbid"
    """Two bots may not meet any more."""
    START = "start"
    """A round begins no earlier than at a time, and then at once."""
    RETRACT = "retract"
    """The last decision about a bot or match is undone."""


BYES = (DirectiveKind.HALF_BYE, DirectiveKind.ZERO_BYE)
"""The kinds of bye on request."""


class ByePoints(StrEnum):
    """The points of a bye that no pairing gave, as written on the command line."""

    ZERO = "0"
    HALF = "half"


@dataclass(frozen=True, slots=True)
class Directive:
    """A decision of a tournament's director."""

    kind: DirectiveKind
    after_round: int
    """The last round of the ladder planned by then; the decision applies to later rounds."""
    why: str | None = None
    version: int | None = None
    """The id of the version concerned; None for pauses and matches."""
    match_id: str | None = None
    """The id of the match concerned."""
    round: int | None = None
    """The round of the tournament, from 1, that a bye or a start is for."""
    starts_at: str | None = None
    """When that round may begin: UTC, ISO 8601."""
    other: int | None = None
    """The id of the other version, of a decision about two."""
    given_at: str = ""
    """UTC, ISO 8601; set when it is stored."""
    number: int = 0
    """Its number in the ladder, from 1, so that no two are equal; 0 until it is stored."""
