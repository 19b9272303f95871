"""Archives on their way in: kept as far as they have come, until they are whole or too old."""

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

from ladder.runner.json_log import DOOR
from ladder.server.api.rate_limits import Buckets, Limits
from ladder.server.api.status import Refusal, invalid, not_stored
from ladder.storage.archive import LARGEST_ARCHIVE_BYTES

LARGEST_CHUNK = 256 * 1024
_CUT_SHOWS_S = 0.5
"""A stream that was cut ends as one does that its author ends, and is then cancelled."""
_DIGEST_BYTES = hashlib.sha256().digest_size


class Uploads:
    """The folder of one ladder's uploads."""

    def __init__(
        self, folder: Path, limits: Limits, bytes_of: Buckets, held: Callable[[Path], object]
    ) -> None:
        """Use a folder, which is made.

        `bytes_of` says how much each author may send, `held` whether somebody needs an archive.
        """
        self._folder = folder
        self._limits = limits
        self._bytes_of = bytes_of
        self._held = held
        self._brought: dict[Path, Bringing] = {}
        folder.mkdir(mode=0o700, exist_ok=True)

    def path(self, author: str, sha256: bytes, size: int) -> Path:
        """Return the file of an archive; raise `Refusal` if nothing can be called so."""
        if len(sha256) != _DIGEST_BYTES:
            raise invalid("BAD_REQUEST", f"sha256 has {len(sha256)} bytes, not {_DIGEST_BYTES}")
        if not 0 < size <= LARGEST_ARCHIVE_BYTES:
            raise invalid(
                "ARCHIVE_TOO_LARGE",
                f"an archive has 1 to {LARGEST_ARCHIVE_BYTES} bytes, not {size}",
                limit=str(LARGEST_ARCHIVE_BYTES),
            )
        return self._folder / f"{_prefix(author)}{sha256.hex()}-{size}"

    @contextlib.asynccontextmanager
    async def bringing(self, path: Path) -> AsyncIterator["Bringing"]:
        """Be the one stream that brings an archive.

        One that still does, perhaps by a connection that was cut unnoticed, is ended first.
        """
        while (before := self._brought.get(path)) is not None:
            before.superseded.set()
            await before.over.wait()
        bringing = self._brought[path] = Bringing(_size(path), self._limits.silence_s)
        try:
            yield bringing
        finally:
            del self._brought[path]
            bringing.over.set()

    async def receive(
        self,
        path: Path,
        opened: pb.OpenUpload,
        author: str,
        bringing: "Bringing",
        chunks: AsyncIterator[bytes],
    ) -> int:
        """Add chunks to an archive until it is whole; return how many bytes came.

        Raise `Refusal` if it is not what was announced or cannot be stored, and remove it then.
        What has come before a cut stays.
        """
        try:
            self._make_room(path, author)
            with path.open("ab") as file:
                came = await self._append(file, author, opened.size_bytes, bringing, chunks)
            await asyncio.to_thread(_check, path, opened.sha256)
        except Refusal as refusal:
            if refusal.code is grpc.StatusCode.INVALID_ARGUMENT:
                _remove(path)
            raise
        except OSError as error:
            DOOR.warning("an archive of %s cannot be stored: %s", author, error.strerror)
            _remove(path)
            raise not_stored() from error
        return came

    def sweep(self) -> None:
        """Remove what is too old to go on."""
        limit = time.time() - self._limits.kept_upload_s
        for path in self._folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # it may have been used up meanwhile
                if not self._needed(path) and path.stat().st_mtime < limit:
                    if path.is_dir():  # of a ladder that was killed while it unpacked
                        shutil.rmtree(path, ignore_errors=True)
                    else:
                        path.unlink()

    def _needed(self, path: Path) -> bool:
        return path in self._brought or bool(self._held(path))

    async def _append(
        self,
        file: IO[bytes],
        author: str,
        size: int,
        bringing: "Bringing",
        chunks: AsyncIterator[bytes],
    ) -> int:
        began = have = bringing.offset
        while have < size:
            chunk = await bringing.next(chunks)
            have += len(chunk)
            if not 0 < len(chunk) <= LARGEST_CHUNK:
                raise invalid(
                    "BAD_REQUEST", f"a chunk has 1 to {LARGEST_CHUNK} bytes, not {len(chunk)}"
                )
            if have > size:
                raise invalid("UPLOAD_TOO_LONG", f"the archive is longer than {size} bytes")
            self._bytes_of.take(author, len(chunk))
            file.write(chunk)
            file.flush()
        return have - began

    def _make_room(self, path: Path, author: str) -> None:
        """Remove an author's oldest uploads if another one would be too many."""
        others = [
            other
            for other in self._folder.glob(f"{_prefix(author)}*")
            if not self._needed(other) and other != path
        ]
        others.sort(key=lambda other: other.stat().st_mtime, reverse=True)
        for other in others[self._limits.kept_uploads_an_author - 1 :]:
            other.unlink(missing_ok=True)


class Bringing:
    """A stream that brings an archive."""

    def __init__(self, offset: int, silence_s: float) -> None:
        """Begin where the archive ends that is there."""
        self.offset = offset
        self._silence_s = silence_s
        self.superseded = asyncio.Event()
        """Set when another stream brings the same archive."""
        self.over = asyncio.Event()
        """Set when this one brings no more."""

    async def next(self, chunks: AsyncIterator[bytes]) -> bytes:
        """Return the next chunk; raise `Refusal` if there is none."""
        chunk = asyncio.ensure_future(anext(chunks))
        superseded = asyncio.ensure_future(self.superseded.wait())
        both = (chunk, superseded)
        try:
            await asyncio.wait(both, timeout=self._silence_s, return_when=asyncio.FIRST_COMPLETED)
            if superseded.done():
                raise Refusal(
                    grpc.StatusCode.ABORTED,
                    "UPLOAD_TAKEN_OVER",
                    "another stream brings the same archive",
                )
            if not chunk.done():
                raise Refusal(
                    grpc.StatusCode.DEADLINE_EXCEEDED,
                    "UPLOAD_STALLED",
                    f"nothing came for {self._silence_s:.0f} s; submit again to go on",
                )
            return chunk.result()
        except StopAsyncIteration:
            await asyncio.sleep(_CUT_SHOWS_S)
            raise invalid(
                "UPLOAD_TRUNCATED", "the upload ended before the archive was whole"
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
    """Return how the names of an author's uploads begin, and nobody else's."""
    return hashlib.sha256(author.encode()).hexdigest()[:32] + "-"


def _check(path: Path, sha256: bytes) -> None:
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").digest() != sha256:
            raise invalid("DIGEST_MISMATCH", "the archive's SHA-256 is not what was announced")
