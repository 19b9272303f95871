"""The gRPC handlers of LadderService; here are its two streaming methods, Submit and Watch."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import grpc
from courtyard.v1 import ladder_pb2 as pb
from google.protobuf.message import DecodeError

from ladder.model.errors import QuotaError
from ladder.server.api import encode
from ladder.server.api.auth import Authenticator, Caller, unknown_token
from ladder.server.api.metrics import Metrics
from ladder.server.api.rate_limits import RateLimits
from ladder.server.api.status import ApiRefusal, exhausted, invalid, reason_of, refusal_named
from ladder.server.api.submission_queue import Job
from ladder.server.api.uploads import LARGEST_CHUNK, Part, check_size
from ladder.submission import disk_quota

SERVICE = "courtyard.v1.LadderService"
_DIGEST_BYTES = 32
_TOKEN_CHECK_S = 10.0
_WAIT_FOR_A_SUBMISSION_S = 30.0


class Service:
    """The methods of the service; each authenticates its caller."""

    def __init__(self, auth: Authenticator, limits: RateLimits, metrics: Metrics) -> None:
        """Serve authenticated callers within these limits."""
        self._auth = auth
        self._limits = limits
        self._metrics = metrics

    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """Return the handler of each method, by the method's name."""
        service = pb.DESCRIPTOR.services_by_name["LadderService"]
        return {method.name: self._handler(method) for method in service.methods}

    def _handler(self, method: Any) -> "grpc.RpcMethodHandler[Any, Any]":
        name = method.name
        write = getattr(pb, method.output_type.name).SerializeToString
        if name == "Submit":
            method = self._auth.streaming(name, self._submit)
            return grpc.stream_stream_rpc_method_handler(method, None, write)
        if name == "Watch":
            method = self._auth.streaming(name, self._watch)
            return grpc.unary_stream_rpc_method_handler(method, None, write)
        kind = getattr(pb, method.input_type.name)
        return grpc.unary_unary_rpc_method_handler(
            self._auth.unary(name, _answer(_snake(name), kind)), None, write
        )

    async def _submit(
        self, given: AsyncIterator[bytes], caller: Caller
    ) -> AsyncGenerator[pb.SubmitResponse, None]:
        """Receive and submit an archive; if it is being submitted already, report its progress."""
        requests = (_read(pb.SubmitRequest, data) async for data in given)
        opened = await self._opened(requests)
        _check_writable(caller)
        uploads, author = caller.served.uploads, caller.author
        check_size(opened.size_bytes)
        if len(opened.sha256) != _DIGEST_BYTES:
            raise invalid("BAD_REQUEST", f"sha256 must have {_DIGEST_BYTES} bytes")
        part = Part(opened.sha256.hex(), opened.size_bytes)
        path = uploads.path(author, part.sha256)
        with contextlib.ExitStack() as place:
            async with uploads.uploading(path) as upload:
                place.enter_context(caller.served.uploading.one(author))
                job = caller.served.submission_queue.job(path)
                if job is None:
                    self._check_jobs(caller)
                    await asyncio.to_thread(_check_quota, caller)
                    yield pb.SubmitResponse(offset_bytes=upload.offset)
                    chunks = _chunks(requests)
                    received = await uploads.receive(path, part, author, upload, chunks)
                    self._metrics.submitted_bytes.inc(received)
                    job = caller.served.submission_queue.start(path, author)
                else:
                    yield pb.SubmitResponse(offset_bytes=opened.size_bytes)
            async for text in job.progress():
                yield pb.SubmitResponse(progress=text)
            yield pb.SubmitResponse(submission=await _submission(job, caller))

    async def _opened(self, requests: AsyncIterator[pb.SubmitRequest]) -> pb.OpenUpload:
        with contextlib.suppress(TimeoutError, StopAsyncIteration):
            first = await asyncio.wait_for(anext(requests), self._limits.silence_s)
            if first.WhichOneof("body") == "open":
                return first.open
        raise invalid("BAD_REQUEST", "the first message must be `open`")

    def _check_jobs(self, caller: Caller) -> None:
        """Raise `ApiRefusal` if an author has too many submissions running."""
        if caller.served.submission_queue.jobs_of(caller.author) >= self._limits.uploads_an_author:
            raise exhausted(
                "TOO_MANY_UPLOADS",
                f"{caller.author} already has as many submissions running as are allowed",
                _WAIT_FOR_A_SUBMISSION_S,
                limit=str(self._limits.uploads_an_author),
            )

    async def _watch(self, _: bytes, caller: Caller) -> AsyncGenerator[pb.WatchResponse, None]:
        """Stream the standings and every change, as long as the token is valid."""
        with caller.served.watching.one(caller.author):
            async with contextlib.aclosing(caller.served.old_feed.news()) as news:
                upcoming = asyncio.ensure_future(anext(news))
                try:
                    while True:
                        await asyncio.wait({upcoming}, timeout=_TOKEN_CHECK_S)
                        if not await caller.is_known():
                            raise unknown_token()
                        if upcoming.done():
                            for message in upcoming.result():
                                yield message
                            upcoming = asyncio.ensure_future(anext(news))
                finally:
                    upcoming.cancel()
                    await asyncio.gather(upcoming, return_exceptions=True)


def _check_writable(caller: Caller) -> None:
    """Raise `ApiRefusal` if this server only shows the ladder."""
    if caller.served.ladder.database.obstacle:
        raise ApiRefusal(
            "ONLY_SHOWN",
            "this server only shows the ladder; ask its owner where to submit bots",
        )


def _check_quota(caller: Caller) -> None:
    """Raise `ApiRefusal` if the author's disk quota leaves no room for another bot."""
    ladder = caller.served.ladder
    try:
        with ladder.database.read() as tx:
            quota = disk_quota.Quota(ladder.refresh(tx).author_disk_mib)
            used = disk_quota.least_with_another(tx, ladder.home, caller.author)
        quota.check(caller.author, used, "already uses")
    except QuotaError as error:
        raise refusal_named(reason_of(error), str(error)) from error


def _answer(name: str, kind: type[Any]) -> Any:
    async def answer(data: bytes, caller: Caller) -> Any:
        return await getattr(caller.served.answers, name)(_read(kind, data), caller.author)

    return answer


def _read(kind: type[Any], data: bytes) -> Any:
    """Return the message in these bytes; raise `ApiRefusal`, where gRPC would log a traceback."""
    try:
        return kind.FromString(data)
    except DecodeError:
        raise invalid("BAD_REQUEST", f"these bytes are not a {kind.DESCRIPTOR.name}") from None


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


async def _chunks(requests: AsyncIterator[pb.SubmitRequest]) -> AsyncGenerator[bytes, None]:
    async for request in requests:
        if request.WhichOneof("body") != "chunk":
            raise invalid("BAD_REQUEST", "only chunks may follow `open`")
        if not 0 < len(request.chunk) <= LARGEST_CHUNK:
            raise invalid("BAD_REQUEST", f"a chunk may have 1 to {LARGEST_CHUNK} bytes")
        yield request.chunk


async def _submission(job: Job, caller: Caller) -> pb.Submission:
    done = job.outcome()
    entered = done.version
    version = await caller.served.answers.version(entered.bot, entered.number, caller.author)
    return encode.submission_message(version, done)
