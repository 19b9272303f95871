"""Submits received archives, several at once; authors take turns.

A submission continues when its author's stream is cut: an author who sends the same archive again
meanwhile follows its progress. The archive stays until the submission ends, so that a ladder that
was stopped in between needs no second upload.
"""

import asyncio
import contextlib
import secrets
import shutil
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

from ladder.model.bots import Submission
from ladder.model.cores import cores
from ladder.runner.json_log import API
from ladder.server.api.metrics import Metrics
from ladder.server.api.status import (
    DATABASE_UNREACHABLE,
    INTERNAL,
    ApiRefusal,
    reason_of,
    refusal_named,
    stopping,
)
from ladder.storage.files.folder import MOST_AT_ONCE, Home
from ladder.submission.process import Printed, SubmissionProcess, submit_archive
from referee.core.errors import CourtyardError


class _Author:
    """The submissions of one author."""

    def __init__(self, places: int) -> None:
        self.running = asyncio.Semaphore(places)
        self.next = asyncio.Lock()
        """Held by the one that waits for a place."""


class AuthorTurns:
    """Limits concurrent submissions; one of each author waits in line for a place.

    With more than one place no author gets all of them, so that slow submissions of one author
    do not lock the others out.
    """

    def __init__(self, places: int) -> None:
        """Allow this many submissions at once, at least one."""
        self._places = asyncio.Semaphore(places)
        self._most_an_author = max(1, places - 1)
        self._authors = WeakValueDictionary[str, _Author]()

    @contextlib.asynccontextmanager
    async def one(self, author: str, waits: Callable[[], object]) -> AsyncIterator[None]:
        """Hold a place as soon as it is the author's turn; call `waits` if that is not now."""
        own = self._authors.setdefault(author, _Author(self._most_an_author))
        if own.running.locked() or own.next.locked() or self._places.locked():
            waits()
        async with own.running:
            async with own.next:
                await self._places.acquire()
            try:
                yield
            finally:
                self._places.release()


_LONGEST = 4_000
"""Characters of a text for an author, who may have written some of it."""
_LONGEST_LOG = 256 * 1024
"""Characters of a log; what a build prints beyond that is in the bot's own log alone, its end."""
_MOST_OVER = 500
_MOST_OVER_AN_AUTHOR = 5
"""Submissions whose outcome is remembered, of all authors and of one."""
_WAITS = "Waiting for its turn: other submissions come first."


class Job:
    """One submission, running or over."""

    def __init__(self, author: str) -> None:
        """Create a job that has not begun."""
        self.author = author
        self.task: asyncio.Task[None] | None = None
        self.log = ""
        """The steps so far, in lines, and the build's output."""
        self._outcome: Submission | ApiRefusal | None = None
        self._changed = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether it has an outcome."""
        return self._outcome is not None

    async def news(self, after: int, seconds: float) -> None:
        """Wait, so long at most, until the log is longer than this or the submission is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while len(self.log) <= after and not self.is_over:
                    await self._changed.wait()

    def outcome(self) -> Submission:
        """Return what was submitted; raise `ApiRefusal`."""
        if isinstance(self._outcome, ApiRefusal):
            raise self._outcome
        if self._outcome is None:
            raise RuntimeError("the submission has not ended")
        return self._outcome

    def say(self, text: str) -> None:
        """Publish a progress message, or what the build has printed."""
        if isinstance(text, Printed):
            if len(self.log) < _LONGEST_LOG:
                self.log += text
        else:
            begun = self.log and not self.log.endswith("\n")
            self.log += f"\n{text}\n" if begun else f"{text}\n"
        self._wake_waiting()

    def end(self, outcome: Submission | ApiRefusal) -> None:
        """Publish the outcome; the job is over."""
        self._outcome = outcome
        self._wake_waiting()

    def _wake_waiting(self) -> None:
        self._changed.set()  # wakes all who wait now
        self._changed.clear()


class SubmissionQueue:
    """The queue of submissions to one ladder."""

    def __init__(self, home: Home, metrics: Metrics, seconds: float) -> None:
        """Submit to this ladder; a submission may take `seconds`."""
        self._home = Home(home.path.resolve())
        self._metrics = metrics
        self._seconds = seconds
        places = min(cores(), MOST_AT_ONCE)
        self._turns = AuthorTurns(places)
        self._threads = ThreadPoolExecutor(places, "submission")
        """Each waits for a process that submits a bot."""
        self._jobs: dict[Path, Job] = {}
        self._over: dict[Path, Job] = {}
        """The last jobs that are over, for who asks what became of them."""
        self._closed = False

    def job(self, archive: Path) -> Job | None:
        """Return the running submission of this archive, if any."""
        return self._jobs.get(archive)

    def last_job(self, archive: Path) -> Job | None:
        """Return the running or last submission of this archive, if it is not forgotten."""
        return self._jobs.get(archive) or self._over.get(archive)

    def last_jobs(self, author: str) -> "list[tuple[Path, Job]]":
        """Return an author's submissions that are not forgotten, the running ones last."""
        each = (*self._over.items(), *self._jobs.items())
        return [(path, job) for path, job in each if job.author == author]

    def jobs_of(self, author: str) -> int:
        """Count an author's running submissions."""
        return sum(job.author == author for job in self._jobs.values())

    def start(self, archive: Path, author: str) -> Job:
        """Start submitting an archive, and remove it at the end.

        Raise `ApiRefusal` when the ladder stops.
        """
        if self._closed:
            raise stopping()
        self._over.pop(archive, None)
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
        self._threads.shutdown()

    async def _run(self, archive: Path, job: Job) -> None:
        outcome: Submission | ApiRefusal = stopping()
        try:
            async with self._turns.one(job.author, partial(job.say, _WAITS)):
                outcome = await self._submit(archive, job)
            if not _is_to_be_repeated(outcome):
                await asyncio.to_thread(archive.unlink, missing_ok=True)
        except Exception:  # noqa: BLE001 - a bug of ours must not leave the author waiting
            API.exception("a submission of %s failed", job.author)
            outcome = refusal_named(INTERNAL, "")
        finally:
            del self._jobs[archive]
            refused = outcome.reason if isinstance(outcome, ApiRefusal) else outcome.outcome
            self._metrics.submissions.labels(refused).inc()
            named = {} if isinstance(outcome, ApiRefusal) else {"bot": outcome.version.bot}
            fields = {"author": job.author, "outcome": refused, **named}
            API.info("a submission ended", extra=fields)
            job.end(outcome)
            self._remember(archive, job)

    def _remember(self, archive: Path, job: Job) -> None:
        self._over[archive] = job
        of_author = [path for path, each in self._over.items() if each.author == job.author]
        oldest = next(iter(self._over)) if len(self._over) > _MOST_OVER else None
        for path in (*of_author[:-_MOST_OVER_AN_AUTHOR], oldest):
            if path is not None:
                self._over.pop(path, None)

    async def _submit(self, archive: Path, job: Job) -> Submission | ApiRefusal:
        """Unpack and submit in a separate process, then remove its files."""
        folder = self._home.uploads / f"new-{secrets.token_hex(8)}"
        loop, process = asyncio.get_running_loop(), SubmissionProcess(self._home, self._seconds)

        def own_words(text: str) -> str:
            return text.replace(f"{folder}/", "").replace(str(folder), "the archive")[:_LONGEST]

        def say(text: str) -> None:
            own = text if isinstance(text, Printed) else own_words(text)
            loop.call_soon_threadsafe(job.say, own)

        submit = partial(submit_archive, archive=archive, folder=folder, author=job.author)
        submitting = loop.run_in_executor(self._threads, process.do, submit, say)
        try:
            await asyncio.wait([submitting])
            outcome: Submission | CourtyardError = submitting.result()
        except CourtyardError as error:
            outcome = error
        finally:
            process.stop()
            await asyncio.gather(submitting, return_exceptions=True)
            await asyncio.to_thread(process.end)
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if isinstance(outcome, Submission):
            return outcome
        if (reason := reason_of(outcome)) == INTERNAL:
            API.warning("a submission of %s failed: %s", job.author, outcome)
        return refusal_named(reason, own_words(str(outcome)))


def _is_to_be_repeated(outcome: Submission | ApiRefusal) -> bool:
    """Return whether the same archive may be accepted later."""
    return isinstance(outcome, ApiRefusal) and outcome.reason == DATABASE_UNREACHABLE
