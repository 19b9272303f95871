"""Requests that leave at whole steps, so that the moment of an answer tells little."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.core.clock import ClockConfig
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec, RequestSteps
from referee.hosting.running_bot import BotSpec
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level


def test_a_request_leaves_at_the_next_step() -> None:
    """The first one at once; of the others, all within a step at its end."""
    steps = RequestSteps(20)
    waits = [steps.wait_s(now) for now in (7.0, 7.001, 7.013, 7.025, 7.0399)]

    assert waits == pytest.approx([0, 0.019, 0.007, 0.015, 0.0001])


def test_without_a_step_nothing_waits() -> None:
    """As a ladder is made, unless its owner asks for steps."""
    steps = RequestSteps(0)

    assert [steps.wait_s(now) for now in (7.0, 7.001)] == [0, 0]


def test_the_requests_of_a_match_wait(
    random_bot: Path, entrant: Callable[[Path], BotSpec], patient: ClockConfig
) -> None:
    """Each but the first one takes at least a step, and no bot is charged for that."""
    step_ms, table = 40, (entrant(random_bot), None)
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        began = time.monotonic()
        record = host.play(
            MatchSpec("m", "courtisans", table, "seed", clock=patient, request_step_ms=step_ms)
        )
        took_s = time.monotonic() - began
    asked = [decision for decision in record.decisions if decision.seat == 0]

    assert took_s >= (len(asked) - 1) * step_ms / 1000
    assert not any(decision.HasField("fault") for decision in asked)
