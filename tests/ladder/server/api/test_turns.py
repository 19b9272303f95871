"""The order of submissions, and the end of one that hangs."""

import asyncio
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ladder.server.api import submission_queue
from ladder.server.api.metrics import Metrics
from ladder.server.api.status import ApiRefusal
from ladder.server.api.submission_queue import Job, SubmissionQueue
from ladder.server.api.turns import Turns
from ladder.storage.files.archive import pack
from ladder.storage.files.folder import Home
from tests.ladder.server.api import hanging_submitter

MakeBot = Callable[..., Path]
LONG_S = 600.0
LIMIT_S = 5.0
NOTES = """echo "$5" >> "$1"
echo '{"bot": "x", "number": 1, "outlook": "new", "replaced": null, "was_retired": false}'"""
"""Submits nothing, and notes the author."""


def submitted(
    home: Home, archives: Sequence[tuple[str, bytes]], submitter: Sequence[str], seconds: float
) -> list[Job]:
    """Submit these authors' archives at once; return the finished jobs."""
    folder = home.uploads
    folder.mkdir()

    async def all_submitted() -> list[Job]:
        there = SubmissionQueue(home, folder, Metrics(), seconds, submitter)
        jobs = []
        for number, (author, content) in enumerate(archives):
            archive = folder / str(number)
            archive.write_bytes(content)
            jobs.append(there.start(archive, author))
        await asyncio.gather(*(job.task for job in jobs if job.task))
        return jobs

    return asyncio.run(all_submitted())


@pytest.mark.parametrize("places", [1, 2, 8])
def test_one_author_keeps_nobody_waiting(
    home: Home, tmp_path: Path, places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a few of one author's 100 submissions, another author's comes."""
    monkeypatch.setattr(submission_queue, "cores", lambda: places)
    order = tmp_path / "order"
    archives = [*[("ann", b"x")] * 100, ("bob", b"x")]

    done = submitted(home, archives, ("sh", "-c", NOTES, "sh", str(order)), LONG_S)

    authors = order.read_text().split()
    assert len(authors) == len(done) == 101
    assert authors.index("bob") <= 2 * places


def test_authors_take_turns() -> None:
    """The longest waiting is next; a cancelled one is skipped; no place is lost."""
    order: list[str] = []

    async def play() -> None:
        turns = Turns(1)
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

    async def waits() -> None:
        pass

    asyncio.run(play())
    assert order == ["a2", "b2", "c1", "a3", "d1"]


def test_no_author_has_all_places() -> None:
    """One author's submissions leave a place for others."""
    begun: list[str] = []

    async def play() -> None:
        turns, bob = Turns(3), asyncio.Event()

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

    async def waits() -> None:
        pass

    asyncio.run(play())
    assert begun == ["a1", "a2", "b1"]


def hanging(home: Home, folder: Path, phase: str, how: str, seconds: float) -> ApiRefusal:
    """Submit a bot by a process that hangs; return the refusal."""
    packed = io.BytesIO()
    pack(folder, packed)
    script = str(Path(hanging_submitter.__file__))
    submitter = (sys.executable, script, phase, how)
    (job,) = submitted(home, [("ann", packed.getvalue())], submitter, seconds)
    assert job.last == "hangs"
    with pytest.raises(ApiRefusal) as caught:
        job.outcome()
    refused = caught.value
    assert refused.reason == "BAD_BUNDLE"
    assert list(home.uploads.iterdir()) == []
    return refused


BUILT = 'build = [["true"]]\n'


@pytest.mark.parametrize(
    "phase",
    [
        pytest.param(phase, marks=() if phase in {"ignoring", "validating"} else pytest.mark.proof)
        for phase in hanging_submitter.PHASES
    ],
)
def test_what_computes_for_ever_is_stopped(home: Home, make_bot: MakeBot, phase: str) -> None:
    """In every phase the author is told, and nothing is left."""
    refused = hanging(home, make_bot("eve", manifest=BUILT), phase, "computes", LONG_S)

    assert "took more than 120 s of CPU time; submit fewer or smaller files" in str(refused)


STOPS = """
import os, signal, sys
from pathlib import Path
from ladder.submission.limits import heartbeat_in
heartbeat_in(Path(sys.argv[5])).begin()
os.kill(os.getpid(), signal.SIGSTOP)
print('{"bot": "x", "number": 1, "outlook": "new", "replaced": null, "was_retired": false}')
"""
"""Submits nothing, and is stopped meanwhile."""


def test_time_stands_still_for_a_process_that_is_stopped(
    home: Home, stopped_children: Callable[[float], None]
) -> None:
    """A process stopped for longer than its limit is not too late."""
    stopped_children(LIMIT_S + 3)

    (job,) = submitted(home, [("ann", b"")], (sys.executable, "-c", STOPS), LIMIT_S)

    assert job.outcome()["bot"] == "x"


def test_what_waits_for_ever_is_stopped(home: Home, make_bot: MakeBot) -> None:
    """A submission ends at its limit."""
    refused = hanging(home, make_bot("eve", manifest=BUILT), "unpacking", "waits", 10)

    assert (
        "it was stopped: a submission may take at most 10 s in all; its last message: hangs"
        in str(refused)
    )
