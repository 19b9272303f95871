"""A person's decisions beside those of a bot that is told the same."""

import asyncio
from collections.abc import Coroutine, Sequence
from http import HTTPStatus
from typing import Any

import pytest

from ladder.server.tables import comparisons as tables_comparisons
from ladder.server.tables.comparisons import Comparisons
from ladder.server.tables.messages import TableError
from ladder.server.tables.opponents import samples
from referee.core.errors import RefereeError
from referee.core.faults import Fault, FaultKind
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.match.record import Record
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from tests.support.games import GAMES

STARTUP_MS = 60_000
LATE = Fault(FaultKind.TIMEOUT, "no answer came")


def record_of(host: Host, game: str) -> Record:
    """A match of a greedy bot and stand-ins."""
    return host.play(MatchSpec("m", game, (samples(game)["greedy"], None, None), "seed"))


@pytest.fixture(scope="module")
def record() -> Record:
    """A match of Courtisans."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        return record_of(host, "courtisans")


class Runner:
    """Takes bots that send given replies, once they may."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.may = asyncio.Event()

    async def ask_again(self, _: Any, transcript: Any, __: int) -> tuple[Any, Sequence[Any]]:
        """Return the next reply as the only one."""
        await self.may.wait()
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return transcript, [reply]


def comparing(record: Record, runner: Any) -> Comparisons:
    """The comparisons of a match."""
    return Comparisons(runner, record, STARTUP_MS)


async def refused(asked: Coroutine[Any, Any, Any]) -> tuple[int, str]:
    """Why a comparison is refused."""
    with pytest.raises(TableError) as refusal:
        await asked
    return refusal.value.status, str(refusal.value)


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_agrees_with_itself(game: str) -> None:
    """A sample bot's random numbers are those of the match, so it must be told the same bytes."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        record = record_of(host, game)
        found = host.run(lambda runner: comparing(record, runner).of(0, "greedy"))

    assert found is not None
    assert found.decisions
    assert [each for each in found.decisions if not each.is_same] == []
    assert found.why == ""


def test_one_bot_at_a_time_is_asked_once(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for a slow one is told to come again; what it has decided is kept."""

    async def main() -> None:
        runner = Runner(LATE)
        comparisons = comparing(record, runner)
        with monkeypatch.context() as impatient:
            impatient.setattr(tables_comparisons, "WAIT_S", 0.0)
            assert await comparisons.of(0, "greedy") is None
        status, why = await refused(comparisons.of(0, "random"))
        assert (status, "try again" in why) == (HTTPStatus.CONFLICT, True)
        runner.may.set()
        found = await comparisons.of(0, "greedy")
        assert found is not None
        assert (found.decisions, found.why) == (
            [],
            "greedy failed at the next one: no answer came.",
        )
        assert await comparisons.of(0, "greedy") is found

    asyncio.run(main())


def test_a_failure_of_the_machine_is_told_and_not_kept(record: Record) -> None:
    """The next who asks may have more luck."""

    async def main() -> None:
        runner = Runner(RefereeError("there is no memory"), LATE)
        runner.may.set()
        comparisons = comparing(record, runner)
        told = HTTPStatus.SERVICE_UNAVAILABLE, "greedy could not be asked: there is no memory."
        assert await refused(comparisons.of(0, "greedy")) == told
        assert await comparisons.of(0, "greedy") is not None

    asyncio.run(main())


def test_a_table_that_closes_asks_no_more(record: Record) -> None:
    """What has begun is broken off."""

    async def main() -> None:
        comparisons = comparing(record, Runner())
        asked = asyncio.create_task(comparisons.of(0, "greedy"))
        await asyncio.sleep(0)
        asked.cancel()
        await comparisons.close()
        await asyncio.wait([asked])
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())
