"""A call of rules that does not return is ended."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.games.plain import guard

CALL = """
import os, sys
from ctypes import string_at
from itertools import repeat
from pathlib import Path
from referee.games.plain import guard

if len(sys.argv) > 1:
    guard.report_in(Path(sys.argv[1]))

def loop():
    while True:
        try:
            {}["x"]
        except Exception:
            pass

for name, act in ("x", lambda: 7), ("x", loop), ("y", lambda: 8), ("apply of $HOME", END):
    try:
        print(guard.guarded(name, 0.1, act), flush=True)
    except guard.OverrunError as error:
        print(error, flush=True)
"""
LATE = 'did not return within 0 s of CPU time (File "<string>", line 18 in <lambda>)'
ADD = "lambda: sum(repeat(0))"
ENDS = {
    ADD: (guard.STATUS, f" in apply of $HOME, which {LATE}"),
    "lambda: os._exit(3)": (3, " in apply of $HOME"),
    "lambda: string_at(0)": (-signal.SIGSEGV, " in apply of $HOME"),
    "lambda: 9": (0, ""),
}


@pytest.mark.sweep
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("place", ["stderr", "file"])
def test_a_loop_in_python_raises_and_what_ends_the_process_is_named(
    end: str, place: str, tmp_path: Path
) -> None:
    """Rules that catch every exception are interrupted, too; in C code they end the process."""
    file = tmp_path / "calls"
    status, word = ENDS[end]
    command = [sys.executable, "-c", CALL.replace("END", end)]
    command += [str(file)] if place == "file" else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.stdout.splitlines()[:3] == ["7", "it did not return within 0 s of CPU time", "8"]
    assert done.returncode == status
    assert guard.reported(file) == (word if place == "file" else "")
    on_stderr = f"error: this process was ended{word}\n" if word and place == "stderr" else ""
    assert done.stderr == on_stderr


def test_a_limit_of_a_caller_goes_on() -> None:
    """What a call uses is taken from the caller's own timer, whose handler stays."""
    reached = []
    before = signal.signal(signal.SIGPROF, lambda *_: reached.append(True))
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.2)
        guard.guarded("x", 10, lambda: sum(range(10_000_000)))
        left, _ = signal.getitimer(signal.ITIMER_PROF)
        assert reached or left < 0.2
        while not reached:
            sum(range(10_000))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
