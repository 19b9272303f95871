"""Submitting several bots at once has the same outcome as one by one."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest

from ladder.model.bots import Submission, SubmissionOutcome
from ladder.model.errors import BundleError
from ladder.results import queries
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission import process
from ladder.submission.process import submit_each
from referee.core.errors import CourtyardError
from tests.support.lacking import need_cores
from tests.support.trying_host import try_bots

MakeBot = Callable[..., Path]
ROOT = Path(__file__).resolve().parents[3]
LIMIT_S = 5.0


@pytest.fixture(autouse=True)
def without_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the validation matches of submissions need no bots."""
    monkeypatch.setattr(process, "work", try_bots)


def submitted(
    home: Home, paths: Sequence[Path], seconds: float = 600
) -> list[Submission | CourtyardError]:
    """Submit the bots in these folders and return the outcome of each."""
    with patch.object(process, "longest_s", lambda _: seconds), Ladder.open(home) as ladder:
        found = list(submit_each(ladder, paths, lambda _: None, [None] * len(paths)))
    assert [path for path, _ in found] == list(paths)
    return [outcome for _, outcome in found]


def entered(home: Home) -> list[str]:
    """Return the active versions, in the order of entering."""
    with Ladder.open(home) as ladder:
        return [str(tally.version) for tally in queries.tallies(ladder)]


@pytest.mark.costly
def test_bots_are_entered_in_the_order_given(home: Home, make_bot: MakeBot, tmp_path: Path) -> None:
    """Bots are validated in parallel and entered in the order given, even the slowest first."""
    need_cores(2)
    os.mkfifo(tmp_path / "pipe")
    slow = make_bot("slow", f"reads {tmp_path / 'pipe'}")
    quick = make_bot("quick", f"writes {tmp_path / 'pipe'}")

    submitted(home, [slow, quick, make_bot("ann")])

    assert entered(home) == ["slow version 1", "quick version 1", "ann version 1"]


@pytest.mark.costly
def test_one_that_fails_ends_no_other(home: Home, make_bot: MakeBot, tmp_path: Path) -> None:
    """Failures of any kind do not affect the other bots."""
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    paths = [nothing, make_bot("bad", "forfeits"), make_bot("long", "hangs")]
    paths += [make_bot("end", "dies"), make_bot("ann"), make_bot("bob")]

    missing, bad, long, end, *good = submitted(home, paths, seconds=10)

    assert "no bot.toml" in str(missing)
    assert isinstance(bad, Submission)
    assert bad.outcome is SubmissionOutcome.REJECTED
    assert isinstance(long, BundleError)
    assert (
        "long: it was stopped: a submission may take at most 10 s in all; its last message: Vali"
        in (str(long))
    )
    assert str(end).endswith("end: its process was ended by SIGKILL")
    assert all(isinstance(each, Submission) for each in good)
    assert entered(home) == ["ann version 1", "bob version 1"]
    assert list(home.bots.glob(".*")) == []


@pytest.mark.costly
def test_time_stands_still_for_a_process_that_is_stopped(
    home: Home, make_bot: MakeBot, stopped_children: Callable[[float], None]
) -> None:
    """A process stopped for longer than the time limit goes on, and its bot is entered."""
    stopped_children(LIMIT_S + 3)

    (outcome,) = submitted(home, [make_bot("ann", "stops")], seconds=LIMIT_S)

    assert isinstance(outcome, Submission), outcome
    assert entered(home) == ["ann version 1"]


@pytest.mark.costly
def test_versions_of_one_bot(home: Home, make_bot: MakeBot, tmp_path: Path) -> None:
    """Versions of one bot are numbered in the order given, and the last one plays."""
    paths: list[Path] = []
    for text in ("one", "two", "one"):
        paths.append(make_bot("ann", text).rename(tmp_path / f"ann-{len(paths)}"))

    outcomes = submitted(home, paths)

    assert [(str(o.version), o.outcome) for o in outcomes if isinstance(o, Submission)] == [
        ("ann version 1", SubmissionOutcome.NEW),
        ("ann version 2", SubmissionOutcome.NEW),
        ("ann version 3", SubmissionOutcome.RETURNED),
    ]
    assert entered(home) == ["ann version 3"]


INTERRUPTED = """
import sys
from pathlib import Path
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission import process
from ladder.submission.process import submit_each
from tests.support.trying_host import try_bots

process.work = try_bots
if __name__ == "__main__":
    say = lambda text: print(text, flush=True)
    with Ladder.open(Home(Path(sys.argv[1]))) as ladder:
        paths = [*map(Path, sys.argv[2:])]
        for path, _ in submit_each(ladder, paths, say, [None] * len(paths)):
            say(f"over: {path}")
"""


@pytest.mark.costly
def test_a_ctrl_c_leaves_nothing_half(home: Home, make_bot: MakeBot, tmp_path: Path) -> None:
    """After Ctrl-C entered bots stay, and nothing is left of the others."""
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    folders = [make_bot("ann"), make_bot("bob", "hangs"), make_bot("cat"), make_bot("dan")]
    with subprocess.Popen(
        [sys.executable, str(script), str(home.path), *map(str, folders)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        for start in ("over: ", "Validating bob"):
            while not any(line.startswith(start) for line in lines):
                lines.append(process.stdout.readline())
                assert lines[-1]
        os.killpg(process.pid, signal.SIGINT)
        rest, error = process.communicate()

    assert error.rstrip().endswith("KeyboardInterrupt")
    assert "over: " not in rest
    assert entered(home) == ["ann version 1"]
    submitted(home, [make_bot("eve")])
    assert entered(home) == ["ann version 1", "eve version 1"]
    assert list(home.bots.glob(".*")) == []
