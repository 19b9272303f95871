"""The monkey leaves no trace in a ladder, and would bring out what mistakes do."""

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from tests.chaos.actions import FAULTS
from tests.chaos.monkey import steps
from tests.chaos.trial import may_end
from tests.support.lacking import need_program, skip

_ROOT = Path(__file__).resolve().parents[2]
_SEED = 4
_LASTING = ("--pause", 2, "--shortest", 3)
_LOOKS = "import signal as s; print(*(s.SIG_IGN == s.getsignal(n) for n in (s.SIGHUP, s.SIGINT)))"
_FREEZES = """
import subprocess, sys, threading
from pathlib import Path
from tests.chaos.machine import Disk, Lacking

try:
    disk = Disk(Path(sys.argv[1]))
except Lacking as error:
    sys.exit(print("lacking:", error))
# No signal ends who waits for a frozen disk.
thaw = threading.Timer(30, subprocess.run, [["fsfreeze", "--unfreeze", disk.folder]])
thaw.daemon = True
thaw.start()
with disk.frozen(), disk.full(), disk.frozen():
    pass
with disk.full(), disk.frozen():
    pass
(disk.folder / "file").write_text("thawed")
print((disk.folder / "file").read_text())
disk.unmount()
"""


def chaos(*options: object) -> subprocess.CompletedProcess[str]:
    """Let the monkey loose on a ladder."""
    command = [sys.executable, "-m", "tests.chaos", *map(str, options)]
    return subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)


def test_a_seed_says_all_that_the_monkey_does() -> None:
    """The same seed is the same monkey, another one another, and every kind of fault comes."""
    first, again, other = (list(islice(steps(seed, list(FAULTS)), 40)) for seed in (1, 1, 2))

    assert first == again != other
    assert {step.act.kind for step in first} == FAULTS.keys()


def test_the_monkeys_signals_are_heeded_in_the_background_too() -> None:
    """What `nohup` and `&` have told it to ignore, the runs that it starts do not ignore."""
    program = (
        "import signal as s, subprocess, sys; from tests.chaos.adopted import adopt;"
        "s.signal(s.SIGHUP, s.SIG_IGN); s.signal(s.SIGINT, s.SIG_IGN); adopt();"
        f"subprocess.run([sys.executable, '-c', {_LOOKS!r}], check=True);"
        "s.raise_signal(s.SIGHUP); s.raise_signal(s.SIGINT)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)

    assert done.stdout == "False False\n"


def test_a_frozen_disk_does_not_hold_up_the_monkey(tmp_path: Path) -> None:
    """It fills or freezes one that is frozen already, and goes on: nothing else would thaw it."""
    apart = [need_program("unshare", "apt-get install util-linux"), "--mount"]
    command = [sys.executable, "-c", _FREEZES, str(tmp_path / "disk")]
    if os.geteuid() == 0:
        command = [*apart, *command]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    if done.stdout.startswith("lacking: "):
        skip(*done.stdout.removeprefix("lacking: ").strip().split(": ", 1))

    assert (done.stdout, done.stderr) == ("thawed\n", "")


@pytest.mark.parametrize(
    ("status", "last", "kind", "may"),
    [
        (0, "Played 2 matches in 3.8 s.", "", True),
        (0, "To play: 5 matches.", "", False),
        (130, "Interrupted: 3 matches planned and not played.", "Ctrl-C", True),
        (130, "", "Ctrl-C", True),
        (130, "Played 9 matches in 12.0 s.", "Ctrl-C", True),
        (143, "", "SIGTERM to all", False),
        (130, "To play: 5 matches.", "Ctrl-C", False),
        (-2, "error: ladder.db: database or disk is full", "Ctrl-C", True),
        (-2, "To play: 5 matches.", "Ctrl-C", False),
        (1, "error: ladder.db: database or disk is full", "fill the disk", True),
        (1, "error: ladder.db: database or disk is full", "Ctrl-C", False),
    ],
)
def test_a_run_may_end_by_what_befell_it(status: int, last: str, kind: str, *, may: bool) -> None:
    """It says so, unless it did not listen yet, or had told already why it ends."""
    assert may_end(status, [last] if last else [], kind) is may


@pytest.mark.long
@pytest.mark.proof
def test_a_ladder_is_as_if_nothing_had_happened(proof_cases: Callable[[int], int]) -> None:
    """A thousand matches under the monkey: no unjust forfeit, nothing lost, doubled or left."""
    done = chaos("--seed", _SEED, "--matches", proof_cases(1000))

    assert done.returncode == 0, done.stdout + done.stderr


# Matches have time to begin on a busy machine, too; of stops only those tell that last.
PLANTED = [
    ("void counts", "kill -9 a worker", 40, "lost: match"),
    ("no credit", "stop a worker", 60, "unjust forfeit"),
    ("forgotten", "kill -9 the parent", 12, "lost: match"),
    ("workers stay", "kill -9 the parent", 8, "left behind: process"),
    ("folders stay", "kill -9 the parent", 8, "left behind: "),
]


@pytest.mark.proof
@pytest.mark.parametrize("number", range(len(PLANTED)))
def test_a_planted_mistake_is_brought_out(number: int, proof_cases: Callable[[int], int]) -> None:
    """Each is told as what it does, with the seed and what the monkey did; a sample tries one."""
    mistake, kind, matches, told = PLANTED[number]
    if number >= proof_cases(len(PLANTED)):
        return
    few = ("--seed", 1, "--matches", matches, "--only", kind, *_LASTING)
    done = chaos(*few, "--planted", mistake)

    assert done.returncode == 1, done.stdout + done.stderr
    assert f"BROKEN: {told}" in done.stdout
    assert f"{kind}, " in done.stdout
    assert "To repeat it: make chaos SEED=1" in done.stdout
