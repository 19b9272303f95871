"""A process that the kernel kills for lack of memory is reported as such."""

import os
import signal
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess

import pytest

from ladder.runner import child_process
from ladder.runner.child_process import ending


@pytest.fixture
def killed() -> SpawnProcess:
    """A process that was killed."""
    process = get_context("spawn").Process(target=os.kill, args=(0, 0))
    process.start()
    process.kill()
    process.join()
    return process


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        (2, 3, "was ended by the kernel (SIGKILL) for lack of memory"),
        (3, 3, "was ended by SIGKILL"),
        (None, None, "was ended by SIGKILL"),
    ],
)
def test_how_a_process_ended(
    killed: SpawnProcess,
    monkeypatch: pytest.MonkeyPatch,
    before: int | None,
    now: int | None,
    words: str,
) -> None:
    """The kernel is named if its count has risen since the process started."""
    monkeypatch.setattr(child_process, "kernel_kills", lambda: now)

    assert killed.exitcode == -signal.SIGKILL
    assert ending(killed, before) == words
