"""A call of rules that does not return is ended."""

import signal
import subprocess
import sys

from referee.games.plain import time_limit

CALL = """
from itertools import repeat
from referee.games.plain import time_limit

time_limit.CPU_SECONDS, time_limit.LAST_CPU_SECONDS = 0.1, 0.3

def loop():
    while True:
        try:
            {}["x"]
        except Exception:
            pass

for act in (lambda: 7, loop, lambda: 8, lambda: sum(repeat(0))):
    try:
        print(time_limit.call_limited(act), flush=True)
    except time_limit.OverrunError as error:
        print(error, flush=True)
"""


def test_a_loop_in_python_raises_and_one_in_c_ends_the_process() -> None:
    """Rules that catch every exception are interrupted, too; calls after that go on."""
    done = subprocess.run([sys.executable, "-c", CALL], capture_output=True, text=True, check=False)

    assert done.stdout.splitlines() == ["7", "it did not return within 0 s of CPU time", "8"]
    assert done.returncode == -signal.SIGVTALRM


def test_a_limit_of_a_caller_goes_on() -> None:
    """What a call uses is taken from the caller's own timer, whose handler stays."""
    reached = []
    before = signal.signal(signal.SIGPROF, lambda *_: reached.append(True))
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.2)
        time_limit.call_limited(lambda: sum(range(10_000_000)))
        left, _ = signal.getitimer(signal.ITIMER_PROF)
        assert reached or left < 0.2
        while not reached:
            sum(range(10_000))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
