"""Submits received archives, several at once; authors take turns.

A submission continues when its author's stream is cut: an author who sends the same archive again
meanwhile follows its progress. The archive stays until the submission ends, so that a ladder that
was stopped in between needs no second upload.
"""

import asyncio
import contextlib
import json
import secrets
import shutil
import signal
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ladder.model.cores import cores
from ladder.model.heartbeat import SECONDS_BETWEEN_LOOKS, Heartbeat
from ladder.runner.json_log import API
from ladder.server.api.metrics import Metrics
from ladder.server.api.status import (
    BAD_BUNDLE,
    DATABASE_UNREACHABLE,
    INTERNAL,
    ApiRefusal,
    refusal_named,
    stopping,
)
from ladder.server.api.turns import Turns
from ladder.storage.files.folder import MOST_AT_ONCE, Home
from ladder.submission.limits import cut_short, heartbeat_in, took_too_long
from referee.core.safe_path import python

SUBMITTER = tuple(python("-m", "ladder.server.api.submission_worker"))
"""The command that submits one bot; its module documents arguments and output."""


class _Stopped(Exception):  # noqa: N818 -- nothing went wrong
    """A signal ended the submitter; the same signal reaches or will reach the server."""


class Job:
    """One running submission."""

    def __init__(self, author: str) -> None:
        """Create a job that has not begun."""
        self.author = author
        self.task: asyncio.Task[None] | None = None
        self._lines: list[str] = []
        self._outcome: Mapping[str, Any] | ApiRefusal | None = None
        self._changed = asyncio.Condition()

    async def progress(self) -> AsyncIterator[str]:
        """Yield all progress messages, past and future, until the submission ends."""
        told = 0
        while True:
            async with self._changed:
                while self._outcome is None and told == len(self._lines):
                    await self._changed.wait()
            if told == len(self._lines):
                return
            yield self._lines[told]
            told += 1

    def outcome(self) -> Mapping[str, Any]:
        """Return the result of `ladder.server.api.submission_worker`; raise `ApiRefusal`."""
        if isinstance(self._outcome, ApiRefusal):
            raise self._outcome
        if self._outcome is None:
            raise RuntimeError("the submission has not ended")
        return self._outcome

    @property
    def last(self) -> str:
        """The last progress message; empty if there was none."""
        return self._lines[-1] if self._lines else ""

    async def waits(self) -> None:
        """Report that the job waits for its turn."""
        await self.say("Waiting for its turn: other submissions come first.")

    async def say(self, text: str) -> None:
        """Publish a progress message."""
        self._lines.append(text)
        async with self._changed:
            self._changed.notify_all()

    async def end(self, outcome: Mapping[str, Any] | ApiRefusal) -> None:
        """Publish the outcome; the job is over."""
        self._outcome = outcome
        async with self._changed:
            self._changed.notify_all()


class SubmissionQueue:
    """The queue of submissions to one ladder."""

    def __init__(
        self,
        home: Home,
        folder: Path,
        metrics: Metrics,
        seconds: float,
        submitter: Sequence[str] = SUBMITTER,
    ) -> None:
        """Unpack archives below `folder`; a submission may take `seconds`."""
        self._home = Home(home.path.resolve())
        self._folder = folder.resolve()
        self._metrics = metrics
        self._submitter = submitter
        self._turns = Turns(min(cores(), MOST_AT_ONCE))
        self._seconds = seconds
        self._jobs: dict[Path, Job] = {}
        self._closed = False

    def job(self, archive: Path) -> Job | None:
        """Return the running submission of this archive, if any."""
        return self._jobs.get(archive)

    def jobs_of(self, author: str) -> int:
        """Count an author's running submissions."""
        return sum(job.author == author for job in self._jobs.values())

    def start(self, archive: Path, author: str) -> Job:
        """Start submitting an archive, and remove it at the end.

        Raise `ApiRefusal` when the ladder stops.
        """
        if self._closed:
            raise stopping()
        job = self._jobs[archive] = Job(author)
        job.task = asyncio.create_task(self._run(archive, job))
        return job

    async def close(self) -> None:
        """Stop running submissions; no bot is entered, and the archives stay."""
        self._closed = True
        tasks = [job.task for job in self._jobs.values() if job.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, archive: Path, job: Job) -> None:
        try:
            async with self._turns.one(job.author, job.waits):
                outcome = await self._submit(archive, job)
            if not _is_to_be_repeated(outcome):
                await asyncio.to_thread(archive.unlink, missing_ok=True)
        except _Stopped:
            outcome = stopping()
        except asyncio.CancelledError:
            outcome = stopping()
            raise
        except Exception:  # noqa: BLE001 - a bug of ours must not leave the author waiting
            API.exception("a submission of %s failed", job.author)
            outcome = refusal_named(INTERNAL, "")
        finally:
            del self._jobs[archive]
            refused = outcome.reason if isinstance(outcome, ApiRefusal) else outcome["outlook"]
            self._metrics.submissions.labels(refused).inc()
            named = {} if isinstance(outcome, ApiRefusal) else {"bot": outcome["bot"]}
            fields = {"author": job.author, "outcome": refused, **named}
            API.info("a submission ended", extra=fields)
            await asyncio.shield(job.end(outcome))

    async def _submit(self, archive: Path, job: Job) -> Mapping[str, Any] | ApiRefusal:
        """Unpack and submit in a separate process, then remove its files."""
        folder = self._folder / f"new-{secrets.token_hex(8)}"
        scratch = Path(tempfile.mkdtemp(prefix="courtyard-api-"))
        given = (self._home.path, archive, folder, job.author, scratch)
        try:
            process = await asyncio.create_subprocess_exec(
                *self._submitter, *map(str, given), stdin=PIPE, stdout=PIPE
            )
            listening = asyncio.ensure_future(self._listen(process, job))
            try:
                if await _is_in_time(listening, self._seconds, heartbeat_in(scratch)):
                    return await listening
                return refusal_named(BAD_BUNDLE, took_too_long(self._seconds, job.last))
            finally:
                listening.cancel()
                await _end(process)
        finally:
            await asyncio.to_thread(_remove, folder, scratch)

    async def _listen(self, process: Process, job: Job) -> Mapping[str, Any] | ApiRefusal:
        if process.stdout is None:
            raise RuntimeError("the submitter has no stdout")
        async for line in process.stdout:
            message = json.loads(line)
            if "say" in message:
                await job.say(message["say"])
            elif "refused" in message:
                if message["refused"] == INTERNAL:
                    API.warning("a submission of %s failed: %s", job.author, message["message"])
                return refusal_named(message["refused"], message["message"])
            else:
                return dict(message)
        status = await process.wait()
        if status in (-signal.SIGTERM, -signal.SIGHUP):
            raise _Stopped
        if status == -signal.SIGPROF:
            return refusal_named(BAD_BUNDLE, cut_short(status))
        raise RuntimeError(f"the submitter ended without a result: {cut_short(status)}")


async def _is_in_time(awaited: "asyncio.Future[Any]", seconds: float, heartbeat: Heartbeat) -> bool:
    """Wait until this is done, for at most `seconds` in which the process was not paused."""
    deadline = heartbeat.clock() + seconds
    while not awaited.done():
        left = deadline - heartbeat.clock()
        if left <= 0:
            return False
        await asyncio.wait([awaited], timeout=max(left, SECONDS_BETWEEN_LOOKS))
    return True


def _is_to_be_repeated(outcome: Mapping[str, Any] | ApiRefusal) -> bool:
    """Return whether the same archive may be accepted later."""
    return isinstance(outcome, ApiRefusal) and outcome.reason == DATABASE_UNREACHABLE


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


async def _end(process: Process) -> None:
    """Ask a submitter to end and clean up; kill it after ten seconds."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(asyncio.shield(process.wait()), 10)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
