"""A process that the kernel kills for lack of memory is reported as such."""

import os
import signal
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from ladder.runner import child_process
from ladder.runner.child_process import ending
from ladder.runner.kernel_kills import kernel_kills


@pytest.mark.parametrize(
    ("group", "file"),
    [
        ("4:memory:/box", "sys/fs/cgroup/memory/box/memory.oom_control"),
        ("0::/box", "sys/fs/cgroup/box/memory.events.local"),
        ("0::/hidden", "proc/vmstat"),
    ],
)
def test_the_kernel_counts_what_it_ends(tmp_path: Path, group: str, file: str) -> None:
    """The count is the control group's, of either version, or else the system's."""
    for path, text in (("proc/self/cgroup", f"{group}\n"), (file, "under_oom 0\noom_kill 3\n")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    assert kernel_kills(tmp_path) == 3


def test_where_nothing_is_counted(tmp_path: Path) -> None:
    """On other systems the count is unknown."""
    assert kernel_kills(tmp_path) is None


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
