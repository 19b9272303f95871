"""Refusals of the author API: a status, a message for people, and a reason for programs.

Every refusal carries a google.rpc.ErrorInfo; one that time resolves also carries a RetryInfo.
"""

import math
from collections.abc import Mapping

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from ladder.model.errors import (
    BundleError,
    DealInPlayError,
    NotOwnerError,
    QuotaError,
    UnknownBotError,
    UnknownMatchError,
    UnreachableError,
)
from referee.core.errors import CourtyardError, UsageError

DOMAIN = "courtyard"
DETAILS_KEY = "grpc-status-details-bin"
"""The trailer in which gRPC expects a google.rpc.Status."""

BAD_BUNDLE = "BAD_BUNDLE"
"""The reason for refusing an invalid archive, or an invalid bot in it."""

_DATABASE_BACK_S = 10.0
"""When to try again without a database."""
_Code = grpc.StatusCode
_OF_ERRORS: tuple[tuple[type[CourtyardError], grpc.StatusCode, str], ...] = (
    (NotOwnerError, _Code.PERMISSION_DENIED, "NOT_YOUR_BOT"),
    (UnknownBotError, _Code.NOT_FOUND, "UNKNOWN_BOT"),
    (UnknownMatchError, _Code.NOT_FOUND, "UNKNOWN_MATCH"),
    (DealInPlayError, _Code.FAILED_PRECONDITION, "DEAL_IN_PLAY"),
    (QuotaError, _Code.RESOURCE_EXHAUSTED, "DISK_QUOTA"),
    (BundleError, _Code.INVALID_ARGUMENT, BAD_BUNDLE),
    (UsageError, _Code.INVALID_ARGUMENT, BAD_BUNDLE),
)
"""The status and reason for each error that an author can cause."""
_CODES = {reason: code for _, code, reason in _OF_ERRORS}

DATABASE_UNREACHABLE = "DATABASE_UNREACHABLE"
"""The reason while the server of the ladder's database is gone or busy."""
INTERNAL = "INTERNAL"
"""The reason for a failure of the ladder itself; its log says more."""


class ApiRefusal(Exception):  # noqa: N818 - it is an answer
    """The author API refuses a call."""

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        metadata: Mapping[str, str] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        """Refuse for a reason in UPPER_SNAKE; `metadata` holds details for programs."""
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.retry_after_s = retry_after_s

    def details(self) -> bytes:
        """Return the refusal as a serialised google.rpc.Status."""
        number, _ = self.code.value
        status = Status(code=number, message=str(self))
        info = ErrorInfo(reason=self.reason, domain=DOMAIN, metadata=self.metadata)
        status.details.add().Pack(info)
        if self.retry_after_s is not None:
            delay = Duration(seconds=math.ceil(self.retry_after_s))
            status.details.add().Pack(RetryInfo(retry_delay=delay))
        return bytes(status.SerializeToString())


def reason_of(error: CourtyardError) -> str:
    """Return the reason that matches an error; INTERNAL for a fault of the ladder."""
    if isinstance(error, UnreachableError):
        return DATABASE_UNREACHABLE
    return next((reason for kind, _, reason in _OF_ERRORS if isinstance(error, kind)), INTERNAL)


def refusal_named(reason: str, message: str) -> ApiRefusal:
    """Return the refusal for a reason of `reason_of`.

    Details of the ladder's own failures go to its log, not to authors.
    """
    if reason in _CODES:
        return ApiRefusal(_CODES[reason], reason, message)
    if reason == DATABASE_UNREACHABLE:
        return ApiRefusal(
            _Code.UNAVAILABLE,
            reason,
            "the ladder cannot reach its database; try again later",
            retry_after_s=_DATABASE_BACK_S,
        )
    return ApiRefusal(
        _Code.INTERNAL, INTERNAL, "internal error of the ladder; the server's log says more"
    )


def stopping() -> ApiRefusal:
    """Return the refusal of a call that the ladder's shutdown interrupts."""
    return ApiRefusal(
        _Code.UNAVAILABLE,
        "LADDER_STOPPING",
        "the ladder is stopping; try again when it is back",
    )


def not_stored() -> ApiRefusal:
    """Return the refusal of an archive that cannot be written to disk."""
    return ApiRefusal(
        _Code.UNAVAILABLE,
        "CANNOT_STORE",
        "the ladder cannot store the archive: its disk may be full; the server's log says more; "
        "submit again later",
    )


def invalid(reason: str, message: str, **metadata: str) -> ApiRefusal:
    """Return the refusal of an invalid message."""
    return ApiRefusal(_Code.INVALID_ARGUMENT, reason, message, metadata)


def exhausted(reason: str, message: str, retry_after_s: float, **metadata: str) -> ApiRefusal:
    """Return the refusal of a call that would exceed a limit."""
    return ApiRefusal(_Code.RESOURCE_EXHAUSTED, reason, message, metadata, retry_after_s)
