"""Refusals of the author API: a status, a message for people, and a reason for programs."""

from collections.abc import Mapping

from ladder.model.errors import (
    BundleError,
    DealInPlayError,
    NotOwnerError,
    QuotaError,
    SparBudgetError,
    SparError,
    UnknownBotError,
    UnknownMatchError,
    UnknownSparError,
    UnreachableError,
)
from referee.core.errors import CourtyardError, UsageError

BAD_BUNDLE = "BAD_BUNDLE"
"""The reason for refusing an invalid archive, or an invalid bot in it."""

DATABASE_UNREACHABLE = "DATABASE_UNREACHABLE"
"""The reason while the server of the ladder's database is gone or busy."""
SPAR_BUDGET = "SPAR_BUDGET"
"""The reason for refusing an author who has asked for today's unrated matches."""
INTERNAL = "INTERNAL"
"""The reason for a failure of the ladder itself; its log says more."""

_DATABASE_BACK_S = 10.0
"""When to try again without a database."""
_OF_ERRORS: tuple[tuple[type[CourtyardError], str], ...] = (
    (NotOwnerError, "NOT_YOUR_BOT"),
    (UnknownBotError, "UNKNOWN_BOT"),
    (UnknownMatchError, "UNKNOWN_MATCH"),
    (DealInPlayError, "DEAL_IN_PLAY"),
    (QuotaError, "DISK_QUOTA"),
    (UnknownSparError, "UNKNOWN_SPAR"),
    (SparBudgetError, SPAR_BUDGET),
    (SparError, "CANNOT_SPAR"),
    (BundleError, BAD_BUNDLE),
    (UsageError, BAD_BUNDLE),
)
"""The reason for each error that an author can cause."""
_CAUSED = frozenset(reason for _, reason in _OF_ERRORS)

_STATUS = {
    "NO_TOKEN": 401,
    "BAD_TOKEN": 401,
    "NEEDS_TLS": 403,
    "FOREIGN_SITE": 403,
    "NOT_YOUR_BOT": 403,
    "DISK_QUOTA": 403,
    "SUBMISSIONS_CLOSED": 403,
    "ONLY_SHOWN": 403,
    "UNKNOWN_BOT": 404,
    "UNKNOWN_MATCH": 404,
    "UNKNOWN_SUBMISSION": 404,
    "UNKNOWN_SPAR": 404,
    "NO_TOURNAMENT": 404,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "UPLOAD_STALLED": 408,
    "DEAL_IN_PLAY": 409,
    "IN_A_CONTEST": 409,
    "NOT_FIT": 409,
    "CANNOT_SPAR": 409,
    "UPLOAD_OFFSET": 409,
    "UPLOAD_TAKEN_OVER": 409,
    "ARCHIVE_TOO_LARGE": 413,
    BAD_BUNDLE: 422,
    "RATE_LIMITED": 429,
    SPAR_BUDGET: 429,
    "TOO_MANY_UPLOADS": 429,
    "TOO_MANY_WATCHERS": 429,
    INTERNAL: 500,
    "LADDER_STOPPING": 503,
    "CANNOT_STORE": 503,
    DATABASE_UNREACHABLE: 503,
}
"""The HTTP status of each reason; of all others 400."""


class ApiRefusal(Exception):  # noqa: N818 - it is an answer
    """The author API refuses a call."""

    def __init__(
        self,
        reason: str,
        message: str,
        metadata: Mapping[str, str] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        """Refuse for a reason in UPPER_SNAKE; `metadata` holds details for programs."""
        super().__init__(message)
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.retry_after_s = retry_after_s

    @property
    def status(self) -> int:
        """Its HTTP status."""
        return _STATUS.get(self.reason, 400)


def reason_of(error: CourtyardError) -> str:
    """Return the reason that matches an error; INTERNAL for a fault of the ladder."""
    if isinstance(error, UnreachableError):
        return DATABASE_UNREACHABLE
    return next((reason for kind, reason in _OF_ERRORS if isinstance(error, kind)), INTERNAL)


def refusal_named(reason: str, message: str) -> ApiRefusal:
    """Return the refusal for a reason of `reason_of`.

    Details of the ladder's own failures go to its log, not to authors.
    """
    if reason in _CAUSED:
        return ApiRefusal(reason, message)
    if reason == DATABASE_UNREACHABLE:
        return ApiRefusal(
            reason,
            "the ladder cannot reach its database; try again later",
            retry_after_s=_DATABASE_BACK_S,
        )
    return ApiRefusal(INTERNAL, "internal error of the ladder; the server's log says more")


def stopping() -> ApiRefusal:
    """Return the refusal of a call that the ladder's shutdown interrupts."""
    return ApiRefusal(
        "LADDER_STOPPING",
        "the ladder is stopping; try again when it is back",
    )


def not_stored() -> ApiRefusal:
    """Return the refusal of an archive that cannot be written to disk."""
    return ApiRefusal(
        "CANNOT_STORE",
        "the ladder cannot store the archive: its disk may be full; the server's log says more; "
        "submit again later",
    )


def invalid(reason: str, message: str, **metadata: str) -> ApiRefusal:
    """Return the refusal of an invalid message."""
    return ApiRefusal(reason, message, metadata)


def exhausted(reason: str, message: str, retry_after_s: float, **metadata: str) -> ApiRefusal:
    """Return the refusal of a call that would exceed a limit."""
    return ApiRefusal(reason, message, metadata, retry_after_s)
