"""Following a ladder: one reading serves all, and each change brings a new one."""

import asyncio
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.model.bots import Entry, ValidationResult
from ladder.server.api.feed import Feed
from ladder.server.public import follower
from ladder.server.public.follower import Following
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.app import Newest
from ladder.storage.ladder import Ladder, create
from ladder.storage.tables import bots
from referee.core.clock import ClockConfig
from tests.ladder.server.web.conftest import age


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ladder]:
    """Open a ladder with a bot, polled often."""
    monkeypatch.setattr(follower, "_LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(follower, "_MOST_TIME_SPENT", 1.0)
    home = create(
        tmp_path / "ladder", game="courtisans", seats=2, config={}, clock=ClockConfig(), secret="s"
    )
    with Ladder.open(home) as ladder:
        enter(ladder, "eleanor")
        yield ladder


def enter(ladder: Ladder, name: str) -> None:
    """Change the ladder."""
    with ladder.database.write() as tx:
        entry = Entry(name, f"{len(name):064x}", ("./play",), "grpc", ())
        bots.enter(tx, entry, ValidationResult(rejected=None))


def names(snapshot: Snapshot) -> set[str]:
    """Return a state's bots."""
    return {tally.version.bot for tally in snapshot.tallies}


FAILURES = 2


class Reading(PublicReader):
    """A source that counts its readings, and fails the second and the third."""

    def __init__(self, ladder: Ladder) -> None:
        """Begin with none."""
        super().__init__(ladder)
        self.read: list[Snapshot] = []
        self.failures = 0

    def snapshot(self, patience_s: float = math.inf) -> Snapshot:
        """Read, or fail."""
        if self.read and self.failures < FAILURES:
            self.failures += 1
            raise OSError("the disk has a bad moment")
        self.read.append(super().snapshot(patience_s))
        return self.read[-1]


def test_one_reading_serves_pages_and_api(ladder: Ladder, caplog: pytest.LogCaptureFixture) -> None:
    """Pages and API share one state; a failed reading is logged once, retried, and then over."""
    source = Reading(ladder)

    async def main() -> None:
        followed = Following(source)
        pages, feed = Newest([followed]), Feed(followed)
        before = await feed.state()
        assert pages.site.parts[0].snapshot is before.snapshot is source.read[0]
        async with followed.running():
            enter(ladder, "ann")
            after = await feed.state(after=before)
        assert pages.site.parts[0].snapshot is after.snapshot is source.read[1]
        assert names(after.snapshot) == {"ann", "eleanor"}

    asyncio.run(main())
    assert source.failures == FAILURES
    told, back = caplog.records
    assert told.message == "the ladder cannot be read: the disk has a bad moment"
    assert back.message == "the ladder can be read again"
    assert told.exc_info is None


def test_what_has_changed_just_now_may_change_again(ladder: Ladder) -> None:
    """A source notices a second change within the same clock tick."""
    source = PublicReader(ladder)
    enter(ladder, "ann")
    assert source.stamp() != source.stamp()
    age(ladder.home)
    assert source.stamp() == source.stamp()
