"""Events out of the ordinary in matches."""

from dataclasses import dataclass
from enum import StrEnum


class IncidentKind(StrEnum):
    """The kinds of incident; stored as written here."""

    INTERRUPTED = "interrupted"
    """Its run was stopped or killed while it was played; it is played again."""
    PAUSED = "paused"
    """The referee was paused while it was played, so that no bot can be blamed."""
    RETRIED = "void, played again"
    """An attempt was void, such as by the loss of its worker."""
    GIVEN_UP = "given up until the next run"
    """Several attempts were void."""
    VOID = "void"
    """It does not count."""
    ANNULLED = "annulled"
    """The director decided that it does not count."""
    RETRACTED = "annulment retracted"
    """It counts again."""


STORED = (
    IncidentKind.INTERRUPTED,
    IncidentKind.PAUSED,
    IncidentKind.RETRIED,
    IncidentKind.GIVEN_UP,
    IncidentKind.VOID,
)
"""The kinds that are stored as they happen; others follow from records and decisions."""


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened to a match."""

    match_id: str
    kind: IncidentKind
    why: str
    happened_at: str
    """UTC, ISO 8601."""
