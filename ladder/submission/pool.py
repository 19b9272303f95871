"""Submits several bots at once: prepares them in parallel, enters them in the order given.

The outcome is the same as submitting them one by one, whichever is ready first: only the slow steps
run in parallel. A bot that fails, or uses too much, does not affect the others. If the program is
killed, entered bots are complete, and nothing of the others is entered.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

from ladder.model.bots import Submission
from ladder.model.cores import cores
from ladder.model.errors import BundleError
from ladder.storage.files.folder import MOST_AT_ONCE
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from ladder.submission.process import SubmissionProcess, prepare
from ladder.submission.submit import Prepared, enter, longest_s
from referee.core.errors import CourtyardError


def submit_each(
    ladder: Ladder, paths: Sequence[Path], say: Callable[[str], None], author: str | None = None
) -> Iterator[tuple[Path, Submission | CourtyardError]]:
    """Submit the bots in these folders; yield the outcome of each, in the order given.

    Arguments are those of `submit.submit`; its errors are yielded, not raised. A submission that
    takes longer than builds and clocks allow is stopped.
    """
    seconds, at_once = longest_s(ladder.settings.clock), min(len(paths), cores(), MOST_AT_ONCE)
    processes = [SubmissionProcess(ladder.home, seconds) for _ in range(at_once)]
    free = SimpleQueue[SubmissionProcess]()
    for process in processes:
        free.put(process)
    saying = Lock()

    def say_alone(text: str) -> None:
        with saying:
            say(text)

    def prepared(path: Path) -> Prepared | CourtyardError:
        process = free.get()
        try:
            outcome: Prepared | CourtyardError = process.do(
                partial(prepare, path=path, author=author), say_alone
            )
        except CourtyardError as error:
            return BundleError(f"{path}: {error}")
        else:
            return outcome
        finally:
            free.put(process)

    threads = ThreadPoolExecutor(max(1, at_once))
    try:
        sweep(ladder)
        with ladder.home.files_stay():  # also those of prepared bots that are not entered yet
            for path, outcome in zip(paths, threads.map(prepared, paths), strict=True):
                yield path, _entered(ladder, outcome)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.stop()
        threads.shutdown()
        for process in processes:
            process.end()
        sweep(ladder)


def _entered(ladder: Ladder, outcome: Prepared | CourtyardError) -> Submission | CourtyardError:
    if isinstance(outcome, CourtyardError):
        return outcome
    try:
        return enter(ladder, outcome)
    except CourtyardError as error:
        return error
