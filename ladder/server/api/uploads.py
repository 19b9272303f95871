"""Receives archives, and keeps interrupted uploads until they are resumed or too old."""

import asyncio
import contextlib
import hashlib
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ladder.runner.json_log import API
from ladder.server.api.rate_limits import Buckets, RateLimits
from ladder.server.api.status import ApiRefusal, invalid, not_stored
from ladder.storage.files.archive import LARGEST_ARCHIVE_BYTES

_USELESS = ("BAD_REQUEST", "UPLOAD_TOO_LONG", "UPLOAD_TRUNCATED", "DIGEST_MISMATCH")
"""Refusals after which nothing of an archive can be used."""


@dataclass(frozen=True, slots=True)
class UploadPart:
    """The part of an archive that a request brings."""

    sha256: str
    """Of the whole archive, in hexadecimal."""
    end: int
    """The offset behind the part's last byte."""
    is_last: bool = True


class Uploads:
    """The folder of one ladder's uploads."""

    def __init__(
        self, folder: Path, limits: RateLimits, bytes_of: Buckets, held: Callable[[Path], object]
    ) -> None:
        """Use a folder, which need not exist.

        `bytes_of` limits what each author sends; `held` says whether an archive is in use.
        """
        self._folder = folder
        self._limits = limits
        self._bytes_of = bytes_of
        self._held = held
        self._active: dict[Path, Upload] = {}

    def path(self, author: str, sha256: str) -> Path:
        """Return the file of an author's archive, by its digest in hexadecimal."""
        return self._folder / f"{_prefix(author)}{sha256}"

    def offset(self, path: Path) -> int:
        """Return how many bytes of an archive are stored."""
        return _size(path)

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

    def forget(self, path: Path, upload: "Upload") -> None:
        """Remove what is stored of an archive that is sent from its start again."""
        _remove(path)
        upload.offset = 0

    async def receive(
        self,
        path: Path,
        part: UploadPart,
        author: str,
        upload: "Upload",
        chunks: AsyncIterator[bytes],
    ) -> int:
        """Append a part of an archive, and check the digest of a whole one; return its bytes.

        If the archive differs from its announcement or cannot be stored, remove it and raise
        `ApiRefusal`. After an interruption the received part stays.
        """
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._make_room(path, author)
            with path.open("ab") as file:
                received = await self._append(file, author, part.end, upload, chunks)
            if part.is_last:
                await asyncio.to_thread(_check, path, part.sha256)
        except ApiRefusal as refusal:
            if refusal.reason in _USELESS:
                _remove(path)
            raise
        except OSError as error:
            _remove(path)
            raise _cannot_store(author, error) from error
        return received

    async def receive_whole(
        self, author: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, Path, int]:
        """Store an archive of unknown digest and length; return its digest, file and length.

        After an interruption nothing stays, as it could not be resumed.
        """
        draft = self._folder / f"new-{secrets.token_hex(8)}"
        upload, digest = Upload(0, self._limits.silence_s), hashlib.sha256()
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with draft.open("xb") as file:
                while chunk := await upload.next_or_end(chunks):
                    upload.offset += len(chunk)
                    check_size(upload.offset)
                    self._bytes_of.take(author, len(chunk))
                    digest.update(chunk)
                    file.write(chunk)
            check_size(upload.offset)
            path = self.path(author, digest.hexdigest())
            self._make_room(path, author)
            async with self.uploading(path):
                if not self._held(path):
                    draft.replace(path)
        except OSError as error:
            raise _cannot_store(author, error) from error
        finally:
            _remove(draft)
        return digest.hexdigest(), path, upload.offset

    def sweep(self) -> None:
        """Remove uploads that are too old to resume."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
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

    async def next_or_end(self, chunks: AsyncIterator[bytes]) -> bytes:
        """Return the next chunk, none at the end; raise `ApiRefusal` if nothing arrives."""
        return await self._within(anext(chunks, b""))

    async def next(self, chunks: AsyncIterator[bytes]) -> bytes:
        """Return the next chunk; raise `ApiRefusal` if none arrives."""
        if chunk := await self.next_or_end(chunks):
            return chunk
        raise invalid("UPLOAD_TRUNCATED", "the upload ended before the archive was complete")

    async def _within(self, coming: Awaitable[bytes]) -> bytes:
        chunk = asyncio.ensure_future(coming)
        superseded = asyncio.ensure_future(self.superseded.wait())
        both = (chunk, superseded)
        try:
            await asyncio.wait(both, timeout=self._silence_s, return_when=asyncio.FIRST_COMPLETED)
            if superseded.done():
                raise ApiRefusal("UPLOAD_TAKEN_OVER", "another request uploads the same archive")
            if not chunk.done():
                raise ApiRefusal(
                    "UPLOAD_STALLED",
                    f"nothing arrived for {self._silence_s:.0f} s; submit again to continue",
                )
            return chunk.result()
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


def _cannot_store(author: str, error: OSError) -> ApiRefusal:
    API.warning("an archive of %s cannot be stored: %s", author, error.strerror)
    return not_stored()


def check_size(size: int) -> None:
    """Raise `ApiRefusal` if no archive has this size."""
    if not 0 < size <= LARGEST_ARCHIVE_BYTES:
        raise ApiRefusal(
            "ARCHIVE_TOO_LARGE",
            f"an archive may have 1 to {LARGEST_ARCHIVE_BYTES} bytes, not {size}",
            {"limit": str(LARGEST_ARCHIVE_BYTES)},
        )


def _check(path: Path, sha256: str) -> None:
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
            raise invalid("DIGEST_MISMATCH", "the archive's SHA-256 differs from the announced one")
