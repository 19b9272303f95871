"""Fair clocks on a machine with more work than cores."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from courtyard.v1 import record_pb2

from referee.core.clock import ClockConfig
from referee.core.faults import FaultKind
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.match.verify import verify
from referee.sandbox.levels import offered, open_sandbox
from referee.sandbox.program import Level
from tests.support.busy_cores import burners, unless_void
from tests.support.lacking import need_watching

SHORT = ClockConfig(startup_ms=120_000, decision_limit_ms=200, bank_ms=600_000, increment_ms=0)
"""Little time to think, and much to start."""
PLAYED_AGAIN = 20


@pytest.fixture(params=offered(), scope="module")
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    """A host at each of this machine's levels."""
    with Host(sandbox=open_sandbox(request.param)) as shared:
        yield shared


Play = Callable[..., record_pb2.Record]


@pytest.fixture(scope="module")
def play(host: Host, bots: Path, entrant: Callable[[Path], BotSpec]) -> Play:
    """Play a match of a bot against the stand-in, with a short decision limit."""

    def match(name: str, *, patient: bool = True, clock: ClockConfig = SHORT) -> record_pb2.Record:
        table = (entrant(bots / name), None)
        return host.play(
            MatchSpec("m", "courtisans", table, "a seed", clock=clock, patient=patient)
        )

    return match


def play_or_void(play: Play, name: str, *, patient: bool = True) -> record_pb2.Record | None:
    """Play a match; None if it is void because of the machine."""
    return unless_void(lambda: play(name, patient=patient))


@pytest.mark.costly
def test_a_bot_that_the_machine_starves_is_not_blamed(play: Play) -> None:
    """The bot needs 60 ms of 200, and gets a core for little of the time.

    Where CPU time is exact only its work is charged; elsewhere the match is void. At no level does
    it forfeit.
    """
    with burners([0] * 5):
        record = play_or_void(play, "worker")

    if record is not None:
        assert [d.fault.reason for d in record.decisions if d.HasField("fault")] == []
        assert max(decision.delay_us for decision in record.decisions) > 0
        assert verify(record) == []


@pytest.mark.costly
def test_a_bot_that_spins_is_blamed_beside_others_that_do(play: Play) -> None:
    """The bot works until it has used its time, however slowly.

    A match in which the bot hardly gets a core is void, and replayed.
    """
    with burners([0]):
        tries = (play_or_void(play, "spinner") for _ in range(PLAYED_AGAIN))
        record = next(filter(None, tries))

    (fault,) = [d for d in record.decisions if d.HasField("fault")]
    assert FaultKind(fault.fault.kind) is FaultKind.TIMEOUT
    assert fault.wall_us > fault.cpu_us > 0


@pytest.mark.costly
def test_a_bot_that_is_starved_again_and_again_forfeits(play: Play) -> None:
    """A bot could starve itself where CPU time is inexact; the last attempts are not patient.

    Of these the referee's own wait for a core voids one, at most.
    """
    with burners([0] * 5):
        tries = (play_or_void(play, "worker", patient=False) for _ in range(PLAYED_AGAIN))
        record = next(filter(None, tries))

    by = {FaultKind(outcome.forfeit) for outcome in record.outcomes if outcome.forfeit}
    assert by <= {FaultKind.TIMEOUT}
    assert record.sandbox == Level.STRICT_CG or by


@pytest.mark.costly
def test_who_starves_the_machine_and_itself_forfeits(play: Play) -> None:
    """A bot whose children keep all cores busy times out, and no match is void."""
    record = play("burner")

    (fault,) = [d.fault for d in record.decisions if d.HasField("fault")]
    assert FaultKind(fault.kind) is FaultKind.TIMEOUT


def test_a_decision_is_recorded_with_what_it_took(play: Play, patient: ClockConfig) -> None:
    """Wall time, CPU time and wait stand beside the charged time."""
    need_watching()
    record = play("worker", clock=patient)

    worked = [d for d in record.decisions if not d.stand_in and d.cpu_us >= 50_000]
    assert worked
    assert all(d.wall_us >= 50_000 and d.delay_us <= d.wall_us for d in worked)


@pytest.mark.proof
def test_no_healthy_bot_forfeits_beside_a_burner_on_every_core(
    random_bot: Path, entrant: Callable[[Path], BotSpec], proof_cases: Callable[[int], int]
) -> None:
    """200 matches of four bots, with the usual clock, at the strongest level and at none."""
    table = tuple([entrant(random_bot)] * 4)
    cores = sorted(os.sched_getaffinity(0))
    with burners(cores):
        for level in {offered()[0], Level.TRUSTED}:
            with Host(sandbox=open_sandbox(level)) as host:
                for number in range(proof_cases(200)):
                    record = host.play(MatchSpec(f"m{number}", "courtisans", table, str(number)))
                    assert not any(outcome.forfeit for outcome in record.outcomes), record.decisions
