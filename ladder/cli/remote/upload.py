"""Uploads a bot's folder to a remote ladder by parts, and resumes after an interruption."""

import hashlib
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Protocol
from urllib.parse import urlencode

from ladder.cli.remote.http import CutError, Http, RefusedError
from ladder.model.errors import ApiError
from ladder.server.api import schemas
from ladder.storage.files.archive import pack
from referee.hosting.bot_files import LeftOut
from referee.hosting.manifest import load_manifest

_PART = 1024 * 1024
"""A web server in front may take no larger bodies."""
_WAITS_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Waiting times before each retry of a cut request."""
_LONGEST_WAIT_S = 60.0
"""The longest wait that a ladder may ask of an author; a longer one is an error."""
_NEWS_S = 25
_GO_ON = ("UPLOAD_OFFSET", "UPLOAD_STALLED", "UNKNOWN_SUBMISSION")
"""Refusals after which the ladder, asked again, names the offset to go on from."""

_PASS = ("RATE_LIMITED", "TOO_MANY_WATCHERS")
"""Refusals that pass while the author waits."""


class UploadProgress(Protocol):
    """Receives the progress of a submission."""

    def say(self, text: str) -> None:
        """Receive a message about the current step."""

    def sent(self, done: int, total: int) -> None:
        """Receive the number of bytes that the ladder has or that were sent to it."""


@dataclass(slots=True)
class _Archive:
    """The archive to send, and the progress of its submission."""

    file: IO[bytes]
    size: int
    sha256: str
    shown: int = 0
    """Characters of the log that were shown."""
    rest: str = ""
    """The begun line of the log."""


class Uploader:
    """Submits bots by an author API."""

    def __init__(self, http: Http, sleep: Callable[[float], None] = time.sleep) -> None:
        """Use these requests."""
        self._http = http
        self._sleep = sleep
        self._was_there = False
        """Whether the server has ever answered; only then a retry makes sense."""

    def send(self, path: Path, progress: UploadProgress) -> schemas.Submission:
        """Submit a bot's folder; raise `ApiError`, or the errors of `pack`.

        Reconnect several times before raising the error of a cut connection.
        """
        manifest = load_manifest(path)
        with tempfile.TemporaryFile() as file:
            skip = LeftOut(manifest)
            pack(manifest.directory, file, skip)
            if left_out := skip.summary():
                progress.say(f"Left out of {manifest.name}: {left_out}.")
            size = file.tell()
            file.seek(0)
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            archive = _Archive(file, size, sha256)
            waits = iter(_WAITS_S)
            while True:
                try:
                    return self._once(archive, progress)
                except (CutError, RefusedError) as error:
                    was_cut = isinstance(error, CutError)
                    goes_on = self._was_there if was_cut else error.reason in _GO_ON
                    if not goes_on or (wait := next(waits, None)) is None:
                        raise
                    if was_cut:
                        progress.say("The connection was cut; trying again.")
                    self._sleep(wait)

    def _in_time(self, ask: Callable[[], bytes]) -> bytes:
        """Return what this asks for; ask again, at the ladder's time, if it was too early."""
        while True:
            try:
                return ask()
            except RefusedError as error:
                wait = error.retry_after_s
                if error.reason not in _PASS or wait is None or wait > _LONGEST_WAIT_S:
                    raise
                self._sleep(wait)

    def _once(self, archive: _Archive, progress: UploadProgress) -> schemas.Submission:
        done = self._upload(archive, progress)
        while done.state == "running":
            self._show_log(archive, done, progress)
            asked = urlencode({"after": archive.shown, "wait": _NEWS_S})
            answer = self._in_time(
                partial(self._http.get, f"/submissions/{archive.sha256}?{asked}")
            )
            done = schemas.Submission.model_validate_json(answer)
        self._show_log(archive, done, progress)
        if done.problem is not None:
            raise ApiError(done.problem.detail, done.problem.reason)
        return done

    def _upload(self, archive: _Archive, progress: UploadProgress) -> schemas.Submission:
        """Send what the ladder has not; return the submission that begins with the last part."""
        path = f"/uploads/{archive.sha256}"
        offset = schemas.Upload.model_validate_json(
            self._in_time(partial(self._http.get, path))
        ).offset
        self._was_there = True
        while True:
            progress.sent(offset, archive.size)
            archive.file.seek(offset)
            part = archive.file.read(_PART)
            end = offset + len(part)
            of_whole = f"{offset}-{end - 1}" if part else "*"
            headers = {"Content-Range": f"bytes {of_whole}/{archive.size}"}
            answer = self._in_time(partial(self._http.ask, "PUT", path, part, headers))
            progress.sent(end, archive.size)
            if end >= archive.size:
                return schemas.Submission.model_validate_json(answer)
            offset = end

    def _show_log(
        self, archive: _Archive, done: schemas.Submission, progress: UploadProgress
    ) -> None:
        """Show the lines of the log that are new and whole."""
        start = done.next - len(done.log)
        archive.rest += done.log[archive.shown - start :] if start <= archive.shown else done.log
        archive.shown = done.next
        *lines, archive.rest = archive.rest.split("\n")
        for line in lines:
            progress.say(line)
