"""Receives the bots that authors send, and starts their submissions."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request

from ladder.model import moments
from ladder.model.errors import QuotaError
from ladder.server.api import schemas
from ladder.server.api.callers import Caller
from ladder.server.api.metrics import Metrics
from ladder.server.api.rate_limits import RateLimits
from ladder.server.api.status import ApiRefusal, exhausted, invalid, reason_of, refusal_named
from ladder.server.api.submission_queue import Job
from ladder.server.api.uploads import UploadPart, check_size
from ladder.submission import disk_quota

_WAIT_FOR_A_SUBMISSION_S = 30.0
_RANGE = re.compile(r"bytes (?:(\d{1,12})-(\d{1,12})|\*)/(\d{1,12})")
_BINARY = {"schema": {"type": "string", "format": "binary"}}
REQUEST_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/gzip": _BINARY,
            "application/zip": _BINARY,
            "application/octet-stream": _BINARY,
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "additionalProperties": {"type": "string", "format": "binary"},
                    "description": "Files, each named by its file name, else by its field.",
                }
            },
        },
    }
}
"""The body of a request that submits a bot, for OpenAPI."""


def offset(caller: Caller, sha256: str) -> int:
    """Return how many bytes of an archive are stored."""
    check_writable(caller)
    uploads = caller.served.uploads
    return uploads.offset(uploads.path(caller.author, sha256))


async def put(
    caller: Caller, limits: RateLimits, metrics: Metrics, sha256: str, request: Request
) -> Job | schemas.Upload:
    """Store a part of an archive; return its submission if that was the last.

    If the archive is being submitted already, return that submission.
    """
    served, author = caller.served, caller.author
    check_writable(caller)
    path = served.uploads.path(author, sha256)
    if job := served.submission_queue.job(path):
        return job
    begin, end, total = _range(request)
    check_size(total)
    with served.uploading.one(author):
        async with served.uploads.uploading(path) as upload:
            if "Content-Range" not in request.headers:
                served.uploads.forget(path, upload)
            if begin != upload.offset:
                raise ApiRefusal(
                    "UPLOAD_OFFSET",
                    f"send what follows byte {upload.offset}: that many are stored",
                    {"offset": str(upload.offset)},
                )
            await _check_room(caller, limits)
            if begin < end:
                part = UploadPart(sha256, end, is_last=end == total)
                received = await served.uploads.receive(
                    path, part, author, upload, request.stream()
                )
                metrics.submitted_bytes.inc(received)
            if end < total:
                return schemas.Upload(offset=end)
            return served.submission_queue.start(path, author)


async def post(
    caller: Caller, limits: RateLimits, metrics: Metrics, chunks: AsyncIterator[bytes]
) -> tuple[str, Job]:
    """Store an archive and submit it; return its digest and its submission."""
    served, author = caller.served, caller.author
    check_writable(caller)
    with served.uploading.one(author):
        await _check_room(caller, limits)
        sha256, path, size = await served.uploads.receive_whole(author, chunks)
        metrics.submitted_bytes.inc(size)
        job = served.submission_queue.job(path)
        return sha256, job or served.submission_queue.start(path, author)


def found(caller: Caller, sha256: str) -> Job:
    """Return the running or last submission of an archive."""
    served = caller.served
    job = served.submission_queue.last_job(served.uploads.path(caller.author, sha256))
    if job is None:
        raise ApiRefusal(
            "UNKNOWN_SUBMISSION",
            "you have submitted no archive with this digest lately: submit it again",
        )
    return job


def every(caller: Caller) -> list[tuple[str, Job]]:
    """Return the author's submissions that are not forgotten, by their digests."""
    jobs = caller.served.submission_queue.last_jobs(caller.author)
    return [(path.name.rpartition("-")[2], job) for path, job in jobs]


def in_words(job: Job) -> str:
    """Return the outcome of a submission that is over, as the last line of its log."""
    try:
        return f"{job.outcome()}\n"
    except ApiRefusal as refusal:
        return f"Refused: {refusal}\n"


def check_writable(caller: Caller) -> None:
    """Raise `ApiRefusal` if this server only shows the ladder."""
    if caller.served.obstacle:
        raise ApiRefusal(
            "ONLY_SHOWN", "this server only shows the ladder; ask its owner where to submit bots"
        )


def _range(request: Request) -> tuple[int, int, int]:
    """Return where a part begins and ends, and how long the whole is.

    "*" for the part says that nothing is missing.
    """
    given = request.headers.get("Content-Range")
    if given is None:
        length = request.headers.get("Content-Length", "")
        if not length.isdecimal():
            raise invalid("BAD_REQUEST", "send Content-Length, or Content-Range: bytes A-B/TOTAL")
        return 0, int(length), int(length)
    match = _RANGE.fullmatch(given)
    begin, last, total = match.groups() if match else ("1", "0", "0")
    if begin is None:
        return int(total), int(total), int(total)
    begin, last, total = int(begin), int(last), int(total)
    if not begin <= last < total:
        raise invalid("BAD_REQUEST", f"Content-Range: {given}: it has the form bytes A-B/TOTAL")
    return begin, last + 1, total


async def _check_room(caller: Caller, limits: RateLimits) -> None:
    """Raise `ApiRefusal` if an author may not submit now, or has too much running or stored."""
    if caller.served.submission_queue.jobs_of(caller.author) >= limits.uploads_an_author:
        raise exhausted(
            "TOO_MANY_UPLOADS",
            f"{caller.author} already has as many submissions running as are allowed",
            _WAIT_FOR_A_SUBMISSION_S,
            limit=str(limits.uploads_an_author),
        )
    await asyncio.to_thread(_check_settings, caller)


def _check_settings(caller: Caller) -> None:
    """Raise `ApiRefusal` if submissions are closed, or an author's disk quota is used up."""
    ladder = caller.served.ladder
    try:
        with ladder.database.read() as tx:
            settings = ladder.refresh(tx)
            if closed := settings.closed(moments.now()):
                raise ApiRefusal("SUBMISSIONS_CLOSED", closed)
            quota = disk_quota.Quota(settings.author_disk_mib)
            used = disk_quota.least_with_another(tx, ladder.home, caller.author)
        quota.check(caller.author, used, "already uses")
    except QuotaError as error:
        raise refusal_named(reason_of(error), str(error)) from error
