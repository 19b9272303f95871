"""A process that submits bots, one after the other, apart from the one that asks for it.

A bot that takes too much time, wall or CPU, ends this process alone. Sandboxes limit builds and
bots; a system timer measures the CPU time that reading, storing and validating take here. It ends
the process even during an uninterruptible computation, and child programs do not inherit it.
"""

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Any

from ladder.model.bots import Submission
from ladder.model.cores import cores
from ladder.model.errors import BundleError, LadderError, QuotaError
from ladder.runner.child_process import Child, Parent
from ladder.storage.files.folder import MOST_AT_ONCE, Home
from ladder.storage.files.uploaded import unpack_upload
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from ladder.submission.submit import Prepared, enter, longest_s, preparing, submit
from referee.core.errors import CourtyardError, UsageError
from referee.hosting.build import Say

CPU_SECONDS = 120
"""The CPU time to read, filter and store a bot's files, and to run its match."""
Job = Callable[[Ladder, Say], object]
"""Work on a bot, which reports its progress."""


class Printed(str):
    """The output of a build, among the messages of its progress."""

    __slots__ = ()


class SubmissionProcess:
    """A process that submits bots, as its parent sees it."""

    def __init__(self, home: Home, seconds: float) -> None:
        """Start it; each bot may take so long."""
        self._seconds = seconds
        self._child = Child("its process", work, home).start()
        self._stopped = False

    def do(self, job: Job, say: Say) -> Any:
        """Do a job, which can be pickled; return its result, or its `CourtyardError`.

        Raise `BundleError` if the bot takes too long, and `LadderError` if the process ends.
        """
        if self._child.process.exitcode is not None:
            self._child.reap()
            self._child.start()
        if self._stopped:
            self._child.process.kill()
        self._child.send(job)
        self._receive()  # it has begun: its start takes none of the bot's time
        deadline, last = self._child.heartbeat.clock() + self._seconds, ""
        while self._child.has_news_before(deadline):
            message = self._receive()
            if not isinstance(message, str):
                return message
            last = last if isinstance(message, Printed) else message
            say(message)
        self._child.process.kill()
        self._child.reap()
        at = f"; its last message: {last}" if last else ""
        raise BundleError(
            f"it was stopped: a submission may take at most {self._seconds:.0f} s in all{at}"
        )

    def _receive(self) -> Any:
        try:
            return self._child.receive()
        except LadderError as error:
            if self._child.process.exitcode != -signal.SIGPROF:
                raise
            raise BundleError(
                "it was stopped: reading, storing and validating its files took more than "
                f"{CPU_SECONDS} s of CPU time; submit fewer or smaller files, and a shorter "
                ".gitignore"
            ) from error

    def stop(self) -> None:
        """Let what it does for another thread, and all that follows, raise `LadderError`."""
        self._stopped = True
        self._child.process.kill()

    def end(self) -> None:
        """End it, while it does nothing."""
        self.stop()
        self._child.reap()


def prepare(ladder: Ladder, say: Say, *, path: Path, author: str | None) -> Prepared:
    """Prepare the bot in a folder."""
    with preparing(ladder, path, say, author) as prepared:
        return prepared


def submit_archive(
    ladder: Ladder, say: Say, *, archive: Path, folder: Path, author: str
) -> Submission:
    """Unpack what an author has sent to a folder, and submit the bot in it.

    The output of its build is passed as `Printed`.
    """
    say("Unpacking.")
    bot = unpack_upload(archive, folder)
    if ladder.settings.contest is not None:
        raise BundleError(
            "this ladder plays a tournament or duel, which takes no remote submissions: "
            "ask its director, who can enter bots late in a Swiss tournament"
        )
    return submit(ladder, bot, say, author, on_output=lambda text: say(Printed(text)))


def work(parent: Parent, home: Home) -> None:
    """Do the jobs that come, and send back the outcome of each."""
    parent.prepare()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    with Ladder.open(home) as ladder:
        while True:
            job: Job = parent.receive()
            parent.send(None)
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # anew for each bot
            try:
                outcome = job(ladder, parent.send)
            except CourtyardError as error:
                outcome = error
            parent.send(outcome)


def submit_each(
    ladder: Ladder, paths: Sequence[Path], say: Say, authors: Sequence[str | None]
) -> Iterator[tuple[Path, Submission | CourtyardError]]:
    """Submit the bots in these folders; yield the outcome of each, in the order given.

    Each is by the author at its place. Arguments are otherwise those of `submit.submit`; its errors
    are yielded, not raised. A submission that takes longer than builds and clocks allow is stopped.
    The outcome is the same as submitting them one by one, whichever is ready first: only the slow
    steps run in parallel. If the program is killed, entered bots are complete, and nothing of the
    others is entered.
    """
    jobs = [
        partial(prepare, path=path, author=author)
        for path, author in zip(paths, authors, strict=True)
    ]
    sweep(ladder)
    try:
        with (
            ladder.home.files_stay(),  # also those of prepared bots that are not entered yet
            closing(do_each(ladder.home, jobs, longest_s(ladder.settings.clock), say)) as done,
        ):
            for path, outcome in zip(paths, done, strict=True):
                if isinstance(outcome, CourtyardError):
                    its_own = isinstance(outcome, (BundleError, QuotaError, UsageError))
                    yield path, (BundleError if its_own else LadderError)(f"{path}: {outcome}")
                else:
                    yield path, _entered(ladder, outcome)
    finally:
        sweep(ladder)


def do_each(
    home: Home, jobs: Sequence[Job], seconds: float, say: Say
) -> Generator[Any, None, None]:
    """Do jobs side by side; yield the result of each, or its `CourtyardError`, in order.

    Each may take so many seconds. What is still to be done when the caller is interrupted ends.
    """
    processes = [
        SubmissionProcess(home, seconds) for _ in range(min(len(jobs), cores(), MOST_AT_ONCE))
    ]
    free = SimpleQueue[SubmissionProcess]()
    for process in processes:
        free.put(process)
    saying = Lock()

    def say_alone(text: str) -> None:
        with saying:
            say(text)

    def done(job: Job) -> Any:
        process = free.get()
        try:
            return process.do(job, say_alone)
        except CourtyardError as error:
            return error
        finally:
            free.put(process)

    threads = ThreadPoolExecutor(max(1, len(processes)))
    try:
        yield from threads.map(done, jobs)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.stop()
        threads.shutdown()
        for process in processes:
            process.end()


def _entered(ladder: Ladder, outcome: Prepared) -> Submission | CourtyardError:
    try:
        return enter(ladder, outcome)
    except CourtyardError as error:
        return error
