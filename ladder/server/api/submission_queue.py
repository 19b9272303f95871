"""Where archives that have come are submitted, several at once, the authors in turn.

A submission goes on when its author's stream is cut: whoever sends the same archive again meanwhile
is told how it goes. The archive is kept until it is over, so that a ladder which was stopped in the
middle of it needs no second upload.
"""

import asyncio
import contextlib
import json
import secrets
import shutil
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ladder.model.cores import cores
from ladder.model.heartbeat import SECONDS_BETWEEN_LOOKS, Heartbeat
from ladder.runner.json_log import DOOR
from ladder.server.api.metrics import Metrics
from ladder.server.api.status import BAD_BUNDLE, INTERNAL, Refusal, refusal_named, stopping
from ladder.server.api.turns import Turns
from ladder.storage.folder import MOST_AT_ONCE, Home
from ladder.submission.limits import cut_short, heartbeat_in, took_too_long

SUBMITTER = (sys.executable, "-m", "ladder.server.api.submission_worker")
"""The command that submits one bot; its module documents its arguments and its answer."""


class _Stopped(Exception):  # noqa: N818 -- nothing went wrong
    """The submitter was told to end, as the door will be or was."""


class Job:
    """One submission on its way."""

    def __init__(self, author: str) -> None:
        """Wait for its turn."""
        self.author = author
        self.task: asyncio.Task[None] | None = None
        self._lines: list[str] = []
        self._outcome: Mapping[str, Any] | Refusal | None = None
        self._changed = asyncio.Condition()

    async def progress(self) -> AsyncIterator[str]:
        """Yield what was said and is being said, until the submission is over."""
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
        """Return the answer of `ladder.server.api.submission_worker`; raise `Refusal`."""
        if isinstance(self._outcome, Refusal):
            raise self._outcome
        if self._outcome is None:
            raise RuntimeError("the submission is not over")
        return self._outcome

    @property
    def last(self) -> str:
        """What was said last; empty if nothing was."""
        return self._lines[-1] if self._lines else ""

    async def waits(self) -> None:
        """Tell whoever listens that it is not its turn."""
        await self.say("Waiting until it is its turn: others are before it.")

    async def say(self, text: str) -> None:
        """Tell whoever listens."""
        self._lines.append(text)
        async with self._changed:
            self._changed.notify_all()

    async def end(self, outcome: Mapping[str, Any] | Refusal) -> None:
        """Tell whoever listens that it is over."""
        self._outcome = outcome
        async with self._changed:
            self._changed.notify_all()


class SubmissionQueue:
    """Submits to one ladder."""

    def __init__(
        self,
        home: Home,
        folder: Path,
        metrics: Metrics,
        seconds: float,
        submitter: Sequence[str] = SUBMITTER,
    ) -> None:
        """Unpack archives below a folder; a submission may take so many seconds."""
        self._home = Home(home.path.resolve())
        self._folder = folder.resolve()
        self._metrics = metrics
        self._submitter = submitter
        self._turns = Turns(min(cores(), MOST_AT_ONCE))
        self._seconds = seconds
        self._jobs: dict[Path, Job] = {}
        self._closed = False

    def job(self, archive: Path) -> Job | None:
        """Return the submission of this archive, if it is on its way."""
        return self._jobs.get(archive)

    def jobs_of(self, author: str) -> int:
        """Return how many submissions of an author are on their way."""
        return sum(job.author == author for job in self._jobs.values())

    def start(self, archive: Path, author: str) -> Job:
        """Begin to submit an archive, which is removed when that is over.

        Raise `Refusal` when the ladder stops.
        """
        if self._closed:
            raise stopping()
        job = self._jobs[archive] = Job(author)
        job.task = asyncio.create_task(self._run(archive, job))
        return job

    async def close(self) -> None:
        """Stop what is on its way; nothing of it is entered, and the archives stay."""
        self._closed = True
        tasks = [job.task for job in self._jobs.values() if job.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, archive: Path, job: Job) -> None:
        try:
            async with self._turns.one(job.author, job.waits):
                outcome = await self._submit(archive, job)
            await asyncio.to_thread(archive.unlink, missing_ok=True)
        except _Stopped:
            outcome = stopping()
        except asyncio.CancelledError:
            outcome = stopping()
            raise
        except Exception:  # noqa: BLE001 - ours, and must not leave the author waiting for ever
            DOOR.exception("a submission of %s failed", job.author)
            outcome = refusal_named(INTERNAL, "")
        finally:
            del self._jobs[archive]
            refused = outcome.reason if isinstance(outcome, Refusal) else outcome["outlook"]
            self._metrics.submissions.labels(refused).inc()
            named = {} if isinstance(outcome, Refusal) else {"bot": outcome["bot"]}
            told = {"author": job.author, "outcome": refused, **named}
            DOOR.info("a submission is over", extra=told)
            await asyncio.shield(job.end(outcome))

    async def _submit(self, archive: Path, job: Job) -> Mapping[str, Any] | Refusal:
        """Unpack and submit in a process of its own, and leave nothing behind."""
        folder = self._folder / f"new-{secrets.token_hex(8)}"
        scratch = Path(tempfile.mkdtemp(prefix="courtyard-door-"))
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

    async def _listen(self, process: Process, job: Job) -> Mapping[str, Any] | Refusal:
        if process.stdout is None:
            raise RuntimeError("the submitter has no stdout")
        async for line in process.stdout:
            told = json.loads(line)
            if "say" in told:
                await job.say(told["say"])
            elif "refused" in told:
                if told["refused"] == INTERNAL:
                    DOOR.warning("a submission of %s failed: %s", job.author, told["message"])
                return refusal_named(told["refused"], told["message"])
            else:
                return dict(told)
        status = await process.wait()
        if status in (-signal.SIGTERM, -signal.SIGHUP):
            raise _Stopped
        if status == -signal.SIGPROF:
            return refusal_named(BAD_BUNDLE, cut_short(status))
        raise RuntimeError(f"the submitter ended without a word: {cut_short(status)}")


async def _is_in_time(awaited: "asyncio.Future[Any]", seconds: float, heartbeat: Heartbeat) -> bool:
    """Wait until this is done, at most for so many seconds in which a process was not paused."""
    deadline = heartbeat.clock() + seconds
    while not awaited.done():
        left = deadline - heartbeat.clock()
        if left <= 0:
            return False
        await asyncio.wait([awaited], timeout=max(left, SECONDS_BETWEEN_LOOKS))
    return True


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


async def _end(process: Process) -> None:
    """Let a submitter end, and wait until it has: it removes what it has made."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(asyncio.shield(process.wait()), 10)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
