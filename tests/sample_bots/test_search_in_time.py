"""The bots that search keep to the clock where they hardly get a core."""

import os
from collections.abc import Callable, Iterator

import pytest
from courtyard.v1 import record_pb2

from referee.core.clock import ClockConfig, Measured
from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import bot_spec_of
from referee.hosting.sample_bots import bot_folder
from referee.sandbox.levels import offered, open_sandbox
from tests.support.busy_cores import burners, unless_void
from tests.support.lacking import need_linux, need_watching

pytestmark = pytest.mark.proof

CLOCK = ClockConfig(startup_ms=120_000, decision_limit_ms=500, bank_ms=3_600_000, increment_ms=0)
"""Half a second a decision: no bank makes it longer, and none makes the bots hurry."""
BURNERS = 4
MATCHES = 50
MOST_WORKED_US = 350_000
"""Of 500,000; more would leave the verdict to how well the wait for a core is measured."""


@pytest.fixture
def core() -> Iterator[int]:
    """One core, on which this process stays with all that it starts, as a ladder's worker does."""
    need_linux()
    need_watching()
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield min(before)
    os.sched_setaffinity(0, before)


def worked(record: record_pb2.Record) -> list[int]:
    """Return the work of each decision in microseconds, without its waits for the core."""
    return [Measured(one.wall_us, one.cpu_us, one.delay_us).worked_us for one in record.decisions]


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_a_bot_that_searches_never_forfeits_beside_four_busy_loops(
    game: str, core: int, proof_cases: Callable[[int], int]
) -> None:
    """Both seats search, on one core with the loops and the referee: no answer is a fault.

    A match is played again if it is void because the machine stood still. So that nothing rests on
    such excuses, also the bots' own work has to stay well below the limit.
    """
    table = (bot_spec_of(load_manifest(bot_folder("searcher", game))),) * 2
    played, void, longest = 0, 0, 0
    with burners([core] * BURNERS), Host(sandbox=open_sandbox(offered()[0])) as host:
        while played < proof_cases(MATCHES):
            spec = MatchSpec(f"m{played}", game, table, f"{game} {played} {void}", clock=CLOCK)
            record = unless_void(lambda spec=spec: host.play(spec, {}))  # type: ignore[misc]
            if record is None:
                void += 1
                assert void <= played + 2, "the machine is too busy to tell"
                continue
            assert [one.fault.reason for one in record.decisions if one.HasField("fault")] == []
            assert not any(outcome.forfeit for outcome in record.outcomes)
            played, longest = played + 1, max(longest, *worked(record))

    assert longest <= MOST_WORKED_US
