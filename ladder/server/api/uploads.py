"""Receives archives, and keeps interrupted uploads until they are resumed or too old."""

import asyncio
import contextlib
import hashlib
import shutil
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import IO

import grpc
from courtyard.v1 import ladder_pb2 as pb

from ladder.runner.json_log import API
from ladder.server.api.rate_limits import Buckets, RateLimits
from ladder.server.api.status import ApiRefusal, invalid, not_stored
from ladder.storage.files.archive import LARGEST_ARCHIVE_BYTES

LARGEST_CHUNK = 256 * 1024
_CUT_SHOWS_S = 0.5
"""A broken stream first looks like one that its author ended; gRPC then cancels the call."""
_DIGEST_BYTES = hashlib.sha256().digest_size


class Uploads:
    """The folder of one ladder's uploads."""

    def __init__(
        self, folder: Path, limits: RateLimits, bytes_of: Buckets, held: Callable[[Path], object]
    ) -> None:
        """Create the folder.

        `bytes_of` limits what each author sends; `held` says whether an archive is in use.
        """
        self._folder = folder
        self._limits = limits
        self._bytes_of = bytes_of
        self._held = held
        self._active: dict[Path, Upload] = {}
        folder.mkdir(mode=0o700, exist_ok=True)

    def path(self, author: str, sha256: bytes, size: int) -> Path:
        """Return an archive's file; raise `ApiRefusal` for an impossible digest or size."""
        if len(sha256) != _DIGEST_BYTES:
            raise invalid(
                "BAD_REQUEST", f"sha256 must have {_DIGEST_BYTES} bytes, not {len(sha256)}"
            )
        if not 0 < size <= LARGEST_ARCHIVE_BYTES:
            raise invalid(
                "ARCHIVE_TOO_LARGE",
                f"an archive may have 1 to {LARGEST_ARCHIVE_BYTES} bytes, not {size}",
                limit=str(LARGEST_ARCHIVE_BYTES),
            )
        return self._folder / f"{_prefix(author)}{sha256.hex()}-{size}"

    @contextlib.asynccontextmanager
    async def uploading(self, path: Path) -> AsyncIterator["Upload"]:
        """Become the only stream that uploads this archive.

        End an earlier stream first; its connection may have broken unnoticed.
        """
        while (before := self._active.get(path)) is not None:
            before.superseded.set()
            await before.over.wait()
        upload = self._active[path] = Upload(_size(path), self._limits.silence_s)
        try:
            yield upload
        finally:
            del self._active[path]
            upload.over.set()

    async def receive(
        self,
        path: Path,
        opened: pb.OpenUpload,
        author: str,
        upload: "Upload",
        chunks: AsyncIterator[bytes],
    ) -> int:
        """Append chunks to an archive until it is complete; return the number of bytes received.

        If the archive differs from its announcement or cannot be stored, remove it and raise
        `ApiRefusal`. After an interruption the received part stays.
        """
        try:
            self._make_room(path, author)
            with path.open("ab") as file:
                received = await self._append(file, author, opened.size_bytes, upload, chunks)
            await asyncio.to_thread(_check, path, opened.sha256)
        except ApiRefusal as refusal:
            if refusal.code is grpc.StatusCode.INVALID_ARGUMENT:
                _remove(path)
            raise
        except OSError as error:
            API.warning("an archive of %s cannot be stored: %s", author, error.strerror)
            _remove(path)
            raise not_stored() from error
        return received

    def sweep(self) -> None:
        """Remove uploads that are too old to resume."""
        limit = time.time() - self._limits.kept_upload_s
        for path in self._folder.iterdir():
            with contextlib.suppress(
                FileNotFoundError
            ):  # a submission may have removed it meanwhile
                if not self._needed(path) and path.stat().st_mtime < limit:
                    if path.is_dir():  # left by a ladder that was killed while unpacking
                        shutil.rmtree(path, ignore_errors=True)
                    else:
                        path.unlink()

    def _needed(self, path: Path) -> bool:
        return path in self._active or bool(self._held(path))

    async def _append(
        self,
        file: IO[bytes],
        author: str,
        size: int,
        upload: "Upload",
        chunks: AsyncIterator[bytes],
    ) -> int:
        began = have = upload.offset
        while have < size:
            chunk = await upload.next(chunks)
            have += len(chunk)
            if not 0 < len(chunk) <= LARGEST_CHUNK:
                raise invalid(
                    "BAD_REQUEST", f"a chunk may have 1 to {LARGEST_CHUNK} bytes, not {len(chunk)}"
                )
            if have > size:
                raise invalid("UPLOAD_TOO_LONG", f"the archive is longer than {size} bytes")
            self._bytes_of.take(author, len(chunk))
            file.write(chunk)
            file.flush()
        return have - began

    def _make_room(self, path: Path, author: str) -> None:
        """Remove an author's oldest uploads to stay within the limit."""
        others = [
            other
            for other in self._folder.glob(f"{_prefix(author)}*")
            if not self._needed(other) and other != path
        ]
        others.sort(key=lambda other: other.stat().st_mtime, reverse=True)
        for other in others[self._limits.kept_uploads_an_author - 1 :]:
            other.unlink(missing_ok=True)


class Upload:
    """A stream that uploads an archive."""

    def __init__(self, offset: int, silence_s: float) -> None:
        """Begin at the end of the part that is stored."""
        self.offset = offset
        self._silence_s = silence_s
        self.superseded = asyncio.Event()
        """Set when another stream uploads the same archive."""
        self.over = asyncio.Event()
        """Set when this stream has ended."""

    async def next(self, chunks: AsyncIterator[bytes]) -> bytes:
        """Return the next chunk; raise `ApiRefusal` if none arrives."""
        chunk = asyncio.ensure_future(anext(chunks))
        superseded = asyncio.ensure_future(self.superseded.wait())
        both = (chunk, superseded)
        try:
            await asyncio.wait(both, timeout=self._silence_s, return_when=asyncio.FIRST_COMPLETED)
            if superseded.done():
                raise ApiRefusal(
                    grpc.StatusCode.ABORTED,
                    "UPLOAD_TAKEN_OVER",
                    "another stream uploads the same archive",
                )
            if not chunk.done():
                raise ApiRefusal(
                    grpc.StatusCode.DEADLINE_EXCEEDED,
                    "UPLOAD_STALLED",
                    f"nothing arrived for {self._silence_s:.0f} s; submit again to continue",
                )
            return chunk.result()
        except StopAsyncIteration:
            await asyncio.sleep(_CUT_SHOWS_S)
            raise invalid(
                "UPLOAD_TRUNCATED", "the upload ended before the archive was complete"
            ) from None
        finally:
            for each in both:
                each.cancel()
            await asyncio.gather(*both, return_exceptions=True)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _prefix(author: str) -> str:
    """Return the prefix that only this author's uploads have."""
    return hashlib.sha256(author.encode()).hexdigest()[:32] + "-"


def _check(path: Path, sha256: bytes) -> None:
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").digest() != sha256:
            raise invalid("DIGEST_MISMATCH", "the archive's SHA-256 differs from the announced one")
