"""Uploads a bot's folder to a remote ladder, and resumes after an interruption."""

import hashlib
import queue
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import grpc
from courtyard.v1 import ladder_pb2 as pb

from ladder.model.errors import ApiError
from ladder.storage.files.archive import pack
from referee.hosting.bot_files import LeftOut
from referee.hosting.manifest import load_manifest

_CHUNK = 64 * 1024
_WAITS_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Waiting times before each retry."""


class UploadProgress(Protocol):
    """Receives the progress of a submission."""

    def say(self, text: str) -> None:
        """Receive a message about the current step."""

    def sent(self, done: int, total: int) -> None:
        """Receive the number of bytes that the ladder has or that were sent to it."""


@dataclass(frozen=True, slots=True)
class _Archive:
    """The archive to send."""

    file: IO[bytes]
    size: int
    sha256: bytes


class Uploader:
    """Submits bots by the method `Submit` of an author API."""

    def __init__(
        self, method: Any, metadata: Any, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Use the stub of `Submit`."""
        self._method = method
        self._metadata = metadata
        self._sleep = sleep
        self._was_there = False
        """Whether the server has ever answered; only then a retry makes sense."""

    def send(self, path: Path, progress: UploadProgress) -> pb.Submission:
        """Submit a bot's folder; raise `grpc.RpcError`, or the errors of `pack`.

        Reconnect several times before raising the error of a cut connection.
        """
        manifest = load_manifest(path)
        with tempfile.TemporaryFile() as file:
            skip = LeftOut(manifest)
            pack(manifest.directory, file, skip)
            if left_out := skip.told():
                progress.say(f"Left out of {manifest.name}: {left_out}.")
            file.seek(0)
            sha256 = hashlib.file_digest(file, "sha256").digest()
            archive = _Archive(file, file.tell(), sha256)
            waits = iter(_WAITS_S)
            while True:
                try:
                    return self._once(archive, progress)
                except grpc.RpcError as error:
                    wait = next(waits, None) if self._was_there else None
                    if wait is None or not _is_cut(error):
                        raise
                    progress.say("The connection was cut; trying again.")
                    self._sleep(wait)

    def _once(self, archive: _Archive, progress: UploadProgress) -> pb.Submission:
        offsets: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        call = self._method(_requests(archive, offsets, progress), metadata=self._metadata)
        try:
            for answer in call:
                self._was_there = True
                if answer.WhichOneof("body") == "offset_bytes":
                    offsets.put(answer.offset_bytes)
                elif answer.WhichOneof("body") == "progress":
                    progress.say(answer.progress)
                else:
                    submission: pb.Submission = answer.submission
                    return submission
        finally:
            offsets.put(None)
            call.cancel()
        raise ApiError("the ladder ended the call without a result; submit again")


def _requests(
    archive: _Archive, offsets: "queue.SimpleQueue[int | None]", progress: UploadProgress
) -> Iterator[pb.SubmitRequest]:
    """Yield the requests; the ladder's first answer gives the offset to start from."""
    yield pb.SubmitRequest(open=pb.OpenUpload(sha256=archive.sha256, size_bytes=archive.size))
    offset = offsets.get()
    if offset is None:
        return
    archive.file.seek(offset)
    progress.sent(offset, archive.size)
    while chunk := archive.file.read(_CHUNK):
        yield pb.SubmitRequest(chunk=chunk)
        progress.sent(archive.file.tell(), archive.size)


def _is_cut(error: Any) -> bool:
    """Return whether the connection failed, rather than the ladder refusing the call."""
    details = {key for key, _ in error.trailing_metadata() or ()}
    return error.code() is grpc.StatusCode.UNAVAILABLE and "grpc-status-details-bin" not in details
