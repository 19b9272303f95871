"""The order of submissions, and the end of one that takes too long."""

import asyncio
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ladder.model.errors import BundleError
from ladder.server.api import submission_queue
from ladder.server.api.metrics import Metrics
from ladder.server.api.status import ApiRefusal
from ladder.server.api.submission_queue import AuthorTurns, Job, SubmissionQueue
from ladder.storage.files.archive import pack
from ladder.storage.files.folder import Home
from referee.core.errors import CourtyardError

MakeBot = Callable[..., Path]


def submitted(
    home: Home, archives: Sequence[tuple[str, bytes]], seconds: float = 600.0
) -> list[Job]:
    """Submit these authors' archives at once; return the finished jobs."""
    folder = home.uploads
    folder.mkdir()

    async def all_submitted() -> list[Job]:
        there = SubmissionQueue(home, Metrics(), seconds)
        jobs = []
        for number, (author, content) in enumerate(archives):
            archive = folder / str(number)
            archive.write_bytes(content)
            jobs.append(there.start(archive, author))
        await asyncio.gather(*(job.task for job in jobs if job.task))
        return jobs

    return asyncio.run(all_submitted())


class Noting:
    """Stands in for a process that submits bots, and notes their authors."""

    authors: ClassVar[list[str]] = []

    def __init__(self, *_: object) -> None:
        """Start nothing."""

    def do(self, job: Any, _: object) -> CourtyardError:
        """Note the author, and submit nothing."""
        self.authors.append(job.keywords["author"])
        return BundleError("not submitted")

    def stop(self) -> None:
        """Stop nothing."""

    end = stop


@pytest.mark.parametrize("places", [1, 2, 8])
def test_one_author_keeps_no_other_waiting(
    home: Home, places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a few of one author's 100 submissions, another author's comes."""
    monkeypatch.setattr(submission_queue, "cores", lambda: places)
    monkeypatch.setattr(submission_queue, "SubmissionProcess", Noting)
    authors: list[str] = []
    monkeypatch.setattr(Noting, "authors", authors)

    done = submitted(home, [*[("ann", b"x")] * 100, ("bob", b"x")])

    assert len(authors) == len(done) == 101
    assert authors.index("bob") <= 2 * places


def test_authors_take_turns() -> None:
    """Who had a turn waits for the others; a cancelled one is skipped; no place is lost."""
    order: list[str] = []

    async def play() -> None:
        turns = AuthorTurns(1)
        release = asyncio.Event()

        async def one(name: str) -> None:
            async with turns.one(name[0], waits):
                await release.wait()
                order.append(name)

        tasks = [asyncio.create_task(one(name)) for name in ("a1", "a2", "a3", "b1", "b2", "c1")]
        await asyncio.sleep(0)
        tasks[3].cancel()
        tasks[0].cancel()
        await asyncio.sleep(0)
        release.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        await one("d1")

    def waits() -> None:
        pass

    asyncio.run(play())
    assert order == ["c1", "b2", "a2", "a3", "d1"]


def test_no_author_has_all_places() -> None:
    """One author's submissions leave a place for others."""
    begun: list[str] = []

    async def play() -> None:
        turns, bob = AuthorTurns(3), asyncio.Event()

        async def one(name: str) -> None:
            async with turns.one(name[0], waits):
                begun.append(name)
                if name == "b1":
                    bob.set()
                await asyncio.Event().wait()

        tasks = [asyncio.create_task(one(name)) for name in ("a1", "a2", "a3", "b1")]
        await bob.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def waits() -> None:
        pass

    asyncio.run(play())
    assert begun == ["a1", "a2", "b1"]


@pytest.mark.costly
def test_a_submission_that_takes_too_long_is_refused(home: Home, make_bot: MakeBot) -> None:
    """Its author is told why, and nothing is left of it."""
    packed = io.BytesIO()
    pack(make_bot("eve", "hangs"), packed)

    (job,) = submitted(home, [("ann", packed.getvalue())], 5.0)

    with pytest.raises(ApiRefusal, match="may take at most 5 s in all; its last me") as caught:
        job.outcome()
    assert caught.value.reason == "BAD_BUNDLE"
    assert list(home.uploads.iterdir()) == []
